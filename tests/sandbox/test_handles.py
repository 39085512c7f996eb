"""Holds on a process: each kills, and measures as far as its system lets it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from sandbox import handles
from sandbox.handles import ByParent, PidFd, descriptor_of
from tests.sandbox.support import descriptors

needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system has no pidfds")
BUSY = "data = bytearray(b'x') * (50 << 20)\nprint(flush=True)\nwhile True: pass"


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds 50 MB and computes."""
    with subprocess.Popen([sys.executable, "-I", "-c", BUSY], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            process.kill()


@needs_pidfd
def test_a_pidfd_measures_its_process_kills_it_and_is_harmless_afterwards(
    busy: subprocess.Popen[bytes],
) -> None:
    descriptor = descriptor_of(busy.pid)
    assert descriptor is not None
    handle = PidFd(descriptor, 1)
    assert handle.pid == busy.pid, "the number here counts, not that of its namespace"
    used, end = handle.cpu_s(), time.monotonic() + 20
    while handle.cpu_s() < used + 0.01:
        assert time.monotonic() < end
    assert 50 << 20 < handle.resident_bytes() <= handle.peak_bytes() < 500 << 20
    handle.kill()
    assert busy.wait(20) == -9
    handle.kill()
    with pytest.raises(OSError, match="Invalid argument"):
        handle.cpu_s()
    assert handle.peak_bytes() == handle.resident_bytes() == 0
    handle.close()


@needs_pidfd
def test_a_pidfd_of_unknown_number_is_closed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(descriptor: int, pid: int) -> int:
        raise FileNotFoundError

    before = descriptors()
    monkeypatch.setattr(handles, "_outer_pid", missing)
    descriptor = descriptor_of(os.getpid())
    assert descriptor is not None
    with pytest.raises(FileNotFoundError):
        PidFd(descriptor, 1)
    assert descriptors() == before


def test_without_pidfds_the_parent_is_asked_and_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert descriptor_of(os.getpid()) is None
    asked: list[int] = []
    handle = ByParent(4711, asked.append)
    handle.kill()
    handle.close()
    assert asked == [4711]
    assert not handle.measures
    assert (handle.cpu_s(), handle.resident_bytes(), handle.peak_bytes()) == (0, 0, 0)
