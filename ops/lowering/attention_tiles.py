"""Attention on GPUs in one kernel: a workgroup goes through the keys for some queries, whose scores it alone has.

Owns the choice of the tile's size and how queries are cut into dispatches. Must not know op names. `attention.py` has
the form for CPU adapters and for long vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import e, log2, prod

from ops import wgsl
from ops.layout import collapse
from ops.lowering import windows
from ops.lowering.addressing import address, bucket, coordinates, padded, stride_params, wrapped
from ops.lowering.builder import MAX_GROUPS, Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.lowering.register_tile import packed
from shaders.spec import Binding, KernelSpec, Param

_GRIDS = (8, 16)
"""How many lanes there are along queries, and as many along keys: each has four of both."""
SCORE_WORK = 32
"""What softmax does to a score, in multiply-adds: between a GPU's dozen instructions and the hundred that the host's
BLAS does in the 1.5 ns that it takes there."""
_LEAST = -3.4028234663852886e38
"""Where the largest score begins. It is finite, since scores may be infinite, and their difference is NaN."""


def suits(device: DeviceClass, sources: list[Source], target: Target) -> bool:
    """Whether the attention of query, key, value and perhaps a mask, whose batch axes are the target's, is made so."""
    key, value = sources[1].layout.shape, sources[2].layout.shape
    grid = _grid(key[-1], value[-1])
    return (
        device.kind == "gpu"
        and grid is not None
        and key[-1] % 4 == value[-1] % 4 == 0
        and 3 * 4 * (4 * grid) ** 2 <= device.workgroup_bytes
        and _work(grid, target, key) <= device.work
        and not any(windows.is_wide(device, each.layout) for each in [*sources, target.source()])
    )


def emit(builder: Builder, sources: list[Source], is_causal: bool, scale: float, target: Target) -> None:
    """Write softmax(`query` @ `key`.T * `scale` + `mask`) @ `value` to `target`, contiguous from offset 0."""
    query, key, value = (packed(builder, source) for source in sources[:3])
    mask = sources[3:]
    *batch, rows, values = target.layout.shape
    columns, size = sources[1].layout.shape[-2:]
    grid = _grid(size, values)
    assert grid is not None
    layouts = [each.layout.expand((*batch, *each.layout.shape[-2:])) for each in (query, key, value, *mask)]
    shape, steps = collapse(tuple(batch), *(layout.strides[:-2] for layout in layouts))
    rank, tiles = bucket(len(shape)), -(-rows // (4 * grid))
    params: Params = {
        "shape": padded(shape, rank, 1),
        "queries": rows,
        "keys": columns,
        "size": size // 4,
        "values": values // 4,
        "tiles": tiles,
        "scale": scale * log2(e),
        "unit": log2(e),
        "least": _LEAST,
    }
    for name, layout, strides in zip(_names(bool(mask)), layouts, steps, strict=True):
        unit = 1 if name == "mask" else 4
        params |= {
            f"offset_{name}": layout.offset // unit,
            f"strides_{name}": padded([stride // unit for stride in strides], rank, 0),
            f"row_{name}": wrapped(layout.strides[-2] // unit),
        }
    if mask:
        params["column_mask"] = wrapped(layouts[-1].strides[-1])
    spec = _spec(grid, is_causal, bool(mask), rank)
    operands = [*(each.operand for each in (query, key, value, *mask)), target.operand]
    work = _work(grid, target, (columns, size))
    for first, groups in _parts(builder.device, prod(batch) * tiles, work):
        builder.dispatch(spec, (groups, 1, 1), operands, {**params, "first": first}, -(-work // grid**2))


def _grid(size: int, values: int) -> int | None:
    """The least that takes vectors of `size` and so many columns of values; None where there is none."""
    return next((grid for grid in _GRIDS if 0 < size <= 4 * grid and values <= 4 * grid), None)


def _work(grid: int, target: Target, key: Sequence[int]) -> int:
    """The multiply-adds of a workgroup."""
    return 4 * grid * key[-2] * (key[-1] + target.layout.shape[-1] + SCORE_WORK)


def _parts(device: DeviceClass, tiles: int, work: int) -> Iterator[tuple[int, int]]:
    """With which tile each dispatch begins, and how many it makes."""
    most = max(min(device.work // work, MAX_GROUPS), 1)
    for first in range(0, tiles, most):
        yield first, min(most, tiles - first)


def _names(is_masked: bool) -> list[str]:
    return ["q", "k", "v", *["mask"] * is_masked]


@cache
def _spec(grid: int, is_causal: bool, is_masked: bool, rank: int) -> KernelSpec:
    names = _names(is_masked)
    body = [
        "let line = params.first + wid.x;",
        coordinates("line / params.tiles", rank),
        *(f"let base_{name} = {address(name, rank)};" for name in names),
        f"run({', '.join(f'base_{name}' for name in names)}, line / params.tiles,"
        f" line % params.tiles * {4 * grid}u, lid.x);",
    ]
    fields = [f"{kind}_{name}" for name in names for kind in ("offset", "row")]
    fields += [*["column_mask"] * is_masked, "queries", "keys", "size", "values", "tiles", "first"]
    quad = "vec4<f32>"
    return KernelSpec(
        "attention",
        tuple(Binding(name, "f32" if name == "mask" else quad) for name in names),
        (Binding("out", quad, "read_write"),),
        "\n".join(body),
        (
            *map(Param, fields),
            *(Param(name, "f32") for name in ("scale", "unit", "least")),
            *stride_params(["shape", *(f"strides_{name}" for name in names)], rank),
        ),
        (grid * grid, 1, 1),
        functions=wgsl.with_helpers(body="infinity()"),
        partials=("tiles/attention",),
        settings=(("grid", grid), ("causal", int(is_causal)), ("masked", int(is_masked))),
    )
