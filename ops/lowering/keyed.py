"""What is built on digests: HMAC, key derivation, trees, and the search for a nonce.

Owns the dispatches of each and their operands. Must not know rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ops.attributes import Attributes, integer, maybe_integer
from ops.lowering import elementwise, windows
from ops.lowering.builder import Builder, Params
from ops.lowering.digest import absorb, constants, copy_columns, data_bytes, given, rows, states
from ops.lowering.messages import Messages, messages, whole
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Share, spread
from shaders.digests import DIGESTS, Digest, blocks_a_pass
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
_WORDS = _SHA256.digest_words


@dataclass(frozen=True, slots=True)
class Tail:
    """What a composed message has around its bytes: the digests of `before`, if any, and the end of `word`."""

    word: int
    size: int
    before: Source | None = None


def hmac(
    digest: Digest, builder: Builder, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    """HMAC of each message."""
    data, offsets, keys, key_offsets = sources
    count = target.layout.shape[0]
    if not count:
        return
    pads = _keys(digest, builder, messages(builder, keys, key_offsets, None))
    text = messages(builder, data, offsets, maybe_integer(attributes, "max_bytes"))
    whole_state = digest.digest_words == digest.state_words
    state = target if whole_state else states(builder, digest, count)
    _hmac(digest, builder, pads, text, state)
    if not whole_state:
        _put(digest, builder, state, target, 0)


def pbkdf2(
    digest: Digest, builder: Builder, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    """PBKDF2 with HMAC of each password."""
    data, offsets, salts, salt_offsets = sources
    count = target.layout.shape[0]
    if not target.layout.count:
        return
    pads = _keys(digest, builder, messages(builder, data, offsets, maybe_integer(attributes, "max_bytes")))
    salt = messages(builder, salts, salt_offsets, maybe_integer(attributes, "max_salt_bytes"))
    rounds = 2 * (integer(attributes, "iterations") - 1)
    step = builder.turns(count, digest.work, blocks_a_pass(digest)) // 2 * 2
    last, total = (states(builder, digest, count) for _ in range(2))
    operands = [rows(pads), rows(last), rows(total)]
    for number in range(_blocks(digest, target)):
        _hmac(digest, builder, pads, salt, last, Tail(number + 1, 4))
        elementwise.copy(builder, last.source(), total)
        for done in range(0, rounds, step):
            turns = min(step, rounds - done)
            params = {"turns": turns, **constants(digest)}
            spread(builder, pbkdf2_spec(digest), count, operands, params, work=turns * digest.work)
        _put(digest, builder, total, target, number)


def hkdf(
    digest: Digest, builder: Builder, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    """HKDF of each key material."""
    data, offsets, salts, salt_offsets, info, info_offsets = sources
    count = target.layout.shape[0]
    if not target.layout.count:
        return
    material = messages(builder, data, offsets, maybe_integer(attributes, "max_bytes"))
    extracted = states(builder, digest, count)
    salt = messages(builder, salts, salt_offsets, None)
    _hmac(digest, builder, _keys(digest, builder, salt), material, extracted)
    pads = _pads(builder, digest, count)
    operands = [rows(extracted), rows(pads)]
    spread(builder, hmac_digests_spec(digest), count, operands, constants(digest), work=2 * digest.work)
    context = messages(builder, info, info_offsets, maybe_integer(attributes, "max_info_bytes"))
    before: Source | None = None
    for number in range(_blocks(digest, target)):
        block = states(builder, digest, count)
        _hmac(digest, builder, pads, context, block, Tail((number + 1) << 24, 1, before))
        _put(digest, builder, block, target, number)
        before = block.source()


def tree(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The root over all digests."""
    (leaves,) = sources
    lower, below = whole(builder, leaves), leaves.layout.shape[0]
    spec = tree_spec(cast("TreeForm", attributes["form"]))
    while below > 1:
        count = (below + 1) // 2
        upper = target if count == 1 else builder.temp((count, _WORDS), "u32")
        operands = [Share(lower, 2 * _WORDS), Share(upper, _WORDS)]
        spread(builder, spec, count, operands, {"below": below}, {"below": -2}, 3 * _SHA256.work)
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
    builder.spread(nonce_spec(), total, operands, {"count": total, "first": start}, 2 * _SHA256.work)


def _blocks(digest: Digest, target: Target) -> int:
    return -(-target.layout.shape[1] // digest.digest_words)


def _pads(builder: Builder, digest: Digest, count: int) -> Target:
    return builder.temp((count, 2 * digest.state_words), "u32")


def _keys(digest: Digest, builder: Builder, keys: Messages) -> Target:
    """The states that each key begins with: after the inner pad, then after the outer."""
    hashed = states(builder, digest, keys.count)
    blocks = digest.blocks(keys.longest)
    if blocks > 1:
        absorb(builder, digest, keys, hashed, {})
    pads = _pads(builder, digest, keys.count)
    operands = [*given(keys, digest.block_words), rows(hashed), rows(pads)]
    params = {"blocks": blocks, **data_bytes(keys), **constants(digest)}
    spread(builder, hmac_keys_spec(digest), keys.count, operands, params, work=2 * digest.work)
    return pads


def _hmac(
    digest: Digest, builder: Builder, pads: Target, text: Messages, state: Target, tail: Tail | None = None
) -> None:
    """HMAC of each message with each key, or all with the one key, into `state` (u32 [n, state_words])."""
    count = state.layout.shape[0]
    shared = int(pads.layout.shape[0] == 1)
    inner = pads.layout.slice([range(pads.layout.shape[0]), range(digest.state_words)])
    shown = windows.seen(builder.device, pads.source(), inner)
    elementwise.copy(builder, shown, state)
    params: Params = {"prefix": digest.block_bytes}
    if tail is None:
        absorb(builder, digest, text, state, params, "continued")
    else:
        params |= {
            "tail": tail.word,
            "tail_bytes": tail.size,
            "lead": 4 * digest.digest_words if tail.before else 0,
            "one_for_all": int(text.count == 1),
        }
        absorb(builder, digest, text, state, params, "composed", tail.before or pads.source())
    params = {"one_for_all": shared, **constants(digest)}
    spread(builder, hmac_finish_spec(digest), count, [rows(pads), rows(state)], params, work=digest.work)


def _put(digest: Digest, builder: Builder, state: Target, target: Target, number: int) -> None:
    """Copy the digests of a block, or what the target has room for, to their place in each row."""
    begin = number * digest.digest_words
    copy_columns(builder, state, target, begin, min(digest.digest_words, target.layout.shape[1] - begin))
