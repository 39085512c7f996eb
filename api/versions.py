"""The versions of stored kernels and scripts, which are immutable by their hash.

Owns the list of those that a name has. Must not know what they hold.
"""

from __future__ import annotations

import msgspec
import sqlalchemy as sa

from api import tables
from api.acl import Target

MOST = 100
_TABLES = {"kernel": tables.kernels, "script": tables.scripts}


class Version(msgspec.Struct, frozen=True):
    """What was stored under a name, and when first."""

    hash: str
    created_at: str


def versions_of(db: sa.Connection, target: Target) -> list[Version]:
    """The versions of a kernel or script, the newest first, at most `MOST`."""
    c = _TABLES[target.kind].c
    query = sa.select(c.hash, c.created_at).where(c.owner == target.owner, c.name == target.name)
    return [Version(*row) for row in db.execute(query.order_by(c.created_at.desc(), c.hash).limit(MOST))]
