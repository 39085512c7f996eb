"""Workers that wait for a job, and the zygote from which they come.

Owns how many there are, and the zygote's supervision: one that died, or has made its share, is replaced. Must not know
jobs, or what limits they have.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from sandbox.errors import WorkerCrashedError
from sandbox.walls.rlimits import WorkerLimits
from sandbox.worker_process import WorkerProcess
from sandbox.zygote_process import ZygoteProcess

_log = logging.getLogger("kernelgate.sandbox")
_TRIES = 3


class Stock:
    """Up to `size` ready workers; `command` starts the zygote, which makes `recycle_after` of them.

    `level`, `reason` and `modules` are what the zygote said of its workers: the level of their walls, why it is not a
    higher one, and what is loaded in them. `on_start` is called when one has said it.
    """

    def __init__(
        self, command: Sequence[str], size: int, recycle_after: int, on_start: Callable[[], None]
    ) -> None:
        self._command, self._size, self._recycle_after = command, size, recycle_after
        self._on_start = on_start
        self._zygote: ZygoteProcess | None = None
        self._retired: list[ZygoteProcess] = []
        self._ready: deque[WorkerProcess] = deque()
        self._starting = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._coming = 0
        self._closed = False
        self._base: int | None = None
        self.level = "process"
        self.reason = "the pool has not started"
        self.modules: tuple[str, ...] = ()

    @property
    def zygote_pid(self) -> int | None:
        """The process that was started, from which all workers come."""
        return None if self._zygote is None else self._zygote.pid

    def check_open(self) -> None:
        """Raise `WorkerCrashedError` once it was closed."""
        if self._closed:
            raise WorkerCrashedError("the pool of workers is closed")

    async def start(self) -> None:
        """Start the zygote and the first workers. Raises `WorkerCrashedError`."""
        await self.live_zygote()
        await asyncio.gather(*(self._add() for _ in range(self._size - len(self._ready))))

    async def close(self) -> None:
        """End every process, and wait until they are gone."""
        self._closed = True
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks))
        self._drop_ready()
        zygotes = [*self._retired, *([self._zygote] if self._zygote else [])]
        self._zygote = None
        self._retired.clear()
        for zygote in zygotes:
            await zygote.close()

    async def take(self, limits: WorkerLimits) -> WorkerProcess:
        """A worker with `limits` on it; `refill` after its job. Raises `WorkerCrashedError`."""
        for _ in range(_TRIES):
            worker = await self._living()
            try:
                worker.begin(limits, self._base)
            except OSError:  # it died while it waited
                worker.close()
                continue
            return worker
        raise WorkerCrashedError("workers die before their job")

    def refill(self) -> None:
        """Have workers made in place of those that were taken."""
        while not self._closed and len(self._ready) + self._coming < self._size:
            self._later(self._add())

    async def live_zygote(self) -> ZygoteProcess:
        """The zygote, or a new one. Raises `WorkerCrashedError`."""
        async with self._starting:
            self.check_open()
            old = self._zygote
            if old is not None and not old.died.is_set() and old.spawned < self._recycle_after:
                return old
            if old is not None:
                self._drop_ready()
                self._retired.append(old)
            zygote = ZygoteProcess(self._command)
            ready = await zygote.start()
            self._zygote, self._base = zygote, ready.base
            self.level, self.reason, self.modules = ready.level, ready.reason, ready.modules
            self._on_start()
            return zygote

    async def _living(self) -> WorkerProcess:
        """A living worker. Another takes its place after the job, as a fork beside it would slow it down; or at
        once, when few are left.
        """
        while self._ready:
            worker = self._ready.popleft()
            if worker.is_alive:
                if len(self._ready) < self._size // 2:
                    self.refill()
                return worker
            worker.close()
        try:
            worker = await (await self.live_zygote()).spawn()
        except WorkerCrashedError:  # the zygote died meanwhile: once more, with a new one
            worker = await (await self.live_zygote()).spawn()
        self.refill()
        return worker

    async def _add(self) -> None:
        """One more ready worker."""
        worker = await (await self.live_zygote()).spawn()
        if self._closed:
            worker.close()
            return
        self._ready.append(worker)
        await self._close_retired()

    async def _close_retired(self) -> None:
        """A zygote that was replaced lives as long as its last worker."""
        for zygote in [each for each in self._retired if each.died.is_set() or not each.living]:
            await zygote.close()
            self._retired = [each for each in self._retired if each is not zygote]

    def _drop_ready(self) -> None:
        while self._ready:
            self._ready.popleft().close()

    def _later(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._coming += 1
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._coming -= 1
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("a worker could not be made: %s", error)
