"""Convolutions by tiles in registers, as matrix products whose right operand is seen through windows.

Owns the kernel: an invocation owns eight outputs (two `vec4`) at some places, the lanes of a workgroup lie side by side
along the places. The weights are laid so that they are the same for all lanes, and read by fours; an element of `x` is
at the sum of where its window begins and of how far its tap is into it. Where windows along the last axis are
neighbours, places are taken by fours, and `x` is read by fours once for all taps of that axis. A large one is several
dispatches, since a device is deaf until one ends. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from ops import wgsl
from ops.expression import cast, input_term
from ops.layout import Layout
from ops.lowering import elementwise
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
from ops.space import Convolution
from shaders.spec import Binding, KernelSpec, Param

_QUAD = 4
_ROWS = 8
_RANK = 4
_WIDE, _NARROW = 16, 4
_MOST_TAPS = 8
_LEAST_GROUPS = {"cpu": 2, "gpu": 256}
"""From how many workgroups on tiles may be wide."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What the text of a kernel depends on: `width` places an invocation, `axes` of space, and what comes after.

    `taps` are those of the last axis where places are taken by fours, else 0.
    """

    width: int
    taps: int
    lanes: int
    axes: int
    finish: str
    params: tuple[Param, ...]
    types: tuple[str, ...]

    @property
    def extras(self) -> list[str]:
        """The names of the extra operands."""
        return [f"e{number}" for number in range(len(self.types))]


def emit(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None = None
) -> None:
    """Write the convolution of `x`, which has its padding already, with `weight` to `target`, or what comes `after`.

    Where `takes_quads`, rows of `x` begin at multiples of four, and go on for all that quads of places see.
    """
    device = builder.device
    weights = _laid(builder, weight, form)
    after = after or After(input_term(0, "f32"), "f32")
    names = [("value", "f32"), *((f"x{n}", source.dtype) for n, source in enumerate(after.sources))]
    finish = wgsl.function("finish", after.term, names)
    domain, row_tiles = _domain(form), -(-form.outputs // _ROWS)
    columns = prod(domain)
    lines = row_tiles * form.groups
    wide = -(-columns // (device.lanes * _WIDE)) * lines >= _LEAST_GROUPS[device.kind]
    width = _WIDE if wide and columns >= device.lanes * _WIDE // 2 else _NARROW
    text = _Form(
        width,
        form.taps[-1] if takes_quads(form) else 0,
        device.lanes,
        len(form.taps),
        "" if after.term.function == "input" else finish.text,
        finish.params,
        tuple(wgsl.storage(source.dtype) for source in after.sources),
    )
    params = _sizes(form, domain, row_tiles) | finish.values | _places(form, x, after)
    operands = [x.operand, weights.operand, *(source.operand for source in after.sources), target.operand]
    column_tiles = -(-columns // (device.lanes * width))
    for part in _parts(device, form, lines, column_tiles * device.lanes * width * _ROWS):
        rows = part["stop"] - part["first"]
        depth = -(-rows // MAX_GROUPS)
        turns = (part["end"] - part["begin"]) * (part["tap_end"] - part["tap_begin"]) * _looped(form)[1]
        groups = (column_tiles, -(-rows // depth), depth)
        builder.dispatch(_spec(text), groups, operands, {**params, **part}, _ROWS * width * turns)


def takes_quads(form: Convolution) -> bool:
    """Whether places are taken by fours."""
    return form.stride[-1] == form.dilation[-1] == 1 and form.taps[-1] <= _MOST_TAPS


def pitch(form: Convolution) -> int:
    """How long the rows of `x` must be then."""
    return _up(form.places[-1]) + _up(form.taps[-1] - 1)


def _up(size: int) -> int:
    return -(-size // _QUAD) * _QUAD


def _domain(form: Convolution) -> tuple[int, ...]:
    """The images and places, those of the last axis filled up to fours where they are taken so."""
    *rows, last = form.places
    return (form.batch, *rows, _up(last) if takes_quads(form) else last)


def _laid(builder: Builder, weight: Source, form: Convolution) -> Source:
    """The weights of each group as [channels and taps, outputs], the outputs filled up to fours."""
    inner = form.channels * prod(form.taps)
    layout = weight.layout.reshape((form.groups, form.outputs, inner))
    if layout is None:
        weight = elementwise.gather(builder, elementwise.converted(builder, weight, "f32"))
        layout = Layout.contiguous((form.groups, form.outputs, inner))
    made = builder.temp((form.groups, inner, -(-form.outputs // _QUAD) * _QUAD), "f32")
    inside = Layout((form.groups, inner, form.outputs), made.layout.strides)
    source = Source(weight.operand, layout.permute((0, 2, 1)), weight.dtype)
    target = Target(made.operand, inside, "f32")
    if weight.dtype == "f32":
        elementwise.copy(builder, source, target)
    else:
        elementwise.emit(builder, cast(input_term(0, weight.dtype), "f32"), [source], target)
    return made.source()


def _sizes(form: Convolution, domain: Sequence[int], row_tiles: int) -> Params:
    points = prod(form.places)
    steps = Layout.contiguous(form.places).strides
    return {
        "columns": prod(domain),
        "points": points,
        "last": form.places[-1],
        "outputs": form.outputs,
        "strides_out": padded((form.outputs * form.groups * points, *steps), _RANK, 0),
        "row_tiles": row_tiles,
        "quads": -(-form.outputs // _QUAD),
        "channels": form.channels,
        "taps": padded(form.taps, _RANK, 1),
        "shape": padded(domain, _RANK, 1),
    }


def _places(form: Convolution, x: Source, after: After) -> Params:
    """Where the elements of `x` and of the extra operands lie."""
    unit = _QUAD if takes_quads(form) else 1
    batch, channel, *space = (stride // unit for stride in x.layout.strides)
    steps = [stride * step for stride, step in zip(space, form.stride, strict=True)]
    apart = [stride * step for stride, step in zip(space, form.dilation, strict=True)]
    params: Params = {
        "offset_x": x.layout.offset // unit,
        "strides_x": padded((batch, *steps), _RANK, 0),
        "row_x": padded([channel], 1, 0)[0],
        "reach": padded(apart, _RANK, 0),
    }
    for number, source in enumerate(after.sources):
        layout = source.layout.expand(form.result)
        batch, channel, *space = layout.strides
        params |= {
            f"offset_e{number}": layout.offset,
            f"strides_e{number}": padded((batch, *space), _RANK, 0),
            f"row_e{number}": padded([channel], 1, 0)[0],
        }
    return params


def _looped(form: Convolution) -> tuple[int, int]:
    """How many taps of the first axis a kernel can take apart, and how many others go with each."""
    first, *others = form.taps
    return (1, first) if takes_quads(form) and not others else (first, prod(others))


def _parts(device: DeviceClass, form: Convolution, lines: int, width: int) -> Iterator[dict[str, int]]:
    """Which lines of tiles, channels, and taps of the first axis each dispatch takes, by `device.work`.

    A line has `width` elements. The first part of each line makes its sums, the others add to them, the last finishes.
    """
    first_taps, others = _looped(form)
    turns = min(device.loop_turns // 2, max(device.work // width, others))
    tap_span = max(min(turns // others, first_taps), 1)
    span = max(turns // (first_taps * others), 1) if tap_span == first_taps else 1
    height = max(device.work // (width * min(span, form.channels) * tap_span * others), 1)
    inner = list(product(range(0, form.channels, span), range(0, first_taps, tap_span)))
    for first in range(0, lines, height):
        for begin, tap in inner:
            yield {
                "first": first,
                "stop": min(first + height, lines),
                "begin": begin,
                "end": min(begin + span, form.channels),
                "tap_begin": tap,
                "tap_end": min(tap + tap_span, first_taps),
                "adds": int((begin, tap) != inner[0]),
                "is_last": int((begin, tap) == inner[-1]),
            }


@lru_cache(maxsize=256)
def _spec(form: _Form) -> KernelSpec:
    places, unit = range(form.width), _QUAD if form.taps else 1
    body = [
        "let line = params.first + wid.y + wid.z * nwg.y;",
        "if (line >= params.stop) {\n    return;\n}",
        "let group = line / params.row_tiles;",
        f"let row = line % params.row_tiles * {_ROWS}u;",
        f"let column = wid.x * {form.lanes * form.width // unit}u + lid.x;",
        "let base = params.offset_x + group * params.channels * params.row_x;",
        f"let last_column = params.columns / {unit}u - 1u;",
        *(
            f"let p{n} = base + begin_of(min({_column(form, n)}, last_column));"
            for n in range(form.width // unit)
        ),
        *(f"var c{q}_{n} = vec4<f32>();" for q in (0, 1) for n in places),
        *_sum(form),
        *(f"store(group, row, {_place(form, n)}, c0_{n}, c1_{n});" for n in places),
        *_finish(form),
    ]
    extras = [f"{kind}_{name}" for name in form.extras for kind in ("offset", "row")]
    names = ["offset_x", "row_x", "columns", "points", "last", "outputs", "row_tiles", "quads"]
    names += ["channels", "first", "stop", "begin", "end", "tap_begin", "tap_end", "adds", "is_last", *extras]
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
        functions="\n".join([wgsl.with_helpers(form.finish), _begin(form), _STORE]),
    )


def _begin(form: _Form) -> str:
    """The function that says where the window of a place, or of the first of four, begins in `x`."""
    last, unit = _RANK - 1, _QUAD if form.taps else 1
    along = f"c{last} / 4u" if form.taps else f"c{last} * strides_x_at({last}u)"
    terms = [*(f"c{axis} * strides_x_at({axis}u)" for axis in range(last)), along]
    place = coordinates(f"column * {unit}u", _RANK)
    return f"fn begin_of(column: u32) -> u32 {{\n{place}\nreturn {' + '.join(terms)};\n}}"


def _at(name: str) -> str:
    """The sum of an operand's strides at coordinates `c0` …, without its offset."""
    return address(name, _RANK).removeprefix(f"params.offset_{name} + ")


