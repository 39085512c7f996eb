"""The device process: `python -m host.process FD PARENT SETTINGS`.

Owns its main thread, an asyncio loop that reads frames and never blocks, and the process's end: with its parent, its
socket or its other thread (`host/worker.py`), whose replies go out from there, which saves each request two changes of
thread. Must not know what frames ask for.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import socket
import sys

import msgspec

from host import frames
from host.engine import EngineSettings
from host.link import Link, write
from host.task import Task
from host.worker import SealProcess, Worker

FRAME_LIMIT = 256 << 20
"""Bytes of a frame from the server at most: a graph with its constants is the largest."""
_PR_SET_PDEATHSIG = 1
"""`prctl(2)`, from `linux/prctl.h`."""


class Server:
    """The loop's side: frames in, tasks out."""

    def __init__(self, sock: socket.socket, settings: EngineSettings, seal: SealProcess) -> None:
        self._socket = sock
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._jobs: dict[int, Task] = {}
        self._worker = Worker(settings, seal, self._post, self._end)
        self._link: Link[frames.ServerMessage] = Link(
            sock,
            frames.ServerMessage,
            FRAME_LIMIT,
            self._receive,
            lambda error: os._exit(0 if error is None else 1),
        )

    async def serve(self) -> None:
        """Serve until the GPU thread ends."""
        self._worker.start()
        await self._over

    def _receive(self, message: frames.ServerMessage, fd: int | None) -> None:
        if isinstance(message, frames.Shutdown):
            self._worker.tasks.put(None)
        elif isinstance(message, frames.Cancel):
            for task in list(self._jobs.values()):
                task.stopped |= getattr(task.request, "job", None) == message.job
        else:
            task = Task(message, fd)
            if isinstance(message, frames.Job):
                self._jobs[message.id] = task
            self._worker.tasks.put(task)

    def _post(self, reply: frames.DeviceMessage, fd: int | None) -> None:
        """On the GPU thread."""
        if isinstance(reply, frames.Done | frames.Explained | frames.Failed):
            self._jobs.pop(reply.id, None)
        try:
            write(self._socket, reply, fd)
        except OSError:
            os._exit(0)  # the server is gone

    def _end(self) -> None:
        """On the GPU thread."""
        self._loop.call_soon_threadsafe(self._over.set_result, None)


def unsealed(kind: str) -> tuple[tuple[str, ...], str]:
    """No walls: for a host by itself, which has none."""
    return (), "the process was started without walls"


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent is gone, and go at once if it is gone already.

    Where the kernel does not do that, the process ends when its socket does, which takes its loop.
    """
    with contextlib.suppress(AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def main(argv: list[str], seal: SealProcess = unsealed) -> int:
    """Run the process on socket `argv[0]`, for parent `argv[1]`, with JSON settings `argv[2]`, behind `seal`."""
    die_with(int(argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the terminal is the server's to handle
    settings = msgspec.json.decode(argv[2], type=EngineSettings)
    sock = socket.socket(fileno=int(argv[0]))

    async def run() -> None:
        await Server(sock, settings, seal).serve()

    asyncio.run(run())
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # no finalisers: a driver may crash or hang in its own
