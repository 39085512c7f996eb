"""Bloom filters: two hashes of a message, and bits at steps from the first by the second.

Owns their dispatches. Must not know rows.
"""

from __future__ import annotations

from ops.attributes import Attributes, integer, maybe_integer
from ops.lowering import digest
from ops.lowering.builder import Builder
from ops.lowering.collections import fill
from ops.lowering.messages import messages, whole
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Anywhere, Share, spread
from shaders.digests import DIGESTS
from shaders.routines import routine_spec
from shaders.spec import KernelSpec

SEEDS = (0, 0x9747B28C)
"""Of MurmurHash3, for where the bits begin and how far they are apart."""
_BIT_WORK = 64
"""Multiply-adds that a bit costs."""
_PARAMS = "bits hashes first extent"


def build(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The filter of all messages."""
    fill(builder, target, 0)
    spec = routine_spec("bloom_build", "first:u32 second:u32", "y:atomic<u32>", _PARAMS)
    places = _places(builder, attributes, *sources)
    _spread(builder, spec, attributes, places, [Anywhere(target)], 32 * target.layout.count)


def query(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Whether each message may be in the filter."""
    spec = routine_spec("bloom_query", "first:u32 second:u32 x:u32", "y:u32", _PARAMS)
    places, given = _places(builder, attributes, *sources[1:]), sources[0]
    others: list[Share | Anywhere] = [Anywhere(whole(builder, given)), Share(target)]
    _spread(builder, spec, attributes, places, others, 32 * given.layout.count)


def _places(builder: Builder, attributes: Attributes, data: Source, offsets: Source) -> list[Target]:
    """Two hashes of each message."""
    given = messages(builder, data, offsets, maybe_integer(attributes, "max_bytes"))
    found = [builder.temp((given.count, 1), "u32") for _ in SEEDS]
    for seed, place in zip(SEEDS, found, strict=True):
        digest.emit(builder, DIGESTS["murmur3"], given, {"seed": seed}, place)
    return found


def _spread(
    builder: Builder,
    spec: KernelSpec,
    attributes: Attributes,
    places: list[Target],
    others: list[Share | Anywhere],
    bits: int,
) -> None:
    count = places[0].layout.shape[0]
    if count:
        hashes = integer(attributes, "hashes")
        operands: list[Share | Anywhere] = [Share(place) for place in places]
        params = {"bits": bits, "hashes": hashes}
        spread(builder, spec, count, operands + others, params, work=_BIT_WORK * hashes)
