"""The messages between the server and the zygote, and the socket that carries them with file descriptors beside.

Owns the records and `Channel`. The zygote runs no stranger's code, but its children do, so that its messages are
decoded against a schema too. The socket is a stream, as not every system has one that keeps the bounds of messages.
Must not know asyncio or forks.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from ops.wire import FrameError, FrameReader, frame

M = TypeVar("M", bound=msgspec.Struct)
MAX_MESSAGE = 65536
_DESCRIPTORS = 16


class Ready(msgspec.Struct, frozen=True, tag="ready", tag_field="t"):
    """The zygote is warm. `level` is the strength of the walls that its workers get, `reason` why not more.

    `base` is its address space in bytes, which limits of memory count from; `modules` what it has imported.
    """

    level: str
    reason: str
    base: int | None
    modules: tuple[str, ...] = ()


class Spawn(msgspec.Struct, frozen=True, tag="spawn", tag_field="t"):
    """Fork a worker; its socket is the descriptor sent along."""

    descriptor: ClassVar[bool] = True


class Kill(msgspec.Struct, frozen=True, tag="kill", tag_field="t"):
    """Kill a worker that the server itself cannot kill, for want of a handle (`handles.py`)."""

    pid: int


class Spawned(msgspec.Struct, frozen=True, tag="spawned", tag_field="t"):
    """A worker exists; its pidfd is the descriptor sent along, where there are such. Answers come in the order of the
    requests."""

    pid: int
    descriptor: bool = False


class NotSpawned(msgspec.Struct, frozen=True, tag="not_spawned", tag_field="t"):
    """No worker could be made, for this reason; also an answer in the order of the requests."""

    reason: str


class Exited(msgspec.Struct, frozen=True, tag="exited", tag_field="t"):
    """A worker ended with this wait status, after so many processor seconds and so many bytes resident at once."""

    pid: int
    status: int
    cpu_s: float
    peak_bytes: int


ServerMessage = Spawn | Kill
ZygoteMessage = Ready | Spawned | NotSpawned | Exited


class Channel(Generic[M]):
    """One end of the socket. A message whose `descriptor` is true has a descriptor beside it."""

    def __init__(self, connection: socket.socket, type: Any) -> None:
        self._socket = connection
        self._reader: FrameReader[M] = FrameReader(type, MAX_MESSAGE)
        self._received: deque[int] = deque()

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._socket.fileno()

    def send(self, message: msgspec.Struct, descriptor: int | None = None) -> None:
        """Say `message`. Raises OSError when the peer is gone, or takes nothing now and the socket does not block."""
        data = frame(message)
        sent = 0 if descriptor is None else socket.send_fds(self._socket, [data], [descriptor])
        if sent < len(data):
            self._socket.sendall(data[sent:])

    def receive(self) -> Iterator[tuple[M, int | None]]:
        """The messages that have come whole, each with its descriptor, which is the caller's to close.

        Raises EOFError when the peer is gone, `FrameError` when it breaks the protocol, OSError as `recvmsg` does.
        """
        data, descriptors, _, _ = socket.recv_fds(self._socket, MAX_MESSAGE, _DESCRIPTORS)
        self._received.extend(descriptors)
        if not data:
            raise EOFError
        for message in self._reader.feed(data):
            if not getattr(message, "descriptor", False):
                yield message, None
            elif self._received:
                yield message, self._received.popleft()
            else:
                raise FrameError(f"{type(message).__name__} came without its descriptor")

    def close(self) -> None:
        """Close the socket, and the descriptors whose message has not come."""
        self._socket.close()
        while self._received:
            os.close(self._received.popleft())
