"""Convolutions by the host's BLAS, in the device's own memory.

Owns how a convolution is cut into tiles, which depends on its sizes alone, and how a tile is computed: what its windows
see is put side by side in a buffer that caches hold, and multiplied by the weights. Where neighbouring windows along
the first axis are neighbours in the buffer too, its taps are not put there again and again: they are as many products
of shifted columns. Must not know threads, plans or owners.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.lower import HostConvolution

_TILE = 1 << 18
"""Elements in the buffer of a tile."""
_KEPT = 1 << 21
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

    def compute(self, tile: Tile) -> None:
        """Write a tile."""
        image, groups, places = tile
        reach = self._work.dilation[0] * (self._shifted - 1)
        seen = (range(places[0].start, places[0].stop + reach), *places[1:])
        columns = self._columns(image, groups, seen)
        index: Index = (image, groups, slice(None), *(slice(part.start, part.stop) for part in places))
        target = self._target[index]
        step = self._work.dilation[0] * prod(map(len, places[1:]))
        count = prod(map(len, places))
        shape = (*target.shape[:2], count)
        sums, made = (_scratch(name, prod(shape)).reshape(shape) for name in ("sums", "made"))
        for tap in range(self._shifted):
            seen_by_tap = columns[..., tap * step : tap * step + count]
            np.matmul(self._weights[tap, groups], seen_by_tap, out=made if tap else sums)
            if 0 < tap < self._shifted - 1:
                np.add(sums, made, out=sums)
        if self._shifted == 1:
            target[...] = sums.reshape(target.shape)
        else:
            np.add(sums.reshape(target.shape), made.reshape(target.shape), out=target)

    def _columns(self, image: int, groups: slice, places: tuple[range, ...]) -> Array:
        """What the windows of `places` see: [groups, channels and gathered taps, places]."""
        x, sizes = self._x[image, groups], tuple(map(len, places))
        shape = (*x.shape[:2], *self._gathered, *sizes)
        made = _scratch("columns", prod(shape)).reshape(shape)
        is_flat = self._is_flat and sizes[1:] == x.shape[3:]
        for taps in np.ndindex(*self._gathered):
            there = made[(slice(None), slice(None), *taps)]
            inside, source = self._inside(taps, places)
            if is_flat:
                self._copy_flat(x, there, taps, places[0])
            elif all(part.start < part.stop for part in inside):
                into: Index = (..., *inside)
                out_of: Index = (..., *source)
                there[into] = x[out_of]
            for axis, (part, size) in enumerate(zip(inside, sizes, strict=True), 2):
                for outside in (range(part.start), range(part.stop, size)):
                    if outside:
                        there[(slice(None),) * axis + (slice(outside.start, outside.stop),)] = 0
        return made.reshape(shape[0], -1, prod(sizes))

    def _inside(self, taps: tuple[int, ...], places: tuple[range, ...]) -> tuple[list[slice], list[slice]]:
        """At which of `places` a tap sees elements of `x`, and which these are, along each axis."""
        inside, source = [], []
        work, sizes = self._work, self._x.shape[3:]
        for tap, where, size, stride, dilation, before in zip(
            taps, places, sizes, work.stride, work.dilation, work.before, strict=True
        ):
            first = where.start * stride + tap * dilation - before
            low = min(max(-(first // stride), 0), len(where))
            high = max(min((size - 1 - first) // stride + 1, len(where)), low)
            start = first + low * stride
            inside.append(slice(low, high))
            source.append(slice(start, start + (high - low) * stride, stride))
        return inside, source

    def _copy_flat(self, x: Array, there: Array, taps: tuple[int, ...], rows: range) -> None:
        """Copy whole rows in one piece, moved by a tap; what came from another row is overwritten with zeros later."""
        sizes, work = x.shape[2:], self._work
        moved = 0
        for tap, size, dilation, before in zip(taps, sizes, work.dilation, work.before, strict=True):
            moved = moved * size + tap * dilation - before
        row, total = prod(sizes[1:]), prod(sizes)
        begin, end = rows.start * row + moved, rows.stop * row + moved
        low, high = (min(max(place, 0), total) for place in (begin, end))
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


_kept = threading.local()


def _scratch(name: str, count: int) -> Array:
    """A flat buffer of this thread's: fresh memory costs as much as it takes to fill it."""
    if count > _KEPT:
        return np.empty(count, np.float32)
    kept: dict[str, Array] = _kept.__dict__
    if name not in kept or kept[name].size < count:
        kept[name] = np.empty(count, np.float32)
    return kept[name][:count]
