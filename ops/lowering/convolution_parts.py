"""Convolutions of which an operand is larger than a binding: made in two parts along an axis, until each part fits.

Owns which axis is cut, and what a part sees of its operands. Must not know how a convolution that fits is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from ops.layout import Layout
from ops.lowering import convolution_places, elementwise, windows
from ops.lowering.builder import Builder
from ops.lowering.convolution_weights import up_to_quads
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.space import Convolution, span

_RESULT = ("batch", "groups", "outputs", "places")


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of what a convolution goes through, by its name in `Convolution`; `number` tells those of space apart."""

    name: Literal["batch", "groups", "outputs", "places", "channels", "taps"]
    number: int = 0

    def size(self, form: Convolution) -> int:
        """How long it is."""
        sizes: int | tuple[int, ...] = getattr(form, self.name)
        return sizes if isinstance(sizes, int) else sizes[self.number]

    @property
    def of_result(self) -> int | None:
        """Which of [batch, groups, outputs, *places] it is; None where it is summed over."""
        return _RESULT.index(self.name) + self.number if self.name in _RESULT else None


Write = Callable[[Source, Source, Convolution, Target], None]


def cut_axis(device: DeviceClass, form: Convolution) -> Axis | None:
    """The axis along which to cut, as `x` with its zeros, the weights or the result are too large; None where none is.

    Groups go before channels and outputs, so that these are cut where there is one group; what is summed over is last,
    but for windows that are larger than how far they move.
    """
    space = range(len(form.size))
    places, taps = ([Axis(name, number) for number in space] for name in ("places", "taps"))
    batch, groups, outputs, channels = Axis("batch"), Axis("groups"), Axis("outputs"), Axis("channels")
    moves = [places[number] for number in space if form.places[number] >= form.taps[number]]
    inner = form.groups * form.channels
    seen = form.batch * inner * prod(convolution_places.seen(form))
    weights = inner * up_to_quads(form.outputs) * prod(form.taps)
    for count, axes in (
        (seen, (batch, groups, *moves, channels, *taps, *places)),
        (weights, (groups, outputs, channels, *taps)),
        (prod(form.result), (batch, groups, outputs, *places)),
    ):
        if count > windows.room(device):
            return next(axis for axis in axes if axis.size(form) > 1)
    return None


def emit(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, axis: Axis, write: Write
) -> None:
    """Have `write` make a convolution in two parts along `axis`, each of them contiguous from offset 0."""

    def write_part(part: range, there: Target) -> None:
        write(*_part(x, weight, form, axis, part), there)

    if axis.of_result is None:
        elementwise.summed(builder, target, axis.size(form), write_part)
    else:
        shape = (form.batch, form.groups, form.outputs, *form.places)
        whole = Target(target.operand, Layout.contiguous(shape), target.dtype)
        elementwise.by_halves(builder, whole, axis.of_result, write_part)


def _part(
    x: Source, weight: Source, form: Convolution, axis: Axis, part: range
) -> tuple[Source, Source, Convolution]:
    """What of its operands a convolution of the positions `part` along an axis sees."""
    match axis.name:
        case "batch":
            return windows.narrowed(x, 0, part), weight, replace(form, batch=len(part))
        case "groups":
            x = windows.narrowed(x, 1, _times(part, form.channels))
            return x, windows.narrowed(weight, 0, _times(part, form.outputs)), replace(form, groups=len(part))
        case "outputs":
            return x, windows.narrowed(weight, 0, part), replace(form, outputs=len(part))
        case "channels":
            cut = replace(form, channels=len(part))
            return windows.narrowed(x, 1, part), windows.narrowed(weight, 1, part), cut
        case "taps":
            weight = windows.narrowed(weight, 2 + axis.number, part)
            taps = _with(form.taps, axis.number, len(part))
            return x, weight, replace(_shifted(form, axis, part, form.dilation), taps=taps)
        case _:
            return x, weight, _shifted(form, axis, part, form.stride)


def _shifted(form: Convolution, axis: Axis, part: range, steps: tuple[int, ...]) -> Convolution:
    """A convolution without what stands before and after a part of the places, or of the taps: each is a step."""
    number, step = axis.number, steps[axis.number]
    before = form.before[number] - step * part.start
    after = form.after[number] - step * (axis.size(form) - part.stop)
    return replace(form, before=_with(form.before, number, before), after=_with(form.after, number, after))


def near(builder: Builder, x: Source, form: Convolution) -> tuple[Source, Convolution]:
    """`x` where it can be bound: what is seen of it, copied together where that lies too far apart."""
    if not windows.is_wide(builder.device, x.layout):
        return x, form
    spans, before, after = [], [], []
    for number, size in enumerate(form.size):
        begin = -form.before[number]
        end = begin + (form.places[number] - 1) * form.stride[number]
        end += span(form.taps[number], form.dilation[number])
        low = min(max(begin, 0), size)
        high = max(min(end, size), low)
        spans.append(range(low, high))
        before.append(low - begin)
        after.append(end - high)
    cut = replace(form, size=tuple(map(len, spans)), before=tuple(before), after=tuple(after))
    layout = x.layout.slice([*map(range, x.layout.shape[:2]), *spans])
    x = Source(x.operand, layout, x.dtype)
    if windows.is_wide(builder.device, layout):
        return elementwise.gather(builder, x), cut
    return Source(*windows.through(x.operand, layout, x.dtype), x.dtype), cut


def _times(part: range, unit: int) -> range:
    """Positions of units as those of what is in them."""
    return range(part.start * unit, part.stop * unit)


def _with(sizes: tuple[int, ...], number: int, size: int) -> tuple[int, ...]:
    return (*sizes[:number], size, *sizes[number + 1 :])
