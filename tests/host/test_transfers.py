"""Elements go in and out unchanged, by staging buffers too, which adapters with memory of their own need."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from host import adapters, native, transfers
from host.buffers import Block
from host.native import Clear, Gpu
from host.shared import Source, memory_file
from host.transfers import Transfers
from ops.wire import FrameError
from tests.host.engines import ADAPTER

CHUNK = 1 << 16


@pytest.fixture(scope="module", params=[True, False], ids=["in place", "staged"])
def gpu(request: pytest.FixtureRequest) -> Iterator[Gpu]:
    opened = adapters.choose(native.adapters(), ADAPTER).open()
    opened.mappable &= request.param
    yield opened
    opened.close()


@pytest.fixture
def moved(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> Transfers:
    monkeypatch.setattr(transfers, "_CHUNK", CHUNK)
    return Transfers(gpu)


def block(gpu: Gpu, nbytes: int) -> Block:
    return Block(gpu.create_buffer(nbytes, "storage"), "storage", "me")


def taken(moved: Transfers, from_: Block, nbytes: int, dtype: str = "u32") -> bytes:
    data = bytearray()
    moved.download(from_, dtype, nbytes, data.extend)
    return bytes(data)


@pytest.mark.parametrize("nbytes", [4, CHUNK, CHUNK + 4, 11 * CHUNK + 12])
def test_bytes_go_there_and_back_however_many_chunks_they_are(
    gpu: Gpu, moved: Transfers, nbytes: int
) -> None:
    blocks = [block(gpu, nbytes) for _ in range(2)]
    arrays = [np.random.default_rng(n).integers(0, 256, nbytes, np.uint8).tobytes() for n in range(2)]
    for into, data in zip(blocks, arrays, strict=True):
        moved.upload(into, "u32", Source(nbytes, data), clear_rest=False)
    assert [taken(moved, each, nbytes) for each in blocks] == arrays


def test_bools_are_widened_chunk_by_chunk(gpu: Gpu, moved: Transfers) -> None:
    wire = np.random.default_rng(0).integers(0, 2, 5 * CHUNK // 4 + 3, np.uint8)
    into = block(gpu, 4 * wire.size)
    moved.upload(into, "bool", Source(wire.size, (wire * 9).tobytes()), clear_rest=False)
    assert taken(moved, into, 4 * wire.size, "bool") == wire.tobytes()


def test_what_an_upload_does_not_fill_is_cleared_where_that_is_asked_for(gpu: Gpu, moved: Transfers) -> None:
    nbytes = 3 * CHUNK
    into = block(gpu, nbytes)
    moved.upload(into, "u32", Source(nbytes, b"\xff" * nbytes), clear_rest=False)
    moved.upload(into, "u32", Source(CHUNK + 8, b"\x01" * (CHUNK + 8)), clear_rest=True)
    assert taken(moved, into, nbytes) == b"\x01" * (CHUNK + 8) + bytes(2 * CHUNK - 8)


def test_a_download_has_what_was_submitted_before_it_and_not_what_comes_after(
    gpu: Gpu, moved: Transfers
) -> None:
    nbytes = 7 * CHUNK
    into = block(gpu, nbytes)
    for value in (b"\x05", b"\x06"):
        moved.upload(into, "u32", Source(nbytes, value * nbytes), clear_rest=False)
        assert taken(moved, into, nbytes) == value * nbytes
        gpu.submit([Clear(into.buffer, 0, nbytes)])
        assert taken(moved, into, nbytes) == bytes(nbytes)


def test_a_file_that_is_cut_short_fails_its_upload_and_not_the_next(gpu: Gpu, moved: Transfers) -> None:
    nbytes = 6 * CHUNK
    fd = memory_file(b"\x07" * nbytes)
    into, source = block(gpu, nbytes), Source(nbytes, fd=fd)
    os.ftruncate(fd, 2 * CHUNK + 100)
    with pytest.raises(FrameError, match="cut short"):
        moved.upload(into, "u32", source, clear_rest=False)
    os.close(fd)
    moved.upload(into, "u32", Source(nbytes, b"\x08" * nbytes), clear_rest=False)
    assert taken(moved, into, nbytes) == b"\x08" * nbytes


def test_a_reader_that_gives_up_leaves_the_next_download_whole(gpu: Gpu, moved: Transfers) -> None:
    nbytes = 6 * CHUNK
    into = block(gpu, nbytes)
    moved.upload(into, "u32", Source(nbytes, b"\x09" * nbytes), clear_rest=False)

    def refuse(piece: memoryview) -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        moved.download(into, "u32", nbytes, refuse)
    assert taken(moved, into, nbytes) == b"\x09" * nbytes
