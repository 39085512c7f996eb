"""Runs as they are stored and shown.

Owns `RunRecord`, its document for clients, and its rows. Must not know how a run is executed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import sqlalchemy as sa

from api.auth.acl import Target
from api.auth.identity import Identity
from api.auth.sharing import readable
from api.http.problems import problem
from api.ids import now
from api.runs.events import FINAL, Event, insert_events
from api.settings import RunLimits
from api.storage import tables
from shaders.errors import ErrorRecord

LIVE = ("queued", "running")
LEAD = 300
"""Characters that lists have of a script."""


class Usage(msgspec.Struct, frozen=True):
    """What a run cost: milliseconds, the most bytes its worker had; dispatches, their threads and the bytes bound."""

    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    device_ms: float = 0.0
    peak_bytes: int = 0
    dispatches: int = 0
    threads: int = 0
    bytes: int = 0


class RunRecord(msgspec.Struct):
    """A run. `result` is JSON; `error` a problem document as JSON; `files` what its overlays changed, as JSON.

    `asked` is what is kept of its request until it begins: without it a run that waited cannot be taken up again.
    `emptied_at` is when retention took its result, output and files.
    """

    id: str
    owner: str
    script: str
    limits: RunLimits
    created_at: str
    kind: str = "script"
    status: str = "queued"
    grants: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw | None = None
    error: msgspec.Raw | None = None
    stdout: str = ""
    stderr: str = ""
    output_cut: bool = False
    usage: Usage = Usage()
    reason: str | None = None
    cancelled_by: str | None = None
    level: str | None = None
    level_reason: str | None = None
    idempotency_key: str | None = None
    request_hash: str | None = None
    started_at: str | None = None
    finished_at: str | None = None
    files: msgspec.Raw = msgspec.Raw(b"{}")
    key_id: str | None = None
    asked: bytes | None = None
    emptied_at: str | None = None
    stored_bytes: int = 0
    event_bytes: int = 0

    @property
    def target(self) -> Target:
        """What access lists call it."""
        return Target("run", self.owner, self.id)

    @property
    def live(self) -> bool:
        """Whether it has not ended."""
        return self.status in LIVE

    def end(self, status: str, error: ErrorRecord | None = None) -> None:
        """Say that it ended now, and what failed it."""
        self.status = status
        self.finished_at = now()
        if error is not None:
            self.error = msgspec.Raw(msgspec.json.encode(problem(error)))
            self.reason = error.code

    def measure(self, events: Iterable[Event]) -> None:
        """Say how much it and all its `events` take to store, about."""
        written = (self.result or b"", self.files)
        self.stored_bytes = sum(map(len, (self.script, self.stdout, self.stderr, *map(bytes, written))))
        self.event_bytes = sum(len(event.data) for event in events if event.type != FINAL)

    def document(self, place: int | None = None) -> bytes:
        """What a client is told of it, as JSON; `place` is where it waits, from 1."""
        shown = {name: getattr(self, name) for name in _SHOWN}
        return msgspec.json.encode({**shown, "place": place})


_SUMMARY = (
    "id", "owner", "kind", "status", "usage", "reason", "cancelled_by", "created_at", "started_at", "finished_at",
)  # fmt: skip
_SHOWN = (
    "id", "kind", "status", "result", "error", "stdout", "stderr", "output_cut", "files", "usage", "limits",
    "grants", "reason", "cancelled_by", "level", "level_reason", "created_at", "started_at", "finished_at",
    "emptied_at",
)  # fmt: skip
_JSON = ("limits", "grants", "result", "error", "usage", "files")
_ENDING = (
    "status", "result", "error", "stdout", "stderr", "output_cut", "usage", "reason", "cancelled_by", "level",
    "level_reason", "started_at", "finished_at", "files", "asked", "stored_bytes", "event_bytes",
)  # fmt: skip
_BEGINNING = ("status", "grants", "started_at", "asked")

_INSERT = sa.insert(tables.runs)
_UPDATE = (
    sa.update(tables.runs)
    .where(tables.runs.c.id == sa.bindparam("run_id"))
    .values({name: sa.bindparam(name) for name in _ENDING})
)


def insert_run(db: sa.Connection, record: RunRecord) -> None:
    """Store a new run."""
    db.execute(_INSERT, _columns(record, RunRecord.__struct_fields__))


def update_run(db: sa.Connection, record: RunRecord, events: list[Event]) -> None:
    """Store what has become of a run, with events that are not stored yet."""
    db.execute(
        sa.update(tables.runs).where(tables.runs.c.id == record.id).values(**_columns(record, _ENDING))
    )
    insert_events(db, record.id, events)


def begin_run(db: sa.Connection, record: RunRecord) -> None:
    """Store that a run has begun: from now on it is not begun again."""
    values = _columns(record, _BEGINNING)
    db.execute(sa.update(tables.runs).where(tables.runs.c.id == record.id).values(**values))


def waiting_runs(db: sa.Connection) -> list[RunRecord]:
    """The runs that wait, in the order in which they came."""
    c = tables.runs.c
    query = sa.select(tables.runs).where(c.status == "queued").order_by(c.id)
    return [_record(row) for row in db.execute(query)]


def find_run(db: sa.Connection, run_id: str) -> RunRecord | None:
    """A stored run."""
    row = db.execute(sa.select(tables.runs).where(tables.runs.c.id == run_id)).first()
    return None if row is None else _record(row)


def find_by_key(db: sa.Connection, owner: str, key: str) -> RunRecord | None:
    """The run that an owner's `Idempotency-Key` made."""
    c = tables.runs.c
    row = db.execute(sa.select(tables.runs).where(c.owner == owner, c.idempotency_key == key)).first()
    return None if row is None else _record(row)


