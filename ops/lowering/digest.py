"""Digests of many messages, one an invocation.

Owns which operands the kernels of `shaders/digests.py` get, and how a digest that is not its whole state is cut out.
Must not know how they hash.
"""

from __future__ import annotations

from collections.abc import Mapping

from ops.attributes import U32
from ops.lowering import elementwise, windows
from ops.lowering.builder import Builder, Params
from ops.lowering.messages import Messages, byte_count
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Anywhere, Share, spread
from shaders.digests import Digest, Form, blocks_a_pass, digest_passes, digest_spec, squeeze_spec

_TAIL_BYTES = 4
"""Bytes after a composed message, at most."""
_MOST_DISPATCHES = 1024
"""Dispatches that a bound on the longest message may lead to, before the average counts instead."""


def emit(
    builder: Builder, digest: Digest, messages: Messages, attributes: Mapping[str, object], target: Target
) -> None:
    """Write the digest of each message to `target` (u32 [n, words])."""
    count, words = target.layout.shape
    if count == 0 or words == 0:
        return
    is_whole = digest.state_words == words
    state = target if is_whole else states(builder, digest, count)
    absorb(builder, digest, messages, state, seed_params(digest, attributes))
    if not is_whole:
        squeeze(builder, digest, state, target)


def absorb(
    builder: Builder,
    digest: Digest,
    messages: Messages,
    state: Target,
    params: Params,
    form: Form = "plain",
    before: Source | None = None,
) -> None:
    """Hash all messages into `state` (u32 [n, state_words]); see `digest_spec` for the forms."""
    count = state.layout.shape[0]
    spec = digest_spec(digest, messages.longest, form=form)
    fixed: Params = {**data_bytes(messages), **params, **constants(digest)}
    others = [rows(before), rows(state)] if before else [rows(state)]
    if digest.chunk_bytes:
        levels = fixed["levels"] = digest.levels(messages.longest)
        others.append(rows(builder.temp((count, levels * digest.state_words), "u32")))
    most = messages.longest + (4 * digest.digest_words + _TAIL_BYTES if form == "composed" else 0)
    step, hashed = _share(builder, digest, messages, count, digest.blocks(most))
    for turn in digest_passes(digest, most, step):
        operands = [*given(messages, turn["blocks"] * digest.block_words), *others]
        work = min(hashed, turn["blocks"]) * digest.work
        spread(builder, spec, count, operands, {**fixed, **turn}, work=work)


def given(messages: Messages, words: int) -> list[Share | Anywhere]:
    """What kernels that read up to `words` words of each message at a time take of them; all have the one alone."""
    offsets = Share(messages.offsets, 0 if messages.count == 1 else 1, after=1)
    return [Anywhere(messages.data, after=words + 1), offsets]


def rows(value: Source | Target) -> Share:
    """A row of a matrix an invocation; all have the one where there is no other."""
    count, words = value.layout.shape
    return Share(value, 0 if count == 1 else words)


def data_bytes(messages: Messages) -> Params:
    """The parameter that says how many bytes all messages have."""
    return {"bytes": byte_count(messages.data)}


def _share(builder: Builder, digest: Digest, messages: Messages, count: int, blocks: int) -> tuple[int, int]:
    """How many blocks of each message a dispatch may hash, and how many it is taken to hash.

    These are the same, so that no dispatch can be long, unless that made very many of them: then the bound on the
    longest message says nothing, and messages that do not overlap are as long as they can be on average.
    """
    most = min(blocks_a_pass(digest), builder.device.binding // (2 * digest.block_bytes))
    if count * blocks * digest.work <= _MOST_DISPATCHES * builder.device.work:
        step = builder.turns(count, digest.work, most)
        return step, step
    average = 4 * messages.data.layout.count // (count * digest.block_bytes) + 1
    return most, average


def seed_params(digest: Digest, attributes: Mapping[str, object]) -> Params:
    """The parameters of `digest` that attributes of its row say."""
    if not digest.seed:
        return {}
    key = attributes.get("key")
    seed = attributes.get("seed")
    words = (
        key if isinstance(key, tuple) else (int(seed) & U32, int(seed) >> 32) if isinstance(seed, int) else ()
    )
    return dict(zip(digest.seed, words, strict=False))


def squeeze(builder: Builder, digest: Digest, state: Target, target: Target) -> None:
    """The first words of each state, and, where more are wanted than a block has, those of the states that follow."""
    count, words = target.layout.shape
    step = digest.block_words if digest.padding == "sponge" else words
    for begin in range(0, words, step):
        size = min(step, words - begin)
        if begin:
            spread(builder, squeeze_spec(digest), count, [rows(state)], constants(digest), work=digest.work)
        copy_columns(builder, state, target, begin, size)


def copy_columns(builder: Builder, state: Target, target: Target, begin: int, size: int) -> None:
    """Copy the first `size` words of each state to each row of `target` (u32 [n, words]), from column `begin` on."""
    every = range(state.layout.shape[0])
    shown = windows.seen(builder.device, state.source(), state.layout.slice([every, range(size)]))
    place = target.layout.slice([every, range(begin, begin + size)])
    elementwise.copy(builder, shown, windows.seen(builder.device, target, place))


def states(builder: Builder, digest: Digest, count: int) -> Target:
    """A temporary for the states of `count` messages."""
    return builder.temp((count, digest.state_words), "u32")


def constants(digest: Digest) -> Params:
    """The parameter that the rounds of some digests read."""
    return {"constants": digest.constants} if digest.constants else {}
