"""Whose turn it is: deficit round robin among owners, on measured time.

Owns the queues and each owner's credit. Must not know what work is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import filterfalse
from typing import Generic, TypeVar

T = TypeVar("T")

_QUANTUM_MS = 5.0
"""The credit of a turn: less than a slice, so that an owner of long slices takes one a turn and then waits."""

_LEAST_MS = 0.01
"""What a step counts at least, so that no owner has the device for nothing."""


class Scheduler(Generic[T]):
    """Work of several owners that can be done in steps; each owner's is done in order.

    Owners stand in a ring. Whose turn it is takes steps while there is credit left; what a step took is known only
    afterwards, so credit may fall below 0, a debt. At the end of a turn the owner goes behind the others with one
    quantum more, and passes as many turns as the debt is worth (M. Shreedhar and G. Varghese, Efficient fair queuing
    using deficit round robin, 1996).

    Who comes anew has the first turn after the step in hand, not the last of the round, and goes through the ring
    before being forgotten, so that nobody becomes new by leaving and coming back at once (RFC 8290, section 4.2).
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[T]] = {}
        self._credit: dict[str, float] = {}
        self._new: deque[str] = deque()
        self._ring: deque[str] = deque()

    def __bool__(self) -> bool:
        """Whether there is work."""
        return bool(self._queues)

    def __len__(self) -> int:
        """How many pieces of work there are."""
        return sum(len(queue) for queue in self._queues.values())

    def __iter__(self) -> Iterator[T]:
        """All work, the first of each owner first."""
        return (work for queue in self._queues.values() for work in queue)

    def add(self, owner: str, work: T, spent_ms: float = 0.0) -> None:
        """Put `work` behind the owner's other work; to begin it took `spent_ms`."""
        if owner not in self._credit:
            self._credit[owner] = _QUANTUM_MS
            self._new.append(owner)
        self._credit[owner] -= spent_ms
        self._queues.setdefault(owner, deque()).append(work)

    def next(self) -> tuple[str, T]:
        """The owner whose turn it is, and the work to take a step of. There must be work."""
        while True:
            turns = self._new or self._ring
            owner = turns[0]
            if self._credit[owner] <= 0:
                self._credit[owner] += _QUANTUM_MS
            elif owner in self._queues:
                return owner, self._queues[owner][0]
            elif turns is self._ring:
                del self._credit[owner]
            turns.popleft()
            if owner in self._credit:
                self._ring.append(owner)

    def stepped(self, owner: str, elapsed_ms: float, is_over: bool) -> None:
        """The step of the owner's first work took `elapsed_ms`; `is_over`: it was the last."""
        self._credit[owner] -= max(elapsed_ms, _LEAST_MS)
        if is_over:
            self._queues[owner].popleft()
            if not self._queues[owner]:
                del self._queues[owner]
        self._settle()

    def take_out(self, wanted: Callable[[T], bool]) -> list[T]:
        """Remove all work that is `wanted`, out of turn."""
        taken = [work for work in self if wanted(work)]
        if taken:
            left = {owner: deque(filterfalse(wanted, queue)) for owner, queue in self._queues.items()}
            self._queues = {owner: queue for owner, queue in left.items() if queue}
        self._settle()
        return taken

    def _settle(self) -> None:
        """When nobody waits, all are even."""
        if not self._queues:
            for accounts in (self._credit, self._new, self._ring):
                accounts.clear()
