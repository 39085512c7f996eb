"""Kernels that Kernelgate ships whole: SHA-256.

Owns their specs and the arithmetic of how to dispatch them. Must not know tensors or devices.
"""

from __future__ import annotations

from typing import Literal

from shaders.spec import Binding, KernelSpec, Param

SHORT_BYTES = 55
"""The longest message that is one block with its padding."""

BLOCKS_A_PASS = 8_000
"""The most blocks of a message that one dispatch hashes.

llvmpipe ends every loop of a group of 8 invocations after 65 535 turns in all, without an error; a group whose
messages differ in length may count each one's turns, so that only 8 191 are safe.
"""

_SHORT_BODY = """
if thread >= params.count {
    return;
}
let start = offsets[thread];
let end = offsets[thread + 1u];
let length = end - start;
let chain = sha256_compress(sha256_start(), sha256_pad(sha256_read_short(start), length, 0u));
finish(thread, chain, in_data(start, end) && sha256_blocks(length) == 1u);
"""

_LONG_BODY = """
if thread >= params.count {
    return;
}
let start = offsets[thread];
let end = offsets[thread + 1u];
let length = end - start;
let total = sha256_blocks(length);
if params.first_block >= total {
    return;
}
var chain = sha256_start();
if params.first_block > 0u {
    chain = Sha256State(state[thread * 2u], state[thread * 2u + 1u]);
}
let stop = min(total, params.first_block + params.blocks);
var index = params.first_block;
// Tested at its end: llvmpipe runs this form half again as fast as a `for`.
loop {
    chain = sha256_compress(chain, sha256_pad(sha256_read(start + index * 64u), length, index));
    index++;
    if index >= stop {
        break;
    }
}
finish(thread, chain, in_data(start, end) && (params.last == 0u || stop == total));
"""

_FUNCTIONS = """
fn in_data(start: u32, end: u32) -> bool {
    return start <= end && end <= arrayLength(&data) * 4u;
}

fn finish(message: u32, chain: Sha256State, right: bool) {
    let keep = vec4<bool>(right);
    state[message * 2u] = select(vec4<u32>(), chain.abcd, keep);
    state[message * 2u + 1u] = select(vec4<u32>(), chain.efgh, keep);
}
"""


def sha256_spec(max_bytes: int | None = None, byte_order: Literal["little", "big"] = "little") -> KernelSpec:
    """SHA-256 of `count` messages, one invocation each.

    Bindings, in order:

    * `data`: the bytes of all messages, packed into `u32` words, the first byte of a word the least significant
      (`byte_order="little"`) or the most significant (`"big"`). Messages may begin and end at any byte.
    * `offsets`: `count + 1` numbers (`u32`): message `i` is the bytes `offsets[i]` up to `offsets[i + 1]`.
    * `state` (read_write): `count * 8` words (`u32`, bound as `vec4<u32>`): after the last pass the digest of each
      message, its eight words as numbers (the first byte of a digest is the most significant of its first word).
      Its content before the first pass does not matter.

    Workgroups: `ceil(count / 64)`, over x, then y. Parameters: `count`, and for each pass what `sha256_passes`
    gives. The passes run one after the other on the same `state`, which carries the chaining value from one to the
    next; a message that is over is skipped.

    `max_bytes` is the longest message, None when unknown; give the same to `sha256_passes`. Up to 55 bytes it
    chooses a kernel without a loop, a third faster. A message that is longer than the passes reach, or whose
    offsets are not in order or lie outside `data`, gets a digest of zeros, never a wrong one.
    """
    short = max_bytes is not None and max_bytes <= SHORT_BYTES
    return KernelSpec(
        name="sha256_short" if short else "sha256",
        inputs=(Binding("data", "u32"), Binding("offsets", "u32")),
        outputs=(Binding("state", "vec4<u32>", "read_write"),),
        params=(
            Param("count"),
            Param("first_block", default=0),
            Param("blocks", default=BLOCKS_A_PASS),
            Param("last", default=1),
        ),
        body=_SHORT_BODY if short else _LONG_BODY,
        functions=_FUNCTIONS,
        partials=("sha256", f"sha256_{byte_order}"),
    )


def sha256_passes(max_bytes: int) -> list[dict[str, int]]:
    """The parameters `first_block`, `blocks` and `last` of each dispatch that messages of up to `max_bytes` take."""
    total = (max_bytes + 8) // 64 + 1
    return [
        {
            "first_block": first,
            "blocks": min(BLOCKS_A_PASS, total - first),
            "last": int(first + BLOCKS_A_PASS >= total),
        }
        for first in range(0, total, BLOCKS_A_PASS)
    ]
