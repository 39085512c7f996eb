"""What is built on SHA-256: HMAC, PBKDF2, trees of digests, and the search for a nonce.

Owns their kernels' specs, over the rounds of `shaders/digests.py`. Must not know tensors or devices.
"""

from __future__ import annotations

from typing import Literal

from shaders.digests import DIGESTS, digest_settings
from shaders.spec import Binding, KernelSpec, Param

TreeForm = Literal["plain", "rfc6962", "bitcoin"]
_SHA256 = DIGESTS["sha256"]
_QUADS = "vec4<u32>"


def _spec(
    name: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    params: tuple[str, ...],
    partial: str,
    *settings: tuple[str, int | str],
) -> KernelSpec:
    """A kernel whose partial `sha256/<partial>` has `run(thread)`; bindings are quads, or of the type `name:type`."""
    return KernelSpec(
        name=name,
        inputs=tuple(_binding(each, "read") for each in inputs),
        outputs=tuple(_binding(each, "read_write") for each in outputs),
        params=tuple(map(Param, params)),
        body="if thread < params.count {\n    run(thread);\n}",
        partials=("digest", "digests/sha256", f"sha256/{partial}"),
        settings=(*digest_settings(_SHA256), *settings),
    )


def _binding(text: str, access: Literal["read", "read_write"]) -> Binding:
    name, _, type = text.partition(":")
    return Binding(name, type or _QUADS, access)


def hmac_keys_spec() -> KernelSpec:
    """The states that each of `count` keys begins with: `keys[4n]` … after the inner pad, then after the outer.

    Inputs: `data` and `offsets` (the keys as messages), `state` (the SHA-256 of each, for keys over 64 bytes).
    A key outside of `data` gets zeros.
    """
    return _spec(
        "hmac_keys", ("data:u32", "offsets:u32", "hashed"), ("keys",), ("count",), "hmac_keys",
        ("read_words", 16), ("data_order", "little"), ("continued", 0), ("short", 0), ("padding", "zeros"),
    )  # fmt: skip


def hmac_digests_spec() -> KernelSpec:
    """As `hmac_keys_spec`, for keys that are the digests `hashed`."""
    return _spec("hmac_digests", ("hashed",), ("keys",), ("count",), "hmac_keys")


def hmac_finish_spec() -> KernelSpec:
    """The outer hash over the inner one in `state`, in place; `one_for_all` (1 or 0): all have the first key."""
    return _spec("hmac_finish", ("keys",), ("state",), ("count", "one_for_all"), "hmac_finish")


def pbkdf2_spec() -> KernelSpec:
    """`turns` compressions more: `state` is the last HMAC or the inner half of the next, `total` the sum so far."""
    return _spec("pbkdf2", ("keys",), ("state", "total"), ("count", "turns"), "pbkdf2")


def tree_spec(form: TreeForm) -> KernelSpec:
    """A level of a tree: `count` nodes over the `below` digests of `lower`."""
    return _spec(f"merkle_{form}", ("lower",), ("upper",), ("count", "below"), "merkle", ("form", form))


def midstate_spec() -> KernelSpec:
    """The state after the first 64 bytes of `header` (little-endian words), and an empty `found`."""
    return _spec("nonce_start", ("header:u32",), ("midstate", "found:u32"), ("count",), "nonce_start")


def nonce_spec() -> KernelSpec:
    """Tries `count` nonces from `first` on; `found` gets a number that is not 0, and the lowest that is under."""
    return _spec(
        "nonce", ("header:u32", "midstate", "goal:u32"), ("found:atomic<u32>",), ("count", "first"), "nonce"
    )
