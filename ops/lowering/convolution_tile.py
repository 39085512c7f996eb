"""Convolutions by tiles in registers, as matrix products whose right operand is seen through windows.

Owns which tile an invocation has, eight outputs or four at some places (`convolution_places.py`), what the kernel
(`convolution_kernel.py`) is told of a convolution, and how it is cut into dispatches: a large one is several, since a
device is deaf until one ends. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod

from ops.layout import Layout
from ops.lowering.addressing import QUAD, padded, wrapped
from ops.lowering.after import After, Finish
from ops.lowering.builder import MAX_GROUPS, Builder, Params
from ops.lowering.convolution_kernel import kernel
from ops.lowering.convolution_places import Places, taken
from ops.lowering.convolution_sums import RANK, Tile
from ops.lowering.convolution_weights import laid
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.space import Convolution

_ROWS, _STACKED_ROWS = 8, 4
"""Outputs of an invocation, and of one that has a stack of places."""
_WIDE, _NARROW = 16, 4
"""Places of an invocation, side by side."""
_LEAST_GROUPS = {"cpu": 2, "gpu": 256}
"""From how many workgroups on tiles may be wide."""


def emit(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None = None
) -> None:
    """Write the convolution of `x`, which has its padding already, with `weight` to `target`, or what comes `after`.

    Where `takes_quads`, rows of `x` begin at multiples of four, and go on for all that quads of places see.
    """
    weights = laid(builder, weight, form)
    after = after or After.nothing("f32")
    places = taken(builder.device, form)
    tile = _tile(builder.device, places, after.finish)
    params = _sizes(places, tile.rows) | after.values | _strides(places, x, after)
    operands = [x.operand, weights.operand, *(source.operand for source in after.sources), target.operand]
    columns = -(-places.count // (tile.lanes * tile.across))
    for adds, part in _parts(builder.device, places, tile, columns):
        count = part["stop"] - part["first"]
        depth = -(-count // MAX_GROUPS)
        turns = (part["end"] - part["begin"]) * (part["tap_end"] - part["tap_begin"]) * places.looped[1]
        groups = (columns, -(-count // depth), depth)
        spec = kernel(replace(tile, adds=adds))
        builder.dispatch(spec, groups, operands, {**params, **part}, tile.rows * tile.width * turns)


def _tile(device: DeviceClass, places: Places, finish: Finish) -> Tile:
    """What an invocation has: as many columns of places as leave the device enough workgroups."""
    form, count = places.form, places.count
    rows = _STACKED_ROWS if places.is_stacked else _ROWS
    wide = -(-count // (device.lanes * _WIDE)) * _lines(form, rows) >= _LEAST_GROUPS[device.kind]
    narrow = places.is_stacked or not wide or count < device.lanes * _WIDE // 2
    return Tile(
        rows,
        (_NARROW if narrow else _WIDE) * places.stack,
        places.stack,
        form.taps[-2] if places.is_stacked else 1,
        form.taps[-1] if places.unit > 1 else 0,
        device.lanes,
        len(form.taps),
        finish,
    )


def _row_tiles(form: Convolution, rows: int) -> int:
    return -(-form.outputs // rows)


def _lines(form: Convolution, rows: int) -> int:
    """How many tiles lie above each other, in all groups."""
    return _row_tiles(form, rows) * form.groups


def _sizes(places: Places, rows: int) -> Params:
    form = places.form
    points, steps = prod(form.places), Layout.contiguous(form.places).strides
    stacked: Params = {"height": form.places[-2], "line_out": steps[-2]} if places.is_stacked else {}
    return stacked | {
        "columns": places.count,
        "points": points,
        "last": form.places[-1],
        "outputs": form.outputs,
        "strides_out": padded((form.outputs * form.groups * points, *places.strides(steps)), RANK, 0),
        "row_tiles": _row_tiles(form, rows),
        "quads": _row_tiles(form, QUAD),
        "channels": form.channels,
        "taps": padded(form.taps, RANK, 1),
        "shape": padded(places.shape, RANK, 1),
    }


def _strides(places: Places, x: Source, after: After) -> Params:
    """Where the elements of `x` and of the extra operands lie."""
    form = places.form
    batch, channel, *space = (stride // places.unit for stride in x.layout.strides)
    steps = [stride * step for stride, step in zip(space, form.stride, strict=True)]
    apart = [stride * step for stride, step in zip(space, form.dilation, strict=True)]
    params: Params = {
        "offset_x": x.layout.offset // places.unit,
        "strides_x": padded((batch, *places.strides(steps)), RANK, 0),
        "row_x": wrapped(channel),
        "reach": padded(apart, RANK, 0),
    }
    if places.is_stacked:
        params["line_x"] = steps[-2]
    for number, source in enumerate(after.sources):
        layout = source.layout.expand(form.result)
        batch, channel, *space = layout.strides
        params |= {
            f"offset_e{number}": layout.offset,
            f"strides_e{number}": padded((batch, *places.strides(space)), RANK, 0),
            f"row_e{number}": wrapped(channel),
        }
        if places.is_stacked:
            params[f"line_e{number}"] = wrapped(space[-2])
    return params


def _parts(
    device: DeviceClass, places: Places, tile: Tile, columns: int
) -> Iterator[tuple[bool, dict[str, int]]]:
    """Whether each dispatch adds to what is there, and which lines of tiles, channels, and taps of the first axis it
    takes, by `device.work`.

    A line has as many tiles as workgroups along `columns` have lanes. Its first part makes its sums, the others add to
    them, the last finishes.
    """
    form, (first_taps, others) = places.form, places.looped
    width, lines = columns * tile.lanes * tile.width * tile.rows, _lines(places.form, tile.rows)
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
