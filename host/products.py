"""Matrix products by the host's BLAS, in the device's own memory.

Owns how a product is cut into tiles, which depends on its sizes and the number of cores, so that its bits never depend
on time, and how a tile is computed: of a matrix of bytes a panel at a time is f32. Must not know plans or owners, and
of threads only that they wait for each other between calls.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from typing import Any

import numpy as np
import numpy.typing as npt

from host.boxes import Index, boxes
from host.hand import SHARED_WORK
from host.scratch import scratch
from ops.lower import HostProduct

SPAN = 4096
"""Of the inner axis at most so much is summed up in a call."""
MOST_WORK = 5 << 29
"""What a tile costs at most, as `cost` counts: about 30 ms of a core. Nothing stops one; larger ones are quicker."""
LEAST_SIDE = 64
"""Sides that are not longer are not halved."""
_STEP = 24
"""What sides that were halved are multiples of: the kernels of BLAS take 8, 12, 16 or 24 rows at once."""
_READING = 32
"""As many multiply-adds cost as much as reading an element."""
_HANDS = min(os.cpu_count() or 1, 8)
"""Products that are worth it have a tile for each hand at least."""
_WIDE = 1024
"""Columns of a tile at most where rows are few."""
_TILE_WORK = 1 << 24
_CALL_WORK = 1 << 14
"""Multiply-adds of small matrices that a tile takes together, and what a call for one of them costs besides."""
_PANEL = 1 << 18
"""Elements of the right operand that caches hold."""
_CALL = 1 << 21
"""Multiply-adds of a call where hands share a product: in shorter ones they wait for the interpreter, not compute."""
_FEW = 32
"""Rows up to which a product goes by blocks of columns, of which BLAS makes no copy (`UNPACKED`)."""
UNPACKED = 10**6
"""Up to so many multiply-adds OpenBLAS copies no operand first, which takes longer than a product of few rows."""

Array = npt.NDArray[Any]
Tile = tuple[Index, slice, slice]
"""Which matrices of a batch, which rows of their product, and which columns."""


def tiles(work: HostProduct) -> Iterator[Tile]:
    """What a product is cut into."""
    *batch, rows, inner = work.left.layout.shape
    columns = work.right.layout.shape[-1]
    together = boxes(batch, _TILE_WORK // (rows * columns * inner + _CALL_WORK))
    least = _HANDS if work.work >= SHARED_WORK else 1
    few = tuple(islice(together, least))  # not all: there may be millions
    height, width = _sides(rows, columns, inner, -(-least // len(few)))
    for where in chain(few, together):
        for row, column in product(range(0, rows, height), range(0, columns, width)):
            yield where, slice(row, row + height), slice(column, column + width)


def _sides(rows: int, columns: int, inner: int, least: int) -> tuple[int, int]:
    """The height and width of the largest tiles, as square as can be, of which there are `least`."""
    height, width = rows, columns if rows >= LEAST_SIDE else min(columns, _WIDE)
    while max(height, width) > LEAST_SIDE and (
        -(-rows // height) * -(-columns // width) < least or cost(height, width, inner) > MOST_WORK
    ):
        if height >= width:
            height = _half(height)
        else:
            width = _half(width)
    return height, width


def _half(side: int) -> int:
    """Half of a side or some more: the hand that takes the second part begins later."""
    return -(-side // (2 * _STEP)) * _STEP


def cost(height: int, width: int, inner: int) -> int:
    """Multiply-adds of a tile, and what they take to read."""
    return inner * (height + _READING) * (width + _READING)


class Product:
    """A product whose operands are `arrays`, the target last."""

    def __init__(self, work: HostProduct, arrays: Sequence[Array]) -> None:
        self._left, self._right, self._target = arrays
        self._call = _CALL if work.work >= SHARED_WORK else 0

    def begin(self) -> None:
        """Tiles need nothing before."""

    def compute(self, tile: Tile) -> None:
        """Write a tile."""
        where, rows, columns = tile
        a, b = self._left[where][..., rows, :], self._right[where][..., columns]
        c = self._target[where][..., rows, columns]
        width, span = self._panel(b, a.shape[-2])
        for first in range(0, b.shape[-1], width):
            part = slice(first, first + width)
            _fold(a, b[..., part], c[..., part], span)

    def _panel(self, right: Array, rows: int) -> tuple[int, int]:
        """How many columns, and rows of these, of the right operand of a product of `rows` are taken at once."""
        (inner, columns), is_floats = right.shape[-2:], right.dtype == np.float32
        if is_floats and not 1 < rows <= _FEW:
            return columns, SPAN
        panel = max(_PANEL, self._call // rows)
        span = min(inner if _is_turned(right) else max(1, panel // columns), SPAN)
        return columns if is_floats else max(1, panel // span), span


def _fold(a: Array, b: Array, c: Array, span: int) -> None:
    """Write the product of `a` and `b` to `c`, `span` of the inner axis at once."""
    for first in range(0, a.shape[-1], span):
        left, right = a[..., first : first + span], b[..., first : first + span, :]
        if first == 0:
            _multiply(left, right, c)
        else:
            part = scratch("part", c.shape)
            _multiply(left, right, part)
            c += part


def _multiply(a: Array, b: Array, c: Array) -> None:
    """Write the product of `a` and `b` to `c`, that of few rows by blocks of columns."""
    (rows, inner), columns = a.shape[-2:], b.shape[-1]
    if rows == 1 and b.dtype != np.float32 and b.size > _PANEL:
        np.einsum("...rk,...kc->...rc", a, b, out=c)  # it unpacks a few thousand elements at a time
        return
    b = _floats(b)
    if not 1 < rows <= _FEW or rows * inner * columns <= UNPACKED:
        np.matmul(a, b, out=c)
        return
    width = 1 << (UNPACKED // (rows * inner)).bit_length() - 1
    even = columns - columns % width
    for part, size in ((slice(even), width), (slice(even, columns), columns - even)):
        if size:
            np.matmul(a[..., np.newaxis, :, :], _blocks(b[..., part], size), out=_blocks(c[..., part], size))


def _blocks(matrix: Array, width: int) -> Array:
    """A matrix as an axis of blocks of so many columns, which are a divisor of all: the same elements."""
    return matrix.reshape(*matrix.shape[:-1], -1, width).swapaxes(-2, -3)


def _is_turned(matrix: Array) -> bool:
    """Whether the elements of a column are next to each other, not those of a row."""
    return bool(abs(matrix.strides[-1]) > abs(matrix.strides[-2]))


def _floats(matrix: Array) -> Array:
    """A matrix of f32 itself, one of bytes in this thread's memory, which lies as it does."""
    if matrix.dtype == np.float32:
        return matrix
    made = scratch("panel", matrix.T.shape).T if _is_turned(matrix) else scratch("panel", matrix.shape)
    np.copyto(made, matrix)
    return made
