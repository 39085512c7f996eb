"""What the windows of a convolution see of an image, in positions along its axes of space.

Must not know how windows are multiplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from ops.lower import HostConvolution

Array = npt.NDArray[Any]


def seen_by(work: HostConvolution, taps: Sequence[int], places: Sequence[range]) -> list[range]:
    """At which positions along each axis a tap of the windows of `places` is."""
    positions = []
    for tap, where, stride, dilation, before in zip(
        taps, places, work.stride, work.dilation, work.before, strict=True
    ):
        begin, end = (place * stride + tap * dilation - before for place in (where.start, where.stop))
        positions.append(range(begin, end, stride))
    return positions


def window(work: HostConvolution, place: Sequence[int]) -> list[range]:
    """At which positions along each axis the taps of the window of `place` are."""
    taps = work.weight.layout.shape[3:]
    begins = [
        at * stride - before for at, stride, before in zip(place, work.stride, work.before, strict=True)
    ]
    return [
        range(begin, begin + count * dilation, dilation)
        for begin, count, dilation in zip(begins, taps, work.dilation, strict=True)
    ]


def reach(work: HostConvolution, places: Sequence[range]) -> list[range]:
    """All positions along each axis that the windows of `places` reach."""
    taps = work.weight.layout.shape[3:]
    firsts = seen_by(work, [0] * len(places), places)
    lasts = seen_by(work, [count - 1 for count in taps], places)
    return [range(first[0], last[-1] + 1) for first, last in zip(firsts, lasts, strict=True)]


def overlap(positions: range, size: int) -> tuple[slice, slice]:
    """Which of `positions` are on an axis of so many elements, and which elements these are."""
    start, step = positions.start, positions.step
    low = min(max(-(start // step), 0), len(positions))
    high = max(min((size - 1 - start) // step + 1, len(positions)), low)
    begin = start + low * step
    return slice(low, high), slice(begin, begin + (high - low) * step, step)


def surround(made: Array, x: Array, positions: Sequence[range]) -> None:
    """Write to `made` what is at `positions` along the axes of space of `x`, zeros where that is beside it."""
    within, inside = zip(*map(overlap, positions, x.shape[-len(positions) :]), strict=True)
    found = x[(..., *inside)]
    if found.shape != made.shape:
        made[...] = 0
    made[(..., *within)] = found
