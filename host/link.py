"""A socket between server and device that carries frames, and file descriptors beside them.

Owns reading, writing and the pairing of descriptors with frames: a message whose field `descriptor` is true takes
the next descriptor that arrived. Works inside one asyncio loop and only from its thread. Must not know what the
messages mean.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import os
import select
import socket
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

from ops.wire import FrameError, FrameReader, frame

M = TypeVar("M", bound=msgspec.Struct)
_READ_BYTES = 96 << 10
"""Room for any frame with elements in it. From 128 KiB on the C library would ask the system for it each time, which
takes 11 µs."""
_DESCRIPTORS = 32
"""Descriptors that one read may bring."""
_TOGETHER = 64
"""Frames that are written in one call at most; Linux takes 1024 (`IOV_MAX`)."""
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
_TRUNCATED = int(socket.MSG_CTRUNC)
_ANCILLARY = socket.CMSG_SPACE(_DESCRIPTORS * array.array("i").itemsize)


class Link(Generic[M]):
    """One end of a socket pair.

    Received messages go to `on_message(message, fd)`, which then owns `fd`. When the peer is gone or breaks the
    protocol, `on_close(error)` is called once (None: it hung up), and never after `close()`.
    """

    def __init__(
        self,
        sock: socket.socket,
        type: Any,
        limit: int,
        on_message: Callable[[M, int | None], None],
        on_close: Callable[[Exception | None], None],
    ) -> None:
        self._socket = sock
        self._socket.setblocking(False)
        self._reader: FrameReader[M] = FrameReader(type, limit)
        self._on_message, self._on_close = on_message, on_close
        self._received: deque[int] = deque()
        self._queue: deque[tuple[memoryview, int | None]] = deque()
        self._flushing = False
        self._blocked = False
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(sock, self._readable)

    def send(self, message: msgspec.Struct, fd: int | None = None) -> None:
        """Queue `message`, with a duplicate of `fd`; what is queued in one turn of the loop is written together."""
        if self._closed:
            return
        self._queue.append((memoryview(frame(message)), None if fd is None else os.dup(fd)))
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def close(self) -> None:
        """Close the socket and every descriptor that is still under way. Closing twice is harmless."""
        if self._closed:
            return
        self._closed = True
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        self._socket.close()
        while self._received:
            os.close(self._received.popleft())
        self._drop_queue()

    def _drop_queue(self) -> None:
        while self._queue:
            _, fd = self._queue.popleft()
            if fd is not None:
                os.close(fd)

    def _flush(self) -> None:
        try:
            while self._queue:
                self._write_once()
        except (BlockingIOError, InterruptedError):
            self._blocked = True
            self._loop.add_writer(self._socket, self._flush)
            return
        except OSError:
            self._drop_queue()  # the reading side sees the end too, after what the peer said last
        self._flushing = False
        if self._blocked and not self._closed:
            self._loop.remove_writer(self._socket)
        self._blocked = False

    def _write_once(self) -> None:
        """Send the longest run of queued frames that can go in one call: at most one descriptor, and that first."""
        run = [self._queue[0][0]]
        for data, fd in islice(self._queue, 1, _TOGETHER):
            if fd is not None:
                break
            run.append(data)
        fd = self._queue[0][1]
        ancillary = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
        sent = self._socket.sendmsg(run, ancillary)
        if fd is not None:
            os.close(fd)
            self._queue[0] = (self._queue[0][0], None)
        while sent and self._queue:
            data = self._queue[0][0]
            if sent < len(data):
                self._queue[0] = (data[sent:], None)
                return
            sent -= len(data)
            self._queue.popleft()

    def _readable(self) -> None:
        try:
            data, ancillary, flags, _ = self._socket.recvmsg(_READ_BYTES, _ANCILLARY, _CLOSE_ON_EXEC)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._end(None)  # a peer that was killed resets the connection
            return
        self._keep_descriptors(ancillary)
        if not data:
            self._end(None)
        elif flags & _TRUNCATED:
            self._end(FrameError("more descriptors came than the protocol allows"))
        else:
            self._deliver(data)

    def _keep_descriptors(self, ancillary: list[tuple[int, int, bytes]]) -> None:
        for level, kind, body in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds = array.array("i")
                fds.frombytes(body[: len(body) - len(body) % fds.itemsize])
                self._received.extend(fds)
                if not _CLOSE_ON_EXEC:
                    for fd in fds:
                        os.set_inheritable(fd, False)

    def _deliver(self, data: bytes) -> None:
        try:
            for message in self._reader.feed(data):
                fd = None
                if getattr(message, "descriptor", False):
                    if not self._received:
                        raise FrameError(f"a {type(message).__name__} came without its descriptor")
                    fd = self._received.popleft()
                self._on_message(message, fd)
                if self._closed:
                    return
        except FrameError as error:
            self._end(error)

    def _end(self, error: Exception | None) -> None:
        if not self._closed:
            self.close()
            self._on_close(error)


def write(sock: socket.socket, message: msgspec.Struct, fd: int | None = None) -> None:
    """Write `message`, with `fd` beside it, from a thread that has the writing side for itself; blocks while it must.

    Raises `OSError` when the peer is gone.
    """
    data = memoryview(frame(message))
    ancillary = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
    while data:
        try:
            data, ancillary = data[sock.sendmsg([data], ancillary) :], []
        except BlockingIOError:
            select.select([], [sock], [])


def pair() -> tuple[socket.socket, socket.socket]:
    """Two connected stream sockets with room for a few large frames."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    for sock in (ours, theirs):
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    return ours, theirs
