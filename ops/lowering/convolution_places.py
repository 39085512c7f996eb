"""How convolutions by tiles take their places: side by side by fours, and in stacks of rows.

Where windows along the last axis are neighbours, places are taken by fours, and what four of them see of `x` is read by
fours once for all taps of that axis. On CPUs, where reads cost most, rows of places are stacked, and what they see of a
channel is read once for all taps of two axes. Must not know the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ops.lowering.base import DeviceClass
from ops.lowering.convolution_weights import up
from ops.space import Convolution, span

QUAD = 4
_STACKS = (4, 2)
_MOST_OVER = 1.2
"""How many times the places stacks may cover."""
_MOST_TAPS = 8
_MOST_STACKED_TAPS = 16


def takes_quads(form: Convolution) -> bool:
    """Whether places are taken by fours."""
    return form.stride[-1] == form.dilation[-1] == 1 and form.taps[-1] <= _MOST_TAPS


def stack_of(device: DeviceClass, form: Convolution) -> int:
    """How many rows of places an invocation takes."""
    stacks = len(form.taps) > 1 and takes_quads(form) and form.stride[-2] == form.dilation[-2] == 1
    if device.kind != "cpu" or not stacks or form.taps[-2] * form.taps[-1] > _MOST_STACKED_TAPS:
        return 1
    for stack in _STACKS:
        covered, height = domain(form, stack), form.places[-2]
        fills = prod(covered) >= device.lanes * QUAD
        if fills and covered[-2] * stack <= _MOST_OVER * height:
            return stack
    return 1


def seen(form: Convolution) -> tuple[int, ...]:
    """The sizes along the axes of space of what a kernel reads of `x` with its zeros: rows by fours are filled up."""
    each = zip(form.places, form.stride, form.taps, form.dilation, strict=True)
    sizes = [(places - 1) * step + span(taps, apart) for places, step, taps, apart in each]
    if takes_quads(form):
        sizes[-1] = up(form.places[-1]) + up(form.taps[-1] - 1)
    return tuple(sizes)


def domain(form: Convolution, stack: int) -> tuple[int, ...]:
    """The images and places, those of the last axis filled up to fours where they are taken so, rows in stacks."""
    *rows, last = form.places
    if stack > 1:
        rows[-1] = -(-rows[-1] // stack)
    return (form.batch, *rows, up(last) if takes_quads(form) else last)


def between_stacks(strides: Sequence[int], stack: int) -> tuple[int, ...]:
    """The strides of an operand between stacks of rows."""
    return (*strides[:-2], strides[-2] * stack, strides[-1]) if stack > 1 else tuple(strides)
