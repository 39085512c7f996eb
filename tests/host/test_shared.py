"""Memory files between processes, and files that cannot be trusted."""

from __future__ import annotations

import os

import pytest

from host import memory
from host.shared import KEEP_BYTES, Carriers, Shared, Source, Windows, memory_file
from ops.wire import FrameError

pytestmark = pytest.mark.usefixtures("nothing_leaks", "kind")


@pytest.fixture(params=["sealed", "unsealed"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The kind of file that the system has."""
    if request.param == "unsealed":
        monkeypatch.setattr(memory, "CAN_SEAL", False)
    elif not memory.CAN_SEAL:
        pytest.skip("this system has no sealed files")
    return str(request.param)


class Pair:
    """Carriers and the windows that look at them."""

    def __init__(self) -> None:
        self.carriers = Carriers()
        self.windows = Windows(self._unread)

    def _unread(self, carrier: int) -> None:
        self.carriers.release(carrier, self.windows.free(carrier))

    def send(self, data: bytes) -> tuple[int, Shared]:
        carrier = self.carriers.take(len(data))
        half = len(data) // 2
        carrier.write(0, memoryview(data)[:half])
        carrier.write(half, memoryview(data)[half:])
        if carrier.is_new:
            self.windows.add(carrier.id, os.dup(carrier.fd))
        return carrier.id, self.windows.open(carrier.id, len(data))

    def close(self) -> None:
        self.carriers.close()
        self.windows.close()


def test_a_download_is_read_and_its_carrier_used_again() -> None:
    pair = Pair()
    first, shared = pair.send(b"a" * 70_000)
    assert bytes(shared.view) == b"a" * 70_000
    assert shared.view.readonly
    shared.close()
    shared.close()
    second, shared = pair.send(b"b" * 69_000)
    assert (second, bytes(shared.view)) == (first, b"b" * 69_000)
    third, other = pair.send(b"c" * 69_000)
    assert third != first, "a carrier that is being read is not written"
    assert bytes(shared.view) == b"b" * 69_000
    shared.close()
    other.close()
    pair.close()


def test_a_view_that_outlives_its_close_stays_valid_and_its_carrier_waits_for_it() -> None:
    pair = Pair()
    first, shared = pair.send(b"a" * 70_000)
    part = shared.view[:3]
    shared.close()
    assert bytes(part) == b"aaa"
    second, shared = pair.send(b"b" * 70_000)
    assert second != first
    assert bytes(part) == b"aaa"
    part.release()
    assert pair.carriers.take(70_000).id == first, "the last view gave it back"
    shared.close()
    pair.close()


def test_a_carrier_that_cannot_be_mapped_is_written_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "mapped", lambda fd, size: None)
    pair = Pair()
    _, shared = pair.send(bytes(range(256)) * 500)
    assert bytes(shared.view) == bytes(range(256)) * 500
    shared.close()
    pair.close()


def test_carriers_over_the_bound_are_not_kept() -> None:
    pair = Pair()
    first, shared = pair.send(bytes(KEEP_BYTES + 1))
    shared.close()
    second, shared = pair.send(bytes(KEEP_BYTES + 1))
    assert second != first
    shared.close()
    pair.close()


def test_a_file_that_can_shrink_is_refused_where_files_are_mapped(kind: str) -> None:
    if kind == "unsealed":
        pytest.skip("there it is copied")
    pair = Pair()
    with pytest.raises(FrameError):
        pair.windows.add(1, memory_file(bytes(100)))
    pair.close()


@pytest.mark.parametrize(("carrier", "nbytes"), [(2, 10), (1, 1 << 30), (1, -1)])
def test_a_download_from_an_unknown_or_small_carrier_is_refused(carrier: int, nbytes: int) -> None:
    pair = Pair()
    _, shared = pair.send(bytes(70_000))
    shared.close()
    with pytest.raises(FrameError):
        pair.windows.open(carrier, nbytes)
    pair.close()


def test_a_source_reads_from_its_offset() -> None:
    fd = memory_file(b"0123456789")
    target = bytearray(4)
    Source(6, fd=fd, offset=2).read_into(memoryview(target), 1)
    assert target == b"3456"
    os.close(fd)


def test_a_source_inside_the_frame_must_have_its_size() -> None:
    with pytest.raises(FrameError):
        Source(5, b"1234")


@pytest.mark.parametrize(("nbytes", "offset"), [(11, 0), (10, 1), (1, -1), (1, 1 << 60)])
def test_a_source_that_does_not_lie_in_its_file_is_refused(nbytes: int, offset: int) -> None:
    fd = memory_file(b"0123456789")
    with pytest.raises(FrameError):
        Source(nbytes, fd=fd, offset=offset)
    os.close(fd)


def test_a_source_that_is_no_regular_file_is_refused() -> None:
    reading, writing = os.pipe()
    with pytest.raises(FrameError):
        Source(1, fd=reading)
    os.close(reading)
    os.close(writing)


def test_a_file_that_is_cut_short_while_it_is_read_is_an_error_and_no_signal() -> None:
    fd = memory_file(bytes(100_000))
    source = Source(100_000, fd=fd)
    os.ftruncate(fd, 10)
    with pytest.raises(FrameError):
        source.read_into(memoryview(bytearray(100_000)))
    os.close(fd)
