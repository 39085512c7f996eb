"""Convolutions of 3 x 3 taps by fewer products: Winograd's minimal filtering F(2 x 2, 3 x 3).

Owns which convolutions are computed so, their tiles, and how a tile is computed: four by four neighbours give two by
two results by 16 products of sums, where the direct way takes 36 (Lavin and Gray, "Fast Algorithms for Convolutional
Neural Networks", 2015). Channels lie innermost, so that a neighbour is a shift of everything, and columns and rows are
filtered one after the other. All others, and tiles whose result is not finite, are left to `convolutions.py`: sums of
infinities are not what the direct way gives. Must not know threads, plans or owners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from host import convolutions
from host.convolutions import Array, Convolution, Tile
from host.scratch import scratch
from ops.lower import HostConvolution

_FORM = ((3, 3), (1, 1), (1, 1), 1)
"""Taps, stride, dilation and groups."""
_LEAST_CHANNELS, _LEAST_OUTPUTS, _LEAST_SIDE = 32, 16, 16
_MOST_WEIGHTS = 1 << 14
"""Channels times outputs: the sums of weights are made by one thread, in each slice anew."""
_PLACES_AN_OUTPUT = 12
_TILE = 1 << 19
"""Elements in all buffers of a tile."""
_ACROSS = 64
"""Most pairs of columns in a tile."""
_ELEMENTS = 10, 12
"""Elements in a tile's buffers for each channel and each output of a pair of columns and rows."""
_EVEN = 2

_OF_TAPS = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)
_OF_WEIGHTS = np.kron(_OF_TAPS, _OF_TAPS)
_OF_NEIGHBOURS = ((np.subtract, 0, 2), (np.add, 1, 2), (np.subtract, 2, 1), (np.subtract, 1, 3))
"""What is made of four neighbours: how, and of which."""


def suits(work: HostConvolution) -> bool:
    """Whether a convolution is computed so: where that was measured to be faster."""
    batch, groups, channels, *_ = work.x.layout.shape
    _, outputs, _, *taps = work.weight.layout.shape
    sides = work.target.layout.shape[3:]
    return (
        (tuple(taps), work.stride, work.dilation, groups) == _FORM
        and min(sides) >= _LEAST_SIDE
        and channels >= _LEAST_CHANNELS
        and outputs >= _LEAST_OUTPUTS
        and channels * outputs <= _MOST_WEIGHTS
        and batch * prod(sides) >= _PLACES_AN_OUTPUT * outputs
    )


def tiles(work: HostConvolution) -> Iterator[Tile]:
    """What a convolution is cut into, whichever way it is computed."""
    return _tiles(work) if suits(work) else convolutions.tiles(work)


def convolution(work: HostConvolution, arrays: Sequence[Array]) -> Winograd | Convolution:
    """A convolution of arrays, as `HostConvolution` has them, the way that suits it."""
    return Winograd(work, arrays) if suits(work) else Convolution(work, arrays)


