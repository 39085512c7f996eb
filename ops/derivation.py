"""What `hashing` has beside plain hashes: HMAC, key derivation, trees, and the search for a nonce.

Owns how a script's bytes become the inputs of those ops. Must not know engines.
"""

from __future__ import annotations

from collections.abc import Iterable

from ops.errors import AttributeValueError
from ops.hashing import Message, as_bytes, packed, text_bytes, words
from ops.tensor import Tensor, apply

Messages = Message | Iterable[Message]


def hmac_sha256(messages: Messages, key: Messages) -> str | list[str]:
    """HMAC-SHA256 of one message or of each of many, with one key or with each its own, in hexadecimal."""
    return _derived("hmac_sha256", messages, key)


def pbkdf2_sha256(passwords: Messages, salt: Messages, iterations: int, length: int = 32) -> str | list[str]:
    """PBKDF2-HMAC-SHA256 of one password or of each of many, with one salt or with each its own."""
    return _derived("pbkdf2_sha256", passwords, salt, iterations=iterations, length=length)


def hkdf_sha256(
    keys: Messages, salt: Messages = b"", info: Messages = b"", length: int = 32
) -> str | list[str]:
    """HKDF-SHA256 of one key or of each of many, with one salt and info or with each its own."""
    return _derived("hkdf_sha256", keys, salt, info, length=length)


def merkle_root(digests: Iterable[Message], form: str = "plain") -> str:
    """The root of a tree over SHA-256 digests (bytes, or hexadecimal); forms as of the op `merkle`."""
    leaves = [bytes.fromhex(leaf) if isinstance(leaf, str) else bytes(leaf) for leaf in digests]
    if any(len(leaf) != 32 for leaf in leaves):
        raise AttributeValueError("every leaf of a tree is a digest of 32 bytes")
    return as_bytes(apply("merkle", [_numbers(leaves)], form=form).reshape(1, 8), "big")[0].hex()


def find_nonce(header: bytes, goal: int, start: int = 0, count: int = 1 << 20) -> int | None:
    """The lowest nonce from `start` on, of `count`, with which the double SHA-256 of the header is at most `goal`."""
    first, rest = words(bytes(header[:76])), goal.to_bytes(32, "big")
    found, nonce = apply(
        "find_nonce", [first, _numbers([rest]).reshape(8)], start=start, count=count
    ).tolist()
    return nonce if found else None


NAMES = {
    function.__name__: function
    for function in (hmac_sha256, pbkdf2_sha256, hkdf_sha256, merkle_root, find_nonce)
}
"""What the module `hashing` has beside hashes."""


def _numbers(digests: list[bytes]) -> Tensor:
    """Digests as an op gives them: u32 [n, 8], big-endian words as numbers."""
    swapped = b"".join(digest[place : place + 4][::-1] for digest in digests for place in range(0, 32, 4))
    return words(swapped).reshape(len(digests), 8)


def _all(messages: Messages) -> list[bytes]:
    return [text_bytes(message) for message in ([messages] if _one(messages) else messages)]


def _one(messages: Messages) -> bool:
    return isinstance(messages, str | bytes | bytearray)


def _derived(op: str, first: Messages, *others: Messages, **attributes: object) -> str | list[str]:
    parts = [_all(messages) for messages in (first, *others)]
    size = attributes.get("length")
    inputs = [tensor for part in parts for tensor in packed(part)]
    longest = max(map(len, parts[0]), default=0)
    rows = as_bytes(apply(op, inputs, max_bytes=longest, **attributes), "big") if parts[0] else []
    texts = [row[: size if isinstance(size, int) else None].hex() for row in rows]
    return texts[0] if _one(first) else texts
