"""Messages as kernels take them: bytes packed into words, and where each begins.

Owns their normal form on the device. Must not know what is done with them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ops.attributes import U32
from ops.lowering import elementwise
from ops.lowering.builder import Builder
from ops.lowering.operands import Source


@dataclass(frozen=True, slots=True)
class Messages:
    """`data` (u32 words, the first byte lowest) and `offsets` (u32 [n + 1]), both contiguous from the start of their
    buffers; `longest` is how many bytes a message has at most."""

    data: Source
    offsets: Source
    longest: int

    @property
    def count(self) -> int:
        """How many there are."""
        return self.offsets.layout.count - 1


def messages(builder: Builder, data: Source, offsets: Source, max_bytes: int | None) -> Messages:
    """The messages of two inputs of an op."""
    total = 4 * data.layout.count
    longest = total if max_bytes is None else min(max_bytes, total)
    return Messages(whole(builder, data), whole(builder, offsets), longest)


def byte_count(data: Source) -> int:
    """How many bytes of packed words 32 bits can tell from each other."""
    return min(4 * data.layout.count, U32)


def whole(builder: Builder, source: Source) -> Source:
    """`source` as a contiguous buffer from offset 0, of at least one word."""
    layout = source.layout
    if layout.count == 0:
        return builder.temp((1,), source.dtype).source()
    if layout.is_contiguous and layout.offset == 0:
        return source
    return elementwise.gather(builder, source)
