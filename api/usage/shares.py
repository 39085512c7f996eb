"""Who had the device lately: the milliseconds of each owner in the last minute.

Owns the sums, in memory. Must not know what was computed.
"""

from __future__ import annotations

from collections import defaultdict, deque

from host.clock import Clock, LoopClock

MINUTE_S = 60.0
STEP_S = 1.0
"""What came within one is forgotten at once."""


class Shares:
    """The shares of all owners."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or LoopClock()
        self._steps: deque[tuple[float, dict[str, float]]] = deque()

    def add(self, owner: str, milliseconds: float) -> None:
        """The device worked so long for `owner`, until now."""
        now = self._clock.now()
        self._forget(now)
        if not self._steps or now - self._steps[-1][0] >= STEP_S:
            self._steps.append((now, defaultdict(float)))
        self._steps[-1][1][owner] += milliseconds

    def milliseconds(self) -> dict[str, float]:
        """By owner, those who had none left out."""
        self._forget(self._clock.now())
        total: dict[str, float] = {}
        for _, step in self._steps:
            for owner, milliseconds in step.items():
                total[owner] = total.get(owner, 0.0) + milliseconds
        return total

    def _forget(self, now: float) -> None:
        while self._steps and now - self._steps[0][0] >= MINUTE_S:
            self._steps.popleft()
