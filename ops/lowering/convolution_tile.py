"""Convolutions by tiles in registers, as matrix products whose right operand is seen through windows.

Owns which tile an invocation has, eight outputs or four at some places (`convolution_places.py`), what the kernel
(`convolution_kernel.py`) is told of a convolution, and how it is cut into dispatches: a large one is several, since a
device is deaf until one ends. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from ops import wgsl
from ops.expression import input_term
from ops.layout import Layout
from ops.lowering.base import (
    MAX_GROUPS,
    After,
    Builder,
    DeviceClass,
    Params,
    Source,
    Target,
    padded,
)
from ops.lowering.convolution_kernel import kernel
from ops.lowering.convolution_places import QUAD, between_stacks, domain, stack_of, takes_quads
from ops.lowering.convolution_sums import RANK, Tile
from ops.lowering.convolution_weights import laid
from ops.space import Convolution

_ROWS, _STACKED_ROWS = 8, 4
_WIDE, _NARROW = 16, 4
_LEAST_GROUPS = {"cpu": 2, "gpu": 256}
"""From how many workgroups on tiles may be wide."""


def emit(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None = None
) -> None:
    """Write the convolution of `x`, which has its padding already, with `weight` to `target`, or what comes `after`.

    Where `takes_quads`, rows of `x` begin at multiples of four, and go on for all that quads of places see.
    """
    device = builder.device
    weights = laid(builder, weight, form)
    after = after or After(input_term(0, "f32"), "f32")
    names = [("value", "f32"), *((f"x{n}", source.dtype) for n, source in enumerate(after.sources))]
    finish = wgsl.function("finish", after.term, names)
    stack = stack_of(device, form)
    rows = _ROWS if stack == 1 else _STACKED_ROWS
    shape, row_tiles = domain(form, stack), -(-form.outputs // rows)
    columns = prod(shape)
    lines = row_tiles * form.groups
    wide = -(-columns // (device.lanes * _WIDE)) * lines >= _LEAST_GROUPS[device.kind]
    across = _NARROW if stack > 1 or not wide or columns < device.lanes * _WIDE // 2 else _WIDE
    width = across * stack
    tile = Tile(
        rows,
        width,
        stack,
        form.taps[-2] if stack > 1 else 1,
        form.taps[-1] if takes_quads(form) else 0,
        device.lanes,
        len(form.taps),
        False,
        "" if after.term.function == "input" else finish.text,
        finish.params,
        tuple(wgsl.storage(source.dtype) for source in after.sources),
    )
    params = _sizes(form, shape, row_tiles, stack) | finish.values | _places(form, x, after, stack)
    operands = [x.operand, weights.operand, *(source.operand for source in after.sources), target.operand]
    column_tiles = -(-columns // (device.lanes * across))
    looped = _looped(form, stack)
    for adds, part in _parts(device, form, looped, lines, column_tiles * device.lanes * width * rows):
        count = part["stop"] - part["first"]
        depth = -(-count // MAX_GROUPS)
        turns = (part["end"] - part["begin"]) * (part["tap_end"] - part["tap_begin"]) * looped[1]
        groups = (column_tiles, -(-count // depth), depth)
        spec = kernel(replace(tile, adds=adds))
        builder.dispatch(spec, groups, operands, {**params, **part}, rows * width * turns)


def _sizes(form: Convolution, shape: Sequence[int], row_tiles: int, stack: int) -> Params:
    points = prod(form.places)
    steps = Layout.contiguous(form.places).strides
    stacked: Params = {"height": form.places[-2], "line_out": steps[-2]} if stack > 1 else {}
    return stacked | {
        "columns": prod(shape),
        "points": points,
        "last": form.places[-1],
        "outputs": form.outputs,
        "strides_out": padded((form.outputs * form.groups * points, *between_stacks(steps, stack)), RANK, 0),
        "row_tiles": row_tiles,
        "quads": -(-form.outputs // QUAD),
        "channels": form.channels,
        "taps": padded(form.taps, RANK, 1),
        "shape": padded(shape, RANK, 1),
    }


def _places(form: Convolution, x: Source, after: After, stack: int) -> Params:
    """Where the elements of `x` and of the extra operands lie."""
    unit = QUAD if takes_quads(form) else 1
    batch, channel, *space = (stride // unit for stride in x.layout.strides)
    steps = [stride * step for stride, step in zip(space, form.stride, strict=True)]
    apart = [stride * step for stride, step in zip(space, form.dilation, strict=True)]
    params: Params = {
        "offset_x": x.layout.offset // unit,
        "strides_x": padded((batch, *between_stacks(steps, stack)), RANK, 0),
        "row_x": padded([channel], 1, 0)[0],
        "reach": padded(apart, RANK, 0),
    }
    if stack > 1:
        params["line_x"] = steps[-2]
    for number, source in enumerate(after.sources):
        layout = source.layout.expand(form.result)
        batch, channel, *space = layout.strides
        params |= {
            f"offset_e{number}": layout.offset,
            f"strides_e{number}": padded((batch, *between_stacks(space, stack)), RANK, 0),
            f"row_e{number}": padded([channel], 1, 0)[0],
        }
        if stack > 1:
            params[f"line_e{number}"] = padded([space[-2]], 1, 0)[0]
    return params


def _looped(form: Convolution, stack: int) -> tuple[int, int]:
    """How many taps of the first axis a kernel can take apart, and how many others go with each."""
    first, *others = form.taps
    together = takes_quads(form) + (stack > 1)
    return (1, prod(form.taps)) if together == len(form.taps) else (first, prod(others))


def _parts(
    device: DeviceClass, form: Convolution, looped: tuple[int, int], lines: int, width: int
) -> Iterator[tuple[bool, dict[str, int]]]:
    """Whether each dispatch adds to what is there, and which lines of tiles, channels, and taps of the first axis it
    takes, by `device.work`.

    A line has `width` elements. The first part of each line makes its sums, the others add to them, the last finishes.
    """
    first_taps, others = looped
    turns = min(device.loop_turns // 2, max(device.work // width, others))
    tap_span = max(min(turns // others, first_taps), 1)
    span = max(turns // (first_taps * others), 1) if tap_span == first_taps else 1
    height = max(device.work // (width * min(span, form.channels) * tap_span * others), 1)
    inner = list(product(range(0, form.channels, span), range(0, first_taps, tap_span)))
    for first in range(0, lines, height):
        for begin, tap in inner:
            part = {
                "first": first,
                "stop": min(first + height, lines),
                "begin": begin,
                "end": min(begin + span, form.channels),
                "tap_begin": tap,
                "tap_end": min(tap + tap_span, first_taps),
                "is_last": int((begin, tap) == inner[-1]),
            }
            yield (begin, tap) != inner[0], part
