"""Digests of messages that are all as long, each a row of words.

Owns which digests have that form, and its kernel, in which length and padding are constants. Must not know tensors.
"""

from __future__ import annotations

from functools import cache

from shaders.digests import DIGESTS, TURNS_A_PASS, digest_settings
from shaders.spec import Binding, KernelSpec, Param

ROW_DIGESTS = tuple(
    digest.name
    for digest in DIGESTS.values()
    if digest.padding != "zeros" and digest.digest_words and not digest.seed and not digest.chunk_bytes
)


def most_row_bytes(name: str) -> int:
    """The longest message that one dispatch hashes by the digest `name`."""
    digest = DIGESTS[name]
    return digest.block_bytes * (TURNS_A_PASS // (digest.turns + 1) - 2)


@cache
def row_spec(name: str, row_bytes: int, row_words: int) -> KernelSpec:
    """The kernel that hashes `count` messages of `row_bytes` bytes by the digest `name`, one invocation each.

    Bindings: `data`, rows of `row_words` words (`u32`, the first byte of a word the least significant; bound as
    `vec4<u32>` where rows and blocks are whole numbers of those), each the bytes of a message, what follows them of
    any value; and `state` (read_write), as of `shaders/digests.py`.
    """
    digest = DIGESTS[name]
    by_quads = row_words > 0 and row_words % 4 == 0 and digest.block_words % 4 == 0
    element = row_words // 4 if by_quads else row_words
    partials = ("digest", f"digests/{digest.partial}", "digest_rows")
    return KernelSpec(
        name=f"{name}_rows",
        inputs=(Binding("data", "vec4<u32>" if by_quads else "u32"),),
        outputs=(Binding("state", "vec4<u32>", "read_write"),),
        params=(
            Param("count"),
            *(Param("constants", length=len(digest.constants)),) * bool(digest.constants),
        ),
        body=f"if thread < params.count {{\n    store(thread, row_digest(thread * {element}u));\n}}",
        partials=("wide", *partials) if digest.wide else partials,
        settings=(
            *digest_settings(digest),
            ("row_bytes", row_bytes),
            ("by_quads", int(by_quads)),
            ("full", row_bytes // digest.block_bytes),
            ("blocks", digest.blocks(row_bytes)),
        ),
    )
