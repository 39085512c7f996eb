"""Convolutions by tiles in registers, as matrix products whose right operand is seen through windows.

Owns the kernel: an invocation owns eight outputs (two `vec4`) at some places, the lanes of a workgroup lie side by side
along the places. The weights are laid so that they are the same for all lanes, and read by fours; an element of `x` is
at the sum of where its window begins and of how far its tap is into it. Where windows along the last axis are
neighbours, places are taken by fours, and `x` is read by fours once for all taps of that axis; on CPUs, where reads
cost most, rows of places are stacked, and what they see of a channel is read once for all taps of two axes. A large one
is several dispatches, since a device is deaf until one ends. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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
    address,
    coordinates,
    padded,
    stride_params,
)
from ops.lowering.convolution_weights import laid, up
from ops.space import Convolution, span
from shaders.spec import Binding, KernelSpec, Param

_QUAD = 4
_ROWS, _STACKED_ROWS = 8, 4
_RANK = 4
_WIDE, _NARROW = 16, 4
_STACKS = (4, 2)
_MOST_OVER = 1.2
"""How many times the places stacks may cover."""
_MOST_TAPS = 8
_MOST_STACKED_TAPS = 16
_LEAST_GROUPS = {"cpu": 2, "gpu": 256}
"""From how many workgroups on tiles may be wide."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What the text of a kernel depends on: `rows` outputs and `width` places an invocation, `axes` of space, and
    what comes after. `adds`: to what is there.

    `taps` are those of the last axis where places are taken by fours, else 0. `stack` rows of places lie above each
    other; where these are several, `lines` are the taps of the last axis but one.
    """

    rows: int
    width: int
    stack: int
    lines: int
    taps: int
    lanes: int
    axes: int
    adds: bool
    finish: str
    params: tuple[Param, ...]
    types: tuple[str, ...]

    @property
    def extras(self) -> list[str]:
        """The names of the extra operands."""
        return [f"e{number}" for number in range(len(self.types))]

    @property
    def quads(self) -> range:
        """The numbers of the accumulators of a place."""
        return range(self.rows // _QUAD)

    @property
    def unit(self) -> int:
        """How many places lie side by side in a column of places."""
        return _QUAD if self.taps else 1

    @property
    def columns(self) -> range:
        """The numbers of the columns of places."""
        return range(self.width // self.stack // self.unit)


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
    stack = _stack(device, form)
    rows = _ROWS if stack == 1 else _STACKED_ROWS
    domain, row_tiles = _domain(form, stack), -(-form.outputs // rows)
    columns = prod(domain)
    lines = row_tiles * form.groups
    wide = -(-columns // (device.lanes * _WIDE)) * lines >= _LEAST_GROUPS[device.kind]
    across = _NARROW if stack > 1 or not wide or columns < device.lanes * _WIDE // 2 else _WIDE
    width = across * stack
    text = _Form(
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
    params = _sizes(form, domain, row_tiles, stack) | finish.values | _places(form, x, after, stack)
    operands = [x.operand, weights.operand, *(source.operand for source in after.sources), target.operand]
    column_tiles = -(-columns // (device.lanes * across))
    looped = _looped(form, stack)
    for adds, part in _parts(device, form, looped, lines, column_tiles * device.lanes * width * rows):
        count = part["stop"] - part["first"]
        depth = -(-count // MAX_GROUPS)
        turns = (part["end"] - part["begin"]) * (part["tap_end"] - part["tap_begin"]) * looped[1]
        groups = (column_tiles, -(-count // depth), depth)
        spec = _spec(replace(text, adds=adds))
        builder.dispatch(spec, groups, operands, {**params, **part}, rows * width * turns)


def takes_quads(form: Convolution) -> bool:
    """Whether places are taken by fours."""
    return form.stride[-1] == form.dilation[-1] == 1 and form.taps[-1] <= _MOST_TAPS


def _stack(device: DeviceClass, form: Convolution) -> int:
    """How many rows of places an invocation takes."""
    stacks = len(form.taps) > 1 and takes_quads(form) and form.stride[-2] == form.dilation[-2] == 1
    if device.kind != "cpu" or not stacks or form.taps[-2] * form.taps[-1] > _MOST_STACKED_TAPS:
        return 1
    for stack in _STACKS:
        domain, height = _domain(form, stack), form.places[-2]
        fills = prod(domain) >= device.lanes * _QUAD
        if fills and domain[-2] * stack <= _MOST_OVER * height:
            return stack
    return 1


def seen(form: Convolution) -> tuple[int, ...]:
    """The sizes along the axes of space of what a kernel reads of `x` with its zeros: rows by fours are filled up."""
    each = zip(form.places, form.stride, form.taps, form.dilation, strict=True)
    sizes = [(places - 1) * step + span(taps, apart) for places, step, taps, apart in each]
    if takes_quads(form):
        sizes[-1] = up(form.places[-1]) + up(form.taps[-1] - 1)
    return tuple(sizes)


def _domain(form: Convolution, stack: int) -> tuple[int, ...]:
    """The images and places, those of the last axis filled up to fours where they are taken so, rows in stacks."""
    *rows, last = form.places
    if stack > 1:
        rows[-1] = -(-rows[-1] // stack)
    return (form.batch, *rows, up(last) if takes_quads(form) else last)


def _stacked(strides: Sequence[int], stack: int) -> tuple[int, ...]:
    """The strides of an operand between stacks of rows."""
    return (*strides[:-2], strides[-2] * stack, strides[-1]) if stack > 1 else tuple(strides)


def _sizes(form: Convolution, domain: Sequence[int], row_tiles: int, stack: int) -> Params:
    points = prod(form.places)
    steps = Layout.contiguous(form.places).strides
    stacked: Params = {"height": form.places[-2], "line_out": steps[-2]} if stack > 1 else {}
    return stacked | {
        "columns": prod(domain),
        "points": points,
        "last": form.places[-1],
        "outputs": form.outputs,
        "strides_out": padded((form.outputs * form.groups * points, *_stacked(steps, stack)), _RANK, 0),
        "row_tiles": row_tiles,
        "quads": -(-form.outputs // _QUAD),
        "channels": form.channels,
        "taps": padded(form.taps, _RANK, 1),
        "shape": padded(domain, _RANK, 1),
    }


def _places(form: Convolution, x: Source, after: After, stack: int) -> Params:
    """Where the elements of `x` and of the extra operands lie."""
    unit = _QUAD if takes_quads(form) else 1
    batch, channel, *space = (stride // unit for stride in x.layout.strides)
    steps = [stride * step for stride, step in zip(space, form.stride, strict=True)]
    apart = [stride * step for stride, step in zip(space, form.dilation, strict=True)]
    params: Params = {
        "offset_x": x.layout.offset // unit,
        "strides_x": padded((batch, *_stacked(steps, stack)), _RANK, 0),
        "row_x": padded([channel], 1, 0)[0],
        "reach": padded(apart, _RANK, 0),
    }
    if stack > 1:
        params["line_x"] = steps[-2]
    for number, source in enumerate(after.sources):
        layout = source.layout.expand(form.result)
        batch, channel, *space = layout.strides
        params |= {
            f"offset_e{number}": layout.offset,
            f"strides_e{number}": padded((batch, *_stacked(space, stack)), _RANK, 0),
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


@lru_cache(maxsize=256)
def _spec(form: _Form) -> KernelSpec:
    places, unit = range(form.width), form.unit
    body = [
        "let line = params.first + wid.y + wid.z * nwg.y;",
        "if (line >= params.stop) {\n    return;\n}",
        "let group = line / params.row_tiles;",
        f"let row = line % params.row_tiles * {form.rows}u;",
        f"let column = wid.x * {form.lanes * form.width // form.stack // unit}u + lid.x;",
        "let base = params.offset_x + group * params.channels * params.row_x;",
        f"let last_column = params.columns / {unit}u - 1u;",
        *(f"let p{n} = base + begin_of(min({_column(form, n)}, last_column));" for n in form.columns),
        *(f"var c{q}_{n} = vec4<f32>();" for q in form.quads for n in places),
        *_sum(form),
        *(f"let s{n} = spot_of(group, row, ({_column(form, n)}) * {unit}u);" for n in form.columns),
        *(
            f"store(s{column}, {lane}u, {line}u, {', '.join(f'c{q}_{n}' for q in form.quads)});"
            for n, (column, line, lane) in enumerate(product(form.columns, range(form.stack), range(unit)))
        ),
        *_finish(form),
    ]
    kinds = ("offset", "row", "line") if form.stack > 1 else ("offset", "row")
    extras = [f"{kind}_{name}" for name in form.extras for kind in kinds]
    names = ["offset_x", "row_x", "columns", "points", "last", "outputs", "row_tiles", "quads"]
    names += ["channels", "first", "stop", "begin", "end", "tap_begin", "tap_end", "is_last", *extras]
    names += ["height", "line_x", "line_out"] if form.stack > 1 else []
    arrays = [
        "shape",
        "strides_x",
        "strides_out",
        "taps",
        "reach",
        *(f"strides_{name}" for name in form.extras),
    ]
    return KernelSpec(
        "convolution",
        (
            Binding("x", "vec4<f32>" if form.taps else "f32"),
            Binding("w", "vec4<f32>"),
            *map(Binding, form.extras, form.types),
        ),
        (Binding("out", "f32", "read_write"),),
        "\n".join(body),
        (*map(Param, names), *stride_params(arrays, _RANK), *form.params),
        (form.lanes, 1, 1),
        functions="\n".join([wgsl.with_helpers(form.finish), _begin(form), _store(form)]),
    )


def _begin(form: _Form) -> str:
    """The function that says where the window of a place, or of the first of four, begins in `x`."""
    last, unit = _RANK - 1, _QUAD if form.taps else 1
    along = f"c{last} / 4u" if form.taps else f"c{last} * strides_x_at({last}u)"
    terms = [*(f"c{axis} * strides_x_at({axis}u)" for axis in range(last)), along]
    place = coordinates(f"column * {unit}u", _RANK)
    return f"fn begin_of(column: u32) -> u32 {{\n{place}\nreturn {' + '.join(terms)};\n}}"


def _at(name: str, form: _Form) -> str:
    """The sum of an operand's strides at coordinates `c0` …, and in a stack at `line`, without its offset."""
    return address(name, _RANK).removeprefix(f"params.offset_{name} + ") + _line(name, form)


