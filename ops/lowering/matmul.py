"""Matrix products: a register tile an invocation, without barriers; products with a vector are reductions.

Owns the tiled kernel: an invocation owns some rows and some columns (in fours), in named `vec4` accumulators. The
rows are the same for all lanes of a workgroup, so that the left operand is read once for all; lanes lie side by side
along columns. A large product is several dispatches, since a device is deaf until one ends. Must not know op names.
`matmul_tiles.py` has the form for GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from ops import wgsl
from ops.expression import bind, constant, input_term, parse
from ops.layout import Layout, collapse
from ops.lowering import elementwise, matmul_tiles, reduce
from ops.lowering.base import (
    MAX_GROUPS,
    Builder,
    DeviceClass,
    Params,
    Source,
    Target,
    address,
    bucket,
    coordinates,
    padded,
    stride_params,
)
from ops.lowering.reduce import Fold
from ops.shapes import broadcast
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

_UNROLL = 4
_LARGE_WORK = 1 << 18
_SHORTEST_SPAN = 16


@dataclass(frozen=True, slots=True)
class Tile:
    """What an invocation owns: `rows`, and `quads` of four columns each."""

    rows: int
    quads: int


_SMALL = Tile(4, 1)
_LARGE = Tile(8, 4)


def emit(builder: Builder, left: Source, right: Source, target: Target) -> None:
    """Write the product of `left` and `right`, of equal dtype, to `target`, contiguous from offset 0."""
    if target.layout.count == 0:
        return
    x, y = _matrix(left, vector_axis=-2), _matrix(right, vector_axis=-1)
    (rows, inner), columns = x.layout.shape[-2:], y.layout.shape[-1]
    batch = broadcast(x.layout.shape[:-2], y.layout.shape[:-2])
    if inner == 0:
        elementwise.emit(builder, constant(0, target.dtype), (), target)
    elif (rows == 1 or columns == 1) and prod((*batch, rows, columns, inner)) <= _folded_most(builder, x, y):
        _by_vector(builder, x, y, (*batch, rows, columns, inner), target)
    else:
        _tiled(builder, x, y, (*batch, rows, columns, inner), target)


def _folded_most(builder: Builder, x: Source, y: Source) -> int:
    """How many products may be made and folded: more than operands' elements only where batches are spread."""
    return max(builder.device.work, x.layout.count, y.layout.count)


def _matrix(source: Source, vector_axis: int) -> Source:
    """`source` with at least two axes: a vector gets one of size 1 at `vector_axis`."""
    layout = source.layout
    if len(layout.shape) == 1:
        one, stride = layout.shape, layout.strides
        shape = (1, *one) if vector_axis == -2 else (*one, 1)
        strides = (0, *stride) if vector_axis == -2 else (*stride, 0)
        layout = Layout(shape, strides, layout.offset)
    return Source(source.operand, layout, source.dtype)


def _by_vector(builder: Builder, x: Source, y: Source, domain: tuple[int, ...], target: Target) -> None:
    """Fold `x * y` over the inner axis of the domain (batch, rows, columns, inner)."""
    batch, inner = domain[:-3], domain[-1]
    rank = len(batch) + 2
    a = x.layout.expand((*batch, *x.layout.shape[-2:]))
    b = y.layout.expand((*batch, *y.layout.shape[-2:])).permute((*range(len(batch)), rank - 1, rank - 2))
    rows, columns = domain[-3], domain[-2]
    spread = [
        Source(
            x.operand,
            Layout((*batch, rows, 1, inner), (*a.strides[:-1], 0, a.strides[-1]), a.offset),
            x.dtype,
        ),
        Source(
            y.operand,
            Layout((*batch, 1, columns, inner), (*b.strides[:-2], 0, *b.strides[-2:]), b.offset),
            y.dtype,
        ),
    ]
    product = bind(parse("x * y"), {"x": input_term(0, x.dtype), "y": input_term(1, y.dtype)})
    fold = Fold(Reduction("a + b", 0), product, target.dtype)
    reduce.emit(builder, fold, spread, domain, [len(domain) - 1], target)


