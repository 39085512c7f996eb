"""Prefix sums and sorting on GPUs: a workgroup takes a tile, and its lanes work together in workgroup memory.

Owns the sizes of tiles and the passes over them; a tile's 16 KiB are what every adapter has. Sorting is by least digit
first, eight bits a pass (after Merrill and Grimshaw, 2011). Must not know rows. `collections.py` has the other form.
"""

from __future__ import annotations

from functools import cache

from ops.lowering.builder import Builder, grid
from ops.lowering.operands import Source, Target
from ops.wgsl import storage
from shaders.spec import Binding, KernelSpec, Operand, Param, Setting

LANES = 256
"""The workgroup size, which every adapter has."""
_SCANNED = 16 * LANES
_SORTED = 15 * LANES
DIGITS = 256
"""Values of a digit: sorting takes eight bits a pass."""
_WORK = 512
"""Multiply-adds that an invocation costs."""
_BEFORE = {
    "scan_sums": ("tiles/block",),
    "scan": ("tiles/block",),
    "sort_count": ("tiles/sort_key",),
    "sort_move": ("tiles/block", "tiles/sort_key"),
}


def scan(builder: Builder, x: Source, y: Target, exclusive: bool) -> None:
    """Running sums of `x`, which is contiguous and not empty."""
    total, kind = x.layout.count, storage(x.dtype)
    params = {"count": -(-total // _SCANNED), "total": total}
    sums = builder.temp((params["count"],), x.dtype)
    if params["count"] > 1:
        parts = builder.temp((params["count"],), x.dtype)
        spec = _spec("scan_sums", "x", "sums", kind, "count total")
        _emit(builder, spec, [x.operand, parts.operand], params)
        scan(builder, parts.source(), sums, exclusive=False)
    spec = _spec("scan", "x sums", "y", kind, "count total", (("exclusive", int(exclusive)),))
    _emit(builder, spec, [x.operand, sums.operand, y.operand], params)


def sort(builder: Builder, x: Source, keys: Target | None, places: Target | None) -> None:
    """The elements of `x` in ascending order, or their places, or both; `x` is contiguous and not empty.

    Elements are integers where `keys` are asked for: others are not to be had back from their sort keys.
    """
    total = x.layout.count
    tiles = -(-total // _SORTED)
    size = {"count": tiles, "total": total}
    counts, starts = (builder.temp((DIGITS * tiles,), "u32") for _ in range(2))
    spare_keys = [builder.temp((total,), "u32") for _ in range(2)]
    spare_places = [builder.temp((total,), "u32") for _ in range(2)] if places else [None, None]
    from_keys, from_places = x.operand, None
    for number in range(4):
        is_last = number == 3
        to_keys = keys if is_last else spare_keys[number % 2]
        to_places = places if is_last else spare_places[number % 2]
        reads = "u32" if number else x.dtype
        writes = x.dtype if is_last else "u32"
        shift = {"shift": 8 * number}
        _emit(builder, _count_spec(reads), [from_keys, counts.operand], size | shift)
        scan(builder, counts.source(), starts, exclusive=True)
        spec = _move_spec(reads, writes if to_keys else None, from_places is not None, to_places is not None)
        targets = [target.operand for target in (to_keys, to_places) if target]
        sources = [operand for operand in (from_keys, from_places) if operand]
        _emit(builder, spec, [*sources, starts.operand, *targets], size | shift)
        if not is_last:
            from_keys = spare_keys[number % 2].operand
            from_places = to_places and to_places.operand


def _count_spec(reads: str) -> KernelSpec:
    return _spec("sort_count", "keys", "counts", "u32", "count total shift", (("reads", reads),))


def _move_spec(reads: str, writes: str | None, reads_places: bool, writes_places: bool) -> KernelSpec:
    carries = ("load" if reads_places else "places") if writes_places else "none"
    settings = (("reads", reads), ("writes", writes or "none"), ("carries", carries))
    inputs = "keys values starts" if reads_places else "keys starts"
    outputs = [name for name, made in (("new_keys", writes), ("new_values", writes_places)) if made]
    return _spec("sort_move", inputs, " ".join(outputs), "u32", "count total shift", settings)


@cache
def _spec(
    name: str,
    inputs: str,
    outputs: str,
    type: str,
    params: str,
    settings: tuple[tuple[str, Setting], ...] = (),
) -> KernelSpec:
    """The kernel of the partial `tiles/<name>`, whose function `run(tile, lane)` all lanes of a tile call together."""
    return KernelSpec(
        name=f"tile_{name}",
        inputs=tuple(Binding(binding, type) for binding in inputs.split()),
        outputs=tuple(Binding(binding, type, "read_write") for binding in outputs.split()),
        params=tuple(map(Param, params.split())),
        workgroup_size=(LANES, 1, 1),
        body="let tile = wid.x + wid.y * nwg.x;\nif tile < params.count {\n    run(tile, lid.x);\n}",
        partials=(*_BEFORE[name], f"tiles/{name}"),
        settings=(("type", type), *settings),
    )


def _emit(builder: Builder, spec: KernelSpec, operands: list[Operand], params: dict[str, int]) -> None:
    builder.dispatch(spec, grid(params["count"]), operands, params, _WORK)
