"""A moment that is moved with every request and hardly ever comes.

Owns the one timer: it is not made anew when the moment moves away, but looks at it when it rings, and goes on. Must not
know what is due.
"""

from __future__ import annotations

from collections.abc import Callable

from host.clock import Clock, Timer


class Deadline:
    """`passed` is called once for each moment that comes, with how many seconds ago that was."""

    def __init__(self, clock: Clock, passed: Callable[[float], None]) -> None:
        self._clock, self._passed = clock, passed
        self._due: float | None = None
        self._rings = 0.0
        self._timer: Timer | None = None

    def move(self, seconds: float) -> None:
        """The moment is so far from now, instead of what it was."""
        now = self._clock.now()
        self._due = now + seconds
        if self._timer is None or self._due < self._rings:
            self._wind(now)

    def lift(self) -> None:
        """There is none until the next `move`."""
        self._due = None

    def close(self) -> None:
        """Lift it and let go of the timer."""
        self.lift()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wind(self, now: float) -> None:
        assert self._due is not None
        if self._timer is not None:
            self._timer.cancel()
        self._rings = self._due
        self._timer = self._clock.call_later(self._due - now, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._due is None:
            return
        now = self._clock.now()
        if now < self._due:
            self._wind(now)
        else:
            due, self._due = self._due, None
            self._passed(now - due)
