"""How convolutions by tiles take their places: side by side by fours, and in stacks of rows.

Where windows along the last axis are neighbours, places are taken by fours, and what four of them see of `x` is read by
fours once for all taps of that axis. On CPUs, where reads cost most, rows of places are stacked, and what they see of a
channel is read once for all taps of two axes. Must not know the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ops.lowering.addressing import QUAD
from ops.lowering.convolution_weights import up_to_quads
from ops.lowering.device import DeviceClass
from ops.space import Convolution, span

_STACKS = (4, 2)
"""Rows of places in a stack, the most first."""
_MOST_OVER = 1.2
"""How many times the places stacks may cover."""
_MOST_TAPS = 8
_MOST_STACKED_TAPS = 16
"""Taps of the last axis, and in stacks of the last two, whose reads are shared: what they see fits into registers."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a convolution, `stack` rows of which an invocation takes together."""

    form: Convolution
    stack: int

    @property
    def unit(self) -> int:
        """How many lie side by side: four, or one."""
        return QUAD if takes_quads(self.form) else 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The images, and the places of each, rows in stacks, those of the last axis filled up to fours."""
        *rows, last = self.form.places
        if self.is_stacked:
            rows[-1] = -(-rows[-1] // self.stack)
        return (self.form.batch, *rows, -(-last // self.unit) * self.unit)

    @property
    def count(self) -> int:
        """How many columns there are, each of a stack of places."""
        return prod(self.shape)

    @property
    def is_stacked(self) -> bool:
        """Whether there is more than one row to a stack."""
        return self.stack > 1

    @property
    def looped(self) -> tuple[int, int]:
        """How many taps of the first axis a kernel can take apart, and how many others go with each."""
        first, *others = taps = self.form.taps
        together = (self.unit > 1) + self.is_stacked
        return (1, prod(taps)) if together == len(taps) else (first, prod(others))

    def strides(self, of_rows: Sequence[int]) -> tuple[int, ...]:
        """The strides of an operand between stacks, from those between its rows."""
        return (*of_rows[:-2], of_rows[-2] * self.stack, of_rows[-1]) if self.is_stacked else tuple(of_rows)


def taken(device: DeviceClass, form: Convolution) -> Places:
    """The places of a convolution as a device takes them: in the highest stacks of which few are empty."""
    one = Places(form, 1)
    stacks = len(form.taps) > 1 and one.unit > 1 and form.stride[-2] == form.dilation[-2] == 1
    if device.kind != "cpu" or not stacks or form.taps[-2] * form.taps[-1] > _MOST_STACKED_TAPS:
        return one
    for places in (Places(form, stack) for stack in _STACKS):
        fills = places.count >= device.lanes * QUAD
        if fills and places.shape[-2] * places.stack <= _MOST_OVER * form.places[-2]:
            return places
    return one


def takes_quads(form: Convolution) -> bool:
    """Whether places are taken by fours."""
    return form.stride[-1] == form.dilation[-1] == 1 and form.taps[-1] <= _MOST_TAPS


def seen(form: Convolution) -> tuple[int, ...]:
    """The sizes along the axes of space of what a kernel reads of `x` with its zeros: rows by fours are filled up."""
    each = zip(form.places, form.stride, form.taps, form.dilation, strict=True)
    sizes = [(places - 1) * step + span(taps, apart) for places, step, taps, apart in each]
    if takes_quads(form):
        sizes[-1] = up_to_quads(form.places[-1]) + up_to_quads(form.taps[-1] - 1)
    return tuple(sizes)
