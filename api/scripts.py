"""Stored scripts: text that is immutable by its hash, and names that point at hashes.

Owns names and versions. Must not know HTTP, or Python: a script is parsed where it runs.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec
import sqlalchemy as sa

from api import tables
from api.database import Database
from api.errors import InvalidRequest, NameReserved, ScriptNotFound
from api.ids import now
from api.keys import Identity
from api.quotas import Quotas
from api.stored import check_bytes
from sandbox.policy import modules

_NAMES = tables.script_names.c
_SCRIPTS = tables.scripts.c


class ScriptRecord(msgspec.Struct, frozen=True):
    """A version of a script: its source as posted, and how many bytes that is."""

    owner: str
    name: str
    hash: str
    source: str
    created_at: str
    nbytes: int

    def document(self) -> dict[str, Any]:
        """What a client is told of it, but for the source."""
        return {"name": self.name, "owner": self.owner, "hash": self.hash, "created_at": self.created_at}


class ScriptStore:
    """The scripts of all owners."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, identity: Identity, name: str, source: str) -> tuple[ScriptRecord, bool]:
        """Store `source` and point the caller's `name` at it; whether the source is new under that name.

        Raises `InvalidRequest` and `NameReserved` for a name that no script can have, `QuotaExceeded`.
        """
        check_name(name)
        text = source.encode()
        digest = hashlib.sha256(text).hexdigest()
        record = ScriptRecord(identity.owner, name, digest, source, now(), len(text))
        return await self._database.do(
            lambda db: _store(db, record, identity.quotas), durable=True, grows=True
        )

    async def find(self, identity: Identity, reference: str) -> ScriptRecord:
        """The caller's script `name`, or version `name@hash` of it. Raises `ScriptNotFound`."""
        name, _, digest = reference.partition("@")
        record = await self._database.do(lambda db: _find(db, identity.owner, name, digest))
        if record is None:
            raise ScriptNotFound(
                f"there is no script {reference[:80]!r}",
                hint="GET /api/scripts lists yours; POST one to add it.",
            )
        return record

    async def page(self, identity: Identity, limit: int, after: str | None) -> list[ScriptRecord]:
        """The owner's scripts by name, each at the version its name points at."""
        return await self._database.do(lambda db: _page(db, identity.owner, limit, after))

    async def delete(self, identity: Identity, reference: str) -> None:
        """Forget a name with all its versions. Raises `ScriptNotFound`, `InvalidRequest` for a pinned version."""
        record = await self.find(identity, reference)
        if "@" in reference:
            raise InvalidRequest(
                "a version is not deleted alone", hint="DELETE the name; all its versions go."
            )
        await self._database.do(lambda db: _delete(db, record.owner, record.name), durable=True, frees=True)


def check_name(name: str) -> None:
    """Raise unless `name` may be given to a script."""
    if name in modules.RESERVED:
        raise NameReserved(
            f"`import {name}` gives scripts something else: the name is reserved", hint="Choose another."
        )
    if not modules.can_be_stored(name):
        raise InvalidRequest(
            f"{name[:80]!r} is no name for a script",
            hint="Use up to 64 of a-z, 0-9 and _, beginning with a letter; no keyword of Python's.",
        )


def _store(db: sa.Connection, record: ScriptRecord, quotas: Quotas) -> tuple[ScriptRecord, bool]:
    """Store `record` unless that version is there, and point its name at it; the version, and whether it is new."""
    found = _find(db, record.owner, record.name, record.hash)
    if found is None:
        check_bytes(db, record.owner, quotas, record.nbytes)
        db.execute(sa.insert(tables.scripts).values(**msgspec.structs.asdict(record)))
    _delete_pointer(db, record.owner, record.name)
    db.execute(
        sa.insert(tables.script_names).values(
            owner=record.owner, name=record.name, hash=record.hash, updated_at=now()
        )
    )
    return found or record, found is None


def _find(db: sa.Connection, owner: str, name: str, digest: str) -> ScriptRecord | None:
    """The version `digest` (at least 8 digits of it) of a script; "" means what the name points at."""
    query = sa.select(tables.scripts).where(_SCRIPTS.owner == owner, _SCRIPTS.name == name)
    if digest:
        if not re.fullmatch(r"[0-9a-f]{8,64}", digest):
            return None
        query = query.where(_SCRIPTS.hash.startswith(digest))
    else:
        pointer = sa.select(_NAMES.hash).where(_NAMES.owner == owner, _NAMES.name == name).scalar_subquery()
        query = query.where(_SCRIPTS.hash == pointer)
    rows = db.execute(query.limit(2)).all()
    return ScriptRecord(**rows[0]._mapping) if len(rows) == 1 else None


def _page(db: sa.Connection, owner: str, limit: int, after: str | None) -> list[ScriptRecord]:
    same = (_NAMES.owner == _SCRIPTS.owner) & (_NAMES.name == _SCRIPTS.name) & (_NAMES.hash == _SCRIPTS.hash)
    query = sa.select(tables.scripts).join(tables.script_names, same).where(_SCRIPTS.owner == owner)
    if after is not None:
        query = query.where(_SCRIPTS.name > after)
    return [ScriptRecord(**row._mapping) for row in db.execute(query.order_by(_SCRIPTS.name).limit(limit))]


def _delete_pointer(db: sa.Connection, owner: str, name: str) -> None:
    db.execute(sa.delete(tables.script_names).where(_NAMES.owner == owner, _NAMES.name == name))


def _delete(db: sa.Connection, owner: str, name: str) -> None:
    _delete_pointer(db, owner, name)
    db.execute(sa.delete(tables.scripts).where(_SCRIPTS.owner == owner, _SCRIPTS.name == name))