def _column(form: _Form, number: int | str) -> str:
    """The place, or quad of places, that is an invocation's `number`-th."""
    if isinstance(number, int):
        return f"column + {number * form.lanes}u" if number else "column"
    return f"column + {number} * {form.lanes}u"


def _place(form: _Form, number: int | str) -> str:
    """The place that is an invocation's `number`-th."""
    if not form.taps:
        return _column(form, number)
    if isinstance(number, int):
        return f"({_column(form, number // _QUAD)}) * 4u + {number % _QUAD}u"
    return f"({_column(form, f'({number} / 4u)')}) * 4u + {number} % 4u"


def _sum(form: _Form) -> list[str]:
    """Statements that add up the products of the part's channels and taps, in order."""
    axes = range(_RANK - form.axes, _RANK)
    first = axes[0]
    looped = axes[:-1] if form.taps else axes
    begins = dict.fromkeys(looped, "0u") | {first: "params.tap_begin"}
    ends = {axis: f"taps_at({axis}u)" for axis in looped} | {first: "params.tap_end"}
    reach = [f"t{axis} * reach_at({axis}u)" for axis in looped]
    lines = [
        f"let inner = {' * '.join(f'taps_at({axis}u)' for axis in axes)};",
        f"let later = inner / taps_at({first}u);",
        "let low = min(row / 4u, params.quads - 1u);",
        "let high = min(row / 4u + 1u, params.quads - 1u);",
        "for (var channel = params.begin; channel < params.end; channel++) {",
        "let of_channel = channel * params.row_x;",
        "var k = (group * params.channels + channel) * inner + params.tap_begin * later;",
        *(f"for (var t{axis} = {begins[axis]}; t{axis} < {ends[axis]}; t{axis}++) {{" for axis in looped),
        f"let at = {' + '.join(['of_channel', *reach])};",
        *(_quads(form) if form.taps else _single(form)),
    ]
    return [*lines, *["}"] * (len(looped) + 1)]