def _line(name: str, form: _Form) -> str:
    return f" + line * params.line_{name}" if form.stack > 1 else ""


def _column(form: _Form, number: int | str) -> str:
    """The place, or quad of places, that is an invocation's `number`-th."""
    if isinstance(number, int):
        return f"column + {number * form.lanes}u" if number else "column"
    return f"column + {number} * {form.lanes}u"


def _sum(form: _Form) -> list[str]:
    """Statements that add up the products of the part's channels and taps, in order."""
    axes = range(_RANK - form.axes, _RANK)
    first = axes[0]
    looped = axes[: -(1 + (form.stack > 1))] if form.taps else axes
    begins = dict.fromkeys(looped, "0u") | {first: "params.tap_begin"}
    ends = {axis: f"taps_at({axis}u)" for axis in looped} | {first: "params.tap_end"}
    reach = [f"t{axis} * reach_at({axis}u)" for axis in looped]
    lines = [
        f"let inner = {' * '.join(f'taps_at({axis}u)' for axis in axes)};",
        f"let later = inner / taps_at({first}u);",
        *(f"let {side} = min(row / 4u{plus}, params.quads - 1u);" for side, plus in _sides(form)),
        "for (var channel = params.begin; channel < params.end; channel++) {",
        "let of_channel = channel * params.row_x;",
        "var k = ((group * params.channels + channel) * inner + params.tap_begin * later) * params.quads;",
        *(f"for (var t{axis} = {begins[axis]}; t{axis} < {ends[axis]}; t{axis}++) {{" for axis in looped),
        f"var at = {' + '.join(['of_channel', *reach])};",
        *(_quads(form) if form.taps else _single(form)),
    ]
    return [*lines, *["}"] * (len(looped) + 1)]


