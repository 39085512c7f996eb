"""SHA-256 of many messages, one an invocation.

Owns which operands the kernel of `shaders/library.py` gets. Must not know how it hashes.
"""

from __future__ import annotations

from ops.lowering import elementwise
from ops.lowering.base import Builder, Source, Target
from shaders.library import sha256_passes, sha256_spec


def emit(builder: Builder, data: Source, offsets: Source, max_bytes: int | None, target: Target) -> None:
    """Write the digests of the messages in `data` (u32 words, first byte lowest) to `target` (u32 [n, 8])."""
    count = target.layout.shape[0]
    if count == 0:
        return
    total = 4 * data.layout.count
    longest = total if max_bytes is None else min(max_bytes, total)
    data, offsets = (_whole(builder, source) for source in (data, offsets))
    spec = sha256_spec(longest)
    for turn in sha256_passes(longest):
        builder.spread(spec, count, [data.operand, offsets.operand, target.operand], {"count": count, **turn})


def _whole(builder: Builder, source: Source) -> Source:
    """`source` as a contiguous buffer from offset 0, of at least one word."""
    layout = source.layout
    if layout.count == 0:
        return builder.temp((1,), source.dtype).source()
    if layout.is_contiguous and layout.offset == 0:
        return source
    return elementwise.gather(builder, source)
