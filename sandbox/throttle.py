"""How much of the server's own time one worker may take.

Owns the account: what reading a worker's messages costs is measured, and beyond a burst it may be no more than a share
of the time that passes. Who is over it waits, so that a flood slows its sender down and nobody else. Must not know
messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

M = TypeVar("M")

BURST_S = 0.5
SHARE = 0.25
LONGEST_WAIT_S = 1.0


class Throttle:
    """The account of one worker. `clock` in seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began = clock()
        self._spent = 0.0

    def timed(self, messages: Iterator[M]) -> Iterator[M]:
        """`messages`, the time that each takes to come put on the account."""
        while True:
            began = self._clock()
            try:
                message = next(messages)
            except StopIteration:
                return
            finally:
                self._spent += self._clock() - began
            yield message

    def wait_s(self) -> float:
        """How long to read nothing, so that the account is even; at most `LONGEST_WAIT_S` at once."""
        allowed = BURST_S + SHARE * (self._clock() - self._began)
        return min(LONGEST_WAIT_S, max(0.0, self._spent - allowed) / SHARE)
