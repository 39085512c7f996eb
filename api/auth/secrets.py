"""Secrets: values of headers that the server adds to granted requests of runs.

Owns their names, and their values, which are stored encrypted and leave only through `reveal`, to the gate. The key is
a file of the data folder (mode 0600), made when the first secret is stored. Must not know HTTP.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa
from cryptography.fernet import Fernet, InvalidToken

from api.errors import InvalidRequest, QuotaExceeded, SecretNotFound, StorageError
from api.ids import now
from api.storage import tables
from api.storage.blobs import storage_errors, sync_folder
from api.storage.database import Database
from sandbox.gates.errors import FetchRefused
from sandbox.gates.fetch import Secret

MAX_SECRETS = 100
"""Of an owner."""
MAX_VALUE = 8192
"""Characters."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")  # as grants spell it
_C = tables.secrets.c


class SecretRecord(msgspec.Struct, frozen=True):
    """A secret as it is listed: all but its value."""

    owner: str
    name: str
    created_at: str
    updated_at: str


class _Sealed(msgspec.Struct, frozen=True):
    """What is encrypted: a value with its place, so that no row passes for another."""

    owner: str
    name: str
    value: str


class SecretStore:
    """The secrets of all owners. `path` is the file of the key that they are encrypted with."""

    def __init__(self, database: Database, path: Path) -> None:
        self._database = database
        self._path = path

    async def put(self, owner: str, name: str, value: str) -> tuple[SecretRecord, bool]:
        """Store a secret, in place of the one that had the name; whether there was none.

        Raises `InvalidRequest` for what cannot be a secret, `QuotaExceeded`, `StorageError`.
        """
        check(name, value)
        return await self._database.do(lambda db: self._put(db, owner, name, value), durable=True, grows=True)

    async def delete(self, owner: str, name: str) -> None:
        """Forget a secret. Raises `SecretNotFound`."""
        if not await self._database.do(lambda db: _delete(db, owner, name), durable=True, frees=True):
            raise SecretNotFound(f"there is no secret {name[:80]!r}", hint="GET /api/secrets lists yours.")

    async def listed(self, owner: str) -> list[SecretRecord]:
        """An owner's secrets by name."""
        return await self._database.do(lambda db: _listed(db, owner))

    async def reveal(self, owner: str, names: Collection[str]) -> dict[str, Secret]:
        """Those of an owner's secrets that have these names, for the gate. Raises `StorageError`."""
        if not names:
            return {}
        return await self._database.do(lambda db: self._reveal(db, owner, names))

    def _put(self, db: sa.Connection, owner: str, name: str, value: str) -> tuple[SecretRecord, bool]:
        known = {record.name: record for record in _listed(db, owner)}
        if name not in known and len(known) >= MAX_SECRETS:
            raise QuotaExceeded.of("secrets", MAX_SECRETS, len(known))
        moment = now()
        record = SecretRecord(owner, name, known[name].created_at if name in known else moment, moment)
        sealed = self._cipher(make=True).encrypt(msgspec.json.encode(_Sealed(owner, name, value)))
        _delete(db, owner, name)
        db.execute(sa.insert(tables.secrets).values(**msgspec.structs.asdict(record), sealed=sealed))
        return record, name not in known

    def _reveal(self, db: sa.Connection, owner: str, names: Collection[str]) -> dict[str, Secret]:
        query = sa.select(_C.name, _C.sealed).where(_C.owner == owner, _C.name.in_(sorted(names)))
        return {row.name: self._open(owner, row.name, row.sealed) for row in db.execute(query)}

    def _open(self, owner: str, name: str, sealed: bytes) -> Secret:
        try:
            found = msgspec.json.decode(self._cipher().decrypt(sealed), type=_Sealed)
        except InvalidToken:
            found = None
        if found is None or (found.owner, found.name) != (owner, name):
            raise StorageError(
                f"the secret {name} cannot be read with the key in {self._path.name}",
                hint="Store it again, or bring back the key that it was stored with.",
            )
        return Secret(found.value)

    def _cipher(self, *, make: bool = False) -> Fernet:
        with storage_errors():
            if make and not self._path.exists():
                _write(self._path, Fernet.generate_key())
            if not self._path.exists():
                raise StorageError(f"the data folder lacks {self._path.name}, the key of its secrets")
            if self._path.stat().st_mode & 0o077:
                raise StorageError(
                    f"others of this machine may read {self._path.name}, the key of all secrets",
                    hint=f"chmod 600 {self._path.name} in the data folder.",
                )
            key = self._path.read_bytes()
        try:
            return Fernet(key.strip())
        except ValueError:
            raise StorageError(f"{self._path.name} in the data folder is no key of secrets") from None


def check(name: str, value: str) -> None:
    """Raise `InvalidRequest` unless a secret can have this name and value, which the error does not tell."""
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name[:80]!r} is no name for a secret",
            hint="Use up to 128 letters, digits and _, beginning with a letter or _.",
        )
    if len(value) > MAX_VALUE:
        raise InvalidRequest(f"a secret has at most {MAX_VALUE} characters, not {len(value)}")
    try:
        Secret(value)
    except FetchRefused as refusal:
        raise InvalidRequest(refusal.message, hint=refusal.hint) from None


def _write(path: Path, key: bytes) -> None:
    """Write the key to a new file, whole or not at all."""
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(path)
    sync_folder(path.parent)


def _listed(db: sa.Connection, owner: str) -> list[SecretRecord]:
    columns: list[sa.Column[Any]] = [_C[name] for name in SecretRecord.__struct_fields__]
    return [
        SecretRecord(*row)
        for row in db.execute(sa.select(*columns).where(_C.owner == owner).order_by(_C.name))
    ]


def _delete(db: sa.Connection, owner: str, name: str) -> bool:
    return db.execute(sa.delete(tables.secrets).where(_C.owner == owner, _C.name == name)).rowcount > 0
