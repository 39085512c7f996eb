"""The kernel of convolutions by tiles in registers.

Owns where windows begin in `x`, and where sums are put: written, or added to what is there, and finished by what comes
after once all parts are added. Must not know how many dispatches there are.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from ops import wgsl
from ops.lowering.addressing import QUAD, address, coordinates, stride_params
from ops.lowering.convolution_sums import RANK, Tile, sides, summed
from shaders.spec import Binding, KernelSpec, Param


@lru_cache(maxsize=256)
def kernel(tile: Tile) -> KernelSpec:
    """The kernel of a tile: its operands are `x`, the weights, what comes after needs, and the result."""
    places, unit = range(tile.width), tile.unit
    body = [
        "let line = params.first + wid.y + wid.z * nwg.y;",
        "if (line >= params.stop) {\n    return;\n}",
        "let group = line / params.row_tiles;",
        f"let row = line % params.row_tiles * {tile.rows}u;",
        f"let column = wid.x * {tile.lanes * len(tile.columns)}u + lid.x;",
        "let base = params.offset_x + group * params.channels * params.row_x;",
        f"let last_column = params.columns / {unit}u - 1u;",
        *(f"let p{n} = base + begin_of(min({_column(tile, n)}, last_column));" for n in tile.columns),
        *(f"var c{q}_{n} = vec4<f32>();" for q in tile.quads for n in places),
        *summed(tile),
        *(f"let s{n} = spot_of(group, row, ({_column(tile, n)}) * {unit}u);" for n in tile.columns),
        *(
            f"store(s{column}, {lane}u, {line}u, {', '.join(f'c{q}_{n}' for q in tile.quads)});"
            for n, (column, line, lane) in enumerate(product(tile.columns, range(tile.stack), range(unit)))
        ),
        *_finish(tile),
    ]
    kinds = ("offset", "row", "line") if tile.stack > 1 else ("offset", "row")
    extras = [f"{kind}_{name}" for name in tile.finish.extras for kind in kinds]
    names = ["offset_x", "row_x", "columns", "points", "last", "outputs", "row_tiles", "quads"]
    names += ["channels", "first", "stop", "begin", "end", "tap_begin", "tap_end", "is_last", *extras]
    names += ["height", "line_x", "line_out"] if tile.stack > 1 else []
    arrays = ["shape", "strides_x", "strides_out", "taps", "reach"]
    arrays += [f"strides_{name}" for name in tile.finish.extras]
    return KernelSpec(
        "convolution",
        (
            Binding("x", "vec4<f32>" if tile.taps else "f32"),
            Binding("w", "vec4<f32>"),
            *map(Binding, tile.finish.extras, tile.finish.types),
        ),
        (Binding("out", "f32", "read_write"),),
        "\n".join(body),
        (*map(Param, names), *stride_params(arrays, RANK), *tile.finish.params),
        (tile.lanes, 1, 1),
        functions="\n".join([wgsl.with_helpers(tile.finish.text), _begin(tile), _store(tile)]),
    )


def _begin(tile: Tile) -> str:
    """The function that says where the window of a place, or of the first of four, begins in `x`."""
    last, unit = RANK - 1, QUAD if tile.taps else 1
    along = f"c{last} / 4u" if tile.taps else f"c{last} * strides_x_at({last}u)"
    terms = [*(f"c{axis} * strides_x_at({axis}u)" for axis in range(last)), along]
    place = coordinates(f"column * {unit}u", RANK)
    return f"fn begin_of(column: u32) -> u32 {{\n{place}\nreturn {' + '.join(terms)};\n}}"


def _at(name: str, tile: Tile) -> str:
    """The sum of an operand's strides at coordinates `c0` …, and in a stack at `line`, without its offset."""
    return address(name, RANK).removeprefix(f"params.offset_{name} + ") + _line(name, tile)


def _line(name: str, tile: Tile) -> str:
    return f" + line * params.line_{name}" if tile.stack > 1 else ""


def _column(tile: Tile, number: int | str) -> str:
    """The place, or quad of places, that is an invocation's `number`-th."""
    if isinstance(number, int):
        return f"column + {number * tile.lanes}u" if number else "column"
    return f"column + {number} * {tile.lanes}u"


def _finish(tile: Tile) -> list[str]:
    """Statements that finish what is stored once all parts are added; loops, since drivers choke on long text."""
    if not tile.finish.text:
        return []
    step = f"lane * strides_{{}}_at({RANK - 1}u)"
    reads = [
        f", {name}[params.offset_{name} + {_at(name, tile)} + {step.format(name)}"
        f" + (group * params.outputs + row + r) * params.row_{name}]"
        for name in tile.finish.extras
    ]
    return [
        "if (params.is_last != 0u) {",
        f"for (var n = 0u; n < {len(tile.columns)}u; n++) {{",
        f"let place = ({_column(tile, 'n')}) * {tile.unit}u;",
        "let spot = spot_of(group, row, place);",
        coordinates("place", RANK),
        f"for (var line = 0u; line < min(spot.z, {tile.stack}u); line++) {{",
        f"for (var lane = 0u; lane < min(spot.y, {tile.unit}u); lane++) {{",
        f"for (var r = 0u; r < min({tile.rows}u, spot.w); r++) {{",
        f"let at = spot.x + lane{_line('out', tile)} + r * params.points;",
        f"out[at] = finish(out[at]{''.join(reads)});",
        "}\n}\n}\n}\n}",
    ]


def _store(tile: Tile) -> str:
    """The functions that put the sums of a place where they belong."""
    names = [side for side, _ in sides(tile)]
    sign = "+=" if tile.adds else "="
    return _STORE.format(
        coordinates=coordinates("place", RANK),
        at=address("out", RANK).removeprefix("params.offset_out + "),
        column=f"c{RANK - 1}",
        lines=f"params.height - c{RANK - 2} * {tile.stack}u" if tile.stack > 1 else "1u",
        values=", ".join(f"{side}: vec4<f32>" for side in names),
        line=_line("out", tile),
        stores="\n".join(
            f"    if (spot.w > {r}u) {{ out[at + {r}u * params.points] {sign} {names[r // 4]}.{'xyzw'[r % 4]}; }}"
            for r in range(tile.rows)
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
