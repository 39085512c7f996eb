"""Matrix products on GPUs: a workgroup makes a square tile in workgroup memory, double-buffered.

Owns the choice of the tile's size, how a product is cut into dispatches, and the splitting of long sums where there are
few tiles. Operands' rows must be readable by fours. Must not know op names. `matmul.py` has the form for CPU adapters,
small products and integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod

from ops.expression import bind, input_term, parse, substituted
from ops.layout import Layout, collapse
from ops.lowering import elementwise
from ops.lowering.base import (
    MAX_GROUPS,
    After,
    Builder,
    Params,
    Source,
    Target,
    address,
    bucket,
    coordinates,
    padded,
    stride_params,
)
from shaders.spec import Binding, KernelSpec, Param

LEAST = 32
"""Rows, columns and inner positions below which a tile is mostly empty."""
_LANES = 256
_FEW_TILES = 132
"""Fewer workgroups than this leave parts of a large GPU idle: smaller tiles, or parts of sums, are better then."""
_SHORTEST_SPAN = 64
_MOST_SPLITS = 4
_MOST_READ = 6
_DEPTH = 16


def suits(builder: Builder, dtype: str, domain: tuple[int, ...]) -> bool:
    """Whether the product of `domain` (batch, rows, columns, inner) is better made by tiles."""
    rows, columns, inner = domain[-3:]
    is_short = 128 * columns * inner <= 4 * builder.device.work
    return builder.device.kind == "gpu" and dtype == "f32" and min(rows, columns, inner) >= LEAST and is_short


def emit(
    builder: Builder,
    a: Source,
    b: Source,
    domain: tuple[int, ...],
    target: Target,
    after: After | None = None,
) -> None:
    """Write the product of `a` and `b`, whose batch axes are broadcast, to `target`, contiguous from offset 0.

    With `after`, which keeps the dtype, the target gets what is done with the product.
    """
    quads, splits = _choice(domain, _MOST_READ - len(after.sources if after else ()))
    if splits == 1 and after is None:
        _multiply(builder, a, b, domain, target, quads, splits)
        return
    parts = builder.temp((splits, *target.layout.shape), "f32")
    _multiply(builder, a, b, domain, parts, quads, splits)
    _add_up(builder, parts, after or After(input_term(0, "f32"), "f32"), target)


def _choice(domain: Sequence[int], room: int) -> tuple[int, int]:
    """The tile's size as `_multiply` has it, and into how many parts sums are split, at most `room`."""
    *batch, rows, columns, inner = domain
    tiles = {quads: -(-rows // (64 * quads)) * -(-columns // (64 * quads)) * prod(batch) for quads in (1, 2)}
    most = max(1, min(room, _MOST_SPLITS, inner // _SHORTEST_SPAN))
    quads = 2 if min(rows, columns) > 64 and tiles[2] * most >= _FEW_TILES else 1
    splits = 1
    while splits * 2 <= most and splits * tiles[quads] < _FEW_TILES:
        splits *= 2
    return quads, splits


def _add_up(builder: Builder, parts: Target, after: After, target: Target) -> None:
    """Write what is done with the sum of `parts`, over their first axis, to `target`."""
    splits, *shape = parts.layout.shape
    layouts = [Layout.contiguous(tuple(shape), part * prod(shape)) for part in range(splits)]
    names = {f"x{part}": input_term(part, "f32") for part in range(splits)}
    others = {n + 1: input_term(n + splits, source.dtype) for n, source in enumerate(after.sources)}
    term = substituted(after.term, {0: bind(parse(" + ".join(names)), names), **others})
    sources = [Source(parts.operand, layout, "f32") for layout in layouts]
    elementwise.emit(builder, term, [*sources, *after.sources], target)


def _multiply(
    builder: Builder,
    a: Source,
    b: Source,
    domain: Sequence[int],
    target: Target,
    quads: int,
    splits: int,
) -> None:
    """Write the products' sums in `splits` parts, one after the other, by tiles of `64 * quads` rows and columns."""
    *batch, rows, columns, inner = domain
    side = 64 * quads
    a_layout = a.layout.expand((*batch, *a.layout.shape[-2:]))
    b_layout = b.layout.expand((*batch, *b.layout.shape[-2:]))
    shape, (a_steps, b_steps) = collapse(tuple(batch), a_layout.strides[:-2], b_layout.strides[:-2])
    rank = bucket(len(shape))
    row_tiles, column_tiles = -(-rows // side), -(-columns // side)
    span = -(-inner // (splits * _DEPTH)) * _DEPTH
    params: Params = {
        "shape": padded(shape, rank, 1),
        "offset_a": a_layout.offset // 4,
        "strides_a": padded([stride // 4 for stride in a_steps], rank, 0),
        "offset_b": b_layout.offset // 4,
        "strides_b": padded([stride // 4 for stride in b_steps], rank, 0),
        "row_a": a_layout.strides[-2] // 4,
        "inner_b": b_layout.strides[-2] // 4,
        "rows": rows,
        "columns": columns,
        "inner": inner,
        "row_tiles": row_tiles,
        "matrices": prod(batch),
        "span": span,
    }
    spec = _spec(quads, columns % 4 == 0, rank)
    each = side * side * span // _LANES
    lines = row_tiles * prod(batch)
    height = max(1, min(builder.device.work // (each * _LANES * column_tiles * splits), MAX_GROUPS))
    for first in range(0, lines, height):
        workgroups = (column_tiles, min(height, lines - first), splits)
        operands = [a.operand, b.operand, target.operand]
        builder.dispatch(spec, workgroups, operands, {**params, "first": first}, each)


@cache
def _spec(quads: int, whole: bool, rank: int) -> KernelSpec:
    side = 64 * quads
    body = "\n".join(
        [
            "let line = params.first + wid.y;",
            coordinates("line / params.row_tiles", rank),
            f"let base_a = {address('a', rank)};",
            f"let base_b = {address('b', rank)};",
            "let matrix = wid.z * params.matrices + line / params.row_tiles;",
            f"let row = line % params.row_tiles * {side}u;",
            "let begin = wid.z * params.span;",
            "let end = min(begin + params.span, params.inner);",
            f"run(base_a, base_b, matrix, row, wid.x * {side}u, begin, end, lid.x);",
        ]
    )
    names = ("offset_a", "offset_b", "row_a", "inner_b", "rows", "columns", "inner", "row_tiles", "matrices")
    return KernelSpec(
        "matmul_tiles",
        (Binding("a", "vec4<f32>"), Binding("b", "vec4<f32>")),
        (Binding("c", "vec4<f32>" if whole else "f32", "read_write"),),
        body,
        (*map(Param, (*names, "span", "first")), *stride_params(["shape", "strides_a", "strides_b"], rank)),
        (_LANES, 1, 1),
        partials=("tiles/matmul",),
        settings=(("quads", quads), ("whole", int(whole))),
    )