def page_of_runs(
    db: sa.Connection,
    identity: Identity,
    limit: int,
    before: str | None,
    status: str | None,
    owner: str | None = None,
) -> list[dict[str, Any]]:
    """Short forms of the runs that a key may read, newest first, at most `limit`, older than the id `before`."""
    c = tables.runs.c
    query = sa.select(*(c[name] for name in _SUMMARY)).order_by(c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(c.id < before)
    for column, wanted in ((c.status, status), (c.owner, owner)):
        if wanted is not None:
            query = query.where(column == wanted)
    parts = readable(query, "run", identity, c.owner, c.id)
    rows = [row for part in parts for row in db.execute(part)]
    newest = sorted(rows, key=lambda row: row.id, reverse=True)[:limit]
    return [{**row._mapping, "usage": msgspec.Raw(row.usage.encode())} for row in newest]


def leads(db: sa.Connection, run_ids: list[str]) -> dict[str, str]:
    """What the scripts of stored runs begin with, at most `LEAD` characters, by the run's id."""
    c = tables.runs.c
    query = sa.select(c.id, sa.func.substr(c.script, 1, LEAD).label("lead")).where(c.id.in_(run_ids))
    return {row.id: row.lead for row in db.execute(query)}


def end_interrupted(db: sa.Connection, error: ErrorRecord) -> int:
    """Fail every run that was running when the server stopped, and those that wait and cannot be taken up again; how
    many there were."""
    c = tables.runs.c
    lost = (c.status == "running") | ((c.status == "queued") & c.asked.is_(None))
    left = [row.id for row in db.execute(sa.select(c.id).where(lost))]
    for run_id in left:
        end_stored(db, run_id, error)
    return len(left)


def end_stored(db: sa.Connection, run_id: str, error: ErrorRecord) -> None:
    """Fail a run that nobody executes."""
    c, e = tables.runs.c, tables.events.c
    values = {
        "status": "failed",
        "error": msgspec.json.encode(problem(error)).decode(),
        "reason": error.code,
        "finished_at": now(),
        "asked": None,
    }
    db.execute(sa.update(tables.runs).where(c.id == run_id).values(**values))
    last = db.execute(sa.select(sa.func.max(e.seq)).where(e.run_id == run_id)).scalar() or 0
    status = msgspec.json.encode({"status": "failed"}).decode()
    insert_events(db, run_id, [Event(last + 1, "status", status, now()), Event(last + 2, FINAL, "", now())])


def _columns(record: RunRecord, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _column(name, getattr(record, name)) for name in names}


def _column(name: str, value: Any) -> Any:
    if name not in _JSON or value is None:
        return value
    return (bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)).decode()


def _record(row: sa.Row[Any]) -> RunRecord:
    fields = dict(row._mapping)
    for name in ("grants", "files", "result", "error"):
        if fields[name] is not None:
            fields[name] = msgspec.Raw(fields[name].encode())
    fields["limits"] = msgspec.json.decode(fields["limits"], type=RunLimits)
    fields["usage"] = msgspec.json.decode(fields["usage"], type=Usage)
    return RunRecord(**fields)
