"""Matrix products by tiles in registers, without barriers.

Owns the kernel: an invocation owns some rows and some columns (in fours), in named `vec4` accumulators. The rows are
the same for all lanes of a workgroup, so that the left operand is read once for all; lanes lie side by side along
columns. A large product is several dispatches, since a device is deaf until one ends. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from ops import wgsl
from ops.layout import Layout, collapse
from ops.lowering import elementwise
from ops.lowering.addressing import QUAD, address, bucket, coordinates, padded, stride_params, wrapped
from ops.lowering.after import After, Finish
from ops.lowering.builder import MAX_GROUPS, Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from shaders.spec import Binding, KernelSpec, Param

_LARGE_WORK = 1 << 18
"""Multiply-adds from which a product gets a large tile."""
_SHORTEST_SPAN = 16
"""Inner positions of a part at least, however much work it is."""
_OVERHEAD = 8
"""To find its place and to write costs an invocation as much as so many inner positions: most of a small product."""


@dataclass(frozen=True, slots=True)
class _Tile:
    """What an invocation owns: `rows`, and `quads` of four columns each."""

    rows: int
    quads: int


_SMALL = _Tile(4, 1)
_LARGE = (_Tile(8, 4), _Tile(16, 2))
"""For much work: as large as registers allow, wide or tall."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What the text of a kernel depends on.

    The left operand's rows (`reads_quads`) and the result's (`writes_quads`) may lie so that they are used by fours.
    """

    dtype: str
    tile: _Tile
    lanes: int
    rank: int
    reads_quads: bool
    writes_quads: bool
    finish: Finish


def emit(
    builder: Builder, x: Source, y: Source, domain: Sequence[int], target: Target, after: After | None = None
) -> None:
    """Write the product of `x` and `y`, both with two axes or more, to `target`; `domain` is as in `matmul.py`.

    With `after`, which keeps the dtype, the target gets what is done with the product.
    """
    *batch, rows, columns, inner = domain
    lanes, y = builder.device.lanes, packed(builder, y)
    tile = _tile(lanes, rows, columns, inner) if target.dtype == "f32" else _SMALL
    after = after or After.nothing(target.dtype)
    a, b = x.layout.expand((*batch, rows, inner)), y.layout.expand((*batch, *y.layout.shape[-2:]))
    extras = [source.layout.expand((*batch, rows, columns)) for source in after.sources]
    shape, steps = collapse(tuple(batch), *(layout.strides[:-2] for layout in (a, b, *extras)))
    form = _Form(
        target.dtype,
        tile,
        lanes,
        bucket(len(shape)),
        is_by_quads(a),
        columns % QUAD == 0,
        after.finish,
    )
    spec = _spec(form)
    row_tiles, column_tiles = -(-rows // tile.rows), -(-columns // (QUAD * tile.quads * lanes))
    sizes: Params = {"rows": rows, "columns": columns, "inner": inner, "row_tiles": row_tiles}
    params = sizes | after.values | _places(form, shape, (a, b, *extras), steps)
    operands = [x.operand, y.operand, *(source.operand for source in after.sources), target.operand]
    width = column_tiles * QUAD * tile.quads * lanes * tile.rows
    for part in _parts(builder.device, row_tiles * prod(batch), inner, width):
        workgroups = (column_tiles, *_fold(part["stop"] - part["first"]))
        each = QUAD * tile.quads * tile.rows * (part["end"] - part["begin"] + _OVERHEAD)
        builder.dispatch(spec, workgroups, operands, {**params, **part}, each)


def _tile(lanes: int, rows: int, columns: int, inner: int) -> _Tile:
    """The large tile that reaches least beyond a product, where that is large enough."""

    def width(tile: _Tile) -> int:
        return QUAD * tile.quads * lanes

    def covered(tile: _Tile) -> int:
        return -(-rows // tile.rows) * tile.rows * -(-columns // width(tile)) * width(tile)

    fit = [tile for tile in _LARGE if rows >= tile.rows and 2 * columns >= width(tile)]
    return min(fit, key=covered) if fit and rows * columns * inner >= _LARGE_WORK else _SMALL


def _places(
    form: _Form, shape: Sequence[int], layouts: Sequence[Layout], steps: Sequence[Sequence[int]]
) -> Params:
    """Where the operands lie: what is read by fours, in fours."""
    params: Params = {"shape": padded(shape, form.rank, 1)}
    units = [QUAD if form.reads_quads else 1, QUAD, *(1 for _ in form.finish.types)]
    names = ["a", "b", *form.finish.extras]
    for name, layout, strides, unit in zip(names, layouts, steps, units, strict=True):
        down, across = layout.strides[-2:]
        params |= {
            f"offset_{name}": layout.offset // unit,
            f"strides_{name}": padded([stride // unit for stride in strides], form.rank, 0),
            f"row_{name}": wrapped(down // unit),
        }
        if name != "b":
            params[f"column_{name}"] = wrapped(across)
    return params


def _parts(device: DeviceClass, lines: int, inner: int, width: int) -> Iterator[dict[str, int]]:
    """Which lines of tiles, and which inner positions, each dispatch takes: about `device.work` multiply-adds.

    A line has `width` elements. The first part of each line begins at inner position 0, the others add to it.
    """
    span = min(device.loop_turns * QUAD // 2, max(device.work // width, _SHORTEST_SPAN))
    span = min(inner, span - span % QUAD)
    height = max(device.work // (width * (span + _OVERHEAD)), 1)
    for first in range(0, lines, height):
        for begin in range(0, inner, span):
            stop, end = min(first + height, lines), min(begin + span, inner)
            yield {"first": first, "stop": stop, "begin": begin, "end": end}


def _fold(count: int) -> tuple[int, int]:
    """At least `count` workgroups over y and z."""
    depth = -(-count // MAX_GROUPS)
    return -(-count // depth), depth


def is_by_quads(layout: Layout) -> bool:
    """Whether rows can be read by fours."""
    *steps, step = layout.strides
    is_whole = layout.shape[-1] % QUAD == 0 and layout.offset % QUAD == 0
    return is_whole and step == 1 and not any(size % QUAD for size in steps)


def packed(builder: Builder, source: Source) -> Source:
    """`source` with rows that can be read by fours: itself, or a copy whose rows are padded."""
    layout = source.layout
    *outer, columns = layout.shape
    if is_by_quads(layout):
        return source
    wide = builder.temp((*outer, -(-columns // QUAD) * QUAD), source.dtype)
    inside = Target(wide.operand, Layout(layout.shape, wide.layout.strides, 0), source.dtype)
    elementwise.copy(builder, source, inside)
    return Source(wide.operand, wide.layout, source.dtype)


@lru_cache(maxsize=256)
def _spec(form: _Form) -> KernelSpec:
    tile, type = form.tile, wgsl.storage(form.dtype)
    rows, quads = range(tile.rows), range(tile.quads)
    extras = form.finish.extras
    quad = f"vec4<{type}>"
    body = [
        "let line = params.first + wid.y + wid.z * nwg.y;",
        "if (line >= params.stop) {\n    return;\n}",
        f"let row = line % params.row_tiles * {tile.rows}u;",
        coordinates("line / params.row_tiles", form.rank),
        *(f"let base_{name} = {address(name, form.rank)};" for name in ("a", "b", *extras)),
        f"let column = wid.x * {form.lanes * tile.quads}u + lid.x;",
        "let last = (params.columns - 1u) / 4u;",
        *(f"let b{q} = base_b + min(column + {q * form.lanes}u, last);" for q in quads),
        *(f"let a{r} = base_a + min(row + {r}u, params.rows - 1u) * params.row_a;" for r in rows),
        *(f"var c{r}_{q} = {quad}();" for r in rows for q in quads),
        *_sum(form),
        "let out_line = line / params.row_tiles * params.rows;",
        *(f"store(out_line, row + {r}u, column + {q * form.lanes}u, c{r}_{q});" for r in rows for q in quads),
        *_finish(form),
    ]
    places = [f"{kind}_{name}" for name in extras for kind in ("offset", "row", "column")]
    names = ["offset_a", "row_a", "column_a", "offset_b", "row_b", *places]
    names += ["rows", "columns", "inner", "row_tiles", "first", "stop", "begin", "end"]
    strides = ["shape", *(f"strides_{name}" for name in ("a", "b", *extras))]
    store = _STORE_QUADS if form.writes_quads else _STORE
    return KernelSpec(
        "matmul",
        (
            Binding("a", quad if form.reads_quads else type),
            Binding("b", quad),
            *map(Binding, extras, form.finish.types),
        ),
        (Binding("c", quad if form.writes_quads else type, "read_write"),),
        "\n".join(body),
        (*map(Param, names), *stride_params(strides, form.rank), *form.finish.params),
        (form.lanes, 1, 1),
        functions="\n".join([wgsl.with_helpers(form.finish.text), store.format(type=type)]),
    )


def _sum(form: _Form) -> list[str]:
    """Statements that add up the products of all inner positions of the part, by fours as long as there are four."""
    by_fours = "for (; k + 4u <= params.end; k += 4u) {"
    fours = [line for step in range(QUAD) for line in _step(form, step)]
    if form.reads_quads:
        reads = [f"    let x{r} = a[a{r} + k / 4u];" for r in range(form.tile.rows)]
        return ["var k = params.begin;", by_fours, *reads, *fours, "}"]
    rest = ["for (; k < params.end; k++) {", *_step(form, 0), "}"]
    return ["var k = params.begin;", by_fours, *fours, "}", *rest]


def _step(form: _Form, step: int) -> list[str]:
    """Statements that add the products of inner position `k + step`."""
    type, at = wgsl.storage(form.dtype), f"(k + {step}u)"
    lines = [f"    let y{step}_{q} = b[b{q} + {at} * params.row_b];" for q in range(form.tile.quads)]
    for r in range(form.tile.rows):
        x = f"x{r}.{'xyzw'[step]}" if form.reads_quads else f"a[a{r} + {at} * params.column_a]"
        lines.append(f"    let x{step}_{r} = vec4<{type}>({x});")
        for q in range(form.tile.quads):
            left, right, sum = f"x{step}_{r}", f"y{step}_{q}", f"c{r}_{q}"
            product = f"fma({left}, {right}, {sum})" if form.dtype == "f32" else f"{sum} + {left} * {right}"
            lines.append(f"    {sum} = {product};")
    return lines


def _finish(form: _Form) -> list[str]:
    """Statements that finish what is stored once all parts are added; a loop, since drivers choke on long text."""
    if not form.finish.text:
        return []
    reads = [
        f", {name}[base_{name} + (row + r) * params.row_{name} + (quad * 4u + {{0}}) * params.column_{name}]"
        for name in form.finish.extras
    ]
    at = "(out_line + row + r) * params.columns"
    if form.writes_quads:
        values = [f"finish(v.{'xyzw'[n]}{''.join(reads).format(f'{n}u')})" for n in range(QUAD)]
        inside = [
            f"let at = ({at}) / 4u + quad;",
            "let v = c[at];",
            f"c[at] = vec4<{wgsl.storage(form.dtype)}>({', '.join(values)});",
        ]
    else:
        inside = [
            "for (var j = 0u; j < min(4u, params.columns - quad * 4u); j++) {",
            f"let at = {at} + quad * 4u + j;",
            f"c[at] = finish(c[at]{''.join(reads).format('j')});",
            "}",
        ]
    return [
        "if (params.end == params.inner) {",
        f"for (var r = 0u; r < min({form.tile.rows}u, params.rows - row); r++) {{",
        f"for (var q = 0u; q < {form.tile.quads}u; q++) {{",
        f"let quad = column + q * {form.lanes}u;",
        "if (quad * 4u < params.columns) {",
        *inside,
        "}\n}\n}\n}",
    ]


_STORE_QUADS = """
fn store(line: u32, row: u32, quad: u32, value: vec4<{type}>) {{
  if (row < params.rows && quad * 4u < params.columns) {{
    let at = (line + row) * (params.columns / 4u) + quad;
    var total = value;
    if (params.begin != 0u) {{
      total += c[at];
    }}
    c[at] = total;
  }}
}}
"""
_STORE = """
fn store(line: u32, row: u32, quad: u32, value: vec4<{type}>) {{
  let column = quad * 4u;
  if (row < params.rows && column < params.columns) {{
    let at = (line + row) * params.columns + column;
    let more = params.begin != 0u;
    store_one(at, value.x, more);
    if (column + 1u < params.columns) {{
      store_one(at + 1u, value.y, more);
    }}
    if (column + 2u < params.columns) {{
      store_one(at + 2u, value.z, more);
    }}
    if (column + 3u < params.columns) {{
      store_one(at + 3u, value.w, more);
    }}
  }}
}}

fn store_one(at: u32, value: {type}, more: bool) {{
  if (more) {{
    c[at] += value;
  }} else {{
    c[at] = value;
  }}
}}
"""
