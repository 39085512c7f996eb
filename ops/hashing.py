"""`hashing` as a script sees it.

Owns the packing of messages and the choice of where they are hashed: many short ones on the device, few or long ones
by `hashlib`, which is faster for them. Must not know engines.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

from ops import lazy
from ops.errors import AttributeValueError
from ops.graph import TensorType
from ops.tensor import Tensor, apply

MANY = 256
SHORT = 1 << 16
_BATCH_BYTES = 1 << 24


def sha256(messages: str | bytes | Iterable[str | bytes]) -> str | list[str]:
    """The SHA-256 of one message, or of each of many, in hexadecimal; text is hashed as UTF-8."""
    if isinstance(messages, str | bytes | bytearray):
        return hashlib.sha256(_bytes(messages)).hexdigest()
    data = [_bytes(message) for message in messages]
    if len(data) < MANY or max(map(len, data)) > SHORT:
        return [hashlib.sha256(message).hexdigest() for message in data]
    return [digest for batch in _batches(data) for digest in _hexadecimal(digests(batch))]


def digests(messages: Sequence[bytes]) -> Tensor:
    """The SHA-256 of each message, on the device: u32 [n, 8], big-endian words as numbers."""
    text = b"".join(messages)
    text += bytes(-len(text) % 4)
    offsets = array("I", accumulate(map(len, messages), initial=0))
    data = Tensor(lazy.constant(text, TensorType((len(text) // 4,), "u32")))
    where = Tensor(lazy.constant(offsets.tobytes(), TensorType((len(offsets),), "u32")))
    return apply("sha256", [data, where], max_bytes=max(map(len, messages), default=0))


def namespace() -> dict[str, object]:
    """The public names of the module `hashing`."""
    return {"sha256": sha256}


def _bytes(message: object) -> bytes:
    if isinstance(message, str):
        return message.encode()
    if isinstance(message, bytes | bytearray):
        return bytes(message)
    raise AttributeValueError(f"a message is text or bytes, not {type(message).__name__}")


def _batches(messages: Sequence[bytes]) -> Iterable[list[bytes]]:
    """`messages` in batches that a frame can carry."""
    batch: list[bytes] = []
    size = 0
    for message in messages:
        size += len(message) + 4
        if size > _BATCH_BYTES:
            yield batch
            batch, size = [], len(message) + 4
        batch.append(message)
    yield batch


def _hexadecimal(words: Tensor) -> list[str]:
    return ["".join(f"{word:08x}" for word in row) for row in words.tolist()]
