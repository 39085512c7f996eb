"""Bytes as text: search, distance, hexadecimal, base64; and bits as words.

Owns the dispatches of each. Must not know rows.
"""

from __future__ import annotations

from ops.attributes import Attributes, integer
from ops.lowering.base import Builder, Source, Target
from ops.lowering.collections import fill
from ops.lowering.messages import whole
from shaders.digests import TURNS_A_PASS
from shaders.routines import routine_spec

_STRIP = 8
_COLUMN_WORK = 64
_BYTE_WORK = 8


def find_bytes(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Which needle stands at each place."""
    data, needles, offsets = (whole(builder, source) for source in sources)
    size = target.layout.count
    if size:
        spec = routine_spec("find_bytes", "data:u32 needles:u32 offsets:u32", "y:u32", "size many turns")
        params = {"count": size, "size": size, "many": offsets.layout.count - 1, "turns": TURNS_A_PASS}
        operands = [data.operand, needles.operand, offsets.operand, target.operand]
        most = 4 * needles.layout.count + offsets.layout.count
        builder.spread(spec, size, operands, params, _BYTE_WORK * most)


def levenshtein(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The distance of each pair, some strips of eight rows a dispatch."""
    count, longest = target.layout.count, integer(attributes, "max_bytes")
    if not count:
        return
    spec = routine_spec(
        "levenshtein",
        "left:u32 left_offsets:u32 right:u32 right_offsets:u32",
        "lines:u32 y:u32",
        "longest first strips",
    )
    lines = builder.temp((count, max(longest, 1)), "u32")
    operands = [*(whole(builder, source).operand for source in sources), lines.operand, target.operand]
    column = _COLUMN_WORK * max(longest, 1)
    strips = builder.turns(count, column, max(1, TURNS_A_PASS // max(longest, 1)))
    for first in range(0, max(1, -(-longest // _STRIP)), strips):
        params = {"count": count, "longest": longest, "first": first, "strips": strips}
        builder.spread(spec, count, operands, params, strips * column)


def pack_bits(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Thirty-two bools a word."""
    params = {"count": target.layout.count, "total": sources[0].layout.count}
    _each(builder, "pack_bits", "total", sources[0], target, params)


def unpack_bits(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """A bool a bit."""
    _each(builder, "unpack_bits", "", sources[0], target, {"count": target.layout.count})


def hex_encode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Two digits a byte."""
    params = {"count": target.layout.count, "size": integer(attributes, "size")}
    _each(builder, "hex_encode", "size", sources[0], target, params)


def base64_encode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Four letters for three bytes."""
    params = {"count": target.layout.count, "size": integer(attributes, "size")}
    _each(builder, "base64_encode", "size", sources[0], target, params)


def hex_decode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """A byte for two digits, and how many bytes."""
    fill(builder, target, 0)
    words, size = target.layout.count - 1, integer(attributes, "size")
    _decode(builder, "hex_decode", sources[0], target, {"count": max(words, 1), "words": words, "size": size})


def base64_decode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Three bytes for four letters, and how many bytes."""
    fill(builder, target, 0)
    words, size = target.layout.count - 1, integer(attributes, "size")
    params = {"count": max(1, -(-words // 3)), "words": words, "size": size}
    _decode(builder, "base64_decode", sources[0], target, params)


def _each(builder: Builder, name: str, names: str, x: Source, target: Target, params: dict[str, int]) -> None:
    if params["count"]:
        spec = routine_spec(name, "x:u32", "y:u32", names)
        builder.spread(spec, params["count"], [whole(builder, x).operand, target.operand], params)


def _decode(builder: Builder, name: str, x: Source, target: Target, params: dict[str, int]) -> None:
    spec = routine_spec(name, "x:u32", "y:atomic<u32>", "words size")
    builder.spread(spec, params["count"], [whole(builder, x).operand, target.operand], params)
