"""The device process that stands ready.

Owns when it is started, again and again, and hands it over when the one in use is gone. Must not know requests.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from host.child import Child
from host.clock import Clock, sleep
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate.device")

PAUSE_S = 0.5
"""Before a new spare is started: what waited for the old one comes first."""
_MOST_PAUSE_S = 60.0
"""After failures the pause doubles up to this."""


class Spare:
    """Keeps one process that `open` gives. Whoever sees a process exit asks `lost`."""

    def __init__(self, open: Callable[[], Awaitable[Child]], clock: Clock) -> None:
        self._open, self._clock = open, clock
        self._child: Child | None = None
        self._filler: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process that stands ready; None while there is none."""
        return None if self._child is None else self._child.pid

    def fill(self) -> None:
        """Begin to start a process, unless one stands ready or is being started."""
        if self._child is None and (self._filler is None or self._filler.done()):
            self._filler = asyncio.get_running_loop().create_task(self._fill())

    def take(self) -> Child | None:
        """The process that stands ready, if one does; it is the caller's from now."""
        child, self._child = self._child, None
        return child if child is not None and child.alive else None

    def lost(self, child: Child) -> bool:
        """Whether the process that has ended was the spare; another is started then."""
        if child is not self._child:
            return False
        self._child = None
        self.fill()
        return True

    async def close(self) -> None:
        """End the process, and start no more."""
        if self._filler is not None:
            self._filler.cancel()
            await asyncio.wait({self._filler})
        child, self._child = self._child, None
        if child is not None:
            await child.close()

    async def _fill(self) -> None:
        pause = PAUSE_S
        while self._child is None:
            await sleep(self._clock, pause)
            try:
                self._child = await self._open()
            except KernelgateError as error:
                pause = min(2 * pause, _MOST_PAUSE_S)
                log.warning("the spare device did not start (%s); next try in %g s", error, pause)
