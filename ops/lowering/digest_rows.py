"""Digests of the rows of a matrix, one an invocation; of long rows some blocks at a time.

Owns which operands the kernels of `shaders/digest_rows.py` get, and how long rows are cut. Must not know how they hash.
"""

from __future__ import annotations

from collections.abc import Mapping

from ops.layout import Layout
from ops.lowering import elementwise, windows
from ops.lowering.builder import Builder, Params
from ops.lowering.digest import constants, rows, squeeze, states
from ops.lowering.messages import whole
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Share, spread, together
from shaders.digest_rows import row_blocks_a_pass, row_spec
from shaders.digests import DIGESTS, Digest


def emit(builder: Builder, attributes: Mapping[str, object], sources: list[Source], target: Target) -> None:
    """Write the digest of each row of a matrix of words to `target`."""
    digest, x = DIGESTS[str(attributes["algorithm"])], sources[0]
    count, words = x.layout.shape
    if not count:
        return
    size = attributes["bytes"] if isinstance(attributes["bytes"], int) else 4 * words
    is_whole = digest.state_words == digest.digest_words
    state = target if is_whole else states(builder, digest, count)
    if min(count, together(words, digest.state_words)) * words > windows.room(builder.device):
        _by_copies(builder, digest, x, size, state)
    else:
        _in_place(builder, digest, x, size, state)
    if not is_whole:
        squeeze(builder, digest, state, target)


def _in_place(builder: Builder, digest: Digest, x: Source, size: int, state: Target) -> None:
    """Hash rows of which as many can be bound as windows go on by: short ones in one kernel."""
    count, words = x.layout.shape
    data = whole(builder, x)
    full, most = size // digest.block_bytes, row_blocks_a_pass(digest)
    if full <= most:
        work = digest.work * digest.blocks(size)
        operands = [Share(data, words), rows(state)]
        spread(builder, row_spec(digest.name, size, words), count, operands, constants(digest), work=work)
        return
    step = builder.turns(count, digest.work, most)
    for first in range(0, full, step):
        _part(builder, digest, data, size, range(first, min(first + step, full)), 0, state)


def _by_copies(builder: Builder, digest: Digest, x: Source, size: int, state: Target) -> None:
    """Hash rows of which some blocks at a time are copied together."""
    count, unit, full = x.layout.shape[0], digest.block_words, max(size // digest.block_bytes, 1)
    room = windows.room(builder.device) // (together(digest.state_words) * unit) - 1
    step = builder.turns(count, digest.work, min(row_blocks_a_pass(digest), room))
    pitch = -(-(step + 1) * unit // windows.WORDS) * windows.WORDS
    made = builder.temp((count, pitch), "u32")
    builder.check_room(2 * -(-full // step))
    for first in range(0, full, step):
        part = range(first, min(first + step, full))
        columns = range(first * unit, -(-size // 4) if part.stop == full else part.stop * unit)
        layout = Layout((count, len(columns)), made.layout.strides)
        there = windows.seen(builder.device, made, layout)
        elementwise.copy(builder, windows.narrowed(x, 1, columns), there)
        _part(builder, digest, made.source(), size, part, first, state)


def _part(
    builder: Builder, digest: Digest, x: Source, size: int, blocks: range, begin: int, state: Target
) -> None:
    """Hash some blocks of rows of `size` bytes, of which `x` has those from number `begin` on."""
    count, words = x.layout.shape
    is_last = blocks.stop >= size // digest.block_bytes
    spec = row_spec(digest.name, size, words, "last" if is_last else "open")
    params: Params = {"first_block": blocks.start, "begin": begin, **constants(digest)}
    if not is_last:
        params["blocks"] = len(blocks)
    spread(builder, spec, count, [Share(x, words), rows(state)], params, work=digest.work * len(blocks))
