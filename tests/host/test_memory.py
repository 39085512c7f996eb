"""Files in memory as every system has them; `test_shared.py` uses both kinds."""

from __future__ import annotations

import os

import pytest

from host import memory
from ops.wire import FrameError

pytestmark = pytest.mark.usefixtures("nothing_leaks")


@pytest.fixture
def unsealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system whose files cannot be sealed."""
    monkeypatch.setattr(memory, "CAN_SEAL", False)


@pytest.mark.usefixtures("unsealed")
def test_a_file_where_none_can_be_sealed_has_no_name_and_is_not_inherited() -> None:
    fd = memory.create("ours")
    status = os.fstat(fd)
    assert (status.st_nlink, status.st_size, status.st_mode & 0o777) == (0, 0, 0o600)
    assert not os.get_inheritable(fd)
    os.close(fd)


@pytest.mark.usefixtures("unsealed")
def test_a_file_that_can_be_cut_short_is_copied_so_that_no_reader_faults() -> None:
    fd = memory.create("ours")
    memory.fix_size(fd, 100_000)
    os.pwrite(fd, b"abc", 0)
    window = memory.window(fd)
    seen = window.look(3)
    assert (window.size, bytes(seen), memoryview(seen).readonly) == (100_000, b"abc", True)
    os.pwrite(fd, b"xyz", 0)
    os.ftruncate(fd, 2)
    assert bytes(seen) == b"abc"
    with pytest.raises(FrameError, match="cut short"):
        window.look(3)
    os.close(fd)
    window.close()


@pytest.mark.skipif(not memory.CAN_SEAL, reason="this system has no sealed files")
def test_a_sealed_file_keeps_its_size_and_is_seen_without_a_copy() -> None:
    fd = memory.create("ours")
    memory.fix_size(fd, 100_000)
    for size in (2, 200_000):
        with pytest.raises(PermissionError):
            os.ftruncate(fd, size)
    window = memory.window(fd)
    seen = window.look(3)
    os.pwrite(fd, b"xyz", 0)
    assert seen[:3] == b"xyz"
    os.close(fd)
    window.close()
