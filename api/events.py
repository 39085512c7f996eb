"""The events of a run: kept in order, followed while it lasts, stored, replayed.

Owns numbering (from 1), the cap on how many are stored, and the wait for the next one. Must not know SSE.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import sqlalchemy as sa
from pydantic_core import to_json

from api import tables
from api.ids import now

FINAL = "result"
_INSERT = sa.insert(tables.events)


class Event(msgspec.Struct, frozen=True):
    """Something that happened: `type` is status, output, progress, gate or result; `data` is JSON."""

    seq: int
    type: str
    data: str
    at: str


class EventLog:
    """The events of a live run. Beyond `cap` only status and result are still added; output stays in the run."""

    def __init__(self, cap: int) -> None:
        self._events: list[Event] = []
        self._cap = cap
        self._stored = 0
        self._closed = False
        self._changed = asyncio.Event()

    def add(self, type: str, data: dict[str, Any]) -> None:
        """Append an event."""
        if len(self._events) >= self._cap and type in ("output", "progress", "gate"):
            return
        self._append(type, to_json(data).decode())
        if len(self._events) == self._cap:
            note = {
                "status": "running",
                "note": f"further output, progress and requests are not in the events (over {self._cap})",
            }
            self._append("status", to_json(note).decode())

    def close(self, result: str) -> None:
        """Append the last event, `result`, which holds the run's document as JSON."""
        self._append(FINAL, result)
        self._closed = True

    def _append(self, type: str, data: str) -> None:
        self._events.append(Event(len(self._events) + 1, type, data, now()))
        self._changed.set()
        self._changed = asyncio.Event()

    def take_unstored(self) -> list[Event]:
        """The events since the last call, for the database."""
        fresh = self._events[self._stored :]
        self._stored = len(self._events)
        return fresh

    async def follow(self, after: int) -> AsyncIterator[Event]:
        """Events beyond number `after`, as they come, to the last."""
        while True:
            for event in self._events[after:]:
                after = event.seq
                yield event
            if self._closed and after >= len(self._events):
                return
            if after >= len(self._events):
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


def select_events(db: sa.Connection, run_id: str, after: int, limit: int) -> list[Event]:
    """At most `limit` stored events beyond number `after`."""
    c = tables.events.c
    query = (
        sa.select(c.seq, c.type, c.data, c.at)
        .where(c.run_id == run_id, c.seq > after)
        .order_by(c.seq)
        .limit(limit)
    )
    return [Event(*row) for row in db.execute(query)]
