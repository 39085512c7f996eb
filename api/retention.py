"""Retention: what is stored for so long, or in so many bytes, and leaves then, the oldest first.

Owns the kinds (runs, their results, their events, tensors) and what leaving means for each. Must not know when it is
asked, or how tensors are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from api.ids import iso
from api.runs.events import FINAL
from api.settings import Settings
from api.storage import tables

DAY_S = 86_400.0
BATCH = 200
"""Rows that leave in one transaction."""
_R, _T, _E, _A = tables.runs.c, tables.tensors.c, tables.events.c, tables.acl.c


@dataclass(frozen=True)
class Kind:
    """Rows of `table` that may leave: those `where`; `size` is their bytes, `since` their time, a column."""

    table: sa.Table
    where: sa.ColumnElement[bool]
    size: sa.ColumnElement[int]
    since: sa.ColumnElement[str]


KINDS = {
    "events": Kind(tables.runs, _R.event_bytes > 0, _R.event_bytes, _R.finished_at),
    "results": Kind(tables.runs, _R.emptied_at.is_(None), _R.stored_bytes, _R.finished_at),
    "runs": Kind(tables.runs, sa.true(), _R.stored_bytes + _R.event_bytes, _R.finished_at),
    "tensors": Kind(tables.tensors, _T.persist.is_(False), _T.nbytes, _T.used_at),
}


def due(db: sa.Connection, name: str, settings: Settings, at: float) -> list[str]:
    """Ids of what has to leave at the time `at` (of `time.time`): at most `BATCH`, the oldest first, and none at last.

    What is under way has no time yet, and stays.
    """
    kind = KINDS[name]
    days, most = getattr(settings, f"keep_{name}_days"), getattr(settings, f"keep_{name}_bytes")
    found = _oldest(db, kind, kind.since < iso(at - days * DAY_S)) if days else []
    ids = [row.id for row in found]
    if ids or not most:
        return ids
    over = (
        db.scalar(sa.select(sa.func.sum(kind.size)).where(kind.where, kind.since.is_not(None))) or 0
    ) - most
    for row in _oldest(db, kind, kind.since.is_not(None)) if over > 0 else []:
        if over <= 0:
            break
        ids.append(row.id)
        over -= row.size
    return ids


def _oldest(db: sa.Connection, kind: Kind, condition: sa.ColumnElement[bool]) -> list[Any]:
    id = kind.table.c.id
    query = sa.select(id, kind.size.label("size")).where(kind.where, condition)
    return list(db.execute(query.order_by(kind.since, id).limit(BATCH)))


def drop_events(db: sa.Connection, ids: list[str], at: float) -> None:
    """Delete the events of runs, but for the last, which says that there is a result."""
    db.execute(sa.delete(tables.events).where(_E.run_id.in_(ids), _E.type != FINAL))
    db.execute(sa.update(tables.runs).where(_R.id.in_(ids)).values(event_bytes=0))


def drop_results(db: sa.Connection, ids: list[str], at: float) -> None:
    """Empty runs of what they returned, printed and changed; what they were, cost and failed with stays."""
    empty = {"result": None, "stdout": "", "stderr": "", "files": "{}", "emptied_at": iso(at)}
    size = sa.func.length(_R.script)
    db.execute(sa.update(tables.runs).where(_R.id.in_(ids)).values(**empty, stored_bytes=size))


def drop_runs(db: sa.Connection, ids: list[str], at: float) -> None:
    """Delete runs with their events and access lists."""
    db.execute(sa.delete(tables.runs).where(_R.id.in_(ids)))
    db.execute(sa.delete(tables.acl).where(_A.kind == "run", _A.name.in_(ids)))


DROPS: dict[str, Callable[[sa.Connection, list[str], float], None]] = {
    "events": drop_events,
    "results": drop_results,
    "runs": drop_runs,
}
