"""Matrix products by the host's BLAS, in the device's own memory.

Owns how a product is cut into tiles, which depends on its sizes alone, so that its bits never depend on time; and the
threads that take them. BLAS itself shall have one thread, as `host/child.py` sees to: its own threads wait for each
other in loops, which costs tens of milliseconds where cores are busy. Must not know plans or owners.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from host.native import Buffer, Gpu
from ops.layout import Layout
from ops.lower import HostProduct

_SIDE = 512
_SMALL = 1 << 20
_FLAT = 64
_WIDE = 4096
_SPAN = 4096
_TILE_WORK = 1 << 27
_CALL_WORK = 1 << 14
_SHARED_WORK = 1 << 24

Array = npt.NDArray[Any]
Index = tuple[int | slice, ...]
Tile = tuple[Index, slice, slice]
"""Which matrices of a batch, which rows of their product, and which columns."""
Place = tuple[Buffer, int]
"""A buffer, and where in it an operand's bytes begin."""


class Hands:
    """As many threads as this process has cores, the caller's own among them."""

    def __init__(self, count: int | None = None) -> None:
        self._others = (count or os.cpu_count() or 1) - 1
        self._pool = ThreadPoolExecutor(self._others or 1, "hand")

    def multiply(
        self, gpu: Gpu, work: HostProduct, places: Sequence[Place], tiles: Tiles, until: float
    ) -> None:
        """Compute tiles of `work`, one at least, until there are none, or the time (`perf_counter`) is `until`.

        `places` are those of its operands in order; nobody else may use these buffers meanwhile.
        """
        with ExitStack() as stack:
            views = {
                buffer: stack.enter_context(gpu.map(buffer, buffer.size)) for buffer in {b for b, _ in places}
            }
            layouts = (work.left.layout, work.right.layout, work.target.layout)
            arrays = [
                _array(views[buffer], offset, layout)
                for (buffer, offset), layout in zip(places, layouts, strict=True)
            ]
            take = partial(_take, tiles, arrays, until)
            others = self._others if work.work >= _SHARED_WORK else 0
            helpers = [self._pool.submit(take) for _ in range(others)]
            try:
                take()
            finally:
                wait(helpers)  # none may run on when the buffers are the device's again
            for helper in helpers:
                helper.result()

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


class Tiles:
    """The tiles of a product that nobody has taken."""

    def __init__(self, work: HostProduct) -> None:
        *batch, rows, inner = work.left.layout.shape
        self._tiles = _tiles(batch, rows, work.right.layout.shape[-1], inner)
        self._lock = threading.Lock()
        self._next = next(self._tiles, None)

    @property
    def are_over(self) -> bool:
        """Whether all were taken."""
        return self._next is None

    def take(self) -> Tile | None:
        """The next one, to whoever asks first."""
        with self._lock:
            tile = self._next
            self._next = next(self._tiles, None)
            return tile


def _tiles(batch: Sequence[int], rows: int, columns: int, inner: int) -> Iterator[Tile]:
    height = _SIDE // 2 if rows * columns <= _SMALL else _SIDE
    width = _SIDE if rows >= _FLAT else _WIDE
    for where in _batches(batch, rows * columns * inner + _CALL_WORK):
        for row, column in product(range(0, rows, height), range(0, columns, width)):
            yield where, slice(row, row + height), slice(column, column + width)


def _batches(batch: Sequence[int], each: int) -> Iterator[Index]:
    """Boxes of matrices, `each` of which is so much work: as many together as make a tile."""
    axis = len(batch)
    while axis and each * batch[axis - 1] <= _TILE_WORK:
        axis -= 1
        each *= batch[axis]
    if not axis:
        yield ()
        return
    count = max(1, _TILE_WORK // each)
    for outer in np.ndindex(*batch[: axis - 1]):
        for first in range(0, batch[axis - 1], count):
            yield (*outer, slice(first, first + count))


def _take(tiles: Tiles, arrays: Sequence[Array], until: float) -> None:
    left, right, target = arrays
    with np.errstate(all="ignore"):
        while (tile := tiles.take()) is not None:
            where, rows, columns = tile
            a, b, c = left[where][..., rows, :], right[where][..., columns], target[where][..., rows, columns]
            np.matmul(a[..., :_SPAN], b[..., :_SPAN, :], out=c)
            for k in range(_SPAN, a.shape[-1], _SPAN):
                c += np.matmul(a[..., k : k + _SPAN], b[..., k : k + _SPAN, :])
            if time.perf_counter() > until:
                return


def _array(view: memoryview, offset: int, layout: Layout) -> Array:
    """The elements that lie so in `view`. NumPy refuses a layout that leaves it."""
    strides = [4 * stride for stride in layout.strides]
    return np.ndarray(layout.shape, np.float32, view, offset + 4 * layout.offset, strides)
