"""Keys: who may ask.

Owns their form (`kg_<id>_<secret>`), their hashes, and the check of one. Only a hash is stored: a token has 192
random bits, so that a plain SHA-256 of it is as good as a slow one. Must not know HTTP.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from api import tables
from api.database import Database
from api.errors import InvalidRequest, Unauthorized
from api.ids import now
from sandbox.gates.errors import GrantError
from sandbox.gates.grants import Grants, parse, to_json

ROLES = ("admin", "user")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
RESERVED_OWNERS = ("builtin",)
CACHE_S = 2.0
_TOKEN = re.compile(r"kg_([0-9a-f]{12})_([0-9a-f]{48})")


class Identity(msgspec.Struct, frozen=True):
    """Who asks: a key, the owner whose objects it uses, its role, and the most that its runs may be granted.

    A `maximum` of None is no bound.
    """

    key_id: str
    owner: str
    role: str
    maximum: Grants | None = Grants()


class KeyRecord(msgspec.Struct, frozen=True):
    """A key as it is listed. The token itself is known to its holder only."""

    id: str
    name: str
    owner: str
    role: str
    created_at: str
    revoked_at: str | None = None
    grants: str | None = None


class Keys:
    """The stored keys. A valid one is remembered for `CACHE_S` seconds: a revoked key works no longer than that."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, tuple[float, Identity]] = {}

    async def check(self, token: str) -> Identity:
        """Whose `token` is. Raises `Unauthorized`, alike for a malformed, an unknown and a revoked one."""
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise _refused()
        digest = _hash(token)
        known = self._known.get(digest)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        row = await self._database.do(lambda db: _find(db, match.group(1)))
        if row is None or not hmac.compare_digest(row.hash, digest) or row.revoked_at is not None:
            self._known.pop(digest, None)
            raise _refused()
        identity = Identity(row.id, row.owner, row.role, maximum(row.role, row.grants))
        self._known[digest] = (time.monotonic() + CACHE_S, identity)
        return identity


def maximum(role: str, grants: str | None) -> Grants | None:
    """The most that a key's runs may be granted. Without grants of its own an admin has no bound, a user the default:
    our ops and the owner's own kernels."""
    if grants is not None:
        return parse(msgspec.json.decode(grants))
    return None if role == "admin" else Grants()


def create(
    db: sa.Connection, name: str, role: str, owner: str | None = None, grants: Grants | None = None
) -> tuple[KeyRecord, str]:
    """A new key and its token, which is not kept.

    Raises `InvalidRequest` for a bad name, owner or role, `GrantError` for a file grant that names no folder.
    """
    owner = owner or name
    for word, value in (("name", name), ("owner", owner)):
        if not NAME.fullmatch(value):
            raise InvalidRequest(
                f"{value[:60]!r} is no {word} for a key",
                hint="Use up to 32 of a-z, 0-9, - and _, beginning with a letter or digit.",
            )
    if role not in ROLES or owner in RESERVED_OWNERS:
        raise InvalidRequest(
            f"the role {role!r} or the owner {owner!r} is not possible", hint=f"Roles: {ROLES}."
        )
    if nameless := [grant.path for grant in grants.files if not grant.folder] if grants else []:
        raise GrantError(f"grants: files: {nameless[0]} names no folder of the host")
    stored = None if grants is None else msgspec.json.encode(to_json(grants)).decode()
    record = KeyRecord(secrets.token_hex(6), name, owner, role, now(), grants=stored)
    token = f"kg_{record.id}_{secrets.token_hex(24)}"
    values = {name: getattr(record, name) for name in record.__struct_fields__}
    db.execute(sa.insert(tables.keys).values(**values, hash=_hash(token)))
    return record, token


def listed(db: sa.Connection) -> list[KeyRecord]:
    """All keys, oldest first, the revoked ones included."""
    columns = [tables.keys.c[name] for name in KeyRecord.__struct_fields__]
    rows = db.execute(sa.select(*columns).order_by(tables.keys.c.created_at, tables.keys.c.id))
    return [KeyRecord(*row) for row in rows]


def revoke(db: sa.Connection, key_id: str) -> bool:
    """Revoke the key `key_id`; whether there was such a valid key."""
    condition = (tables.keys.c.id == key_id) & tables.keys.c.revoked_at.is_(None)
    return db.execute(sa.update(tables.keys).where(condition).values(revoked_at=now())).rowcount > 0


def ensure_admin(database: Database, path: Path) -> str | None:
    """On the first start, make the admin key, keep its token at `path` (mode 0600) and return it."""
    if database.run(lambda db: db.execute(sa.select(tables.keys.c.id).limit(1)).first()) is not None:
        return None
    return database.run(lambda db: _write_admin(db, path), durable=True)


def _write_admin(db: sa.Connection, path: Path) -> str:
    """Make the admin key and its file; neither stays without the other."""
    _, token = create(db, "admin", "admin")
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(token + "\n")
        file.flush()
        os.fsync(file.fileno())
    return token


def _find(db: sa.Connection, key_id: str) -> Any:
    c = tables.keys.c
    return db.execute(
        sa.select(c.id, c.owner, c.role, c.hash, c.revoked_at, c.grants).where(c.id == key_id)
    ).first()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _refused() -> Unauthorized:
    return Unauthorized("the key is missing, unknown or revoked", hint="Send Authorization: Bearer kg_….")
