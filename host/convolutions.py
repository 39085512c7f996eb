"""Convolutions by the host's BLAS, in the device's own memory.

Owns how a convolution is cut into tiles, which depends on its sizes and the number of cores, and how a tile is
computed. What its windows see is put side by side in a buffer that caches hold, and multiplied by the weights; where
rows are long they are multiplied as they lie, shifted from tap to tap. Either way a tile is few and long calls of
NumPy: in each the interpreter is free for other threads, and after each it has to be had again. Must not know threads,
plans or owners.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from host.boxes import Index, boxes
from host.scratch import scratch
from ops.lower import HostConvolution

_TILE = 1 << 19
"""Elements in a buffer of a tile."""
_TILE_WORK = 1 << 30
"""Multiply-adds of a tile, about 15 ms of a core: nothing stops one."""
_EVEN = min(os.cpu_count() or 1, 4)
"""The tiles of an image are a multiple of this, those of several at least as many: then all hands have some."""
_LEAST_ROW = 40
"""Places of a row from which BLAS multiplies rows about as fast as a whole tile."""
_LEAST_INNER = 64
_PLACES_A_ROW = 4

Array = npt.NDArray[Any]
Tile = tuple[Index, tuple[range, ...]]
"""Which groups of which images, and which places along each axis of space."""


def _is_by_rows(work: HostConvolution) -> bool:
    """Whether rows are multiplied as they lie: where these are long, windows near, and the weights, laid anew, few."""
    batch, *_ = work.x.layout.shape
    _, outputs, channels, *taps = work.weight.layout.shape
    places = work.target.layout.shape[3:]
    is_dense = work.dilation[0] == 1 and all(step == 1 for step in work.stride)
    is_near = all(step * count <= _LEAST_ROW for step, count in zip(work.dilation, taps, strict=True))
    return (
        (is_dense and is_near and prod(taps[1:]) > 1 and places[-1] >= _LEAST_ROW)
        and channels * taps[0] >= _LEAST_INNER
        and batch * prod(places) >= _PLACES_A_ROW * outputs
    )


def tiles(work: HostConvolution) -> Iterator[Tile]:
    """What a convolution is cut into."""
    batch, groups, channels, *_ = work.x.layout.shape
    places = work.target.layout.shape[3:]
    _, outputs, _, *taps = work.weight.layout.shape
    inner = max(channels * taps[0], outputs) if _is_by_rows(work) else channels * prod(taps)
    inner = max(inner, channels * prod(taps) * outputs * _TILE // _TILE_WORK)
    sides = list(places)
    outermost = next((axis for axis, size in enumerate(places) if size > 1), 0)
    for axis in range(len(sides)):
        most = max(1, _TILE // (inner * prod(sides[axis + 1 :])))
        count = -(-sides[axis] // most)
        if axis == outermost and batch * groups == 1:
            count = -(-count // _EVEN) * _EVEN
        sides[axis] = -(-sides[axis] // count)
    together = min(_TILE // (inner * prod(sides)), -(-batch * groups // _EVEN))
    corners = list(product(*map(range, [0] * len(places), places, sides)))
    for where in boxes((batch, groups), together):
        for begins in corners:
            ends = (min(begin + side, size) for begin, side, size in zip(begins, sides, places, strict=True))
            yield where, tuple(map(range, begins, ends))


class Convolution:
    """A convolution of the arrays `x` and `weight` into `target`, as `HostConvolution` has them."""

    def __init__(self, work: HostConvolution, arrays: Sequence[Array]) -> None:
        self._x, weight, self._target = arrays
        self._work = work
        self._taps = weight.shape[3:]
        self._is_by_rows = _is_by_rows(work)
        self._weights = _by_taps(weight) if self._is_by_rows else weight.reshape(*weight.shape[:2], -1)

    def compute(self, tile: Tile) -> None:
        """Write a tile. Its arrays have an axis of groups first, before which those of several images have one more."""
        where, places = tile
        groups = where[1:] or (...,)
        x = self._x[where]
        target = self._target[(*where, ..., *(slice(each.start, each.stop) for each in places))]
        if self._is_by_rows:
            self._add_taps(groups, self._rows(x, places), np.moveaxis(target, -1 - len(places), -2))
            return
        columns = self._columns(x, places)
        shape = (*target.shape[: -len(places)], columns.shape[-1])
        if target[(0,) * (len(shape) - 1)].flags.c_contiguous:
            np.matmul(self._weights[groups], columns, out=target.reshape(shape))
        else:
            made = np.matmul(self._weights[groups], columns, out=scratch("made", shape))
            target[...] = made.reshape(target.shape)

    def _rows(self, x: Array, places: Sequence[range]) -> Array:
        """All that the windows of `places` reach of `x`, where a row of a channel is followed by that of the next:
        [groups, the first axis, channels, other axes]."""
        reach = self._reach(places)
        first, *others = map(len, reach)
        *groups, channels = x.shape[: -len(places)]
        rows = scratch("seen", (*groups, first, channels, *others))
        _surround(rows.swapaxes(len(groups), len(groups) + 1), x, reach)
        return rows

    def _add_taps(self, groups: tuple[Any, ...], rows: Array, target: Array) -> None:
        """Write to `target` [groups, axes but the last, outputs, the last axis] the sum of a product for each tap of
        all axes but the first: along that one taps are neighbours like channels."""
        *outer, channel = rows.strides[: 1 - len(self._taps)]
        steps = rows.strides[1 - len(self._taps) :]
        shape = (*target.shape[:-2], self._weights.shape[-1], target.shape[-1])
        strides = (*outer, *steps[:-1], channel, steps[-1])
        sums, made = (scratch(name, target.shape) for name in ("sums", "made"))
        last = len(self._weights) - 1
        for number, taps in enumerate(product(*map(range, self._taps[1:]))):
            begin = sum(map(prod, zip(taps, self._work.dilation[1:], steps, strict=True)))
            seen = np.ndarray(shape, np.float32, rows, begin, strides)
            np.matmul(self._weights[(number, *groups)], seen, out=made if number else sums)
            if number:
                np.add(sums, made, out=sums if number < last else target)

    def _columns(self, x: Array, places: Sequence[range]) -> Array:
        """What the windows of `places` see of `x`: [groups, channels and taps, places]."""
        rank, sizes, reach = len(places), tuple(map(len, places)), self._reach(places)
        around = x.shape[:-rank]
        columns = scratch("columns", (*around, *self._taps, *sizes))
        if prod(map(len, reach)) <= prod((*self._taps, *sizes)):
            seen = scratch("seen", (*around, *map(len, reach)))
            _surround(seen, x, reach)
            steps = seen.strides[-rank:]
            by_tap, by_place = (map(mul, steps, by) for by in (self._work.dilation, self._work.stride))
            strides = (*seen.strides[:-rank], *by_tap, *by_place)
            columns[...] = np.ndarray(columns.shape, np.float32, seen, 0, strides)
        else:
            for taps in product(*map(range, self._taps)):
                of_tap = np.moveaxis(columns, range(-2 * rank, -rank), range(rank))[taps]
                _surround(of_tap, x, self._seen_by(taps, places))
        return columns.reshape(*around[:-1], -1, prod(sizes))

    def _seen_by(self, taps: Sequence[int], places: Sequence[range]) -> list[range]:
        """At which positions along each axis of space a tap of the windows of `places` is."""
        work, positions = self._work, []
        for tap, where, stride, dilation, before in zip(
            taps, places, work.stride, work.dilation, work.before, strict=True
        ):
            begin, end = (place * stride + tap * dilation - before for place in (where.start, where.stop))
            positions.append(range(begin, end, stride))
        return positions

    def _reach(self, places: Sequence[range]) -> list[range]:
        """All positions along each axis of space that the windows of `places` reach."""
        firsts = self._seen_by([0] * len(places), places)
        lasts = self._seen_by([taps - 1 for taps in self._taps], places)
        return [range(first[0], last[-1] + 1) for first, last in zip(firsts, lasts, strict=True)]


def _surround(made: Array, x: Array, positions: Sequence[range]) -> None:
    """Write to `made` what is at `positions` along the axes of space of `x`, zeros where that is beside it."""
    within, inside = zip(*map(_overlap, positions, x.shape[-len(positions) :]), strict=True)
    found = x[(..., *inside)]
    if found.shape != made.shape:
        made[...] = 0
    made[(..., *within)] = found


def _overlap(positions: range, size: int) -> tuple[slice, slice]:
    """Which of `positions` are on an axis of so many elements, and which elements these are."""
    start, step = positions.start, positions.step
    low = min(max(-(start // step), 0), len(positions))
    high = max(min((size - 1 - start) // step + 1, len(positions)), low)
    begin = start + low * step
    return slice(low, high), slice(begin, begin + (high - low) * step, step)


def _by_taps(weight: Array) -> Array:
    """The weights by taps of all axes but the first: [taps, groups, 1…, outputs, taps of the first and channels].

    Outputs are next to each other: so OpenBLAS multiplies small matrices fastest.
    """
    groups, outputs, channels, first, *others = weight.shape
    made = scratch("weights", (*others, groups, first, channels, outputs))
    made[...] = weight.transpose(*range(4, weight.ndim), 0, 3, 2, 1)
    return made.reshape(-1, groups, *[1] * len(others), first * channels, outputs).swapaxes(-1, -2)
