"""A tile of a convolution by rows: these are laid once, and multiplied by each tap where they lie, shifted.

Owns the arrays that this needs. They are made once and kept from run to run, so that a run is nothing but calls of
NumPy: between two calls a thread may have to wait for the interpreter, and waking up takes longer than laying the rows.
Must not know threads, plans or owners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from host.products import UNPACKED
from host.scratch import MOST_KEPT, scratch
from host.windows import overlap, reach
from ops.lower import HostConvolution

LEAST_ROW = 40
"""Places of a row from which BLAS multiplies it about as fast as a whole tile."""
_LEAST_INNER = 64
"""Channels and taps of the first axis from which a product of them is worth a call."""
_PLACES_A_ROW = 4
"""Places of the batch for each output at least: for fewer it does not pay to lay the weights."""
_MOST_ROW, _MOST_INNER = 128, 96
"""What of a row, and of channels and taps, is multiplied at once, so that the nearest cache holds most of it."""

Array = npt.NDArray[Any]


def is_by_rows(work: HostConvolution) -> bool:
    """Whether rows are multiplied as they lie: where these are long, windows near, and the weights, laid anew, few."""
    batch, *_ = work.x.layout.shape
    _, outputs, channels, *taps = work.weight.layout.shape
    places = work.target.layout.shape[3:]
    is_dense = work.dilation[0] == 1 and all(step == 1 for step in work.stride)
    is_near = all(step * count <= LEAST_ROW for step, count in zip(work.dilation, taps, strict=True))
    return (
        (is_dense and is_near and prod(taps[1:]) > 1 and places[-1] >= LEAST_ROW)
        and channels * taps[0] >= _LEAST_INNER
        and batch * prod(places) >= _PLACES_A_ROW * outputs
        and work.weight.layout.count <= MOST_KEPT
    )


def row_width(outputs: int) -> int:
    """The most places of a row that BLAS multiplies by a part of the channels without a copy first; 0: too few."""
    width = min(UNPACKED // (_MOST_INNER * outputs), _MOST_ROW)
    return width if width >= LEAST_ROW else 0


def by_taps(weight: Array) -> tuple[Array, Array]:
    """Memory for the weights [groups, outputs, channels, taps…] by taps of all axes but the first, to which to copy
    them, and the same as [taps, groups, 1…, outputs, taps of the first and channels].

    Outputs are next to each other: so OpenBLAS multiplies small matrices fastest.
    """
    groups, outputs, channels, first, *others = weight.shape
    laid = scratch("weights", (*others, groups, first, channels, outputs))
    matrices = laid.reshape(-1, groups, *[1] * len(others), first * channels, outputs).swapaxes(-1, -2)
    rank = len(others)
    return laid.transpose(rank, rank + 3, rank + 2, rank + 1, *range(rank)), matrices


class RowTile:
    """The convolution of `x` [groups, channels, axes of space] by `weights` as `by_taps` has them, into `target`
    [groups, outputs, axes of space], which has `places` of the image's windows. It computes in this thread's memory."""

    def __init__(
        self, work: HostConvolution, x: Array, weights: Array, target: Array, places: Sequence[range]
    ) -> None:
        self._work, self._weights = work, weights
        self._target = np.moveaxis(target, -1 - len(places), -2)
        self._sums, self._made = (scratch(name, self._target.shape) for name in ("sums", "made"))
        self._lay(x, reach(work, places))
        self._pairs = list(self._multiplied())

    @property
    def size(self) -> int:
        """Elements of its largest array."""
        return max(self._rows.size, self._sums.size)

    def compute(self) -> None:
        """Write the target."""
        for border in self._borders:
            border.fill(0)
        np.copyto(self._inside, self._seen)
        (left, right), *others = self._pairs
        np.matmul(left, right, self._sums)
        for left, right in others:
            np.matmul(left, right, self._made)
            np.add(self._sums, self._made, self._sums)
        np.copyto(self._target, self._sums)  # to add to what is not contiguous takes three times as long

    def _lay(self, x: Array, positions: Sequence[range]) -> None:
        """All that the windows reach, where a row of a channel is followed by that of the next: [groups, the first
        axis, channels, other axes]. What of it is inside of the image comes from there, its borders are zeros."""
        rank = len(positions)
        first, *others = map(len, positions)
        *groups, channels = x.shape[:-rank]
        self._rows = scratch("seen", (*groups, first, channels, *others))
        laid = self._rows.swapaxes(len(groups), len(groups) + 1)
        within, inside = zip(*map(overlap, positions, x.shape[-rank:]), strict=True)
        self._inside, self._seen = laid[(..., *within)], x[(..., *inside)]
        self._borders = []
        for axis, part in enumerate(within):
            for beside in (slice(part.start), slice(part.stop, None)):
                border = laid[(..., *within[:axis], beside, *[slice(None)] * (rank - axis - 1))]
                if border.size:
                    self._borders.append(border)

    def _multiplied(self) -> Iterator[tuple[Array, Array]]:
        """Parts of the weights of each tap of all axes but the first, along which taps are neighbours like channels,
        and what they see of the rows."""
        taps = self._work.weight.layout.shape[3:]
        *outer, channel = self._rows.strides[: 1 - len(taps)]
        steps = self._rows.strides[1 - len(taps) :]
        *sizes, outputs, width = self._target.shape
        inner = self._weights.shape[-1]
        part = -(-inner // -(-inner // _MOST_INNER)) if row_width(outputs) else inner
        strides = (*outer, *steps[:-1], channel, steps[-1])
        for number, tap in enumerate(product(*map(range, taps[1:]))):
            begin = sum(map(prod, zip(tap, self._work.dilation[1:], steps, strict=True)))
            for first in range(0, inner, part):
                left = self._weights[number][..., first : first + part]
                shape = (*sizes, left.shape[-1], width)
                yield left, np.ndarray(shape, np.float32, self._rows, begin + first * channel, strides)
