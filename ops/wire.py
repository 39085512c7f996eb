"""Frames: length-prefixed MessagePack messages, without I/O.

Owns the byte format that server, device and worker share: a 4-byte little-endian length, then one msgspec
MessagePack value. Must not know sockets: it turns messages into bytes and bytes into messages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import msgspec

from shaders.errors import KernelgateError

M = TypeVar("M")
_HEADER = struct.Struct("<I")
_encoder = msgspec.msgpack.Encoder()


class FrameError(KernelgateError):
    """The peer sent bytes that are not a frame of the protocol."""

    code = "protocol"
    title = "A process sent a malformed message"
    remedy = "Try again; if it stays so, the server's log says why."


def frame(message: msgspec.Struct) -> bytes:
    """`message` as one frame."""
    body = _encoder.encode(message)
    return _HEADER.pack(len(body)) + body


class FrameReader(Generic[M]):
    """Turns a stream of bytes into messages of `type`, refusing frames longer than `limit` bytes.

    The buffer never holds more than one frame beyond what was fed in, so a hostile peer costs at most
    `limit` bytes plus one read. `check(body)` may refuse a body by `FrameError` before it is decoded.
    """

    def __init__(self, type: Any, limit: int, check: Callable[[bytes], None] | None = None) -> None:
        self._decode = msgspec.msgpack.Decoder(type).decode
        self._limit = limit
        self._check = check
        self._buffer = bytearray()

    def feed(self, data: bytes | bytearray | memoryview) -> Iterator[M]:
        """Add `data`; yield each message that is now whole.

        Raises `FrameError` on a length over the limit or a body that does not match the schema.
        """
        self._buffer += data
        while len(self._buffer) >= 4:
            (length,) = _HEADER.unpack_from(self._buffer)
            if length > self._limit:
                raise FrameError(f"a frame of {length} bytes is over the limit of {self._limit}")
            if len(self._buffer) < 4 + length:
                return
            body = bytes(memoryview(self._buffer)[4 : 4 + length])
            del self._buffer[: 4 + length]
            if self._check is not None:
                self._check(body)
            try:
                message: M = self._decode(body)
            except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
                raise FrameError(f"a frame does not match the protocol: {error}") from None
            yield message
