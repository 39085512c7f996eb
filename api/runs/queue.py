"""The queue of runs: which of those that wait runs next, so that no key starves another.

Owns the places in which runs run, how many runs may wait, and the measure by which keys are equal: the time that
their runs have held places. Must not know what a run is.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator

from api.errors import KeyQueueFull, QueueFull
from host.clock import Clock, LoopClock

MOST_DEBT_S = 60.0
"""How far a key may fall behind others for what it has used: whoever has used more waits no longer for that."""


class Ticket:
    """A run of `key` that waits, runs or is over."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.since: float | None = None


class FairQueue:
    """At most `places` runs at once, and at most `most` that wait, `most_of_key` of them of one key.

    The next is of the key that has the fewest under way; among those, of the one whose runs have held places for the
    shortest time, those of the last minute counted; a key's own are in order. The last free place is only for a key
    that has none: however many runs a key has, and however long they are, another's first run starts at once.
    """

    def __init__(self, places: int, most: int, most_of_key: int, clock: Clock | None = None) -> None:
        self._places = places
        self._free = places
        self._most = most
        self._most_of_key = most_of_key
        self._clock = clock or LoopClock()
        self._waiting: dict[str, deque[Ticket]] = {}
        self._under_way: Counter[str] = Counter()
        self._used: dict[str, float] = {}
        self._floor = 0.0
        self._closed = False

    @property
    def length(self) -> int:
        """How many runs wait."""
        return sum(map(len, self._waiting.values()))

    def check(self, key: str) -> None:
        """Raise `QueueFull` or `KeyQueueFull` unless one more run of `key` may wait."""
        if self.length >= self._most:
            raise QueueFull(
                f"{self.length} runs are waiting, the most that this server keeps", hint="Try again later."
            )
        if len(self._waiting.get(key, ())) >= self._most_of_key:
            raise KeyQueueFull(
                f"{self._most_of_key} runs of this key are waiting, the most that this server keeps of one",
                hint="Wait until some of them have ended.",
            )

    def join(self, key: str) -> Ticket:
        """A ticket for one more run of `key`, behind its others."""
        ticket = Ticket(key)
        self._used[key] = max(self._used.get(key, 0.0), self._floor)
        self._waiting.setdefault(key, deque()).append(ticket)
        self._call()
        return ticket

    @contextlib.asynccontextmanager
    async def place(self, ticket: Ticket) -> AsyncIterator[None]:
        """A block in a place, once its turn has come."""
        try:
            await ticket.called
            yield
        finally:
            self._leave(ticket)

    def position(self, ticket: Ticket) -> int | None:
        """Its place in the queue, from 1, if keys take turns and nobody joins or leaves; None when it does not wait."""
        mine = self._waiting.get(ticket.key, deque())
        if ticket not in mine:
            return None
        ahead, place = mine.index(ticket), 1
        before = 1
        for key in sorted(self._waiting, key=self._rank):
            if key == ticket.key:
                place, before = place + ahead, 0
            else:
                place += min(len(self._waiting[key]), ahead + before)
        return place

    def close(self) -> None:
        """Call nobody any more."""
        self._closed = True

    def _rank(self, key: str) -> tuple[int, float]:
        return self._under_way[key], self._used[key]

    def _call(self) -> None:
        """Fill the free places."""
        while self._free and self._waiting and not self._closed:
            key = min(self._waiting, key=self._rank)
            if self._under_way[key] and self._free == 1 < self._places:
                return
            ticket = self._remove(key)
            if ticket.called.cancelled():  # and leaves in a moment
                continue
            self._free -= 1
            self._under_way[key] += 1
            self._floor = max(self._floor, self._used[key])
            ticket.since = self._clock.now()
            ticket.called.set_result(None)

    def _remove(self, key: str) -> Ticket:
        ticket = self._waiting[key].popleft()
        queue = self._waiting.pop(key)
        if queue:
            self._waiting[key] = queue  # behind all who are its equals
        return ticket

    def _leave(self, ticket: Ticket) -> None:
        """A run is over, or waits no more."""
        key = ticket.key
        if ticket.since is None:
            with contextlib.suppress(KeyError, ValueError):  # its turn came, and it was gone
                self._waiting[key].remove(ticket)
                if not self._waiting[key]:
                    del self._waiting[key]
        else:
            self._free += 1
            self._under_way[key] -= 1
            self._under_way += Counter()  # without those who have none
            used = self._used[key] + self._clock.now() - ticket.since
            self._used[key] = min(used, self._floor + MOST_DEBT_S)
        self._forget()
        self._call()

    def _forget(self) -> None:
        """What a key has used counts until the others have caught up."""
        active = {*self._waiting, *self._under_way}
        self._used = {key: used for key, used in self._used.items() if key in active or used > self._floor}
