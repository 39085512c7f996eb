"""Live runs: those that wait or run, and those whose end is not stored yet.

Owns when their events and ends go to the database, again and again until they are there. Must not know how a run is
executed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import sqlalchemy as sa

from api.auth.identity import Identity
from api.background import Recurrent
from api.runs import records
from api.runs.events import Event, EventLog, insert_events
from api.runs.queue import Ticket
from api.runs.records import RunRecord
from api.runs.services import RunServices
from api.runs.submission import Submission
from api.storage.database import Database

log = logging.getLogger("kernelgate")
FLUSH_S = 0.5


@dataclass(eq=False, slots=True)
class LiveRun:
    """A run that is queued or running. `done` is set once its end is stored."""

    record: RunRecord
    identity: Identity
    submission: Submission
    events: EventLog
    ticket: Ticket
    place: Callable[[], int | None]
    done: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    services: RunServices | None = None
    stop: tuple[str, str] | None = None

    def marks(self) -> dict[str, str]:
        """See `logs.Subject`."""
        return {"run_id": self.record.id, "key_id": self.identity.key_id}

    def document(self) -> bytes:
        """The run as it is now, as JSON."""
        if self.services is not None and self.record.live:
            self.record.stdout, self.record.stderr = self.services.stdout, self.services.stderr
        return self.record.document(self.place())


class LiveRuns:
    """The live runs of a server, by id. Between `start` and `stop` their events are stored from time to time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._all: dict[str, LiveRun] = {}
        self._unstored: dict[str, LiveRun] = {}
        self._flushing = asyncio.Lock()
        self._flusher = Recurrent(self._store, FLUSH_S, "storing events and ends of runs")

    def __len__(self) -> int:
        """How many there are."""
        return len(self._all)

    def __iter__(self) -> Iterator[LiveRun]:
        """Those of this moment."""
        return iter(list(self._all.values()))

    def get(self, run_id: str) -> LiveRun | None:
        """The live run of an id."""
        return self._all.get(run_id)

    def add(self, live: LiveRun) -> None:
        """A run begins to wait."""
        self._all[live.record.id] = live

    def drop(self, live: LiveRun) -> None:
        """A run is stored, or never was taken, or is left to the next server."""
        del self._all[live.record.id]

    def start(self) -> None:
        """Begin to store events."""
        self._flusher.start()

    async def stop(self) -> None:
        """Store no more from time to time, but once more the ends that could not be stored."""
        await self._flusher.stop()
        await self._store_ends()

    async def end(self, live: LiveRun) -> None:
        """Store the end of a run, whose events are complete; while that fails it stays live, and is tried again."""
        async with self._flushing:  # what it has of this run's events must not be stored twice
            pass
        await self._store_end(live)

    async def _store_end(self, live: LiveRun) -> None:
        events = live.events.unstored()
        try:
            await self._database.do(lambda db: records.update_run(db, live.record, events))
        except Exception as error:
            if live.record.id not in self._unstored:
                log.error("the end of run %s could not be stored yet: %s", live.record.id, error)
            self._unstored[live.record.id] = live
        else:
            self._unstored.pop(live.record.id, None)
            self.drop(live)

    async def _store_ends(self) -> None:
        for live in list(self._unstored.values()):
            await self._store_end(live)
            if live.record.id in self._unstored:
                return

    async def _flush(self) -> None:
        """Store the events of runs that go on."""
        async with self._flushing:
            lives = [live for live in self if live.record.live]
            fresh = {live.record.id: live.events.unstored() for live in lives}
            if not any(fresh.values()):
                return
            try:
                await self._database.do(partial(_insert_all, fresh=fresh))
            except Exception as error:
                log.error("events could not be stored yet: %s", error)
                return
            for live in lives:
                live.events.mark_stored(fresh[live.record.id])

    async def _store(self) -> None:
        """Store what waits for it."""
        await self._flush()
        await self._store_ends()


def _insert_all(db: sa.Connection, fresh: dict[str, list[Event]]) -> None:
    for run_id, events in fresh.items():
        insert_events(db, run_id, events)
