"""Time, so that tests can give their own.

Owns the two things that the supervisor asks of time: what it is, and to be called later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that has not happened yet."""

    def cancel(self) -> None:
        """Make it never happen."""


class Clock(Protocol):
    """Where time comes from, in seconds."""

    def now(self) -> float:
        """Seconds since some fixed moment."""

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` on the event loop when `seconds` have passed."""


class LoopClock:
    """The real time of the running event loop."""

    def now(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` from the running loop."""
        return asyncio.get_running_loop().call_later(seconds, callback)


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait until `seconds` have passed on `clock`."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake() -> None:
        if not done.done():
            done.set_result(None)

    timer = clock.call_later(seconds, wake)
    try:
        await done
    finally:
        timer.cancel()
