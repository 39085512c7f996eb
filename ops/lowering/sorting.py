"""Sorting along any axis, stable, by least digit first, eight bits a pass; short rows by comparing all pairs.

Owns how work is cut into chunks, one an invocation, without barriers; on GPUs `tiles.py` sorts flat arrays. Must not
know rows.
"""

from __future__ import annotations

from ops import expression
from ops.attributes import Attributes, integer
from ops.layout import Layout
from ops.lowering import elementwise, folds, indexing, scan, sorting_windows, tiles, windows
from ops.lowering.builder import Builder
from ops.lowering.collections import take_at
from ops.lowering.messages import whole
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Share, spread
from ops.lowering.sorting_windows import CHUNK, WORK
from ops.lowering.tiles import DIGITS
from ops.shapes import axis
from shaders.routines import routine_spec

_RANKED = 128
"""Rows of at most so many are sorted by comparing all pairs of each."""


def argsort(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The positions along an axis of the elements in order."""
    if not target.layout.count:
        return
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    rows = _rows(builder, sources[0], where)
    out = _as_rows(target, where)
    direct = out.layout.is_contiguous and out.layout.offset == 0
    places = out if direct else builder.temp(out.layout.shape, "u32")
    sorter = _argsort_longs if rows.dtype == "i64" else _argsort
    sorter(builder, rows, bool(attributes["descending"]), places)
    if not direct:
        elementwise.copy(builder, places.source(), out)


def _argsort(builder: Builder, rows: Source, descending: bool, places: Target) -> None:
    """The positions of the elements of contiguous rows, some rows after the other where all reach too far."""
    columns, count = rows.layout.shape[-1], rows.layout.count
    counts = 4 * DIGITS * (count // columns) * -(-columns // CHUNK)
    is_wide = _is_wide(builder, rows, places) or (columns > _RANKED and counts > builder.device.binding)
    if columns < count and is_wide:
        cut = next(axis for axis, size in enumerate(rows.layout.shape) if size > 1)
        elementwise.by_halves(
            builder,
            places,
            cut,
            lambda part, place: _argsort(
                builder, whole(builder, windows.narrowed(rows, cut, part)), descending, place
            ),
        )
        return
    if descending or columns < count:
        rows = _keys(builder, rows, descending)
    if columns == count:
        sort_places(builder, rows, places)
    elif columns <= _RANKED:
        spec = routine_spec("rank_places", "keys:u32", "places:u32", "columns")
        params = {"count": count, "columns": columns}
        builder.spread(spec, count, [rows.operand, places.operand], params, 2 * columns)
    else:
        _sort_rows(builder, rows, columns, places)


def _argsort_longs(builder: Builder, rows: Source, descending: bool, places: Target) -> None:
    """The same of i64: by the lower word, then by the higher one, as both sorts are stable."""
    last, shape = len(rows.layout.shape) - 1, rows.layout.shape
    first, second = (builder.temp(shape, "u32") for _ in range(2))
    _argsort(builder, _part_of_longs(builder, rows, "x", "u32"), descending, first)
    high, ordered = _part_of_longs(builder, rows, "x >> 32", "i32"), builder.temp(shape, "i32")
    indexing.gather(builder, high, first.source(), last, ordered)
    _argsort(builder, ordered.source(), descending, second)
    indexing.gather(builder, first.source(), second.source(), last, places)


def _part_of_longs(builder: Builder, rows: Source, text: str, dtype: str) -> Source:
    made = builder.temp(rows.layout.shape, dtype)
    term = expression.bind(expression.parse(text), {"x": expression.input_term(0, "i64")})
    elementwise.emit(builder, expression.cast(term, dtype), [rows], made)
    return made.source()


def sort(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The elements along an axis in order."""
    if not target.layout.count:
        return
    (x,) = sources
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    flat = x.layout.count == x.layout.shape[where] if x.layout.shape else True
    is_number = x.dtype in ("i32", "u32") and not _is_wide(builder, x, target)
    if builder.device.kind == "gpu" and is_number and flat and not attributes["descending"]:
        tiles.sort(builder, whole(builder, x), target, None)
        return
    places = builder.temp(target.layout.shape, "u32")
    argsort(builder, attributes, sources, places)
    indexing.gather(builder, x, places.source(), where, target)


def _is_wide(builder: Builder, *operands: Source | Target) -> bool:
    return windows.longest(builder.device, operands) is not None


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
    spec = routine_spec("sort_keys", "x:u32", "keys:u32 places:u32", "skipped", settings=settings)
    operands = [Share(x), Share(keys), Share(places)]
    spread(builder, spec, x.layout.count, operands, {"skipped": 0}, {"skipped": 1})


def sort_places(builder: Builder, x: Source, target: Target) -> None:
    """The positions of the elements of a contiguous array in ascending order."""
    if _is_wide(builder, x, target):
        keys = builder.temp((x.layout.count,), "u32")
        _write_keys(builder, x, False, keys, target)
        sorting_windows.sort(builder, keys, target)
    elif builder.device.kind == "gpu":
        tiles.sort(builder, x, None, target)
    else:
        _by_digits(builder, x, x.layout.count, target)


def _sort_rows(builder: Builder, keys: Source, columns: int, places: Target) -> None:
    """The positions in each row; `keys` are words."""
    flat = Target(places.operand, Layout.contiguous((keys.layout.count,)), "u32")
    found = builder.temp(flat.layout.shape, "u32")
    if builder.device.kind == "gpu":
        _by_tiles(builder, keys, columns, found)
    else:
        _by_digits(builder, keys, columns, found)
    elementwise.emit(builder, _term("x % columns", columns), [found.source()], flat)


def _term(text: str, columns: int) -> expression.Term:
    names = {"x": expression.input_term(0, "u32"), "columns": expression.scalar_term(columns)}
    return expression.cast(expression.bind(expression.parse(text), names), "u32")


def _by_tiles(builder: Builder, keys: Source, columns: int, target: Target) -> None:
    """Sort all rows as one, then by row: both sorts are stable."""
    first, second, rows = (builder.temp(target.layout.shape, "u32") for _ in range(3))
    sort_places(builder, Source(keys.operand, target.layout, "u32"), first)
    elementwise.emit(builder, _term("x // columns", columns), [first.source()], rows)
    sort_places(builder, rows.source(), second)
    take_at(builder, first.source(), second.source(), target)


def _by_digits(builder: Builder, x: Source, columns: int, target: Target) -> None:
    """Four passes of eight bits, each stable: count digits by chunk, sum, move. Rows of `columns` stay apart."""
    total = x.layout.count
    rows, chunks = total // columns, -(-columns // CHUNK)
    keys, new_keys, places = (builder.temp((total,), "u32") for _ in range(3))
    counts, starts = (builder.temp((DIGITS * rows * chunks,), "u32") for _ in range(2))
    new_places = target
    _write_keys(builder, x, False, keys, new_places)
    params = "columns chunks chunk shift"
    count_spec = routine_spec("sort_count", "keys:u32", "counts:u32", params)
    outputs = "counts:u32 new_keys:u32 new_places:u32"
    move_spec = routine_spec("sort_move", "keys:u32 places:u32", outputs, params)
    places, new_places = new_places, places
    work = WORK * min(columns, CHUNK)
    for shift in range(0, 32, 8):
        given = {
            "count": rows * chunks,
            "columns": columns,
            "chunks": chunks,
            "chunk": CHUNK,
            "shift": shift,
        }
        builder.spread(count_spec, rows * chunks, [keys.operand, counts.operand], given, work)
        scan.scan_rows(builder, folds.SUM, counts.source(), starts, counts.layout.count, exclusive=True)
        operands = [each.operand for each in (keys, places, starts, new_keys, new_places)]
        builder.spread(move_spec, rows * chunks, operands, given, work)
        keys, new_keys, places, new_places = new_keys, keys, new_places, places
