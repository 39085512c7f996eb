"""Bytes as text: search, distance, hexadecimal, base64; and bits as words.

Owns the dispatches of each. Must not know rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ops.attributes import Attributes, integer
from ops.lowering import elementwise, windows
from ops.lowering.builder import Builder
from ops.lowering.collections import fill
from ops.lowering.messages import byte_count, whole
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Anywhere, Share, spread
from shaders.digests import TURNS_A_PASS
from shaders.routines import routine_spec

_STRIP = 8
"""Rows of a strip, as `routines/levenshtein.wgsl.j2` has them."""
_COLUMN_WORK = 64
_BYTE_WORK = 8
"""Multiply-adds that a column of a strip costs, and a byte that is compared."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What an invocation of a kernel `x` to `y` takes and makes: so many words, and so much of what numbers count."""

    x: int | Fraction
    y: int = 1
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def moves(self) -> dict[str, int]:
        """How the numbers of what is left change from one invocation to the next."""
        return {name: -count for name, count in self.counts.items()}


UNITS = {
    "pack_bits": Unit(32, 1, {"total": 32}),
    "unpack_bits": Unit(Fraction(1, 32)),
    "hex_encode": Unit(Fraction(1, 2), 1, {"size": 2}),
    "base64_encode": Unit(Fraction(3, 4), 1, {"size": 3}),
    "hex_decode": Unit(2, 1, {"size": 8, "words": 1}),
    "base64_decode": Unit(4, 3, {"size": 16, "words": 3}),
}


def find_bytes(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Which needle stands at each place."""
    data, needles, offsets = (whole(builder, source) for source in sources)
    size = target.layout.count
    if size:
        spec = routine_spec("find_bytes", "data:u32 needles:u32 offsets:u32", "y:u32", "size many turns")
        params = {"size": size, "many": offsets.layout.count - 1, "turns": TURNS_A_PASS}
        longest = needles.layout.count + 1
        operands = [Share(data, Fraction(1, 4), longest), Share(needles, 0), Share(offsets, 0), Share(target)]
        work = _BYTE_WORK * (4 * needles.layout.count + offsets.layout.count)
        spread(builder, spec, size, operands, params, {"size": -1}, work)


def levenshtein(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The distance of each pair, some strips of eight rows a dispatch."""
    count, longest = target.layout.count, integer(attributes, "max_bytes")
    if not count:
        return
    spec = routine_spec(
        "levenshtein",
        "left:u32 left_offsets:u32 right:u32 right_offsets:u32",
        "lines:u32 y:u32",
        "longest first strips left_bytes left_first left_extent right_bytes right_first right_extent",
    )
    columns = max(longest, 1)
    lines = builder.temp((count, columns), "u32")
    left, left_offsets, right, right_offsets = (whole(builder, source) for source in sources)
    words = longest // 4 + 1
    texts: list[Share | Anywhere] = [
        Anywhere(left, words, "left_"), Share(left_offsets, after=1),
        Anywhere(right, words, "right_"), Share(right_offsets, after=1),
    ]  # fmt: skip
    operands = [*texts, Share(lines, columns), Share(target)]
    work = _COLUMN_WORK * columns
    every = -(-columns // _STRIP)
    strips = builder.turns(count, work, min(max(1, TURNS_A_PASS // columns), every))
    given = {"longest": longest, "strips": strips}
    given |= {"left_bytes": byte_count(left), "right_bytes": byte_count(right)}
    for first in range(0, every, strips):
        spread(builder, spec, count, operands, {**given, "first": first}, work=strips * work)


def pack_bits(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Thirty-two bools a word."""
    _each(builder, "pack_bits", sources[0], target, {"total": sources[0].layout.count})


def unpack_bits(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """A bool a bit."""
    _each(builder, "unpack_bits", sources[0], target, {})


def hex_encode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Two digits a byte."""
    _each(builder, "hex_encode", sources[0], target, {"size": integer(attributes, "size")})


def base64_encode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Four letters for three bytes."""
    _each(builder, "base64_encode", sources[0], target, {"size": integer(attributes, "size")})


def hex_decode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """A byte for two digits, and how many bytes."""
    size = integer(attributes, "size")
    _decode(builder, "hex_decode", sources[0], target, size, size // 2)


def base64_decode(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Three bytes for four letters, and how many bytes."""
    size = integer(attributes, "size")
    _decode(builder, "base64_decode", sources[0], target, size, size // 4 * 3)


def _each(builder: Builder, name: str, x: Source, target: Target, params: dict[str, int]) -> None:
    if target.layout.count:
        unit = UNITS[name]
        spec = routine_spec(name, "x:u32", "y:u32", " ".join(params))
        operands = [Share(whole(builder, x), unit.x), Share(target, unit.y)]
        spread(builder, spec, target.layout.count, operands, params, unit.moves)


def _decode(builder: Builder, name: str, x: Source, target: Target, size: int, most: int) -> None:
    """The bytes of a text of `size` bytes, `most` if it has no padding; the word behind them says how many."""
    unit, words = UNITS[name], target.layout.count - 1
    found = builder.temp((1,), "u32")
    fill(builder, found, 0)
    spec = routine_spec(name, "x:u32", "y:u32 found:atomic<u32>", "words size most")
    operands = [Share(whole(builder, x), unit.x), Share(target, unit.y), Share(found, 0)]
    params = {"words": words, "size": size, "most": most}
    spread(builder, spec, max(1, -(-words // unit.y)), operands, params, unit.moves)
    elementwise.copy(builder, found.source(), windows.narrowed(target, 0, range(words, words + 1)))
