"""A part of the server on its way up: started again and again until it is up.

Owns when the next try comes, and from when on whoever needs the part is refused. Must not know what it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from api.errors import DeviceUnavailable
from host.clock import Clock, LoopClock, sleep
from host.errors import AdapterNotFound
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate")

TRIES = 3
"""That fail in a row before requests are refused at once."""
PAUSE_S, MOST_PAUSE_S = 0.25, 30.0
"""After the first try that failed; after each further one it is twice as long, up to the second."""


class Start:
    """The start of the part `name`, which `attempt` tries once. `clock` is what pauses are measured by."""

    def __init__(
        self, name: str, attempt: Callable[[], Awaitable[object]], clock: Clock | None = None
    ) -> None:
        self.name = name
        self.up = False
        self.error: Exception | None = None
        self._attempt, self._clock = attempt, clock or LoopClock()
        self._settled = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    async def settled(self) -> None:
        """Return when the part is up, or requests are refused."""
        await self._settled.wait()

    async def wait(self, seconds: float) -> None:
        """Return when the part is up. Raises `DeviceUnavailable` when it is not in time, or requests are refused."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.settled()
        if self.error is not None:
            hint = getattr(self.error, "hint", None)
            raise DeviceUnavailable(f"the {self.name} did not start: {self.error}", hint=hint)
        if not self.up:
            raise DeviceUnavailable(f"the {self.name} did not start within {seconds:g} s")

    async def stop(self) -> None:
        """Try no more."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        failures = 0
        while not self.up:
            try:
                await self._attempt()
            except (KernelgateError, OSError) as error:
                failures += 1
                hint = getattr(error, "hint", None)
                log.error("%s: %s%s", self.name, error, f" ({hint})" if hint else "")
                if isinstance(error, AdapterNotFound):
                    self._settle(error)
                    return
                if failures >= TRIES:
                    self._settle(error)
                await sleep(self._clock, min(PAUSE_S * 2 ** (failures - 1), MOST_PAUSE_S))
            else:
                self.up = True
                self._settle(None)

    def _settle(self, error: Exception | None) -> None:
        self.error = error
        self._settled.set()
