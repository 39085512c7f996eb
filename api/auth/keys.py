"""Keys as they are made, listed and revoked, and their rows.

Owns what a new one may have, and its token (`kg_<id>_<secret>`), of which only a hash is stored: a token has 192 random
bits, so that a plain SHA-256 of it is as good as a slow one. Must not know HTTP, or when a key is looked up.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from api import quotas
from api.auth import scopes
from api.auth.identity import USERS, Identity, default_grants, maximum, stored_grants
from api.errors import InvalidRequest, KeyExists, KeyNotFound
from api.ids import iso, now
from api.quotas import Given, Quotas
from api.storage import tables
from api.storage.database import Database
from sandbox.gates.errors import GrantError
from sandbox.gates.grants import Grants, intersect, shown, to_json
from shaders.suggestions import meant

ROLES = ("admin", "user")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
RESERVED_OWNERS = ("builtin",)
MAX_GROUPS = 32
LONGEST_S = 3.2e9
"""Until a key ends: a hundred years."""


class NewKey(msgspec.Struct, frozen=True):
    """A key to make. What is None is the role's default; of `quotas` those that are not named, too."""

    name: str
    role: str = "user"
    owner: str | None = None
    grants: Grants | None = None
    groups: tuple[str, ...] = ()
    scopes: tuple[str, ...] | None = None
    quotas: Given = {}
    expires_at: str | None = None


class KeyRecord(msgspec.Struct, frozen=True):
    """A key as it is listed: `grants`, `groups`, `scopes` and `quotas` are JSON. Its holder alone knows the token."""

    id: str
    name: str
    owner: str
    role: str
    created_at: str
    revoked_at: str | None = None
    grants: str | None = None
    groups: str = "[]"
    scopes: str | None = None
    quotas: str = "{}"
    expires_at: str | None = None

    def state(self, moment: str) -> str:
        """What the key is at a time: `valid`, `revoked` or `expired`."""
        if self.revoked_at is not None:
            return "revoked"
        return "valid" if self.expires_at is None or self.expires_at > moment else "expired"

    def document(self, defaults: Mapping[str, Quotas], moment: str) -> dict[str, Any]:
        """What an admin is told of it, but for the values of `env`; `moment` is the time now."""
        identity = self.identity(defaults)
        return {
            "id": self.id,
            "name": self.name,
            "owner": self.owner,
            "role": self.role,
            "state": self.state(moment),
            "groups": identity.groups,
            "scopes": sorted(identity.scopes),
            "grants": None if self.grants is None else shown(stored_grants(self.grants), USERS),
            "quotas": identity.quotas,
            "created_at": self.created_at,
            "expires_at": self.expires_at,
            "revoked_at": self.revoked_at,
        }

    def identity(self, defaults: Mapping[str, Quotas]) -> Identity:
        """Whoever asks with this key; `defaults` are the quotas of each role."""
        role_scopes = scopes.of_role(self.role)
        given = None if self.scopes is None else frozenset(msgspec.json.decode(self.scopes, type=list[str]))
        return Identity(
            self.id,
            self.owner,
            self.role,
            maximum(self.role, self.grants),
            msgspec.json.decode(self.groups, type=tuple[str, ...]),
            role_scopes if given is None else given & role_scopes,
            defaults[self.role].replaced(msgspec.json.decode(self.quotas)),
            self.expires_at,
        )


def expiry(seconds: float) -> str:
    """When a key ends that is made now. Raises `InvalidRequest`."""
    if not 0 < seconds <= LONGEST_S:
        raise InvalidRequest(
            f"a key ends after more than 0 and at most {LONGEST_S:g} s, not after {seconds:g}"
        )
    return iso(time.time() + seconds)


def within(caller: Identity, asked: NewKey, default: Quotas) -> NewKey:
    """`asked`, which `caller` asks for, with nothing that the caller's own key does not have; `default` are the quotas
    of its role. Raises `InvalidRequest` for a scope that the caller has not.
    """
    wanted = scopes.of_role(asked.role) if asked.scopes is None else frozenset(asked.scopes)
    if asked.scopes is not None and (more := wanted - caller.scopes):
        raise InvalidRequest(
            f"scopes: your own key does not have {min(more)!r}",
            hint=meant(min(more), caller.scopes, "A key makes none that may do more than it may."),
        )
    grants = asked.grants
    if caller.maximum is not None:
        grants = intersect(caller.maximum, grants or default_grants(asked.role) or caller.maximum)
    effective = default.replaced(asked.quotas)
    bounded = effective.within(caller.quotas)
    ends = [each for each in (asked.expires_at, caller.expires_at) if each is not None]
    return msgspec.structs.replace(
        asked,
        grants=grants,
        scopes=asked.scopes if caller.scopes >= wanted else tuple(sorted(wanted & caller.scopes)),
        quotas=asked.quotas if bounded == effective else msgspec.structs.asdict(bounded),
        expires_at=min(ends, default=None),
    )


