"""A clock that stands still, for what takes time from a `host.clock.Clock`."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable


class ManualTimer:
    """A call that waits for the clock."""

    def __init__(self, due: float, seconds: float, callback: Callable[[], None]) -> None:
        self.due, self.seconds, self.callback = due, seconds, callback
        self.live = True

    def __lt__(self, other: ManualTimer) -> bool:
        return self.due < other.due

    def cancel(self) -> None:
        self.live = False


class ManualClock:
    """Time that passes only by `advance`."""

    def __init__(self) -> None:
        self._now = 0.0
        self._timers: list[ManualTimer] = []
        self._added = asyncio.Event()

    def now(self) -> float:
        return self._now

    def call_later(self, seconds: float, callback: Callable[[], None]) -> ManualTimer:
        timer = ManualTimer(self._now + seconds, seconds, callback)
        heapq.heappush(self._timers, timer)
        self._added.set()
        return timer

    def advance(self, seconds: float) -> None:
        self._now += seconds
        while self._timers and self._timers[0].due <= self._now:
            timer = heapq.heappop(self._timers)
            if timer.live:
                timer.callback()

    async def timer_of(self, seconds: float) -> None:
        """Wait until a timer of exactly `seconds` runs."""
        while not any(timer.live and timer.seconds == seconds for timer in self._timers):
            self._added.clear()
            await self._added.wait()
