"""Digests of messages that are all as long, each a row of words.

Owns which digests have that form, and its kernel, in which length and padding are constants. Must not know tensors.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from shaders.digests import DIGESTS, Digest, blocks_a_pass, digest_settings
from shaders.spec import Binding, KernelSpec, Param

ROW_DIGESTS = tuple(
    digest.name
    for digest in DIGESTS.values()
    if digest.padding != "zeros" and digest.digest_words and not digest.seed and not digest.chunk_bytes
)


Part = Literal["whole", "open", "last"]
_PARAMS = {
    "whole": ["count"],
    "open": ["count", "first_block", "begin", "blocks"],
    "last": ["count", "first_block", "begin"],
}
_PADDING_BLOCKS = 2


def row_blocks_a_pass(digest: Digest) -> int:
    """The most blocks that one dispatch hashes of a row, beside those with its padding."""
    return blocks_a_pass(digest) - _PADDING_BLOCKS


@cache
def row_spec(name: str, row_bytes: int, row_words: int, part: Part = "whole") -> KernelSpec:
    """The kernel that hashes `count` messages of `row_bytes` bytes by the digest `name`, one invocation each.

    Bindings: `data`, rows of `row_words` words (`u32`, the first byte of a word the least significant; bound as
    `vec4<u32>` where rows and blocks are whole numbers of those), each the bytes of a message, what follows them of
    any value; and `state` (read_write), as of `shaders/digests.py`.

    Of long messages a dispatch takes a part: from block `first_block` on (a parameter) `blocks` blocks (another), none
    of which has padding, or in the `last` part all that are left, one at least that is all message where any is. The
    rows begin with block `begin` (a third). The state carries the chaining value from one to the next.
    """
    digest = DIGESTS[name]
    by_quads = row_words > 0 and row_words % 4 == 0 and digest.block_words % 4 == 0
    width = 4 if by_quads else 1
    row = f"thread * {row_words // width}u"
    if part != "whole":
        row += f" - params.begin * {digest.block_words // width}u"
    partials = ("digest", f"digests/{digest.partial}", "digest_rows")
    return KernelSpec(
        name=f"{name}_rows" if part == "whole" else f"{name}_rows_{part}",
        inputs=(Binding("data", "vec4<u32>" if by_quads else "u32"),),
        outputs=(Binding("state", "vec4<u32>", "read_write"),),
        params=(
            *map(Param, _PARAMS[part]),
            *(Param("constants", length=len(digest.constants)),) * bool(digest.constants),
        ),
        body=f"if thread < params.count {{\n    store(thread, row_digest(thread, {row}));\n}}",
        partials=("wide", *partials) if digest.wide else partials,
        settings=(
            *digest_settings(digest),
            ("row_bytes", row_bytes),
            ("by_quads", int(by_quads)),
            ("full", row_bytes // digest.block_bytes),
            ("blocks", digest.blocks(row_bytes)),
            ("part", part),
        ),
    )
