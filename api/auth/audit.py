"""The audit log: who did what, and what came of it.

Owns its entries, which are stored before whoever acted has an answer, and how long they are kept. Must not know what
is worth an entry.
"""

from __future__ import annotations

import logging
import operator
import time
from collections.abc import Callable
from typing import Any

import msgspec
import sqlalchemy as sa

from api.background import Recurrent
from api.ids import first_id, new_id, now
from api.storage import tables
from api.storage.database import Database
from host.clock import Clock
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate.audit")

_INSERT = sa.insert(tables.audit)
DONE = "done"
DAY_S = 86_400.0
SWEEP_S = 3600.0
MAX_RESOURCE = 300
HOST = "(host)"
"""The owner of what was done on the host's command line, without a key."""


class Entry(msgspec.Struct, frozen=True):
    """One thing that a key did or was refused: `action` names the route or the gate, `resource` what it was done to.

    `outcome` is `done`, or the code of the error.
    """

    key_id: str | None
    owner: str
    action: str
    resource: str
    outcome: str
    request_id: str | None = None
    id: str = msgspec.field(default_factory=lambda: new_id("aud"))
    at: str = msgspec.field(default_factory=now)


class Filters(msgspec.Struct, frozen=True):
    """Which entries are asked for: with these fields, of these times, older than the id `before`. None is any."""

    key_id: str | None = None
    owner: str | None = None
    action: str | None = None
    outcome: str | None = None
    request_id: str | None = None
    since: str | None = None
    until: str | None = None
    before: str | None = None


class AuditLog:
    """The log of one server. While the `sweeper` runs, entries leave that are older than `days`."""

    def __init__(
        self,
        database: Database,
        days: float,
        clock: Clock | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._days = days
        self._wall = wall
        self.sweeper = Recurrent(
            self.forget, SWEEP_S, "forgetting old entries of the audit log", clock, at_once=True
        )

    async def add(self, entry: Entry) -> None:
        """Store an entry. One that cannot be stored goes to the log: what it tells of has happened."""
        try:
            await self._database.do(lambda db: insert(db, entry), frees=True)
        except KernelgateError as error:
            log.error("%s; not stored: %s", msgspec.structs.asdict(entry), error)

    async def page(self, limit: int, filters: Filters) -> list[Entry]:
        """Entries, the newest first, at most `limit`."""
        return await self._database.do(lambda db: _page(db, limit, filters))

    async def forget(self) -> int:
        """Remove what is older than it is kept; how many entries that were."""
        oldest = first_id("aud", self._wall() - self._days * DAY_S)
        return await self._database.do(lambda db: _remove(db, oldest), frees=True)


def insert(db: sa.Connection, entry: Entry) -> None:
    """Store an entry in the transaction at hand."""
    values = msgspec.structs.asdict(entry)
    values["resource"] = entry.resource[:MAX_RESOURCE]
    db.execute(_INSERT, values)


def _page(db: sa.Connection, limit: int, filters: Filters) -> list[Entry]:
    query = sa.select(tables.audit).order_by(tables.audit.c.id.desc()).limit(limit)
    for name, value in msgspec.structs.asdict(filters).items():
        if value is not None:
            column, compare = _COMPARE.get(name, (name, operator.eq))
            query = query.where(compare(tables.audit.c[column], value))
    return [Entry(**row._mapping) for row in db.execute(query)]


_COMPARE: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "since": ("at", operator.ge),
    "until": ("at", operator.lt),
    "before": ("id", operator.lt),
}
"""How a filter is compared with a column, where that is not its own name and `==`."""


def _remove(db: sa.Connection, oldest: str) -> int:
    return db.execute(sa.delete(tables.audit).where(tables.audit.c.id < oldest)).rowcount
