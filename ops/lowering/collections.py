"""Prefix sums, and what is built on them: compaction, runs, sorting.

Owns how work is cut into chunks, one an invocation, without barriers; on GPUs `tiles.py` does sums and sorting. Must
not know rows.
"""

from __future__ import annotations

from ops import expression
from ops.attributes import Attributes, integer
from ops.layout import Layout
from ops.lowering import elementwise, indexing, scan, tiles
from ops.lowering.base import Builder, Source, Target
from ops.lowering.messages import whole
from ops.shapes import axis
from ops.spec import Reduction
from shaders.routines import routine_spec

_RANKED = 128
"""Rows of at most so many are sorted by comparing all pairs of each."""
_LOWEST = {"f32": float("-inf"), "i32": -(1 << 31), "u32": 0}
_HIGHEST = {"f32": float("inf"), "i32": (1 << 31) - 1, "u32": (1 << 32) - 1}
_SORT_CHUNK = 4096
_SORT_WORK = 64
_DIGITS = 256


def cumsum(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running sums along an axis."""
    _running(builder, scan.SUM, attributes, sources, target)


def cumprod(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running products along an axis."""
    _running(builder, Reduction("a * b", 1), attributes, sources, target)


def cummax(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running maxima along an axis."""
    _running(builder, Reduction("maximum(a, b)", _LOWEST[target.dtype]), attributes, sources, target)


def cummin(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running minima along an axis."""
    _running(builder, Reduction("minimum(a, b)", _HIGHEST[target.dtype]), attributes, sources, target)


def _running(
    builder: Builder, fold: Reduction, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    scan.emit(builder, fold, sources[0], where, bool(attributes.get("exclusive")), target)


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
    take_at(builder, x, places, target)


def argsort(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The positions along an axis of the elements in order."""
    if not target.layout.count:
        return
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    rows = _rows(builder, sources[0], where)
    columns = rows.layout.shape[-1]
    out = _as_rows(target, where)
    direct = out.layout.is_contiguous and out.layout.offset == 0
    places = out if direct else builder.temp(out.layout.shape, "u32")
    if attributes["descending"] or columns < rows.layout.count:
        rows = _keys(builder, rows, bool(attributes["descending"]))
    if columns == rows.layout.count:
        sort_places(builder, rows, places)
    elif columns <= _RANKED:
        spec = routine_spec("rank_places", "keys:u32", "places:u32", "columns")
        params = {"count": rows.layout.count, "columns": columns}
        builder.spread(spec, rows.layout.count, [rows.operand, places.operand], params, 2 * columns)
    else:
        _argsort_rows(builder, rows, columns, places)
    if not direct:
        elementwise.copy(builder, places.source(), out)


def sort(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The elements along an axis in order."""
    if not target.layout.count:
        return
    (x,) = sources
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    flat = x.layout.count == x.layout.shape[where] if x.layout.shape else True
    if builder.device.kind == "gpu" and x.dtype in ("i32", "u32") and flat and not attributes["descending"]:
        tiles.sort(builder, whole(builder, x), target, None)
        return
    places = builder.temp(target.layout.shape, "u32")
    argsort(builder, attributes, sources, places)
    indexing.gather(builder, x, places.source(), where, target)


def _rows(builder: Builder, x: Source, where: int) -> Source:
    """`x` as a contiguous buffer whose last axis is `where`; of rank 0 as one element."""
    layout = x.layout if x.layout.shape else x.layout.expand((1,))
    return whole(builder, Source(x.operand, layout.permute(_last(where, len(layout.shape))), x.dtype))


def _as_rows(target: Target, where: int) -> Target:
    """`target` with its axis `where` as the last."""
    layout = target.layout if target.layout.shape else target.layout.expand((1,))
    return Target(target.operand, layout.permute(_last(where, len(layout.shape))), target.dtype)


def _last(where: int, rank: int) -> list[int]:
    return [*(number for number in range(rank) if number != where), where]


def _keys(builder: Builder, x: Source, descending: bool) -> Source:
    """Words in the order of the elements, or in the opposite one."""
    keys, places = (builder.temp(x.layout.shape, "u32") for _ in range(2))
    _write_keys(builder, x, descending, keys, places)
    return keys.source()


def _write_keys(builder: Builder, x: Source, descending: bool, keys: Target, places: Target) -> None:
    """Words in the order of the elements, or in the opposite one, and 0, 1, 2 …"""
    settings = (("type", x.dtype), ("descending", int(descending)))
    spec = routine_spec("sort_keys", "x:u32", "keys:u32 places:u32", settings=settings)
    count = x.layout.count
    builder.spread(spec, count, [x.operand, keys.operand, places.operand], {"count": count})


def _argsort_rows(builder: Builder, keys: Source, columns: int, places: Target) -> None:
    """Sort all rows as one, then by row: both sorts are stable."""
    total = keys.layout.count
    flat = Layout.contiguous((total,))
    first, second, rows, mixed = (builder.temp((total,), "u32") for _ in range(4))
    x = {"x": expression.input_term(0, "u32"), "columns": expression.scalar_term(columns)}
    sort_places(builder, Source(keys.operand, flat, "u32"), first)
    row = expression.cast(expression.bind(expression.parse("x // columns"), x), "u32")
    elementwise.emit(builder, row, [first.source()], rows)
    sort_places(builder, rows.source(), second)
    take_at(builder, first.source(), second.source(), mixed)
    column = expression.cast(expression.bind(expression.parse("x % columns"), x), "u32")
    elementwise.emit(builder, column, [mixed.source()], Target(places.operand, flat, "u32"))


def fill(builder: Builder, target: Target, value: int) -> None:
    """One number everywhere."""
    number = expression.cast(expression.scalar_term(value), "u32")
    elementwise.emit(builder, number, (), Target(target.operand, target.layout, "u32"))


def _scan(builder: Builder, x: Source, y: Target, exclusive: bool) -> None:
    """Running sums of a flat array."""
    scan.scan_rows(builder, scan.SUM, x, y, x.layout.count, exclusive)


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


def take_at(builder: Builder, x: Source, places: Source, target: Target) -> None:
    """The elements of a contiguous array at positions."""
    count = target.layout.count
    if count:
        spec = routine_spec("take", "x:u32 places:u32", "y:u32", "total")
        params = {"count": count, "total": x.layout.count}
        builder.spread(spec, count, [x.operand, places.operand, target.operand], params)


def sort_places(builder: Builder, x: Source, target: Target) -> None:
    """The positions of the elements of a contiguous array in ascending order.

    Four passes of eight bits, each stable: count digits by chunk, sum, move.
    """
    if builder.device.kind == "gpu":
        tiles.sort(builder, x, None, target)
        return
    total, chunk = x.layout.count, _SORT_CHUNK
    chunks = -(-total // chunk)
    keys, new_keys, places = (builder.temp((total,), "u32") for _ in range(3))
    counts, starts = (builder.temp((_DIGITS * chunks,), "u32") for _ in range(2))
    new_places = target
    _write_keys(builder, x, False, keys, new_places)
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
