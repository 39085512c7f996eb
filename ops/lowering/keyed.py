"""What is built on SHA-256: HMAC, key derivation, trees, and the search for a nonce.

Owns the dispatches of each and their operands. Must not know rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ops.attributes import Attributes, integer, maybe_integer
from ops.lowering import elementwise
from ops.lowering.base import Builder, Params, Source, Target
from ops.lowering.digest import absorb, sha256
from ops.lowering.messages import Messages, messages, whole
from shaders.digests import DIGESTS, TURNS_A_PASS
from shaders.keyed import (
    TreeForm,
    hmac_digests_spec,
    hmac_finish_spec,
    hmac_keys_spec,
    midstate_spec,
    nonce_spec,
    pbkdf2_spec,
    tree_spec,
)

_SHA256 = DIGESTS["sha256"]
_BLOCK = 64
_WORDS = 8
_NONCES_A_DISPATCH = 1 << 18


@dataclass(frozen=True, slots=True)
class Tail:
    """What a composed message has around its bytes: the words of `before`, if any, and the end of `word`."""

    word: int
    size: int
    before: Source | None = None


def hmac(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """HMAC-SHA256 of each message."""
    data, offsets, keys, key_offsets = sources
    if target.layout.shape[0]:
        states = _keys(builder, messages(builder, keys, key_offsets, None))
        _hmac(
            builder, states, messages(builder, data, offsets, maybe_integer(attributes, "max_bytes")), target
        )


def pbkdf2(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """PBKDF2-HMAC-SHA256 of each password."""
    data, offsets, salts, salt_offsets = sources
    count = target.layout.shape[0]
    if not target.layout.count:
        return
    states = _keys(builder, messages(builder, data, offsets, maybe_integer(attributes, "max_bytes")))
    salt = messages(builder, salts, salt_offsets, maybe_integer(attributes, "max_salt_bytes"))
    rounds = 2 * (integer(attributes, "iterations") - 1)
    last, total = (builder.temp((count, _WORDS), "u32") for _ in range(2))
    for number in range(_blocks(target)):
        _hmac(builder, states, salt, last, Tail(number + 1, 4))
        elementwise.copy(builder, last.source(), total)
        for done in range(0, rounds, TURNS_A_PASS):
            params: Params = {"count": count, "turns": min(TURNS_A_PASS, rounds - done)}
            builder.spread(pbkdf2_spec(), count, [states.operand, last.operand, total.operand], params)
        _put(builder, total, target, number)


def hkdf(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """HKDF-SHA256 of each key material."""
    data, offsets, salts, salt_offsets, info, info_offsets = sources
    count = target.layout.shape[0]
    if not target.layout.count:
        return
    material = messages(builder, data, offsets, maybe_integer(attributes, "max_bytes"))
    extracted = builder.temp((count, _WORDS), "u32")
    _hmac(builder, _keys(builder, messages(builder, salts, salt_offsets, None)), material, extracted)
    states = builder.temp((count, 2 * _WORDS), "u32")
    builder.spread(hmac_digests_spec(), count, [extracted.operand, states.operand], {"count": count})
    context = messages(builder, info, info_offsets, maybe_integer(attributes, "max_info_bytes"))
    before: Source | None = None
    for number in range(_blocks(target)):
        block = builder.temp((count, _WORDS), "u32")
        _hmac(builder, states, context, block, Tail((number + 1) << 24, 1, before))
        _put(builder, block, target, number)
        before = block.source()


def tree(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The root over all digests."""
    (leaves,) = sources
    lower, below = whole(builder, leaves), leaves.layout.shape[0]
    spec = tree_spec(cast("TreeForm", attributes["form"]))
    while below > 1:
        count = (below + 1) // 2
        upper = target if count == 1 else builder.temp((count, _WORDS), "u32")
        builder.spread(spec, count, [lower.operand, upper.operand], {"count": count, "below": below})
        lower, below = upper.source(), count
    if lower.operand != target.operand:
        elementwise.copy(builder, Source(lower.operand, target.layout, "u32"), target)


def find_nonce(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The lowest nonce under the goal."""
    header, goal = (whole(builder, source) for source in sources)
    state = builder.temp((_WORDS,), "u32")
    builder.spread(midstate_spec(), 1, [header.operand, state.operand, target.operand], {"count": 1})
    start, total = integer(attributes, "start"), integer(attributes, "count")
    operands = [header.operand, state.operand, goal.operand, target.operand]
    for first in range(start, start + total, _NONCES_A_DISPATCH):
        count = min(_NONCES_A_DISPATCH, start + total - first)
        builder.spread(nonce_spec(), count, operands, {"count": count, "first": first})


def _blocks(target: Target) -> int:
    return -(-target.layout.shape[1] // _WORDS)


def _keys(builder: Builder, keys: Messages) -> Target:
    """The states that each key begins with, u32 [n, 16]."""
    count = keys.offsets.layout.shape[0] - 1
    hashed = sha256(builder, keys, count) if keys.longest > _BLOCK else builder.temp((count, _WORDS), "u32")
    states = builder.temp((count, 2 * _WORDS), "u32")
    operands = [keys.data.operand, keys.offsets.operand, hashed.operand, states.operand]
    builder.spread(hmac_keys_spec(), count, operands, {"count": count})
    return states


def _hmac(builder: Builder, keys: Target, text: Messages, target: Target, tail: Tail | None = None) -> None:
    """HMAC of each message with each key, or all with the one key, into `target` (u32 [n, 8])."""
    count = target.layout.shape[0]
    inner = keys.layout.slice([range(keys.layout.shape[0]), range(_WORDS)]).expand((count, _WORDS))
    elementwise.copy(builder, Source(keys.operand, inner, "u32"), target)
    params: Params = {"prefix": _BLOCK}
    if tail is None:
        absorb(builder, _SHA256, text, target, params, "continued")
    else:
        params |= {
            "tail": tail.word,
            "tail_bytes": tail.size,
            "lead": 4 * _WORDS if tail.before else 0,
            "one_for_all": int(text.offsets.layout.shape[0] == 2),
        }
        absorb(builder, _SHA256, text, target, params, "composed", tail.before or keys.source())
    shared = int(keys.layout.shape[0] == 1)
    builder.spread(
        hmac_finish_spec(), count, [keys.operand, target.operand], {"count": count, "one_for_all": shared}
    )


def _put(builder: Builder, block: Target, target: Target, number: int) -> None:
    """Copy a block of eight words, or what the target has room for, to its place in each row."""
    count, words = target.layout.shape
    begin = number * _WORDS
    size = min(_WORDS, words - begin)
    part = Source(block.operand, block.layout.slice([range(count), range(size)]), "u32")
    place = target.layout.slice([range(count), range(begin, begin + size)])
    elementwise.copy(builder, part, Target(target.operand, place, "u32"))
