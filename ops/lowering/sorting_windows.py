"""Sorting what reaches too far for one binding, stable, by least digit first: part by part, through windows.

Owns how parts are counted together and how elements move between them. `sorting.py` has the form for what can be bound,
and makes the keys.
"""

from __future__ import annotations

from ops.layout import Layout
from ops.lowering import folds, scan, windows
from ops.lowering.builder import Builder
from ops.lowering.operands import Target
from ops.lowering.tiles import DIGITS
from shaders.routines import routine_spec

CHUNK = 4096
"""Words that an invocation counts and moves."""
WORK = 64
"""Multiply-adds that one of them costs."""


def sort(builder: Builder, keys: Target, places: Target) -> None:
    """Bring `places` into the order of `keys`, which are lost; both are contiguous words."""
    total = keys.layout.count
    flat = Target(places.operand, Layout.contiguous((total,), places.layout.offset), "u32")
    now = (keys, flat)
    other = (builder.temp((total,), "u32"), builder.temp((total,), "u32"))
    for shift in range(0, 32, 8):
        _pass(builder, now, other, shift)
        now, other = other, now


def _chunk(builder: Builder, total: int) -> int:
    """How many words an invocation takes: so many that the counts of all can be bound."""
    chunk = CHUNK
    while DIGITS * -(-total // chunk) > windows.room(builder.device):
        chunk *= 2
    return chunk


def _parts(builder: Builder, total: int, chunk: int) -> list[range]:
    """The positions of `total` words in parts that can be bound."""
    most = max(windows.room(builder.device) // chunk, 1) * chunk
    return [range(first, min(first + most, total)) for first in range(0, total, most)]


def _pass(builder: Builder, now: tuple[Target, Target], new: tuple[Target, Target], shift: int) -> None:
    total = now[0].layout.count
    chunk = _chunk(builder, total)
    chunks = -(-total // chunk)
    counts, starts = (builder.temp((DIGITS * chunks,), "u32") for _ in range(2))
    names = "total first_chunk chunks chunk shift"
    count_spec = routine_spec("sort_count_part", "keys:u32", "counts:u32", names)
    places_spec = routine_spec("sort_places_part", "keys:u32", "counts:u32 goes:u32", names)
    move_spec = routine_spec(
        "sort_move_part", "keys:u32 places:u32 goes:u32", "new_keys:u32 new_places:u32", "first extent"
    )
    every = _parts(builder, total, chunk)
    sizes = {"chunks": chunks, "chunk": chunk, "shift": shift}

    def count(part: range) -> dict[str, int]:
        own = {"count": -(-len(part) // chunk), "total": len(part), "first_chunk": part.start // chunk}
        return sizes | own

    work = WORK * min(total, chunk)
    for part in every:
        given, keys = count(part), windows.piece(now[0], part)
        builder.spread(count_spec, given["count"], [keys, counts.operand], given, work)
    scan.scan_rows(builder, folds.SUM, counts.source(), starts, counts.layout.count, exclusive=True)
    for part in every:
        given, goes = count(part), builder.temp((len(part),), "u32")
        keys, places = (windows.piece(target, part) for target in now)
        builder.spread(places_spec, given["count"], [keys, starts.operand, goes.operand], given, work)
        for seen in every:
            written = [windows.piece(target, seen) for target in new]
            params = {"count": len(part), "first": seen.start, "extent": len(seen)}
            builder.spread(move_spec, len(part), [keys, places, goes.operand, *written], params)
