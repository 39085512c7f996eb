"""Access lists as they are stored.

Owns the table, the queries for what a key may read, and that no list outlives its object. Who may do what is decided by
`api/auth/acl.py`; must not know HTTP.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol, TypeVar

import msgspec
import sqlalchemy as sa

from api.auth import acl
from api.auth.acl import Entry, Kind, Level, Rule, Target
from api.auth.identity import Identity
from api.storage import tables
from api.storage.database import Database
from shaders.errors import KernelgateError
from shaders.suggestions import meant

_ACL = tables.acl.c
_Column = sa.ColumnElement[Any]
OBJECTS: dict[Kind, tuple[sa.Table, str]] = {
    "tensor": (tables.tensors, "id"),
    "kernel": (tables.kernel_names, "name"),
    "script": (tables.script_names, "name"),
    "run": (tables.runs, "id"),
}
"""The table that says which objects of a kind there are, and the column that names them there."""
_NAMED: tuple[Kind, ...] = ("kernel", "script")
"""Kinds whose names may be taken again."""
_COMPARED = 1000
"""Names among which one that is close to a wrong one is looked for."""


class Shared(Protocol):
    """The record of something that has an access list."""

    @property
    def target(self) -> Target:
        """What access lists call it."""


R = TypeVar("R", bound=Shared)


class Sharing:
    """The access lists of all objects."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._fleeting: set[Target] = set()

    async def require(
        self, identity: Identity, target: Target, wanted: Level, missing: KernelgateError
    ) -> Rule:
        """As `acl.require`, with the list that is stored."""
        open_anyway = identity.owner == target.owner or identity.role == "admin"
        entries = [] if open_anyway else await self.entries(target)
        return acl.require(identity, target, entries, wanted, missing)

    async def require_named(
        self,
        identity: Identity,
        kind: Kind,
        reference: str,
        record: R | None,
        wanted: Level,
        missing: KernelgateError,
    ) -> R:
        """`record`, which is what `reference` names, as `require`; None is nothing.

        `missing` gets a hint, which speaks only of what the key may list: it does not tell whether something is there.
        """
        try:
            if record is None:
                raise missing
            await self.require(identity, record.target, wanted, missing)
        except type(missing):
            if f"{kind}s:read" in identity.scopes:
                names = await self._database.do(lambda db: _names(db, identity, kind))
                missing.hint = _hint(reference, names) or missing.hint
            raise missing from None
        return record

    async def entries(self, target: Target) -> list[Entry]:
        """The access list of an object: nothing where nothing was said."""
        return await self._database.do(lambda db: _entries(db, target))

    async def replace(self, target: Target, entries: Sequence[Entry]) -> bool:
        """Give an object another list; whether it was still there, as far as the database knows."""
        stored = await self._database.do(lambda db: _replace(db, target, entries), durable=True, grows=True)
        if not stored and target.kind not in _NAMED:
            self._fleeting.add(target)
        return stored or target.kind not in _NAMED

    async def forget(self, target: Target) -> None:
        """Remove the list of an object that was in memory alone, and is gone."""
        if target in self._fleeting:
            self._fleeting.remove(target)
            await self._database.do(lambda db: forget(db, target), frees=True)


def readable(
    query: sa.Select[Any], kind: Kind, identity: Identity, owner: _Column, name: _Column
) -> list[sa.Select[Any]]:
    """`query` for what a key may read, in parts that share no row: its own by the index, and what others share.

    `owner` and `name` are the columns that say whose an object is, and what it is called.
    """
    if identity.role == "admin":
        return [query]
    shared = sa.select(_ACL.owner, _ACL.name).where(
        _ACL.kind == kind, _ACL.grantee.in_(acl.principals(identity))
    )
    return [
        query.where(owner == identity.owner),
        query.where(owner != identity.owner, sa.tuple_(owner, name).in_(shared)),
    ]


def _hint(reference: str, names: Collection[str]) -> str:
    """What may have been meant by a reference to nothing, where there are `names`."""
    name, _, digest = reference.partition("@")
    if name not in names:
        return meant(name, names)
    return f"There is {name}, but no version of it whose hash begins with {digest[:64]!r}."


def _names(db: sa.Connection, identity: Identity, kind: Kind) -> list[str]:
    """What the key calls the objects of a kind that it may read, the first of very many."""
    table, column = OBJECTS[kind]
    owner, name = table.c.owner, table.c[column]
    query = sa.select(owner, name).order_by(name, owner).limit(_COMPARED)
    rows = [row for part in readable(query, kind, identity, owner, name) for row in db.execute(part)]
    return [each if of == identity.owner else f"{of}/{each}" for of, each in rows]


def forget(db: sa.Connection, target: Target) -> None:
    """Remove the list of an object that is removed in the same transaction."""
    db.execute(sa.delete(tables.acl).where(*_of(target)))


def sweep(db: sa.Connection) -> int:
    """Remove lists whose objects are gone; how many lines. To be called when no object lives in memory alone."""
    gone = 0
    for kind, (table, column) in OBJECTS.items():
        there = sa.select(table.c[column]).where(table.c.owner == _ACL.owner, table.c[column] == _ACL.name)
        gone += db.execute(sa.delete(tables.acl).where(_ACL.kind == kind, ~there.exists())).rowcount
    return gone


def _of(target: Target) -> list[_Column]:
    return [_ACL.kind == target.kind, _ACL.owner == target.owner, _ACL.name == target.name]


def _entries(db: sa.Connection, target: Target) -> list[Entry]:
    query = sa.select(_ACL.grantee, _ACL.may).where(*_of(target)).order_by(_ACL.grantee)
    return [msgspec.convert({"to": row.grantee, "may": row.may}, Entry) for row in db.execute(query)]


def _replace(db: sa.Connection, target: Target, entries: Sequence[Entry]) -> bool:
    """Whether the object is stored. A name that is not gets no list; an id may be that of a tensor in memory."""
    table, column = OBJECTS[target.kind]
    query = sa.select(table.c[column]).where(table.c.owner == target.owner, table.c[column] == target.name)
    stored = db.execute(query).first() is not None
    if not stored and target.kind in _NAMED:
        return False
    forget(db, target)
    if entries:
        same = {"kind": target.kind, "owner": target.owner, "name": target.name}
        db.execute(sa.insert(tables.acl), [{**same, "grantee": each.to, "may": each.may} for each in entries])
    return stored
