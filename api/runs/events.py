"""The events of a run: kept in order, followed while it lasts, stored, replayed.

Owns numbering (from 1), the cap on how many are stored, how many are handed out at once, and the wait for the next one.
Must not know SSE.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import msgspec
import sqlalchemy as sa

from api.ids import now
from api.storage import tables

FINAL = "result"
PAGE_EVENTS = 1000
PAGE_BYTES = 1 << 18
_INSERT = sa.insert(tables.events)


class Event(msgspec.Struct, frozen=True):
    """Something that happened: `type` is status, output, progress, gate or result; `data` is JSON."""

    seq: int
    type: str
    data: str
    at: str


class EventLog:
    """The events of a live run. Beyond `cap` only status and result are still added; output stays in the run.

    `stored` are those of a run that is taken up again.
    """

    def __init__(self, cap: int, stored: Iterable[Event] = ()) -> None:
        self._events = list(stored)
        self._cap = cap
        self._stored = len(self._events)
        self._closed = False
        self._left = False
        self._changed = asyncio.Event()

    def add(self, type: str, data: dict[str, Any]) -> None:
        """Append an event."""
        if len(self._events) >= self._cap and type in ("output", "progress", "gate"):
            return
        self._append(type, msgspec.json.encode(data).decode())
        if len(self._events) == self._cap:
            note = {
                "status": "running",
                "note": f"further output, progress and requests are not in the events (over {self._cap})",
            }
            self._append("status", msgspec.json.encode(note).decode())

    def close(self, result: str) -> None:
        """Append the last event, `result`, which holds the run's document as JSON."""
        self._append(FINAL, result)
        self._closed = True

    def leave(self) -> None:
        """No more events come from here: who follows is not kept, and finds the rest later."""
        self._left = True
        self._changed.set()

    def _append(self, type: str, data: str) -> None:
        self._events.append(Event(len(self._events) + 1, type, data, now()))
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def all(self) -> list[Event]:
        """Every event so far."""
        return self._events

    def unstored(self) -> list[Event]:
        """The events that the database does not have."""
        return self._events[self._stored :]

    def mark_stored(self, events: list[Event]) -> None:
        """The database has `events`, which `unstored` gave."""
        self._stored += len(events)

    async def follow(self, after: int) -> AsyncIterator[list[Event]]:
        """Events beyond number `after`, as they come, in pages, to the last, which is there whatever `after` is.

        Without it, it ends when the log was left.
        """
        while True:
            if self._closed:
                after = min(after, len(self._events) - 1)
            while after < len(self._events):
                page = _page(self._events[after : after + PAGE_EVENTS])
                after = page[-1].seq
                yield page
            if self._closed or self._left:
                return
            await self._changed.wait()


def insert_events(db: sa.Connection, run_id: str, events: list[Event]) -> None:
    """Store events. That of the result is stored empty: the run's record holds it."""
    rows = [
        {
            "run_id": run_id,
            "seq": event.seq,
            "type": event.type,
            "data": "" if event.type == FINAL else event.data,
            "at": event.at,
        }
        for event in events
    ]
    if rows:
        db.execute(_INSERT, rows)


def _page(events: Iterable[Event]) -> list[Event]:
    """The first of `events`, until they are `PAGE_EVENTS` or have `PAGE_BYTES` of data."""
    page: list[Event] = []
    size = 0
    for event in events:
        page.append(event)
        size += len(event.data)
        if size >= PAGE_BYTES or len(page) == PAGE_EVENTS:
            break
    return page


def last_event(db: sa.Connection, run_id: str) -> int:
    """The number of the last stored event, 0 when there is none."""
    c = tables.events.c
    return db.execute(sa.select(sa.func.max(c.seq)).where(c.run_id == run_id)).scalar() or 0


def select_events(db: sa.Connection, run_id: str, after: int) -> list[Event]:
    """A page of the stored events beyond number `after`."""
    c = tables.events.c
    query = (
        sa.select(c.seq, c.type, c.data, c.at)
        .where(c.run_id == run_id, c.seq > after)
        .order_by(c.seq)
        .limit(PAGE_EVENTS)
        .execution_options(stream_results=True, max_row_buffer=100)
    )
    with db.execute(query) as rows:
        return _page(Event(*row) for row in rows)
