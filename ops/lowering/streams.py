"""Streams of words from a key and a counter: random numbers and ciphers.

Owns their dispatches. Must not know rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from ops.attributes import U32, Attributes, integer, words_or_holes
from ops.lowering.builder import INVOCATION_WORK, Builder, Given, Params
from ops.lowering.messages import whole
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Share, spread
from shaders.routines import routine_spec
from shaders.spec import KernelSpec

_AES_ROUND_WORK = 256
_CHACHA_WORK = 256
_PCG_WORK = 512
"""Multiply-adds that a round of AES costs, a block of ChaCha20, and one of PCG32."""


def philox(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Philox4x32-10."""
    _counted(builder, "philox", attributes, target, ("wide", "routines/_counter"))


def threefry(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Threefry4x32-20."""
    _counted(builder, "threefry", attributes, target, ("routines/_counter",))


def pcg32(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """PCG32, XSH-RR."""
    seed, stream = integer(attributes, "seed"), integer(attributes, "stream")
    params = {
        "seed_low": seed & U32, "seed_high": seed >> 32,
        "stream_low": stream & U32, "stream_high": stream >> 32,
    }  # fmt: skip
    names = "total skipped seed_low seed_high stream_low stream_high"
    spec = routine_spec("pcg32", "", "y:u32", names, ("wide",))
    _blocks(builder, spec, 16, [], target, params | {"skipped": 0}, {"skipped": 1}, _PCG_WORK)


def chacha20(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """ChaCha20 of RFC 8439."""
    x, key, nonce = (whole(builder, source) for source in sources)
    spec = routine_spec("chacha20", "x:u32 key:u32 nonce:u32", "y:u32", "total counter")
    operands = [Share(x, 16), Share(key, 0), Share(nonce, 0)]
    params = {"counter": integer(attributes, "counter")}
    _blocks(builder, spec, 16, operands, target, params, {"counter": 1}, _CHACHA_WORK)


def aes_ctr(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """AES in counter mode: the round keys, then a block an invocation."""
    total, size = target.layout.count, sources[1].layout.count
    if not total:
        return
    x, key, counter = (whole(builder, source) for source in sources)
    rounds = size + 6
    words = 4 * (rounds + 1)
    keys = builder.temp((words,), "u32")
    tables = (("sbox", 64),)
    spec = routine_spec("aes_key", "key:u32", "round_keys:u32", "words", ("routines/_aes",), (), tables)
    builder.spread(spec, 1, [key.operand, keys.operand], {"count": 1, "words": words, "sbox": sbox()})
    inputs = "x:u32 round_keys:u32 first:u32"
    spec = routine_spec("aes_ctr", inputs, "y:u32", "total skipped rounds", ("routines/_aes",), (), tables)
    operands = [Share(x, 4), Share(keys, 0), Share(counter, 0)]
    params: Params = {"skipped": 0, "rounds": rounds, "sbox": sbox()}
    _blocks(builder, spec, 4, operands, target, params, {"skipped": 1}, _AES_ROUND_WORK * rounds)


def _counted(
    builder: Builder, name: str, attributes: Attributes, target: Target, partials: tuple[str, ...]
) -> None:
    key, counter = (words_or_holes(attributes, word) for word in ("key", "counter"))
    tables = (("key", len(key)), ("counter", 4))
    spec = routine_spec(name, "", "y:u32", "total skipped", partials, (), tables)
    params: Params = {"key": key, "counter": counter, "skipped": 0}
    _blocks(builder, spec, 4, [], target, params, {"skipped": 1})


def _blocks(
    builder: Builder,
    spec: KernelSpec,
    size: int,
    operands: Sequence[Share],
    target: Target,
    params: Given,
    moves: Mapping[str, int],
    work: int = INVOCATION_WORK,
) -> None:
    """A block of `size` words an invocation, from the number that `moves` counts up, as far as the target goes."""
    total = target.layout.count
    if total:
        moves = {"total": -size, **moves}
        shares = [*operands, Share(target, size)]
        spread(builder, spec, -(-total // size), shares, {"total": total, **params}, moves, work)


@cache
def sbox() -> tuple[int, ...]:
    """The S-box of AES, four bytes a word, by its definition: inverses in a field, then a linear map."""
    powers = [1]
    for _ in range(254):
        value = powers[-1] << 1 ^ powers[-1]
        powers.append(value ^ (0x11B if value & 0x100 else 0))
    inverse = {power: powers[-place % 255] for place, power in enumerate(powers)} | {0: 0}
    box = []
    for byte in range(256):
        wide = inverse[byte] * 0x0101
        turned = wide ^ wide << 1 ^ wide << 2 ^ wide << 3 ^ wide << 4
        box.append((turned >> 8 & 0xFF) ^ 0x63)
    return tuple(int.from_bytes(bytes(box[place : place + 4]), "little") for place in range(0, 256, 4))