def _single(form: _Form) -> list[str]:
    """Statements that add the products of one tap, whose elements of `x` lie anywhere."""
    lines = ["let w0 = w[k * params.quads + low];", "let w1 = w[k * params.quads + high];", "k++;"]
    for place in range(form.width):
        lines.append(f"let x{place} = vec4<f32>(x[p{place} + at]);")
        lines += [f"c{quad}_{place} = fma(w{quad}, x{place}, c{quad}_{place});" for quad in (0, 1)]
    return lines


def _quads(form: _Form) -> list[str]:
    """Statements that add the products of all taps of the last axis, which see parts of the same quads."""
    lines = [
        f"let q{column}_{quad} = x[p{column} + at + {quad}u];"
        for column in range(form.width // _QUAD)
        for quad in range(_up(form.taps + _QUAD - 1) // _QUAD)
    ]
    for tap in range(form.taps):
        lines += [
            f"let w{tap}_{quad} = w[(k + {tap}u) * params.quads + {side}];"
            for quad, side in enumerate(("low", "high"))
        ]
        for place in range(form.width):
            column, lane = divmod(place, _QUAD)
            value = f"vec4<f32>(q{column}_{(lane + tap) // _QUAD}.{'xyzw'[(lane + tap) % _QUAD]})"
            lines += [f"c{quad}_{place} = fma(w{tap}_{quad}, {value}, c{quad}_{place});" for quad in (0, 1)]
    return [*lines, f"k += {form.taps}u;"]


def _finish(form: _Form) -> list[str]:
    """Statements that finish what is stored once all parts are added; loops, since drivers choke on long text."""
    if not form.finish:
        return []
    reads = [
        f", {name}[params.offset_{name} + {_at(name)} + (group * params.outputs + row + r) * params.row_{name}]"
        for name in form.extras
    ]
    return [
        "if (params.is_last != 0u) {",
        f"for (var n = 0u; n < {form.width}u; n++) {{",
        f"let place = {_place(form, 'n')};",
        "if (is_real(place)) {",
        coordinates("place", _RANK),
        f"for (var r = 0u; r < min({_ROWS}u, params.outputs - row); r++) {{",
        "let at = place_of(group, row + r, place);",
        f"out[at] = finish(out[at]{''.join(reads)});",
        "}\n}\n}\n}",
    ]


_STORE = f"""
fn is_real(place: u32) -> bool {{
  return place < params.columns && place % shape_at({_RANK - 1}u) < params.last;
}}

fn place_of(group: u32, row: u32, place: u32) -> u32 {{
{coordinates("place", _RANK)}
  return (group * params.outputs + row) * params.points + {_at("out")};
}}

fn store(group: u32, row: u32, place: u32, low: vec4<f32>, high: vec4<f32>) {{
  if (is_real(place)) {{
    let at = place_of(group, row, place);
    let count = params.outputs - row;
{
    chr(10).join(
        f"    if (count > {r}u) {{ store_one(at + {r}u * params.points, {('low', 'high')[r // 4]}.{'xyzw'[r % 4]}); }}"
        for r in range(_ROWS)
    )
}
  }}
}}

fn store_one(at: u32, value: f32) {{
  if (params.adds != 0u) {{
    out[at] += value;
  }} else {{
    out[at] = value;
  }}
}}
"""
