"""Whose turn it is: start-time fair queueing among owners, on measured time.

Owns the queues. Each owner's work is done in order; between owners, the next step is of the one who had the least
time, so that in the long run all have the same, and one who comes waits for the step in hand alone. Must not know what
work is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import filterfalse
from typing import Generic, TypeVar

T = TypeVar("T")

_LEAST_MS = 0.01
"""What a step counts at least, so that no owner has the device for nothing."""


class Scheduler(Generic[T]):
    """Work of several owners that can be done in steps.

    `_had` is the time of each owner, counted from a beginning that moves (`_now`): who comes anew, or was away, starts
    there, and not with all the time that others had meanwhile.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[T]] = {}
        self._had: dict[str, float] = {}
        self._now = 0.0

    def __bool__(self) -> bool:
        """Whether there is work."""
        return bool(self._queues)

    def __len__(self) -> int:
        """How many pieces of work there are."""
        return sum(len(queue) for queue in self._queues.values())

    def __iter__(self) -> Iterator[T]:
        """All work, the first of each owner first."""
        return (work for queue in self._queues.values() for work in queue)

    def add(self, owner: str, work: T) -> None:
        """Put `work` behind the owner's other work."""
        if owner not in self._queues:
            self._queues[owner] = deque()
            self._had[owner] = max(self._had.get(owner, self._now), self._now)
        self._queues[owner].append(work)

    def next(self) -> tuple[str, T]:
        """The owner whose turn it is, and the work to take a step of. There must be work."""
        owner = min(self._queues, key=self._had.__getitem__)
        self._now = self._had[owner]
        return owner, self._queues[owner][0]

    def stepped(self, owner: str, elapsed_ms: float, is_over: bool) -> None:
        """The step of the owner's first work took `elapsed_ms`; `is_over`: it was the last."""
        self._had[owner] += max(elapsed_ms, _LEAST_MS)
        if is_over:
            self._queues[owner].popleft()
            if not self._queues[owner]:
                del self._queues[owner]
                self._forget()

    def take_out(self, wanted: Callable[[T], bool]) -> list[T]:
        """Remove all work that is `wanted`, out of turn."""
        taken = [work for work in self if wanted(work)]
        if taken:
            left = {owner: deque(filterfalse(wanted, queue)) for owner, queue in self._queues.items()}
            self._queues = {owner: queue for owner, queue in left.items() if queue}
            self._forget()
        return taken

    def _forget(self) -> None:
        """Keep no account of who has no work and had no more than others, nor of anybody when nobody waits."""
        if not self._queues:
            self._now = max(self._had.values())
            self._had.clear()
        for owner in [owner for owner, had in self._had.items() if had <= self._now]:
            if owner not in self._queues:
                del self._had[owner]
