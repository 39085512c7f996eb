"""Whose turn it is: deficit round robin among owners, on measured time.

Owns the queues. Each owner's work is done in order; between owners, each gets `quantum_ms` a round, and what a step
took beyond that is owed. Must not know what work is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Scheduler(Generic[T]):
    """Work of several owners that can be done in steps."""

    def __init__(self, quantum_ms: float) -> None:
        self._quantum_ms = quantum_ms
        self._queues: dict[str, deque[T]] = {}
        self._credit_ms: dict[str, float] = {}
        self._ring: deque[str] = deque()

    def __bool__(self) -> bool:
        """Whether there is work."""
        return bool(self._ring)

    def __len__(self) -> int:
        """How many pieces of work there are."""
        return sum(len(queue) for queue in self._queues.values())

    def __iter__(self) -> Iterator[T]:
        """All work, the first of each owner first."""
        return (work for queue in self._queues.values() for work in queue)

    def add(self, owner: str, work: T) -> None:
        """Put `work` behind the owner's other work. An owner who had none comes last."""
        if owner not in self._queues:
            self._queues[owner] = deque()
            self._credit_ms[owner] = 0.0
            self._ring.append(owner)
        self._queues[owner].append(work)

    def next(self) -> tuple[str, T]:
        """The owner whose turn it is, and the work to take a step of. There must be work."""
        while self._credit_ms[self._ring[0]] < 0:
            self._credit_ms[self._ring[0]] += self._quantum_ms
            self._ring.rotate(-1)
        return self._ring[0], self._queues[self._ring[0]][0]

    def stepped(self, owner: str, elapsed_ms: float, is_over: bool) -> None:
        """The step of the owner's first work took `elapsed_ms`; `is_over`: it was the last."""
        self._credit_ms[owner] -= elapsed_ms
        if is_over:
            self._queues[owner].popleft()
            if not self._queues[owner]:
                del self._queues[owner], self._credit_ms[owner]
                self._ring.remove(owner)
                return
        if self._credit_ms[owner] < 0 and self._ring[0] == owner:
            self._credit_ms[owner] += self._quantum_ms
            self._ring.rotate(-1)