def _tiled(builder: Builder, x: Source, y: Source, domain: tuple[int, ...], target: Target) -> None:
    *batch, rows, columns, inner = domain
    if matmul_tiles.suits(builder, target.dtype, domain):
        matmul_tiles.emit(builder, _packed(builder, x), _packed(builder, y), domain, target)
        return
    lanes = builder.device.lanes
    wide = target.dtype == "f32" and columns >= lanes * 4 * _LARGE.quads // 2 and rows >= _LARGE.rows
    tile = _LARGE if wide and rows * columns * inner >= _LARGE_WORK else _SMALL
    y = _packed(builder, y)
    a = x.layout.expand((*batch, rows, inner))
    b = y.layout.expand((*batch, *y.layout.shape[-2:]))
    shape, (a_steps, b_steps) = collapse(tuple(batch), a.strides[:-2], b.strides[:-2])
    rank = bucket(len(shape))
    spec = _spec(target.dtype, tile, lanes, rank)
    row_tiles, batches = -(-rows // tile.rows), prod(batch)
    column_tiles = -(-columns // (4 * tile.quads * lanes))
    params: Params = {
        "shape": padded(shape, rank, 1),
        "offset_a": a.offset,
        "strides_a": padded(a_steps, rank, 0),
        "offset_b": b.offset // 4,
        "strides_b": padded([stride // 4 for stride in b_steps], rank, 0),
        "row_a": padded([a.strides[-2]], 1, 0)[0],
        "inner_a": padded([a.strides[-1]], 1, 0)[0],
        "inner_b": padded([b.strides[-2] // 4], 1, 0)[0],
        "rows": rows,
        "columns": columns,
        "row_tiles": row_tiles,
    }
    operands = [x.operand, y.operand, target.operand]
    width = column_tiles * 4 * tile.quads * lanes * tile.rows
    for part in _parts(builder.device, row_tiles * batches, inner, width):
        workgroups = (column_tiles, *_fold(part["stop"] - part["first"]))
        each = 4 * tile.quads * tile.rows * (part["end"] - part["begin"])
        builder.dispatch(spec, workgroups, operands, {**params, **part}, each)


def _parts(device: DeviceClass, lines: int, inner: int, width: int) -> Iterator[dict[str, int]]:
    """Which lines of tiles, and which inner positions, each dispatch takes: about `device.work` multiply-adds.

    A line has `width` elements. The first part of each line begins at inner position 0, the others add to it.
    """
    span = min(device.loop_turns * _UNROLL // 2, max(device.work // width, _SHORTEST_SPAN))
    span = min(inner, span - span % _UNROLL)
    height = max(device.work // (width * span), 1)
    for first in range(0, lines, height):
        for begin in range(0, inner, span):
            stop, end = min(first + height, lines), min(begin + span, inner)
            yield {"first": first, "stop": stop, "begin": begin, "end": end}


def _fold(count: int) -> tuple[int, int]:
    """At least `count` workgroups over y and z."""
    depth = -(-count // MAX_GROUPS)
    return -(-count // depth), depth


def _packed(builder: Builder, source: Source) -> Source:
    """`source` with rows that can be read by fours: itself, or a copy whose rows are padded."""
    layout = source.layout
    *outer, columns = layout.shape
    *steps, step = layout.strides
    if step == 1 and columns % 4 == 0 and layout.offset % 4 == 0 and not any(size % 4 for size in steps):
        return source
    wide = builder.temp((*outer, -(-columns // 4) * 4), source.dtype)
    inside = Target(wide.operand, Layout(layout.shape, wide.layout.strides, 0), source.dtype)
    elementwise.copy(builder, source, inside)
    return Source(wide.operand, wide.layout, source.dtype)


@lru_cache(maxsize=64)
def _spec(dtype: str, tile: Tile, lanes: int, rank: int) -> KernelSpec:
    rows, quads = range(tile.rows), range(tile.quads)
    type = wgsl.storage(dtype)
    body = [
        "let line = params.first + wid.y + wid.z * nwg.y;",
        "if (line >= params.stop) {\n    return;\n}",
        f"let row = line % params.row_tiles * {tile.rows}u;",
        coordinates("line / params.row_tiles", rank),
        f"let base_a = {address('a', rank)};",
        f"let base_b = {address('b', rank)};",
        f"let column = wid.x * {lanes * tile.quads}u + lid.x;",
        "let last = (params.columns - 1u) / 4u;",
        *(f"let b{q} = base_b + min(column + {q * lanes}u, last);" for q in quads),
        *(f"let a{r} = base_a + min(row + {r}u, params.rows - 1u) * params.row_a;" for r in rows),
        *(f"var c{r}_{q} = vec4<{type}>();" for r in rows for q in quads),
        "var k = params.begin;",
        f"for (; k + {_UNROLL}u <= params.end; k += {_UNROLL}u) {{",
        *(line for step in range(_UNROLL) for line in _step(dtype, tile, step)),
        "}",
        "for (; k < params.end; k++) {",
        *_step(dtype, tile, 0),
        "}",
        "let out_line = line / params.row_tiles * params.rows + row;",
        *(f"store(out_line, row, {r}u, column + {q * lanes}u, c{r}_{q});" for r in rows for q in quads),
    ]
    names = ("offset_a", "offset_b", "row_a", "inner_a", "inner_b", "rows", "columns", "row_tiles")
    return KernelSpec(
        "matmul",
        (Binding("a", type), Binding("b", f"vec4<{type}>")),
        (Binding("c", type, "read_write"),),
        "\n".join(body),
        (
            *(Param(name) for name in (*names, "first", "stop", "begin", "end")),
            *stride_params(["shape", "strides_a", "strides_b"], rank),
        ),
        (lanes, 1, 1),
        functions=_STORE.format(type=type),
    )


def _step(dtype: str, tile: Tile, step: int) -> list[str]:
    """Statements that add the products of inner position `k + step`."""
    type = wgsl.storage(dtype)
    at = f"(k + {step}u)"
    lines = [f"    let y{step}_{q} = b[b{q} + {at} * params.inner_b];" for q in range(tile.quads)]
    for r in range(tile.rows):
        lines.append(f"    let x{step}_{r} = vec4<{type}>(a[a{r} + {at} * params.inner_a]);")
        for q in range(tile.quads):
            x, y, c = f"x{step}_{r}", f"y{step}_{q}", f"c{r}_{q}"
            lines.append(f"    {c} = fma({x}, {y}, {c});" if dtype == "f32" else f"    {c} += {x} * {y};")
    return lines


_STORE = """
fn store(line: u32, row: u32, step: u32, quad: u32, value: vec4<{type}>) {{
  let column = quad * 4u;
  if (row + step < params.rows && column < params.columns) {{
    let at = (line + step) * params.columns + column;
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