def _tiles(work: HostConvolution) -> Iterator[Tile]:
    batch, _, channels, *_ = work.x.layout.shape
    outputs, *places = work.target.layout.shape[2:]
    height, width = (-(-size // 2) for size in places)
    across = _shared(width, _ACROSS, 1)
    a_row = (across + 1) * (_ELEMENTS[0] * channels + _ELEMENTS[1] * outputs)
    down = _shared(height, max(1, _TILE // a_row), _EVEN if batch == 1 else 1)
    for image, top, left in product(
        range(batch), range(0, places[0], 2 * down), range(0, places[1], 2 * across)
    ):
        rows = range(top, min(top + 2 * down, places[0]))
        yield image, slice(0, 1), (rows, range(left, min(left + 2 * across, places[1])))


def _shared(count: int, most: int, multiple: int) -> int:
    """The size of parts of `count`: at most `most`, all about the same, and `multiple` times as many as need be."""
    parts = -(-count // most)
    return -(-count // (-(-parts // multiple) * multiple))


class Winograd:
    """A convolution of the arrays `x` and `weight` into `target`, as `HostConvolution` has them."""

    def __init__(self, work: HostConvolution, arrays: Sequence[Array]) -> None:
        self._work, self._arrays = work, arrays
        self._x, weight, self._target = arrays
        _, outputs, channels, *_ = weight.shape
        taps = np.ascontiguousarray(weight.reshape(outputs, channels, 9).transpose(2, 1, 0)).reshape(9, -1)
        with np.errstate(all="ignore"):
            self._weights = (_OF_WEIGHTS @ taps).reshape(4, 4, channels, outputs)

    @cached_property
    def _direct(self) -> Convolution:
        return Convolution(self._work, self._arrays)

    def compute(self, tile: Tile) -> None:
        """Write a tile."""
        image, _, (rows, columns) = tile
        made = self._filtered(self._neighbours(image, rows, columns))
        flat = made.reshape(-1)
        if not np.isfinite(np.dot(flat, flat)):
            self._direct.compute(tile)
            return
        target = self._target[image, 0, :, rows.start : rows.stop, columns.start : columns.stop]
        for across, down in np.ndindex(2, 2):
            there = target[:, down::2, across::2]
            there[...] = made[across, down].transpose(2, 0, 1)[:, : there.shape[1], : there.shape[2]]

    def _neighbours(self, image: int, rows: range, columns: range) -> Array:
        """What a tile sees: [even and odd columns, even and odd rows, pairs of rows, pairs of columns, channels]."""
        x = self._x[image, 0].transpose(1, 2, 0)
        counts = len(rows) // 2 + len(rows) % 2 + 1, len(columns) // 2 + len(columns) % 2 + 1
        made = scratch("neighbours", (2, 2, *counts, x.shape[2]))
        made[...] = 0
        for across, down in np.ndindex(2, 2):
            firsts = rows.start + down - self._work.before[0], columns.start + across - self._work.before[1]
            into, out_of = zip(*map(_seen, firsts, counts, x.shape), strict=False)
            made[across, down][into] = x[out_of]
        return made

    def _filtered(self, neighbours: Array) -> Array:
        """Their results: [even and odd columns, even and odd rows, pairs of rows, pairs of columns, outputs].

        The last pair of columns is of no use: its neighbours are in the next row.
        """
        _, _, rows, columns, channels = neighbours.shape
        outputs, places, row = self._weights.shape[3], (rows - 1) * columns, columns * channels
        even, odd = neighbours.reshape(2, -1)
        by_columns = scratch("by columns", (2, rows * row))
        by_both = scratch("by both", (4, places, channels))
        products = scratch("products", (4, places * outputs))
        sums = scratch("sums", (4, 2, places * outputs))
        last = by_columns.reshape(-1)[-channels:]
        last[...] = 0
        for column, weights in enumerate(self._weights.swapaxes(0, 1)):
            _mix(column, even, odd, channels, by_columns.reshape(-1)[:-channels])
            for place in range(4):
                _mix(place, by_columns[0], by_columns[1], row, by_both[place].reshape(-1))
            np.matmul(by_both, weights, out=products.reshape(4, places, outputs))
            _fold(products, sums[column])
        made = products.reshape(2, 2, -1)
        _fold(sums, made)
        return made.reshape(2, 2, rows - 1, columns, outputs)


def _mix(which: int, even: Array, odd: Array, step: int, target: Array) -> None:
    """Write one of the four sums of neighbours, each pair of which is `step` after the one before."""
    mix, one, other = _OF_NEIGHBOURS[which]
    neighbours = even[:-step], odd[:-step], even[step:], odd[step:]
    mix(neighbours[one], neighbours[other], out=target)


def _fold(products: Array, target: Array) -> None:
    """Write the two results of four products."""
    np.add(products[0], products[1], out=target[0])
    np.add(target[0], products[2], out=target[0])
    np.subtract(products[1], products[2], out=target[1])
    np.subtract(target[1], products[3], out=target[1])


def _seen(first: int, count: int, size: int) -> tuple[slice, slice]:
    """Which of `count` places, every second from `first` on, are within an axis, and where these are."""
    low = min(max(-(first // 2), 0), count)
    high = max(min((size - 1 - first) // 2 + 1, count), low)
    return slice(low, high), slice(first + 2 * low, first + 2 * high, 2)
