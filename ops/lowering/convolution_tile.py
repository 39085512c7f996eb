"""Convolutions by tiles in registers, as matrix products whose right operand is seen through windows.

Owns the kernel: an invocation owns eight outputs (two `vec4`) at some places, the lanes of a workgroup lie side by side
along the places. The weights are laid so that they are the same for all lanes, and read by fours; an element of `x` is
at the sum of where its window begins and of how far its tap is into it. A large one is several dispatches, since a
device is deaf until one ends. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from ops import wgsl
from ops.expression import input_term
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
_LEAST_GROUPS = {"cpu": 2, "gpu": 256}
"""From how many workgroups on tiles may be wide."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What the text of a kernel depends on: `width` places an invocation, `axes` of space, and what comes after."""

    width: int
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
    """Write the convolution of `x`, which has its padding already, with `weight` to `target`, or what comes `after`."""
    device = builder.device
    weights = _laid(builder, weight, form)
    after = after or After(input_term(0, "f32"), "f32")
    names = [("value", "f32"), *((f"x{n}", source.dtype) for n, source in enumerate(after.sources))]
    finish = wgsl.function("finish", after.term, names)
    columns, row_tiles = form.batch * prod(form.places), -(-form.outputs // _ROWS)
    lines = row_tiles * form.groups
    wide = -(-columns // (device.lanes * _WIDE)) * lines >= _LEAST_GROUPS[device.kind]
    width = _WIDE if wide and columns >= device.lanes * _WIDE // 2 else _NARROW
    text = _Form(
        width,
        device.lanes,
        len(form.taps),
        "" if after.term.function == "input" else finish.text,
        finish.params,
        tuple(wgsl.storage(source.dtype) for source in after.sources),
    )
    params = _sizes(form, columns, row_tiles) | finish.values | _places(form, x, after)
    operands = [x.operand, weights.operand, *(source.operand for source in after.sources), target.operand]
    column_tiles = -(-columns // (device.lanes * width))
    for part in _parts(device, form, lines, column_tiles * device.lanes * width * _ROWS):
        rows = part["stop"] - part["first"]
        depth = -(-rows // MAX_GROUPS)
        turns = (part["end"] - part["begin"]) * (part["tap_end"] - part["tap_begin"]) * prod(form.taps[1:])
        groups = (column_tiles, -(-rows // depth), depth)
        builder.dispatch(_spec(text), groups, operands, {**params, **part}, _ROWS * width * turns)


def _laid(builder: Builder, weight: Source, form: Convolution) -> Source:
    """The weights of each group as [channels and taps, outputs], the outputs filled up to fours."""
    inner = form.channels * prod(form.taps)
    layout = weight.layout.reshape((form.groups, form.outputs, inner))
    if layout is None:
        weight = elementwise.gather(builder, weight)
        layout = Layout.contiguous((form.groups, form.outputs, inner))
    made = builder.temp((form.groups, inner, -(-form.outputs // _QUAD) * _QUAD), "f32")
    inside = Layout((form.groups, inner, form.outputs), made.layout.strides)
    elementwise.copy(
        builder,
        Source(weight.operand, layout.permute((0, 2, 1)), "f32"),
        Target(made.operand, inside, "f32"),
    )
    return made.source()


def _sizes(form: Convolution, columns: int, row_tiles: int) -> Params:
    return {
        "columns": columns,
        "points": prod(form.places),
        "outputs": form.outputs,
        "all_outputs": form.outputs * form.groups,
        "row_tiles": row_tiles,
        "quads": -(-form.outputs // _QUAD),
        "channels": form.channels,
        "taps": padded(form.taps, _RANK, 1),
        "shape": padded((form.batch, *form.places), _RANK, 1),
    }


def _places(form: Convolution, x: Source, after: After) -> Params:
    """Where the elements of `x` and of the extra operands lie."""
    batch, channel, *space = x.layout.strides
    steps = [stride * step for stride, step in zip(space, form.stride, strict=True)]
    apart = [stride * step for stride, step in zip(space, form.dilation, strict=True)]
    params: Params = {
        "offset_x": x.layout.offset,
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


def _parts(device: DeviceClass, form: Convolution, lines: int, width: int) -> Iterator[dict[str, int]]:
    """Which lines of tiles, channels, and taps of the first axis each dispatch takes, by `device.work`.

    A line has `width` elements. The first part of each line makes its sums, the others add to them, the last finishes.
    """
    first_taps, others = form.taps[0], prod(form.taps[1:])
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
    places = range(form.width)
    body = [
        "let line = params.first + wid.y + wid.z * nwg.y;",
        "if (line >= params.stop) {\n    return;\n}",
        "let group = line / params.row_tiles;",
        f"let row = line % params.row_tiles * {_ROWS}u;",
        f"let column = wid.x * {form.lanes * form.width}u + lid.x;",
        "let base = params.offset_x + group * params.channels * params.row_x;",
        *(
            f"let p{n} = base + begin_of(min(column + {n * form.lanes}u, params.columns - 1u));"
            for n in places
        ),
        *(f"var c{q}_{n} = vec4<f32>();" for q in (0, 1) for n in places),
        *_sum(form),
        *(f"store(group, row, column + {n * form.lanes}u, c0_{n}, c1_{n});" for n in places),
        *_finish(form),
    ]
    extras = [f"{kind}_{name}" for name in form.extras for kind in ("offset", "row")]
    names = ["offset_x", "row_x", "columns", "points", "outputs", "all_outputs", "row_tiles", "quads"]
    names += ["channels", "first", "stop", "begin", "end", "tap_begin", "tap_end", "adds", "is_last", *extras]
    arrays = ["shape", "strides_x", "taps", "reach", *(f"strides_{name}" for name in form.extras)]
    begin = f"fn begin_of(place: u32) -> u32 {{\n{coordinates('place', _RANK)}\nreturn {_at('x')};\n}}"
    return KernelSpec(
        "convolution",
        (Binding("x", "f32"), Binding("w", "vec4<f32>"), *map(Binding, form.extras, form.types)),
        (Binding("out", "f32", "read_write"),),
        "\n".join(body),
        (*map(Param, names), *stride_params(arrays, _RANK), *form.params),
        (form.lanes, 1, 1),
        functions="\n".join([wgsl.with_helpers(form.finish), begin, _STORE]),
    )


def _at(name: str) -> str:
    """The sum of an operand's strides at coordinates `c0` …, without its offset."""
    return address(name, _RANK).removeprefix(f"params.offset_{name} + ")


def _sum(form: _Form) -> list[str]:
    """Statements that add up the products of the part's channels and taps, in order."""
    axes = range(_RANK - form.axes, _RANK)
    first = axes[0]
    lines = [
        f"let inner = {' * '.join(f'taps_at({axis}u)' for axis in axes)};",
        f"let later = inner / taps_at({first}u);",
        "let last_quad = params.quads - 1u;",
        "let low = min(row / 4u, last_quad);",
        "let high = min(row / 4u + 1u, last_quad);",
        "for (var channel = params.begin; channel < params.end; channel++) {",
        "let of_channel = channel * params.row_x;",
        "var k = (group * params.channels + channel) * inner + params.tap_begin * later;",
        f"for (var t{first} = params.tap_begin; t{first} < params.tap_end; t{first}++) {{",
        *(f"for (var t{axis} = 0u; t{axis} < taps_at({axis}u); t{axis}++) {{" for axis in axes[1:]),
        f"let at = of_channel + {' + '.join(f't{axis} * reach_at({axis}u)' for axis in axes)};",
        "let w0 = w[k * params.quads + low];",
        "let w1 = w[k * params.quads + high];",
        "k++;",
    ]
    for place in range(form.width):
        lines.append(f"let x{place} = vec4<f32>(x[p{place} + at]);")
        lines += [f"c{quad}_{place} = fma(w{quad}, x{place}, c{quad}_{place});" for quad in (0, 1)]
    return [*lines, *["}"] * (form.axes + 1)]


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
        f"let place = column + n * {form.lanes}u;",
        "if (place < params.columns) {",
        coordinates("place", _RANK),
        f"for (var r = 0u; r < min({_ROWS}u, params.outputs - row); r++) {{",
        "let at = place_of(group, row + r, place);",
        f"out[at] = finish(out[at]{''.join(reads)});",
        "}\n}\n}\n}",
    ]


_STORE = f"""
fn place_of(group: u32, row: u32, column: u32) -> u32 {{
  let line = column / params.points * params.all_outputs + group * params.outputs + row;
  return line * params.points + column % params.points;
}}

fn store(group: u32, row: u32, column: u32, low: vec4<f32>, high: vec4<f32>) {{
  if (column < params.columns) {{
    let at = place_of(group, row, column);
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
