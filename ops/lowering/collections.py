"""Prefix sums, and what is built on them: compaction, runs, sorting.

Owns how work is cut into chunks, one an invocation, without barriers; on GPUs `tiles.py` does sums and sorting. Must
not know rows.
"""

from __future__ import annotations

from ops import expression
from ops.attributes import Attributes
from ops.lowering import elementwise, tiles
from ops.lowering.base import Builder, Source, Target
from ops.lowering.messages import whole
from ops.wgsl import storage
from shaders.routines import routine_spec

_CHUNK = 1024
_SORT_CHUNK = 4096
_ELEMENT_WORK = 8
_SORT_WORK = 64
_DIGITS = 256


def cumsum(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running sums."""
    if target.layout.count:
        _scan(builder, whole(builder, sources[0]), target, bool(attributes["exclusive"]))


def histogram(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """How often each number is there."""
    fill(builder, target, 0)
    count = sources[0].layout.count
    if count and target.layout.count:
        spec = routine_spec("histogram", "x:u32", "counts:atomic<u32>")
        builder.spread(spec, count, [whole(builder, sources[0]).operand, target.operand], {"count": count})


def compact(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The elements that are kept, then zeros."""
    fill(builder, target, 0)
    x, keep = (whole(builder, source) for source in sources)
    _keep(builder, keep, [x], target)


def nonzero(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The positions of what is true, then the size."""
    fill(builder, target, sources[0].layout.count)
    _keep(builder, whole(builder, sources[0]), [], target)


def run_starts(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The positions where a run begins, then the size."""
    count = sources[0].layout.count
    fill(builder, target, count)
    if count:
        flags = builder.temp((count,), "u32")
        spec = routine_spec("run_flags", "x:u32", "keep:u32")
        builder.spread(spec, count, [whole(builder, sources[0]).operand, flags.operand], {"count": count})
        _keep(builder, flags.source(), [], target)


def take(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The elements at positions."""
    x, places = (whole(builder, source) for source in sources)
    _take(builder, x, places, target)


def argsort(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The positions of the elements in ascending order."""
    if target.layout.count:
        _argsort(builder, whole(builder, sources[0]), target)


def sort(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The elements in ascending order."""
    count = target.layout.count
    if not count:
        return
    x = whole(builder, sources[0])
    if builder.device.kind == "gpu" and x.dtype != "f32":
        tiles.sort(builder, x, target, None)
    else:
        places = builder.temp((count,), "u32")
        _argsort(builder, x, places)
        _take(builder, x, places.source(), target)


def fill(builder: Builder, target: Target, value: int) -> None:
    """One number everywhere."""
    number = expression.cast(expression.scalar_term(value), "u32")
    elementwise.emit(builder, number, (), Target(target.operand, target.layout, "u32"))


def _scan(builder: Builder, x: Source, y: Target, exclusive: bool) -> None:
    if builder.device.kind == "gpu":
        tiles.scan(builder, x, y, exclusive)
        return
    total, chunk = x.layout.count, _CHUNK
    count = -(-total // chunk)
    settings = (("type", storage(x.dtype)), ("exclusive", int(exclusive)))
    params = {"count": count, "total": total, "chunk": chunk}
    sums = builder.temp((count,), x.dtype)
    if count > 1:
        kind = storage(x.dtype)
        spec = routine_spec("scan_sums", f"x:{kind}", f"sums:{kind}", "total chunk", (), settings[:1])
        parts = builder.temp((count,), x.dtype)
        builder.spread(spec, count, [x.operand, parts.operand], params, _ELEMENT_WORK * chunk)
        _scan(builder, parts.source(), sums, exclusive=False)
    kind = storage(x.dtype)
    spec = routine_spec("scan_chunks", f"x:{kind} sums:{kind}", f"y:{kind}", "total chunk", (), settings)
    builder.spread(spec, count, [x.operand, sums.operand, y.operand], params, _ELEMENT_WORK * chunk)


def _keep(builder: Builder, keep: Source, values: list[Source], target: Target) -> None:
    """Write the values, or the positions, of what is kept to the front of the target."""
    count = keep.layout.count
    if not count:
        return
    places = builder.temp((count,), "u32")
    _scan(builder, Source(keep.operand, keep.layout, "u32"), places, exclusive=False)
    inputs = "keep:u32 places:u32" + " x:u32" * len(values)
    spec = routine_spec("scatter_kept", inputs, "y:u32", settings=(("positions", int(not values)),))
    operands = [keep.operand, places.operand, *(value.operand for value in values), target.operand]
    builder.spread(spec, count, operands, {"count": count})


def _take(builder: Builder, x: Source, places: Source, target: Target) -> None:
    count = target.layout.count
    if count:
        spec = routine_spec("take", "x:u32 places:u32", "y:u32", "total")
        params = {"count": count, "total": x.layout.count}
        builder.spread(spec, count, [x.operand, places.operand, target.operand], params)


def _argsort(builder: Builder, x: Source, target: Target) -> None:
    """Four passes of eight bits, each stable: count digits by chunk, sum, move."""
    if builder.device.kind == "gpu":
        tiles.sort(builder, x, None, target)
        return
    total, chunk = x.layout.count, _SORT_CHUNK
    chunks = -(-total // chunk)
    keys, new_keys, places = (builder.temp((total,), "u32") for _ in range(3))
    counts, starts = (builder.temp((_DIGITS * chunks,), "u32") for _ in range(2))
    spec = routine_spec("sort_keys", "x:u32", "keys:u32 places:u32", settings=(("type", x.dtype),))
    new_places = target
    builder.spread(spec, total, [x.operand, keys.operand, new_places.operand], {"count": total})
    count_spec = routine_spec("sort_count", "keys:u32", "counts:u32", "total chunk shift")
    move_spec = routine_spec(
        "sort_move", "keys:u32 places:u32", "counts:u32 new_keys:u32 new_places:u32", "total chunk shift"
    )
    places, new_places = new_places, places
    for shift in range(0, 32, 8):
        params = {"count": chunks, "total": total, "chunk": chunk, "shift": shift}
        builder.spread(count_spec, chunks, [keys.operand, counts.operand], params, _SORT_WORK * chunk)
        _scan(builder, counts.source(), starts, exclusive=True)
        operands = [each.operand for each in (keys, places, starts, new_keys, new_places)]
        builder.spread(move_spec, chunks, operands, params, _SORT_WORK * chunk)
        keys, new_keys, places, new_places = new_keys, keys, new_places, places
