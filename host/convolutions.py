"""Convolutions by the host's BLAS, in the device's own memory.

Owns how a convolution is cut into tiles, which depends on its sizes alone, and how a tile is computed: what its windows
see is put side by side in a buffer that caches hold, and multiplied by the weights. Where neighbouring windows along
the first axis are neighbours in the buffer too, its taps are not put there again and again: they are as many products
of shifted columns. Must not know threads, plans or owners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from host.scratch import scratch
from ops.layout import Layout
from ops.lower import HostConvolution

_TILE = 1 << 18
"""Elements in the buffer of a tile."""
_LEAST_INNER = 64
_PLACES_A_ROW = 4
_EVEN = 4
"""Tiles are a multiple of this where one would be cut anyway: then all hands end at the same time."""

Array = npt.NDArray[Any]
Index = tuple[Any, ...]
Tile = tuple[int, slice, tuple[range, ...]]
"""Which image, which groups, and which places along each axis of space."""


def _is_shifted(work: HostConvolution) -> bool:
    """Whether the taps of the first axis are products of shifted columns: where the weights, laid anew, are few."""
    batch, *_ = work.x.layout.shape
    _, outputs, channels, _, *others = work.weight.layout.shape
    places = batch * prod(work.target.layout.shape[3:])
    return (
        work.stride[0] == 1 and channels * prod(others) >= _LEAST_INNER and places >= _PLACES_A_ROW * outputs
    )


def tiles(work: HostConvolution) -> Iterator[Tile]:
    """What a convolution is cut into."""
    batch, groups, channels, *_ = work.x.layout.shape
    places = work.target.layout.shape[3:]
    first, *others = work.weight.layout.shape[3:]
    inner = channels * prod(others) * (1 if _is_shifted(work) else first)
    sides = list(places)
    for axis in range(len(sides)):
        most = max(1, _TILE // (inner * prod(sides[axis + 1 :])))
        count = -(-sides[axis] // most)
        if axis == 0 and batch * groups == 1:
            count = -(-count // _EVEN) * _EVEN
        sides[axis] = -(-sides[axis] // count)
    together = max(1, _TILE // (inner * prod(sides)))
    for image, group, *begins in product(
        range(batch), range(0, groups, together), *map(range, [0] * len(places), places, sides)
    ):
        ends = (min(begin + side, size) for begin, side, size in zip(begins, sides, places, strict=True))
        yield image, slice(group, min(group + together, groups)), tuple(map(range, begins, ends))


class Convolution:
    """A convolution of the arrays `x` and `weight` into `target`, as `HostConvolution` has them."""

    def __init__(self, work: HostConvolution, arrays: Sequence[Array]) -> None:
        self._x, weight, self._target = arrays
        self._work = work
        groups, outputs, _, first, *others = weight.shape
        is_shifted = _is_shifted(work)
        self._shifted = first if is_shifted else 1
        self._gathered: tuple[int, ...] = (1, *others) if is_shifted else (first, *others)
        self._weights = _by_taps(weight) if is_shifted else weight[None]
        self._weights = np.ascontiguousarray(self._weights).reshape(self._shifted, groups, outputs, -1)
        is_dense = self._x[0, 0].flags.c_contiguous and all(step == 1 for step in work.stride)
        self._is_flat = is_dense and self._x.shape[4:] == self._target.shape[4:]
        steps = Layout.contiguous(self._x.shape[3:]).strides
        self._moves = [
            sum(
                step * (tap * dilation - before)
                for step, tap, dilation, before in zip(steps, taps, work.dilation, work.before, strict=True)
            )
            for taps in product(*map(range, self._gathered))
        ]

    def compute(self, tile: Tile) -> None:
        """Write a tile."""
        image, groups, places = tile
        reach = self._work.dilation[0] * (self._shifted - 1)
        seen = (range(places[0].start, places[0].stop + reach), *places[1:])
        columns = self._columns(self._x[image, groups], seen)
        index: Index = (image, groups, slice(None), *(slice(part.start, part.stop) for part in places))
        target = self._target[index]
        shape = (*target.shape[:2], prod(target.shape[2:]))
        if self._shifted > 1:
            self._add_taps(groups, columns, target)
        elif target[0, 0].flags.c_contiguous:
            np.matmul(self._weights[0, groups], columns, out=target.reshape(shape))
        else:
            made = np.matmul(self._weights[0, groups], columns, out=scratch("made", shape))
            target[...] = made.reshape(target.shape)

    def _add_taps(self, groups: slice, columns: Array, target: Array) -> None:
        """Write the sums of the products of all taps of the first axis."""
        step, count = self._work.dilation[0] * prod(target.shape[3:]), prod(target.shape[2:])
        sums, made = (scratch(name, (*target.shape[:2], count)) for name in ("sums", "made"))
        np.matmul(self._weights[0, groups], columns[..., :count], out=sums)
        for tap in range(1, self._shifted):
            if tap > 1:
                np.add(sums, made, out=sums)
            seen_by_tap = columns[..., tap * step : tap * step + count]
            np.matmul(self._weights[tap, groups], seen_by_tap, out=made)
        np.add(sums.reshape(target.shape), made.reshape(target.shape), out=target)

    def _columns(self, x: Array, places: tuple[range, ...]) -> Array:
        """What the windows of `places` see of some groups of an image: [groups, channels and taps, places]."""
        sizes = tuple(map(len, places))
        shape = (*x.shape[:2], *self._gathered, *sizes)
        made = scratch("columns", shape)
        is_flat = self._is_flat and sizes[1:] == x.shape[3:]
        spans = [
            [self._span(axis, tap, where) for tap in range(taps)]
            for axis, (taps, where) in enumerate(zip(self._gathered, places, strict=True))
        ]
        for taps, move, inside in zip(
            product(*map(range, self._gathered)), self._moves, product(*spans), strict=True
        ):
            at: Index = (slice(None), slice(None), *taps)
            there = made[at]
            if is_flat:
                _copy_flat(x, there, move, places[0])
            else:
                into, out_of = zip(*inside, strict=True)
                there[(..., *into)] = x[(..., *out_of)]
            for axis, (into, _) in enumerate(inside, 2):
                before: Index = (slice(None),) * axis
                if into.start:
                    there[(*before, slice(into.start))] = 0
                if into.stop < there.shape[axis]:
                    there[(*before, slice(into.stop, None))] = 0
        return made.reshape(shape[0], -1, prod(sizes))

    def _span(self, axis: int, tap: int, where: range) -> tuple[slice, slice]:
        """At which of the places `where` along an axis a tap sees elements of `x`, and which these are."""
        work, size = self._work, self._x.shape[3 + axis]
        stride = work.stride[axis]
        first = where.start * stride + tap * work.dilation[axis] - work.before[axis]
        low = min(max(-(first // stride), 0), len(where))
        high = max(min((size - 1 - first) // stride + 1, len(where)), low)
        start = first + low * stride
        return slice(low, high), slice(start, start + (high - low) * stride, stride)


def _copy_flat(x: Array, there: Array, move: int, rows: range) -> None:
    """Copy whole rows in one piece, moved by a tap; what came from another row is overwritten with zeros later."""
    row, total = prod(x.shape[3:]), prod(x.shape[2:])
    begin, end = rows.start * row + move, rows.stop * row + move
    low, high = min(max(begin, 0), total), min(max(end, 0), total)
    if low < high:
        flat = (*x.shape[:2], -1)
        there.reshape(flat)[..., low - begin : high - begin] = x.reshape(flat)[..., low:high]


def _by_taps(weight: Array) -> Array:
    """The weights with the taps of the first axis in front; tap by tap, which is faster than by runs of a few."""
    groups, outputs, channels, first, *others = weight.shape
    made = np.empty((first, groups, outputs, channels, *others), np.float32)
    for tap, *rest in np.ndindex(first, *others):
        made[(tap, ..., *rest)] = weight[(..., tap, *rest)]
    return made