def _sides(form: _Form) -> list[tuple[str, str]]:
    """The names of the quads of outputs, and where they are."""
    return [("low", ""), ("high", " + 1u")][: len(form.quads)]


def _single(form: _Form) -> list[str]:
    """Statements that add the products of one tap, whose elements of `x` lie anywhere."""
    lines = ["let w0 = w[k + low];", "let w1 = w[k + high];", "k += params.quads;"]
    for place in range(form.width):
        lines.append(f"let x{place} = vec4<f32>(x[p{place} + at]);")
        lines += [f"c{quad}_{place} = fma(w{quad}, x{place}, c{quad}_{place});" for quad in (0, 1)]
    return lines


def _quads(form: _Form) -> list[str]:
    """Statements that add the products of all taps of the last axis or the last two, which see parts of equal quads.

    `q` of a column and a line are the quads that its places see there. `at` and `k` go on by strides from read to
    read: on llvmpipe a product in each address took 4 % of the kernel.
    """
    count, stack = up(form.taps + _QUAD - 1) // _QUAD, form.stack
    columns, seen = form.width // _QUAD // stack, stack + form.lines - 1
    lines: list[str] = []
    for line in range(seen):
        lines += ["at += params.line_x;"] * (line > 0)
        lines += [
            f"let {_seen(column, line, quad)} = x[p{column} + at + {quad}u];"
            for column in range(columns)
            for quad in range(count)
        ]
    for tap in range(form.lines * form.taps):
        lines += [f"let w{tap}_{quad} = w[k + {side}];" for quad, (side, _) in enumerate(_sides(form))]
        lines.append("k += params.quads;")
        for place in range(form.width):
            column, row = divmod(place // _QUAD, stack)
            quad, lane = divmod(place % _QUAD + tap % form.taps, _QUAD)
            value = f"vec4<f32>({_seen(column, row + tap // form.taps, quad)}.{'xyzw'[lane]})"
            lines += [f"c{q}_{place} = fma(w{tap}_{q}, {value}, c{q}_{place});" for q in form.quads]
    return lines


def _seen(column: int, line: int, quad: int) -> str:
    return f"q{column}_{quad}" + (f"_{line}" if line else "")


def _finish(form: _Form) -> list[str]:
    """Statements that finish what is stored once all parts are added; loops, since drivers choke on long text."""
    if not form.finish:
        return []
    step = f"lane * strides_{{}}_at({_RANK - 1}u)"
    reads = [
        f", {name}[params.offset_{name} + {_at(name, form)} + {step.format(name)}"
        f" + (group * params.outputs + row + r) * params.row_{name}]"
        for name in form.extras
    ]
    return [
        "if (params.is_last != 0u) {",
        f"for (var n = 0u; n < {len(form.columns)}u; n++) {{",
        f"let place = ({_column(form, 'n')}) * {form.unit}u;",
        "let spot = spot_of(group, row, place);",
        coordinates("place", _RANK),
        f"for (var line = 0u; line < min(spot.z, {form.stack}u); line++) {{",
        f"for (var lane = 0u; lane < min(spot.y, {form.unit}u); lane++) {{",
        f"for (var r = 0u; r < min({form.rows}u, spot.w); r++) {{",
        f"let at = spot.x + lane{_line('out', form)} + r * params.points;",
        f"out[at] = finish(out[at]{''.join(reads)});",
        "}\n}\n}\n}\n}",
    ]


def _store(form: _Form) -> str:
    """The functions that put the sums of a place where they belong."""
    sides = [side for side, _ in _sides(form)]
    sign = "+=" if form.adds else "="
    return _STORE.format(
        coordinates=coordinates("place", _RANK),
        at=address("out", _RANK).removeprefix("params.offset_out + "),
        column=f"c{_RANK - 1}",
        lines=f"params.height - c{_RANK - 2} * {form.stack}u" if form.stack > 1 else "1u",
        values=", ".join(f"{side}: vec4<f32>" for side in sides),
        line=_line("out", form),
        stores="\n".join(
            f"    if (spot.w > {r}u) {{ out[at + {r}u * params.points] {sign} {sides[r // 4]}.{'xyzw'[r % 4]}; }}"
            for r in range(form.rows)
        ),
    )


_STORE = """
// Where a column of places begins for an output, how many of its places and lines there are, and how many outputs.
fn spot_of(group: u32, row: u32, place: u32) -> vec4<u32> {{
{coordinates}
  let at = (group * params.outputs + row) * params.points + {at};
  let places = select(0u, params.last - {column}, place < params.columns);
  return vec4<u32>(at, places, {lines}, params.outputs - row);
}}

fn store(spot: vec4<u32>, lane: u32, line: u32, {values}) {{
  if (lane < spot.y && line < spot.z) {{
    let at = spot.x + lane{line};
{stores}
  }}
}}
"""
