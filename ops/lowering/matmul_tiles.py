"""Matrix products on GPUs: a workgroup makes a square tile in workgroup memory, double-buffered.

Owns the choice of the tile's size and how a product is cut into dispatches. Operands' rows must be readable by fours.
Must not know op names. `matmul.py` has the form for CPU adapters, small products and integers.
"""

from __future__ import annotations

from functools import cache
from math import prod

from ops.layout import collapse
from ops.lowering.base import (
    MAX_GROUPS,
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
"""Fewer large tiles than this leave parts of a large GPU idle: smaller tiles are better then."""


def suits(builder: Builder, dtype: str, domain: tuple[int, ...]) -> bool:
    """Whether the product of `domain` (batch, rows, columns, inner) is better made by tiles."""
    rows, columns, inner = domain[-3:]
    is_short = 128 * columns * inner <= 4 * builder.device.work
    return builder.device.kind == "gpu" and dtype == "f32" and min(rows, columns, inner) >= LEAST and is_short


def emit(builder: Builder, a: Source, b: Source, domain: tuple[int, ...], target: Target) -> None:
    """Write the product of `a` and `b`, whose batch axes are broadcast, to `target`, contiguous from offset 0."""
    *batch, rows, columns, inner = domain
    quads = 2 if -(-rows // 128) * -(-columns // 128) * prod(batch) >= _FEW_TILES else 1
    side = 64 * quads
    a_layout = a.layout.expand((*batch, *a.layout.shape[-2:]))
    b_layout = b.layout.expand((*batch, *b.layout.shape[-2:]))
    shape, (a_steps, b_steps) = collapse(tuple(batch), a_layout.strides[:-2], b_layout.strides[:-2])
    rank = bucket(len(shape))
    row_tiles, column_tiles = -(-rows // side), -(-columns // side)
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
    }
    spec = _spec(quads, columns % 4 == 0, rank)
    each = side * side * inner // _LANES
    lines = row_tiles * prod(batch)
    height = max(1, min(builder.device.work // (each * _LANES * column_tiles), MAX_GROUPS))
    for first in range(0, lines, height):
        workgroups = (column_tiles, min(height, lines - first), 1)
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
            "let batch = line / params.row_tiles;",
            f"run(base_a, base_b, batch, line % params.row_tiles * {side}u, wid.x * {side}u, lid.x);",
        ]
    )
    names = ("offset_a", "offset_b", "row_a", "inner_b", "rows", "columns", "inner", "row_tiles", "first")
    return KernelSpec(
        "matmul_tiles",
        (Binding("a", "vec4<f32>"), Binding("b", "vec4<f32>")),
        (Binding("c", "vec4<f32>" if whole else "f32", "read_write"),),
        body,
        (*map(Param, names), *stride_params(["shape", "strides_a", "strides_b"], rank)),
        (_LANES, 1, 1),
        partials=("tiles/matmul",),
        settings=(("quads", quads), ("whole", int(whole))),
    )
