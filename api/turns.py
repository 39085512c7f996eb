"""Turns at something scarce: a bounded number at once, and owners one after the other.

Owns who waits and who is next. Must not know what the turns are for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator


class Turns:
    """At most `most` turns at once. The next is of the owner who has the fewest under way and, among those, who has
    waited longest for one: however much another asks for, who asks for one thing waits for one of each other's.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._under_way: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @contextlib.asynccontextmanager
    async def turn(self, owner: str) -> AsyncIterator[None]:
        """A block inside a turn of `owner`'s; an owner's turns are in the order in which they were asked for."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(mine)
        self._grant()
        try:
            await mine
            yield
        finally:
            if mine.cancelled():
                self._leave(owner, mine)
            else:
                self._under_way[owner] -= 1
                self._under_way += Counter()  # without those who have none
                self._free += 1
                if owner in self._waiting:
                    self._waiting[owner] = self._waiting.pop(owner)  # behind all who wait
                self._grant()

    def _grant(self) -> None:
        while self._free and self._waiting:
            owner = min(self._waiting, key=self._under_way.__getitem__)
            mine = self._waiting[owner].popleft()
            if not self._waiting[owner]:
                del self._waiting[owner]
            if not mine.cancelled():
                mine.set_result(None)
                self._free -= 1
                self._under_way[owner] += 1

    def _leave(self, owner: str, mine: asyncio.Future[None]) -> None:
        """A turn will not be taken."""
        with contextlib.suppress(KeyError, ValueError):  # its turn came, and it was gone
            self._waiting[owner].remove(mine)
            if not self._waiting[owner]:
                del self._waiting[owner]
