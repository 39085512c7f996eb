"""Elements into buffers and out of them.

Owns the two roads (in place on adapters whose memory is ours, by staging buffers on others) and the one difference
between wire and device form: a bool is a byte there and a u32 here. Staging buffers are used in turn: the device copies
one while others are filled or emptied. Must not know handles.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from host.buffers import Block
from host.copying import in_pieces
from host.native import STAMPS_BYTES, Buffer, BufferKind, Command, Copy, Gpu, Stamp
from host.shared import Source
from ops.dtypes import dtype

_CHUNK = 16 << 20
_TURNS = 3
"""Bytes of a staging buffer, and how many take turns in each direction: one is filled while another is copied."""
_PIECE = 1 << 20
"""Bytes that are widened or narrowed at once: caches hold them."""
Write = Callable[[memoryview], None]


class Transfers:
    """Uploads and downloads of whole blocks."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._uploads, self._downloads = (_staging(gpu, kind) for kind in ("upload", "download"))

    def upload(self, block: Block, dtype_name: str, source: Source, clear_rest: bool) -> None:
        """Fill `block` from its start with what `source` has; `clear_rest`: and zero what follows."""
        wide = _is_wide(dtype_name)
        total = source.nbytes * (4 if wide else 1)
        extent = block.size if clear_rest else _words(total)
        if self._gpu.mappable:
            if extent:
                with self._gpu.map(block.buffer, extent) as view:
                    _fill(view, source, 0, total, wide)
            return
        for start in range(0, extent, _CHUNK):
            size, target = min(_CHUNK, extent - start), next(self._uploads)
            with self._gpu.map(target, size) as view:
                _fill(view, source, start, total, wide)
            self._gpu.submit([Copy(target, 0, block.buffer, start, size)])

    def download(self, block: Block, dtype_name: str, nbytes: int, write: Write) -> None:
        """Give the first `nbytes` bytes (device form) of `block` to `write`, in wire form and in order."""
        if self._gpu.mappable:
            if nbytes:
                self._empty(block.buffer, nbytes, dtype_name, write)
            return
        under_way: deque[tuple[Buffer, int]] = deque()
        for start in range(0, nbytes, _CHUNK):
            staging, size = next(self._downloads), min(_CHUNK, nbytes - start)
            self._gpu.submit([Copy(block.buffer, start, staging, 0, _words(size))])
            under_way.append((staging, size))
            if len(under_way) == _TURNS:
                self._empty(*under_way.popleft(), dtype_name, write)
        for staging, size in under_way:
            self._empty(staging, size, dtype_name, write)

    def put(self, block: Block, data: bytes) -> None:
        """Write `data` (device form, a multiple of 4) to the start of `block`, before what is submitted next."""
        if self._gpu.mappable:
            with self._gpu.map(block.buffer, len(data)) as view:
                view[:] = data
        else:
            self._gpu.write(block.buffer, 0, data)

    def submit_and_read(
        self, commands: Sequence[Command], block: Block, nbytes: int
    ) -> tuple[bytes, float | None]:
        """Run `commands`, of which the last is a run, then give the first `nbytes` bytes (device form, a multiple of 4)
        of `block`, and the milliseconds that the run took by the device's own clock, if it has one.
        """
        watch = self._gpu.stopwatch
        if self._gpu.mappable and watch is None:
            self._gpu.submit(commands)
            with self._gpu.map(block.buffer, nbytes) as view:
                return bytes(view), None
        target = next(self._downloads)
        after: list[Command] = [Copy(block.buffer, 0, target, 0, nbytes)]
        if watch is not None:
            after = [Stamp(), *after, Copy(watch.stamps, 0, target, nbytes, STAMPS_BYTES)]
        self._gpu.submit([*commands, *after])
        with self._gpu.map(target, nbytes + STAMPS_BYTES) as view:
            taken = None if watch is None else watch.elapsed_ms(bytes(view[nbytes:]))
            return bytes(view[:nbytes]), taken

    def _empty(self, buffer: Buffer, size: int, dtype_name: str, write: Write) -> None:
        with self._gpu.map(buffer, _words(size)) as view:
            _emit(view[:size], dtype_name, write)


def _staging(gpu: Gpu, kind: BufferKind) -> Iterator[Buffer]:
    """Staging buffers in turn, each made when it is first needed."""
    made = []
    for _ in range(_TURNS):
        made.append(gpu.create_buffer(_CHUNK, kind))
        yield made[-1]
    yield from itertools.cycle(made)


def device_form(dtype_name: str, data: bytes) -> bytes:
    """Elements in wire form as a device buffer has them."""
    if not _is_wide(dtype_name):
        return data
    return bytes((np.frombuffer(data, np.uint8) != 0).astype(np.uint32))


def _words(nbytes: int) -> int:
    """`nbytes` and what is missing to whole words, the last of which packed elements may fill in part."""
    return -(-nbytes // 4) * 4


def _is_wide(dtype_name: str) -> bool:
    return dtype(dtype_name).kind == "bool"


def _fill(target: memoryview, source: Source, start: int, total: int, wide: bool) -> None:
    """Fill `target` with the `total` bytes of the device form from byte `start` of them on, then with zeros."""
    count = max(0, min(len(target), total - start))
    fill = _widen if wide else Source.read_into
    in_pieces(count, lambda begin, end: fill(source, target[begin:end], start + begin))
    if count < len(target):
        np.frombuffer(target[count:], np.uint8).fill(0)


def _widen(source: Source, target: memoryview, start: int) -> None:
    """`Source.read_into`, for bools."""
    for at in range(0, len(target), _PIECE):
        words = np.frombuffer(target[at : at + _PIECE], np.uint32)
        wire = bytearray(len(words))
        source.read_into(memoryview(wire), (start + at) // 4)
        np.not_equal(np.frombuffer(wire, np.uint8), 0, out=words, casting="unsafe")


def _emit(view: memoryview, dtype_name: str, write: Write) -> None:
    if not _is_wide(dtype_name):
        write(view)
        return
    for at in range(0, len(view), _PIECE):
        words = np.frombuffer(view[at : at + _PIECE], np.uint32)
        write(memoryview((words != 0).view(np.uint8)))
