"""`hashing` as a script sees it.

Owns the packing of messages and the choice of where they are hashed: many short ones on the device, few or long ones
by `hashlib`, where it has the hash, as it is faster for them. Must not know engines.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from ops.errors import AttributeValueError
from ops.graph import TensorType
from ops.spec import OpSpec, check_attributes
from ops.table import TABLE, find
from ops.torch import lazy
from ops.torch.tensor import Tensor, apply
from shaders.digests import DIGESTS

MANY = 256
SHORT = 1 << 16
_BATCH_BYTES = 1 << 24
_NUMBERS = {"crc32", "crc32c", "crc64", "adler32", "murmur3", "xxhash64", "siphash"}
"""Hashes that are numbers; all others are given in hexadecimal."""

Message = str | bytes
Answer = int | str


def digests(messages: Sequence[bytes], name: str = "sha256", **attributes: object) -> Tensor:
    """The hash `name` of each message, on the device: u32 [n, words], as the row says."""
    data, offsets = packed(messages)
    return apply(name, [data, offsets], max_bytes=max(map(len, messages), default=0), **attributes)


def packed(messages: Sequence[bytes]) -> tuple[Tensor, Tensor]:
    """`messages` as ops take them: their bytes in u32 words, and where each begins."""
    offsets = array("I", accumulate(map(len, messages), initial=0))
    return words(b"".join(messages)), Tensor(
        lazy.constant(offsets.tobytes(), TensorType((len(offsets),), "u32"))
    )


def words(data: bytes) -> Tensor:
    """Bytes as u32 words, the first byte lowest, filled up with zeros."""
    data += bytes(-len(data) % 4)
    return Tensor(lazy.constant(data, TensorType((len(data) // 4,), "u32")))


def lines(data: Message) -> list[bytes]:
    """The lines of a text or a file's bytes, each without its end."""
    return text_bytes(data).splitlines()


def blocks(data: Message, size: int) -> list[bytes]:
    """Bytes in blocks of `size`; the last may be shorter."""
    if size < 1:
        raise AttributeValueError(f"a block has at least one byte, not {size}")
    raw = text_bytes(data)
    return [raw[place : place + size] for place in range(0, len(raw), size)]


def namespace() -> dict[str, object]:
    """The public names of the module `hashing`."""
    digests = {spec.name: _function(spec) for spec in TABLE.values() if spec.kind == "digest"}
    return digests | {"lines": lines, "blocks": blocks}


def _function(spec: OpSpec) -> Callable[..., Answer | list[Answer]]:
    def function(messages: Message | Iterable[Message], **attributes: object) -> Answer | list[Answer]:
        if isinstance(messages, str | bytes | bytearray):
            return _hashes(spec.name, [text_bytes(messages)], attributes)[0]
        return _hashes(spec.name, [text_bytes(message) for message in messages], attributes)

    function.__name__ = function.__qualname__ = spec.name
    function.__doc__ = f"`{spec.name}` of one message, or of each of many; text is hashed as UTF-8."
    return function


sha256 = _function(TABLE["sha256"])


def _hashes(name: str, messages: list[bytes], attributes: dict[str, object]) -> list[Answer]:
    is_few = len(messages) < MANY or max(map(len, messages), default=0) > SHORT
    if name in hashlib.algorithms_guaranteed and is_few:
        check_attributes(find(name), attributes)  # what the device would refuse is refused here too
        return [hashlib.new(name, message).hexdigest() for message in messages]
    size = attributes.get("length")
    return [
        int.from_bytes(digest, "little") if name in _NUMBERS else digest[: _size(size)].hex()
        for batch in batches(messages)
        for digest in as_bytes(digests(batch, name, **attributes), DIGESTS[name].order)
    ]


def _size(length: object) -> int | None:
    return length if isinstance(length, int) else None


def text_bytes(message: object) -> bytes:
    """A message that a script gave. Raises `AttributeValueError`."""
    if isinstance(message, str):
        return message.encode()
    if isinstance(message, bytes | bytearray):
        return bytes(message)
    raise AttributeValueError(f"a message is text or bytes, not {type(message).__name__}")


def batches(messages: Sequence[bytes]) -> Iterable[list[bytes]]:
    """`messages` in batches that a frame can carry."""
    batch: list[bytes] = []
    size = 0
    for message in messages:
        size += len(message) + 4
        if size > _BATCH_BYTES and batch:
            yield batch
            batch, size = [], len(message) + 4
        batch.append(message)
    if batch:
        yield batch


def as_bytes(rows: Tensor, order: str) -> list[bytes]:
    """The bytes of each row of a u32 tensor of two axes."""
    width = rows.shape[1]
    numbers = array("I", (word for row in rows.tolist() for word in row))
    if order == "big":
        numbers.byteswap()
    raw = numbers.tobytes()
    return [raw[start : start + 4 * width] for start in range(0, len(raw), 4 * width)]
