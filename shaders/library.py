"""SHA-256 by name: the digest that benchmarks and tests of kernels take as their example.

Owns no text of its own. Must not know tensors or devices.
"""

from __future__ import annotations

from shaders.digests import DIGESTS, TURNS_A_PASS, Order, digest_passes, digest_spec
from shaders.spec import KernelSpec

SHORT_BYTES = DIGESTS["sha256"].short_bytes
"""The longest message that is one block with its padding."""

BLOCKS_A_PASS = TURNS_A_PASS
"""The most blocks of a message that one dispatch hashes."""


def sha256_spec(max_bytes: int | None = None, byte_order: Order = "little") -> KernelSpec:
    """SHA-256 of `count` messages, one invocation each; see `digest_spec`."""
    return digest_spec(DIGESTS["sha256"], max_bytes, byte_order)


def sha256_passes(max_bytes: int) -> list[dict[str, int]]:
    """The parameters of each dispatch that messages of up to `max_bytes` take."""
    return digest_passes(DIGESTS["sha256"], max_bytes)
