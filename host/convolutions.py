"""Convolutions by the host's BLAS, in the device's own memory.

Owns how a convolution is cut into tiles, which depends on its sizes and the number of cores, and how a tile is
computed: what its windows see is copied side by side into a buffer that fits into caches (im2col), and multiplied by
the weights; long rows are multiplied where they lie (`host/row_convolution.py`). Either way a tile is a few long calls
of NumPy, during which other threads have the interpreter. Must not know plans or owners, and of threads only that each
has tiles of its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from operator import mul
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from host.boxes import Index, boxes, indices
from host.row_convolution import RowTile, by_taps, is_by_rows, row_width
from host.scratch import MOST_KEPT, scratch
from host.windows import reach, seen_by, surround, window
from ops.lower import HostConvolution

_TILE = 1 << 19
"""Elements in a buffer of a tile."""
_TILE_WORK = 1 << 30
"""Multiply-adds of a tile, about 15 ms of a core: nothing stops one."""
_EVEN = min(os.cpu_count() or 1, 4)
"""The tiles of an image are a multiple of this, those of several at least as many: then all hands have some."""
_TILES_KEPT = 16
"""So many tiles of a convolution by rows are kept as arrays."""

Array = npt.NDArray[Any]


class Tile(NamedTuple):
    """Which groups of which images, and which places along each axis of space; tiles have numbers from 0 on."""

    number: int
    where: Index
    places: tuple[range, ...]


def tiles(work: HostConvolution) -> Iterator[Tile]:
    """What a convolution is cut into."""
    batch, groups, *_ = work.x.layout.shape
    places = work.target.layout.shape[3:]
    each = _elements(work)
    sides = _sides(work, each)
    together = min(_TILE // (each * prod(sides)), -(-batch * groups // _EVEN))
    counts = [-(-size // side) for size, side in zip(places, sides, strict=True)]
    number = 0
    for where in boxes((batch, groups), together):
        for corner in indices(counts):
            yield Tile(number, where, tuple(map(_part, corner, sides, places)))
            number += 1


def _elements(work: HostConvolution) -> int:
    """How much of a buffer a place of a tile takes; or more, where `_TILE_WORK` is what bounds a tile."""
    _, outputs, channels, *taps = work.weight.layout.shape
    seen = channels * prod(taps)
    laid = max(channels * taps[0], outputs) if is_by_rows(work) else seen
    return max(laid, seen * outputs * _TILE // _TILE_WORK)


def _sides(work: HostConvolution, each: int) -> list[int]:
    """Places of a tile along each axis of space, where one takes `each`: last axes whole, as far as there is room."""
    batch, groups, *_ = work.x.layout.shape
    places = work.target.layout.shape[3:]
    sides = list(places)
    if is_by_rows(work) and (width := row_width(work.weight.layout.shape[1])):
        sides[-1] = -(-places[-1] // -(-places[-1] // width))
    outermost = next((axis for axis, size in enumerate(places) if size > 1), 0)
    for axis in range(len(sides)):
        most = max(1, _TILE // (each * prod(sides[axis + 1 :])))
        count = -(-sides[axis] // most)
        if axis == outermost and batch * groups == 1:
            count = -(-count // _EVEN) * _EVEN
        sides[axis] = -(-sides[axis] // count)
    return sides


def _part(number: int, side: int, size: int) -> range:
    """Of an axis that is cut into parts of `side` places, that of this number."""
    return range(number * side, min((number + 1) * side, size))


class Convolution:
    """A convolution of the arrays `x` and `weight` into `target`, as `HostConvolution` has them."""

    def __init__(self, work: HostConvolution, arrays: Sequence[Array]) -> None:
        self._x, self._weight, self._target = arrays
        self._work = work
        self._taps = self._weight.shape[3:]
        self._matrices = self._weight.reshape(*self._weight.shape[:2], -1)
        self._by_taps: Array | None = None
        if is_by_rows(work):
            self._by_taps, self._matrices = by_taps(self._weight)
        self._laying, self._are_laid = threading.Lock(), False
        self._kept: dict[tuple[int, int], RowTile] = {}

    def begin(self) -> None:
        """The weights, and the memory for them, may be others than before."""
        self._are_laid = False

    def compute(self, tile: Tile) -> None:
        """Write a tile. Its arrays have an axis of groups first, before which those of several images have one more."""
        if self._by_taps is not None:
            self._lay(self._by_taps)
            self._row_tile(tile).compute()
            return
        groups, x, target = self._parts(tile)
        weights, columns = self._matrices[groups], self._columns(x, tile.places)
        shape = (*target.shape[: -len(tile.places)], columns.shape[-1])
        if target[(0,) * (len(shape) - 1)].flags.c_contiguous:
            np.matmul(weights, columns, out=target.reshape(shape))
        else:
            made = np.matmul(weights, columns, out=scratch("made", shape))
            target[...] = made.reshape(target.shape)

    def _lay(self, by_taps: Array) -> None:
        """Lay the weights, unless another thread did: the first does while the others wake up."""
        if self._are_laid:
            return
        with self._laying:
            if not self._are_laid:
                by_taps[...] = self._weight
                self._are_laid = True

    def _parts(self, tile: Tile) -> tuple[tuple[Any, ...], Array, Array]:
        """The groups of a tile, what it may read of the images, and what it has to write."""
        where = tile.where
        places = (slice(each.start, each.stop) for each in tile.places)
        return where[1:] or (...,), self._x[where], self._target[(*where, ..., *places)]

    def _row_tile(self, tile: Tile) -> RowTile:
        """A tile by rows for this thread."""
        key = threading.get_ident(), tile.number
        kept = self._kept.get(key)
        if kept is None:
            groups, x, target = self._parts(tile)
            kept = RowTile(self._work, x, self._matrices[:, *groups], target, tile.places)
            if tile.number < _TILES_KEPT and kept.size <= MOST_KEPT:
                self._kept[key] = kept
        return kept

    def _columns(self, x: Array, places: Sequence[range]) -> Array:
        """What the windows of `places` see of `x`: [groups, channels and taps, places]."""
        rank, sizes = len(places), tuple(map(len, places))
        positions = reach(self._work, places)
        around = x.shape[:-rank]
        columns = scratch("columns", (*around, *self._taps, *sizes))
        if prod(map(len, positions)) <= prod((*self._taps, *sizes)):
            seen = scratch("seen", (*around, *map(len, positions)))
            surround(seen, x, positions)
            steps = seen.strides[-rank:]
            by_tap, by_place = (map(mul, steps, by) for by in (self._work.dilation, self._work.stride))
            strides = (*seen.strides[:-rank], *by_tap, *by_place)
            columns[...] = np.ndarray(columns.shape, np.float32, seen, 0, strides)
        elif prod(sizes) < prod(self._taps):
            of_places = np.moveaxis(columns, range(-rank, 0), range(rank))
            for where, place in zip(indices(sizes), product(*places), strict=True):
                surround(of_places[where], x, window(self._work, place))
        else:
            of_taps = np.moveaxis(columns, range(-2 * rank, -rank), range(rank))
            for tap in indices(self._taps):
                surround(of_taps[tap], x, seen_by(self._work, tap, places))
        return columns.reshape(*around[:-1], -1, prod(sizes))
