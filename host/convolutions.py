"""Convolutions by the host's BLAS, in the device's own memory.

Owns how a convolution is cut into tiles, which depends on its sizes and the machine's cores, and how a tile is computed:
what its windows see is put side by side in a buffer that caches hold, and multiplied by the weights. There are few calls
of NumPy, each long: between any two a thread may have to wait until another has done its own Python. Must not know
threads, plans or owners.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from host.scratch import scratch
from ops.lower import HostConvolution

_TILE = 1 << 19
"""Elements in the buffer of a tile."""
_EVEN = min(os.cpu_count() or 1, 4)
"""The tiles of an image are a multiple of this: then all hands end at the same time."""

Array = npt.NDArray[Any]
Tile = tuple[int, slice, tuple[range, ...]]
"""Which image, which groups, and which places along each axis of space."""


def tiles(work: HostConvolution) -> Iterator[Tile]:
    """What a convolution is cut into."""
    batch, groups, channels, *_ = work.x.layout.shape
    places = work.target.layout.shape[3:]
    inner = channels * prod(work.weight.layout.shape[3:])
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
        self._taps = weight.shape[3:]
        self._weights = weight.reshape(*weight.shape[:2], -1)

    def compute(self, tile: Tile) -> None:
        """Write a tile."""
        image, groups, places = tile
        columns = self._columns(self._x[image, groups], places)
        target = self._target[(image, groups, ..., *(slice(where.start, where.stop) for where in places))]
        shape = (*target.shape[:2], columns.shape[-1])
        if target[0, 0].flags.c_contiguous:
            np.matmul(self._weights[groups], columns, out=target.reshape(shape))
        else:
            made = np.matmul(self._weights[groups], columns, out=scratch("made", shape))
            target[...] = made.reshape(target.shape)

    def _columns(self, x: Array, places: Sequence[range]) -> Array:
        """What the windows of `places` see of some groups of an image: [groups, channels and taps, places]."""
        work, sizes, rank = self._work, tuple(map(len, places)), len(places)
        spans = [(taps - 1) * step + 1 for taps, step in zip(self._taps, work.dilation, strict=True)]
        seen = self._seen(x, places, spans)
        groups, channels = seen.shape[:2]
        if seen.shape[2:] == sizes and seen[0, 0].flags.c_contiguous:
            return seen.reshape(groups, channels, -1)
        steps = (slice(None, None, step) for step in (*work.stride, *work.dilation))
        windows = sliding_window_view(seen, spans, tuple(range(2, 2 + rank)))[(..., *steps)]
        made = scratch("columns", (groups, channels, *self._taps, *sizes))
        made[...] = windows.transpose(0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
        return made.reshape(groups, -1, prod(sizes))

    def _seen(self, x: Array, places: Sequence[range], spans: Sequence[int]) -> Array:
        """All that the windows of `places` reach of some groups of an image, with the zeros around it."""
        inside, within, reach = [], [], []
        for where, span, stride, before, size in zip(
            places, spans, self._work.stride, self._work.before, x.shape[2:], strict=True
        ):
            begin, end = where[0] * stride - before, where[-1] * stride - before + span
            low, high = sorted(min(max(edge, 0), size) for edge in (begin, end))
            inside.append(slice(low, high))
            within.append(slice(low - begin, high - begin))
            reach.append(end - begin)
        found = x[(..., *inside)]
        if found.shape[2:] == tuple(reach):
            return found
        made = scratch("seen", (*x.shape[:2], *reach))
        made.fill(0)
        made[(..., *within)] = found
        return made
