"""What is built on digests: HMAC and PBKDF2 on any of `KEYED`; trees and the search for a nonce on SHA-256.

Owns their kernels' specs, over the rounds of `shaders/digests.py`. Must not know tensors or devices.
"""

from __future__ import annotations

from typing import Literal

from shaders.digests import DIGESTS, SEEN, Digest, digest_settings
from shaders.spec import Binding, KernelSpec, Param, Setting

TreeForm = Literal["plain", "rfc6962", "bitcoin"]
KEYED = ("sha1", "sha224", "sha256", "sha384", "sha512")
"""The digests that keys are used with."""
_SHA256 = DIGESTS["sha256"]
_QUADS = "vec4<u32>"
_READING: tuple[tuple[str, Setting], ...] = (("continued", 0), ("short", 0), ("padding", "zeros"))
"""Settings of a kernel that reads a block of bytes with zeros after them."""


def _spec(
    digest: Digest,
    name: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    params: tuple[str, ...],
    partial: str,
    *settings: tuple[str, Setting],
) -> KernelSpec:
    """A kernel whose partial `keyed/<partial>` has `run(thread)`; bindings are quads, or of the type `name:type`."""
    return KernelSpec(
        name=name,
        inputs=tuple(_binding(each, "read") for each in inputs),
        outputs=tuple(_binding(each, "read_write") for each in outputs),
        params=(
            *map(Param, params),
            *(Param("constants", length=len(digest.constants)),) * bool(digest.constants),
        ),
        body="if thread < params.count {\n    run(thread);\n}",
        partials=(*("wide",) * digest.wide, "digest", f"digests/{digest.partial}", f"keyed/{partial}"),
        settings=(*digest_settings(digest), *settings),
    )


def _binding(text: str, access: Literal["read", "read_write"]) -> Binding:
    name, _, type = text.partition(":")
    return Binding(name, type or _QUADS, access)


def hmac_keys_spec(digest: Digest) -> KernelSpec:
    """The states that each of `count` keys begins with: in a row of `keys` that after the inner pad, then the outer.

    Inputs: `data` and `offsets` (the keys as messages), `hashed` (the state of the digest of each, for keys over a
    block). A key outside of `data`, or that fills more than `blocks`, gets zeros. `data` may be a part, as `SEEN` says.
    """
    inputs, params = ("data:u32", "offsets:u32", "hashed"), ("count", "blocks", *SEEN)
    reading = (("read_words", digest.block_words), *_READING)
    return _spec(digest, f"hmac_{digest.name}_keys", inputs, ("keys",), params, "hmac_keys", *reading)


def hmac_digests_spec(digest: Digest) -> KernelSpec:
    """As `hmac_keys_spec`, for keys that are the digests `hashed`."""
    return _spec(digest, f"hmac_{digest.name}_digests", ("hashed",), ("keys",), ("count",), "hmac_keys")


def hmac_finish_spec(digest: Digest) -> KernelSpec:
    """The outer hash over the inner one in `state`, in place; `one_for_all` (1 or 0): all have the first key."""
    params = ("count", "one_for_all")
    return _spec(digest, f"hmac_{digest.name}_finish", ("keys",), ("state",), params, "hmac_finish")


def pbkdf2_spec(digest: Digest) -> KernelSpec:
    """`turns` compressions more, an even number: `state` is the last HMAC, `total` the sum so far."""
    return _spec(digest, f"pbkdf2_{digest.name}", ("keys",), ("state", "total"), ("count", "turns"), "pbkdf2")


def tree_spec(form: TreeForm) -> KernelSpec:
    """A level of a tree: `count` nodes over the `below` digests of `lower`."""
    params = ("count", "below")
    return _spec(_SHA256, f"merkle_{form}", ("lower",), ("upper",), params, "merkle", ("form", form))


def midstate_spec() -> KernelSpec:
    """The state after the first 64 bytes of `header` (little-endian words), and an empty `found`."""
    return _spec(
        _SHA256, "nonce_start", ("header:u32",), ("midstate", "found:u32"), ("count",), "nonce_start"
    )


def nonce_spec() -> KernelSpec:
    """Tries `count` nonces from `first` on; `found` gets a number that is not 0, and the lowest that is under."""
    inputs = ("header:u32", "midstate", "goal:u32")
    return _spec(_SHA256, "nonce", inputs, ("found:atomic<u32>",), ("count", "first"), "nonce")
