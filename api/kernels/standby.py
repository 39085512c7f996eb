"""A device process that is there when it is needed: started at the first use, ended when it was idle for a while.

Owns when it runs. Must not know what for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from api.background import later
from host.clock import Clock, LoopClock, Timer
from host.supervisor import Device


class Standby:
    """At most one device; `make` gives a new one, not started. It ends after `idle_s` seconds without a user."""

    def __init__(self, make: Callable[[], Device], idle_s: float, clock: Clock | None = None) -> None:
        self._make, self._idle_s = make, idle_s
        self._clock = clock or LoopClock()
        self._device: Device | None = None
        self._changing = asyncio.Lock()
        self._users = 0
        self._timer: Timer | None = None

    @property
    def device(self) -> Device | None:
        """The device; None while there is none."""
        return self._device

    @contextlib.asynccontextmanager
    async def borrow(self) -> AsyncIterator[Device]:
        """The device, started. Raises why it does not start."""
        self._users += 1
        self._stop_timer()
        try:
            yield await self._ready()
        finally:
            self._users -= 1
            if not self._users:
                self._stop_timer()
                self._timer = self._clock.call_later(self._idle_s, self._retire)

    async def close(self) -> None:
        """End the process; it is gone then, whoever began to end it."""
        self._stop_timer()
        async with self._changing:
            device, self._device = self._device, None
            if device is not None:
                await device.close()

    async def _ready(self) -> Device:
        async with self._changing:
            if self._device is None:
                device = self._make()
                await device.start()
                self._device = device
            return self._device

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _retire(self) -> None:
        later(self._close_if_idle(), "closing a device that was idle")

    async def _close_if_idle(self) -> None:
        if not self._users:
            await self.close()
