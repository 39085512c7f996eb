"""Work that nobody waits for: once, or again and again.

Owns the references that keep it alive, and what becomes of its errors. Must not know what it does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from host.clock import Clock, LoopClock, sleep
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate")
_tasks: set[asyncio.Task[None]] = set()


def later(work: Coroutine[Any, Any, None], what: str) -> None:
    """Do `work` without waiting for it. That `what` failed goes to the log: a device was lost, and others say so."""
    task = asyncio.get_running_loop().create_task(work)
    _tasks.add(task)

    def forget(task: asyncio.Task[None]) -> None:
        _tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.warning("%s failed: %s", what, task.exception())

    task.add_done_callback(forget)


class Recurrent:
    """`work`, every `seconds` from `start` to `stop`, also `at_once` if so. That `what` failed goes to the log, and no
    failure ends it: the next time it is tried again.
    """

    def __init__(
        self,
        work: Callable[[], Awaitable[object]],
        seconds: float,
        what: str,
        clock: Clock | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        self._work, self._seconds, self._what, self._at_once = work, seconds, what, at_once
        self._clock = clock or LoopClock()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._go_on())

    async def stop(self) -> None:
        """End, in the midst of it if need be."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            self._task = None

    async def _go_on(self) -> None:
        if self._at_once:
            await self._try()
        while True:
            await sleep(self._clock, self._seconds)
            await self._try()

    async def _try(self) -> None:
        try:
            await self._work()
        except KernelgateError as error:
            log.error("%s failed, and is tried again: %s", self._what, error)
        except Exception:
            log.exception("%s failed unexpectedly, and is tried again", self._what)
