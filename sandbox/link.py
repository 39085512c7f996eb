"""The worker's end of its socket: the only way out of the process.

Owns the framing, the numbering of requests, and what a refusal becomes in a script. Blocking, as a worker has
nothing else to do while it waits. Must not know what is asked for.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

import msgspec

from ops.wire import FrameReader, frame
from sandbox.errors import ValueFormError
from sandbox.frames import MAX_MESSAGE, Answer, Refusal, ServerMessage
from sandbox.policy.denials import HostError, PermissionDenied

_MAX_ANSWER = 1 << 31
_CHUNK = 96 << 10
"""From 128 KiB on the C library would ask the system for the room each time, which takes 11 µs."""
# Made at import, in the zygote: once the library is hardened, no annotations are read any more.
_reader: FrameReader[ServerMessage] = FrameReader(ServerMessage, _MAX_ANSWER)


class Link:
    """Sends messages and asks questions. `before()` runs before anything is said, to send waiting output first."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._waiting: list[ServerMessage] = []
        self._last_id = 0
        self._saying = False
        self._aside = b""
        self.before: Callable[[], None] = lambda: None

    def send(self, message: msgspec.Struct) -> None:
        """Say `message`. Raises `ValueFormError` for one that is too long; the process ends when nobody listens."""
        data = frame(message)
        if len(data) > MAX_MESSAGE:
            raise ValueFormError(
                f"this takes a message of {len(data)} bytes; the most is {MAX_MESSAGE}",
                hint="Make large data on the device, or give it to the run as a tensor.",
            )
        self.send_raw(data)

    def send_raw(self, data: bytes) -> None:
        """Say bytes that are a frame already."""
        self._saying = True
        try:
            self._socket.sendall(data)
        except OSError:
            os._exit(0)
        self._saying = False
        if self._aside:
            data, self._aside = self._aside, b""
            self.send_raw(data)

    def interject(self, message: msgspec.Struct) -> None:
        """Say `message` from a handler of a signal: never within a message, but after it."""
        if self._saying:
            self._aside += frame(message)
        else:
            self.send(message)

    def receive(self) -> ServerMessage:
        """The next message of the server. The process ends when the server is gone."""
        while not self._waiting:
            try:
                data = self._socket.recv(_CHUNK)
            except OSError:
                data = b""
            if not data:
                os._exit(0)
            self._waiting.extend(_reader.feed(data))
        return self._waiting.pop(0)

    def ask(self, kind: Callable[..., msgspec.Struct], **fields: Any) -> bytes:
        """Send the request `kind(id=…, **fields)`; the value of its answer. Raises what a refusal says."""
        self.before()
        self._last_id += 1
        self.send(kind(id=self._last_id, **fields))
        answer = self.receive()
        if isinstance(answer, Answer) and answer.id == self._last_id:
            return answer.value
        if isinstance(answer, Refusal) and answer.id == self._last_id:
            raise refused(answer)
        os._exit(70)


def refused(refusal: Refusal) -> Exception:
    """The exception that a refused request raises in the script."""
    record = refusal.error
    if record.code == "permission_denied":
        denial = refusal.denial
        if denial is None:
            return PermissionDenied(record.message, record.hint)
        return PermissionDenied(record.message, record.hint, denial.gate, denial.asked, denial.grant)
    return HostError(record)
