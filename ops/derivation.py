"""What `hashing` has beside plain hashes: HMAC, key derivation, trees, and the search for a nonce.

Owns how a script's bytes become the inputs of those ops. Must not know engines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ops.errors import AttributeValueError
from ops.hashing import Message, as_bytes, packed, text_bytes, words
from ops.torch.tensor import Tensor, apply
from shaders.digests import DIGESTS
from shaders.keyed import KEYED

Messages = Message | Iterable[Message]
Answer = str | list[str]
Function = Callable[..., object]


def _hmac(digest: str) -> Function:
    def hmac(messages: Messages, key: Messages) -> Answer:
        return _derived(f"hmac_{digest}", messages, key)

    return _named(
        hmac, digest, "of one message or of each of many, with one key or with each its own, as hexadecimal."
    )


def _pbkdf2(digest: str) -> Function:
    size = 4 * DIGESTS[digest].digest_words

    def pbkdf2(passwords: Messages, salt: Messages, iterations: int, length: int = size) -> Answer:
        return _derived(f"pbkdf2_{digest}", passwords, salt, iterations=iterations, length=length)

    return _named(pbkdf2, digest, "of one password or of each of many, with one salt or with each its own.")


def _hkdf(digest: str) -> Function:
    size = 4 * DIGESTS[digest].digest_words

    def hkdf(keys: Messages, salt: Messages = b"", info: Messages = b"", length: int = size) -> Answer:
        return _derived(f"hkdf_{digest}", keys, salt, info, length=length)

    return _named(hkdf, digest, "of one key or of each of many, with one salt and info or with each its own.")


def _named(function: Function, digest: str, doc: str) -> Function:
    function.__name__ = function.__qualname__ = f"{function.__name__}_{digest}"
    function.__doc__ = f"`{function.__name__}` {doc}"
    return function


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


NAMES: dict[str, Function] = {
    function.__name__: function
    for function in (
        *(make(digest) for make in (_hmac, _pbkdf2, _hkdf) for digest in KEYED),
        merkle_root,
        find_nonce,
    )
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


def _derived(op: str, first: Messages, *others: Messages, **attributes: object) -> Answer:
    parts = [_all(messages) for messages in (first, *others)]
    size = attributes.get("length")
    inputs = [tensor for part in parts for tensor in packed(part)]
    longest = max(map(len, parts[0]), default=0)
    rows = as_bytes(apply(op, inputs, max_bytes=longest, **attributes), "big") if parts[0] else []
    texts = [row[: size if isinstance(size, int) else None].hex() for row in rows]
    return texts[0] if _one(first) else texts
