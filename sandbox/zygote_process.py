"""The server's end of the zygote: starts it, asks it for workers, and hears how they ended.

Owns the process, its socket and the register of its workers. Must not know jobs or limits.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from ops.wire import FrameError
from sandbox.control import Channel, Exited, Kill, NotSpawned, Ready, Spawn, Spawned, ZygoteMessage
from sandbox.errors import WorkerCrashedError
from sandbox.handles import ByParent, Handle, PidFd
from sandbox.worker_process import WorkerProcess

START_S = 30.0
SPAWN_S = 10.0
END_S = 2.0
MAX_ASKED = 16


class _Asked(NamedTuple):
    """A worker that was asked for. Its end of the socket stays open here until the zygote has answered: macOS may close
    a descriptor whose sender closes it while it is under way."""

    ours: socket.socket
    theirs: socket.socket
    future: asyncio.Future[WorkerProcess]

    def refuse(self, error: WorkerCrashedError) -> None:
        self.ours.close()
        self.theirs.close()
        if not self.future.done():
            self.future.set_exception(error)
            self.future.exception()  # it may be that nobody waits


class ZygoteProcess:
    """One zygote. `died` is set when it is gone; a new one takes its place."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._channel: Channel[ZygoteMessage] | None = None
        self._ready: asyncio.Future[Ready] | None = None
        self._waiting: deque[_Asked] = deque()
        self._workers: dict[int, WorkerProcess] = {}
        self._askers = asyncio.Semaphore(MAX_ASKED)
        self.died = asyncio.Event()
        self.spawned = 0

    @property
    def pid(self) -> int | None:
        """The process that was started."""
        return None if self._process is None else self._process.pid

    @property
    def living(self) -> int:
        """The workers that have not ended yet."""
        return len(self._workers)

    async def start(self) -> Ready:
        """Start the process; what it says when it is warm. Raises `WorkerCrashedError` when it does not get there."""
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._channel = Channel(ours, ZygoteMessage)
        self._ready = loop.create_future()
        loop.add_reader(ours, self._read)
        try:
            with theirs:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    str(theirs.fileno()),
                    pass_fds=(theirs.fileno(),),
                    stdin=asyncio.subprocess.DEVNULL,
                    start_new_session=True,
                    env=_environment(),
                )
            async with asyncio.timeout(START_S):
                return await self._ready
        except TimeoutError:
            await self.close()
            raise WorkerCrashedError(f"the zygote was not ready within {START_S:g} s") from None
        except OSError as error:
            await self.close()
            raise WorkerCrashedError(f"the zygote cannot be started: {error}") from None
        except BaseException:
            await self.close()
            raise

    async def spawn(self) -> WorkerProcess:
        """A new worker. Raises `WorkerCrashedError` when the zygote dies before it answers, or is too slow."""
        async with self._askers:
            future = self._ask()
            try:
                async with asyncio.timeout(SPAWN_S):
                    return await future
            except TimeoutError:
                _drop(future)
                raise WorkerCrashedError(f"the zygote made no worker within {SPAWN_S:g} s") from None
            except asyncio.CancelledError:
                _drop(future)
                raise

    def _ask(self) -> asyncio.Future[WorkerProcess]:
        if self._channel is None or self.died.is_set():
            raise WorkerCrashedError("the zygote is not running")
        asked = _Asked(*socket.socketpair(), asyncio.get_running_loop().create_future())
        asked.ours.setblocking(False)
        try:
            self._channel.send(Spawn(), asked.theirs.fileno())
        except OSError as error:
            asked.refuse(WorkerCrashedError(f"the zygote cannot be asked: {error}"))
            return asked.future
        self._waiting.append(asked)
        self.spawned += 1
        return asked.future

    def _read(self) -> None:
        assert self._channel is not None
        try:
            for message, descriptor in self._channel.receive():
                self._handle(message, descriptor)
        except BlockingIOError:
            pass
        except (OSError, EOFError, FrameError):
            self._lost()

    def _handle(self, message: ZygoteMessage, descriptor: int | None) -> None:
        match message:
            case Ready():
                if self._ready is not None and not self._ready.done():
                    self._ready.set_result(message)
            case Spawned(pid=pid):
                self._deliver(
                    pid, ByParent(pid, self._kill) if descriptor is None else PidFd(descriptor, pid)
                )
            case NotSpawned(reason=reason):
                self._next_asked().refuse(
                    WorkerCrashedError(f"no worker can be made now: {reason}", hint="Try again later.")
                )
            case Exited(pid=pid):
                ended = self._workers.pop(pid, None)
                if ended is not None:
                    ended.ended(message.status, message.cpu_s, message.peak_bytes)

    def _next_asked(self) -> _Asked:
        if not self._waiting:
            raise FrameError("the zygote answered what it was not asked")
        return self._waiting.popleft()

    def _deliver(self, pid: int, handle: Handle) -> None:
        try:
            asked = self._next_asked()
        except FrameError:
            handle.close()
            raise
        asked.theirs.close()
        worker = self._workers[pid] = WorkerProcess(handle, asked.ours)
        if asked.future.done():
            worker.close()
        else:
            asked.future.set_result(worker)

    def _kill(self, pid: int) -> None:
        """Have the zygote kill a worker; without a zygote it has ended, or is about to (`keeper.py`)."""
        if self._channel is None or self.died.is_set():
            return
        try:
            self._channel.send(Kill(pid))
        except OSError:
            self._lost()

    def _lost(self) -> None:
        """The zygote is gone, and with it its workers."""
        if self._channel is None or self.died.is_set():
            return
        self.died.set()
        asyncio.get_running_loop().remove_reader(self._channel)
        self._channel.close()
        error = WorkerCrashedError("the process that makes workers died")
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(error)
            self._ready.exception()  # it may be that nobody waits
        for asked in self._waiting:
            asked.refuse(error)
        self._waiting.clear()
        for worker in self._workers.values():
            worker.kill()
            worker.ended(None)
        self._workers.clear()

    async def close(self) -> None:
        """End the zygote and all its workers, and wait until it is reaped."""
        self._lost()
        if self._process is None:
            return
        for end in (self._process.terminate, self._process.kill):  # the keeper reaps what it can at the first
            try:
                async with asyncio.timeout(END_S):  # it ends by itself when its socket does
                    await self._process.wait()
                return
            except TimeoutError:
                with suppress(ProcessLookupError):
                    end()
        await self._process.wait()


def _drop(asked: asyncio.Future[WorkerProcess]) -> None:
    """Let go of a worker that came in the same turn of the loop in which nobody wanted it any more."""
    if asked.done() and not asked.cancelled() and asked.exception() is None:
        asked.result().close()


def _environment() -> dict[str, str]:
    """Nothing of the server's environment reaches a worker, but for where Python finds its libraries."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "PYTHONHASHSEED") if name in os.environ
    }
    return {"LANG": "C.UTF-8", **kept}
