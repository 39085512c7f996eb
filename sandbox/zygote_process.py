"""The server's end of the zygote: starts it, asks it for workers, and hears how they ended.

Owns the process, its socket and the register of its workers. Must not know jobs or limits.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from sandbox.control import (
    MAX_MESSAGE,
    Exited,
    NotSpawned,
    Ready,
    Spawn,
    Spawned,
    ZygoteMessage,
    decode_zygote,
    encode,
)
from sandbox.errors import WorkerCrashedError
from sandbox.worker_process import WorkerProcess

START_S = 30.0
SPAWN_S = 10.0
END_S = 2.0
MAX_ASKED = 16


class ZygoteProcess:
    """One zygote. `died` is set when it is gone; a new one takes its place."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._control: socket.socket | None = None
        self._ready: asyncio.Future[Ready] | None = None
        self._waiting: deque[tuple[socket.socket, asyncio.Future[WorkerProcess]]] = deque()
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
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        self._control = ours
        self._ready = loop.create_future()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                str(theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                env=_environment(),
            )
        finally:
            theirs.close()
        loop.add_reader(ours.fileno(), self._read)
        try:
            async with asyncio.timeout(START_S):
                return await self._ready
        except TimeoutError:
            await self.close()
            raise WorkerCrashedError(f"the zygote was not ready within {START_S:g} s") from None
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
        if self._control is None or self.died.is_set():
            raise WorkerCrashedError("the zygote is not running")
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            socket.send_fds(self._control, [encode(Spawn())], [theirs.fileno()])
        except OSError as error:
            ours.close()
            raise WorkerCrashedError(f"the zygote can not be asked: {error}") from None
        finally:
            theirs.close()
        future: asyncio.Future[WorkerProcess] = asyncio.get_running_loop().create_future()
        self._waiting.append((ours, future))
        self.spawned += 1
        return future

    def _read(self) -> None:
        assert self._control is not None
        while not self.died.is_set():
            try:
                data, descriptors, _, _ = socket.recv_fds(self._control, MAX_MESSAGE, 1)
            except BlockingIOError:
                return
            except OSError:
                data, descriptors = b"", []
            if not data:
                self._lost()
                return
            try:
                self._handle(decode_zygote(data), descriptors)
            except (msgspec.DecodeError, IndexError):
                self._lost()

    def _handle(self, message: ZygoteMessage, descriptors: list[int]) -> None:
        match message:
            case Ready():
                if self._ready is not None and not self._ready.done():
                    self._ready.set_result(message)
            case Spawned(pid=pid):
                connection, future = self._waiting.popleft()
                worker = WorkerProcess(_outer_pid(descriptors[0], pid), descriptors[0], connection)
                self._workers[pid] = worker
                if future.done():
                    worker.kill()
                    worker.close()
                else:
                    future.set_result(worker)
            case NotSpawned(reason=reason):
                connection, future = self._waiting.popleft()
                connection.close()
                if not future.done():
                    future.set_exception(
                        WorkerCrashedError(f"no worker can be made now: {reason}", hint="Try again later.")
                    )
            case Exited(pid=pid):
                ended = self._workers.pop(pid, None)
                if ended is not None:
                    ended.ended(message.status, message.cpu_s, message.peak_bytes)

    def _lost(self) -> None:
        """The zygote is gone, and with it its workers."""
        if self._control is None or self.died.is_set():
            return
        self.died.set()
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._control.close()
        error = WorkerCrashedError("the process that makes workers died")
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(error)
        for connection, future in self._waiting:
            connection.close()
            if not future.done():
                future.set_exception(error)
                future.exception()  # it may be that nobody waits
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


def _outer_pid(handle: int, pid: int) -> int:
    """The pid here of the process behind a pidfd; inside its namespace it is called `pid`."""
    with open(f"/proc/self/fdinfo/{handle}", encoding="ascii") as info:
        found = re.search(r"^Pid:\s+(\d+)", info.read(), re.MULTILINE)
    return int(found.group(1)) if found and int(found.group(1)) > 0 else pid
