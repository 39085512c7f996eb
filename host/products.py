"""Matrix products by the host's BLAS, in the device's own memory.

Owns how a product is cut into tiles, which depends on its sizes alone, so that its bits never depend on time, and how a
tile is computed. Must not know threads, plans or owners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.lower import HostProduct

SIDE = 512
SPAN = 4096
_SMALL = 1 << 20
_FLAT = 64
_WIDE = 4096
_TILE_WORK = 1 << 27
_CALL_WORK = 1 << 14

Array = npt.NDArray[Any]
Index = tuple[int | slice, ...]
Tile = tuple[Index, slice, slice]
"""Which matrices of a batch, which rows of their product, and which columns."""


def tiles(work: HostProduct) -> Iterator[Tile]:
    """What a product is cut into."""
    *batch, rows, inner = work.left.layout.shape
    columns = work.right.layout.shape[-1]
    height = SIDE // 2 if rows * columns <= _SMALL else SIDE
    width = SIDE if rows >= _FLAT else _WIDE
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


class Product:
    """A product whose operands are `arrays`, the target last."""

    def __init__(self, work: HostProduct, arrays: Sequence[Array]) -> None:
        self._left, self._right, self._target = arrays

    def compute(self, tile: Tile) -> None:
        """Write a tile."""
        where, rows, columns = tile
        a, b = self._left[where][..., rows, :], self._right[where][..., columns]
        c = self._target[where][..., rows, columns]
        np.matmul(a[..., :SPAN], b[..., :SPAN, :], out=c)
        for k in range(SPAN, a.shape[-1], SPAN):
            c += np.matmul(a[..., k : k + SPAN], b[..., k : k + SPAN, :])