def create(db: sa.Connection, asked: NewKey) -> tuple[KeyRecord, str]:
    """A new key and its token, which is not kept.

    Raises `InvalidRequest` for a bad name, owner, group, role or scope, `KeyExists` for the name of a key that is still
    valid, `GrantError` for a file grant that names no folder.
    """
    owner = asked.owner or asked.name
    _check_names(asked, owner)
    _check_new(db, asked.name)
    scopes.check(asked.role, asked.scopes or ())
    grants = asked.grants
    if nameless := [grant.path for grant in grants.files if not grant.folder] if grants else []:
        raise GrantError(f"grants: files: {nameless[0]} names no folder of the host")
    record = KeyRecord(
        id=secrets.token_hex(6),
        name=asked.name,
        owner=owner,
        role=asked.role,
        created_at=now(),
        grants=None if grants is None else _json(to_json(grants, USERS)),
        groups=_json(sorted(set(asked.groups))),
        scopes=None if asked.scopes is None else _json(sorted(set(asked.scopes))),
        quotas=_json(quotas.parse(dict(asked.quotas))),
        expires_at=asked.expires_at,
    )
    token = f"kg_{record.id}_{secrets.token_hex(24)}"
    db.execute(sa.insert(tables.keys).values(**msgspec.structs.asdict(record), hash=hash_of(token)))
    return record, token


def _check_names(asked: NewKey, owner: str) -> None:
    named = [("name", asked.name), ("owner", owner), *(("group", group) for group in asked.groups)]
    for word, value in named:
        if not NAME.fullmatch(value):
            raise InvalidRequest(
                f"{value[:60]!r} is no {word} for a key",
                hint="Use up to 32 of a-z, 0-9, - and _, beginning with a letter or digit.",
            )
    if asked.role not in ROLES or owner in RESERVED_OWNERS:
        raise InvalidRequest(
            f"the role {asked.role!r:.60} or the owner {owner!r} is not possible", hint=f"Roles: {ROLES}."
        )
    if len(asked.groups) > MAX_GROUPS:
        raise InvalidRequest(f"a key is in at most {MAX_GROUPS} groups, not {len(asked.groups)}")


def _check_new(db: sa.Connection, name: str) -> None:
    c = tables.keys.c
    ends_later = c.expires_at.is_(None) | (c.expires_at > now())
    of_name = sa.select(c.id).where(c.name == name, c.revoked_at.is_(None), ends_later)
    if other := db.execute(of_name.limit(1)).scalar():
        raise KeyExists(
            f"there is a key {name!r} already: {other}",
            hint="Take another name, or revoke that key first. Several keys may have one owner.",
        )


_COLUMNS = [tables.keys.c[name] for name in KeyRecord.__struct_fields__]
_ORDER = (tables.keys.c.created_at, tables.keys.c.id)


def listed(db: sa.Connection, limit: int | None = None, after: str | None = None) -> list[KeyRecord]:
    """All keys, oldest first, the revoked ones included; or at most `limit`, beyond the id `after`."""
    query = sa.select(*_COLUMNS).order_by(*_ORDER).limit(limit)
    if after is not None:
        before = find(db, after)
        if before is None:
            raise _unknown(after)
        query = query.where(sa.tuple_(*_ORDER) > sa.tuple_(before.created_at, before.id))
    return [KeyRecord(*row) for row in db.execute(query)]


def find(db: sa.Connection, key_id: str) -> KeyRecord | None:
    """The key `key_id`."""
    row = db.execute(sa.select(*_COLUMNS).where(tables.keys.c.id == key_id)).first()
    return None if row is None else KeyRecord(*row)


def get(db: sa.Connection, key_id: str) -> KeyRecord:
    """The key `key_id`. Raises `KeyNotFound`."""
    record = find(db, key_id)
    if record is None:
        raise _unknown(key_id)
    return record


def revoke(db: sa.Connection, key_id: str) -> bool:
    """Revoke the key `key_id`; whether there was such a key that was not revoked."""
    condition = (tables.keys.c.id == key_id) & tables.keys.c.revoked_at.is_(None)
    return db.execute(sa.update(tables.keys).where(condition).values(revoked_at=now())).rowcount > 0


def ensure_admin(database: Database, path: Path) -> str | None:
    """On the first start, make the admin key, keep its token at `path` (mode 0600) and return it."""
    if database.run(lambda db: db.execute(sa.select(tables.keys.c.id).limit(1)).first()) is not None:
        return None
    return database.run(lambda db: _write_admin(db, path), durable=True)


def _write_admin(db: sa.Connection, path: Path) -> str:
    """Make the admin key and its file; neither stays without the other."""
    _, token = create(db, NewKey("admin", "admin"))
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(token + "\n")
        file.flush()
        os.fsync(file.fileno())
    return token


def hashed(db: sa.Connection, key_id: str) -> Any:
    """The hash of the key `key_id`, and the columns of its record; None when there is no such key."""
    return db.execute(sa.select(tables.keys.c.hash, *_COLUMNS).where(tables.keys.c.id == key_id)).first()


def hash_of(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _unknown(key_id: str) -> KeyNotFound:
    return KeyNotFound(f"there is no key {key_id[:60]!r}", hint="GET /api/keys lists all.")
