"""What kernels and scripts are stored as: versions that are immutable by their hash, and names that point at one.

Owns the forms of a reference, and the two tables of a kind. Must not know what a version holds.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from api.auth.acl import Kind, Target
from api.auth.identity import Identity
from api.auth.sharing import forget, readable
from api.errors import InvalidRequest
from api.ids import now
from api.storage import tables

MOST = 100
_DIGEST = re.compile(r"[0-9a-f]{8,64}")


class Reference(NamedTuple):
    """A version by at least 8 digits of its hash; "" is the one that the name points at."""

    owner: str
    name: str
    digest: str


def referred(identity: Identity, reference: str) -> Reference:
    """What `name`, `name@hash`, `owner/name` or `owner/name@hash` means to a key."""
    path, _, digest = reference.partition("@")
    owner, slash, name = path.rpartition("/")
    return Reference(owner if slash else identity.owner, name, digest)


def check_unpinned(reference: str) -> None:
    """Raise `InvalidRequest` for the reference of a single version."""
    if "@" in reference:
        raise InvalidRequest("a version is not deleted alone", hint="DELETE the name; all its versions go.")


class Version(msgspec.Struct, frozen=True):
    """What was stored under a name, and when first."""

    hash: str
    created_at: str


class Versions:
    """All versions of a kind: rows of `things`, at which rows of `names` point."""

    def __init__(self, kind: Kind, things: sa.Table, names: sa.Table) -> None:
        self.kind, self.things, self.names = kind, things, names

    def find(self, db: sa.Connection, owner: str, name: str, digest: str) -> sa.Row[Any] | None:
        """The version of a reference, if there is just one."""
        c, names = self.things.c, self.names.c
        query = sa.select(self.things).where(c.owner == owner, c.name == name)
        if digest:
            if not _DIGEST.fullmatch(digest):
                return None
            query = query.where(c.hash.startswith(digest))
        else:
            pointer = sa.select(names.hash).where(names.owner == owner, names.name == name)
            query = query.where(c.hash == pointer.scalar_subquery())
        rows = db.execute(query.limit(2)).all()
        return rows[0] if len(rows) == 1 else None

    def page(
        self,
        db: sa.Connection,
        identity: Identity,
        limit: int,
        after: Reference | None,
        owner: str | None,
        without: str | None = None,
    ) -> list[sa.Row[Any]]:
        """What a key may read, of all owners or one, by name and owner, each at the version its name points at.

        The column `without` is left empty.
        """
        c, names = self.things.c, self.names.c
        columns = [sa.literal("").label(each.name) if each.name == without else each for each in c]
        same = (names.owner == c.owner) & (names.name == c.name) & (names.hash == c.hash)
        query = sa.select(*columns).join(self.names, same).order_by(c.name, c.owner).limit(limit)
        if after is not None:
            query = query.where(sa.tuple_(c.name, c.owner) > sa.tuple_(after.name, after.owner))
        if owner is not None:
            query = query.where(c.owner == owner)
        parts = readable(query, self.kind, identity, c.owner, c.name)
        rows = [row for part in parts for row in db.execute(part)]
        return sorted(rows, key=lambda row: (row.name, row.owner))[:limit]

    def pointed(self, db: sa.Connection, target: Target) -> str | None:
        """The hash that a name points at."""
        c = self.names.c
        return db.scalar(sa.select(c.hash).where(c.owner == target.owner, c.name == target.name))

    def point(self, db: sa.Connection, owner: str, name: str, hash: str) -> None:
        """Let a name point at a version, which is stored."""
        self._unpoint(db, owner, name)
        values = {"owner": owner, "name": name, "hash": hash, "updated_at": now()}
        db.execute(sa.insert(self.names).values(values))

    def change(self, db: sa.Connection, owner: str, name: str, hash: str, **values: Any) -> None:
        """Store these values of a version, unless it was deleted meanwhile."""
        c = self.things.c
        same = (c.owner == owner) & (c.name == name) & (c.hash == hash)
        db.execute(sa.update(self.things).where(same).values(values))

    def delete(self, db: sa.Connection, target: Target) -> None:
        """Forget a name, all its versions, and who may do what with them."""
        forget(db, target)
        self._unpoint(db, target.owner, target.name)
        c = self.things.c
        db.execute(sa.delete(self.things).where(c.owner == target.owner, c.name == target.name))

    def of(self, db: sa.Connection, target: Target) -> list[Version]:
        """The versions of a name, the newest first, at most `MOST`."""
        c = self.things.c
        query = sa.select(c.hash, c.created_at).where(c.owner == target.owner, c.name == target.name)
        return [Version(*row) for row in db.execute(query.order_by(c.created_at.desc(), c.hash).limit(MOST))]

    def _unpoint(self, db: sa.Connection, owner: str, name: str) -> None:
        c = self.names.c
        db.execute(sa.delete(self.names).where(c.owner == owner, c.name == name))


KERNELS = Versions("kernel", tables.kernels, tables.kernel_names)
SCRIPTS = Versions("script", tables.scripts, tables.script_names)
