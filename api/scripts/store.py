"""Stored scripts: text that is immutable by its hash, names that point at hashes, and what each `main` takes and gives.

Owns names and versions. Must not know HTTP, or Python: a script is parsed in workers.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import sqlalchemy as sa

from api.auth.acl import Level, Target
from api.auth.identity import Identity
from api.auth.sharing import Sharing
from api.errors import InvalidRequest, NameReserved, ScriptNotFound
from api.ids import now
from api.quotas import Quotas
from api.scripts.schemas import document
from api.storage import tables
from api.storage.database import Database
from api.turns import Turns
from api.usage.stored import check_bytes
from api.versions import SCRIPTS, check_unpinned, referred
from sandbox.errors import ScriptSyntaxError
from sandbox.policy import modules
from sandbox.pool import WorkerPool
from sandbox.signatures import form

SPELLING = "up to 64 of a-z, 0-9 and _, beginning with a letter"
"""Of a name, for people: as `import` and the language of scripts take it."""
ADDRESSES = ("acl",)
"""Names that would stand where an address of the API ends."""
PARSED_AT_ONCE = 2


class ScriptRecord(msgspec.Struct, frozen=True):
    """A version of a script: its source as posted, how many bytes that is, and its signature, if that is known.

    In lists the source is left out.
    """

    owner: str
    name: str
    hash: str
    source: str
    created_at: str
    nbytes: int
    signature: bytes | None = None

    @property
    def target(self) -> Target:
        """What access lists call it, with all its versions."""
        return Target("script", self.owner, self.name)

    @property
    def known_signature(self) -> form.Signature:
        """Its signature; of one that is not known yet, that all is possible."""
        return form.UNKNOWN if self.signature is None else form.from_json(self.signature)

    def document(self) -> dict[str, Any]:
        """What a client is told of it, but for the source and the signature."""
        return {"name": self.name, "owner": self.owner, "hash": self.hash, "created_at": self.created_at}

    def operation(self, name: str) -> dict[str, Any]:
        """What a client is told of it as an operation; `name` is what the client calls it."""
        told = {"name": f"script.{name}", "owner": self.owner, "hash": self.hash}
        return {**told, **document(self.known_signature)}


class ScriptStore:
    """The scripts of all owners."""

    def __init__(self, database: Database, sharing: Sharing, pool: WorkerPool) -> None:
        self._database = database
        self._sharing = sharing
        self._pool = pool
        self._turns = Turns(PARSED_AT_ONCE)

    async def add(self, identity: Identity, name: str, source: str) -> tuple[ScriptRecord, bool]:
        """Store `source` and point the caller's `name` at it; whether the source is new under that name.

        Raises `InvalidRequest` and `NameReserved` for a name that no script can have, `ScriptSyntaxError` for what is
        not Python, `QuotaExceeded`.
        """
        check_name(name)
        text = source.encode()
        digest = hashlib.sha256(text).hexdigest()
        signature = form.to_json(await self._signature(identity.owner, source))
        record = ScriptRecord(identity.owner, name, digest, source, now(), len(text), signature)
        return await self._database.do(
            lambda db: _store(db, record, identity.quotas), durable=True, grows=True
        )

    async def find(self, identity: Identity, reference: str, wanted: Level = "read") -> ScriptRecord:
        """The script `name`, `name@hash`, `owner/name` or `owner/name@hash`, if `identity` may do what it wants.

        Raises `ScriptNotFound`, also for what it may not even see, `AccessDenied`.
        """
        owner, name, digest = referred(identity, reference)
        found = await self._database.do(lambda db: _find(db, owner, name, digest))
        missing = ScriptNotFound(
            f"there is no script {reference[:80]!r}", hint="GET /api/scripts lists yours; POST one to add it."
        )
        return await self._sharing.require_named(identity, "script", reference, found, wanted, missing)

    async def signed(self, record: ScriptRecord) -> ScriptRecord:
        """`record` with its signature, which is made once for what an older version stored."""
        if record.signature is not None:
            return record
        try:
            signature = form.to_json(await self._signature(record.owner, record.source))
        except ScriptSyntaxError:  # it was stored unread
            signature = form.to_json(form.UNKNOWN)
        signed = msgspec.structs.replace(record, signature=signature)
        await self._database.do(
            lambda db: SCRIPTS.change(db, record.owner, record.name, record.hash, signature=signature),
            grows=True,
        )
        return signed

    async def _signature(self, owner: str, source: str) -> form.Signature:
        async with self._turns.turn(owner):
            return await self._pool.sign(source)

    async def page(
        self, identity: Identity, limit: int, after: str | None, owner: str | None = None
    ) -> list[ScriptRecord]:
        """Scripts that a key may read, of all owners or one, by name and owner, each at the version its name points at.

        `after` is the reference of the last one of the page before.
        """
        start = None if after is None else referred(identity, after)
        rows = await self._database.do(
            lambda db: SCRIPTS.page(db, identity, limit, start, owner, without="source")
        )
        return [ScriptRecord(**row._mapping) for row in rows]

    async def delete(self, identity: Identity, reference: str) -> None:
        """Forget a name with all its versions. Raises as `find`, and `InvalidRequest` for a pinned version."""
        record = await self.find(identity, reference, "write")
        check_unpinned(reference)
        await self._database.do(lambda db: SCRIPTS.delete(db, record.target), durable=True, frees=True)


def check_name(name: str) -> None:
    """Raise unless `name` may be given to a script."""
    if name in modules.RESERVED or name in ADDRESSES:
        raise NameReserved(
            f"`import {name}` or an address means something else: the name is reserved",
            hint="Choose another.",
        )
    if not modules.can_be_stored(name):
        raise InvalidRequest(
            f"{name[:80]!r} is no name for a script",
            hint=f"Use {SPELLING}; no keyword of Python's.",
        )


def _store(db: sa.Connection, record: ScriptRecord, quotas: Quotas) -> tuple[ScriptRecord, bool]:
    """Store `record` unless that version is there, and point its name at it; the version, and whether it is new."""
    found = _find(db, record.owner, record.name, record.hash)
    if found is None:
        check_bytes(db, record.owner, quotas, record.nbytes)
        db.execute(sa.insert(tables.scripts).values(**msgspec.structs.asdict(record)))
    SCRIPTS.point(db, record.owner, record.name, record.hash)
    return found or record, found is None


def _find(db: sa.Connection, owner: str, name: str, digest: str) -> ScriptRecord | None:
    row = SCRIPTS.find(db, owner, name, digest)
    return None if row is None else ScriptRecord(**row._mapping)
