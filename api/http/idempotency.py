"""Requests with an `Idempotency-Key`: what they make is made once.

Owns the answers that are kept for a day, and which requests are under way. Must not know what a route does. Runs are
found by their keys themselves (`api/runs/manager.py`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import msgspec
import sqlalchemy as sa

from api.errors import IdempotencyConflict, InvalidRequest
from api.ids import iso
from api.storage import tables
from api.storage.database import Database

DAY_S = 86_400.0
ROUTES = frozenset(
    ["POST /api/kernels", "POST /api/keys", "POST /api/scripts", "POST /api/sessions", "POST /api/tensors"]
)
"""Those that make something that stays."""
SHOWN_ONCE = {"POST /api/keys": "token"}
"""A field of an answer that is not kept."""
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class Name(msgspec.Struct, frozen=True):
    """What a client calls a request: its own key, the route, and the `Idempotency-Key`."""

    key_id: str
    route: str
    key: str


class Kept(msgspec.Struct, frozen=True):
    """An answer, and the digest of the request that it was given to."""

    digest: str
    status: int
    location: str | None
    body: str


class Repeated(Exception):
    """The request was answered before: it is answered again."""

    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self.kept = kept


def checked(key: str | None) -> str | None:
    """The value of an `Idempotency-Key`. Raises `InvalidRequest`."""
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidRequest("Idempotency-Key is 1 to 255 visible ASCII characters")
    return key


def conflict(made: str) -> IdempotencyConflict:
    """The error for a key that `made` something from another request."""
    return IdempotencyConflict(
        f"the idempotency key made {made} from another request", hint="Use a new key for a new request."
    )


class Repeats:
    """The answers of one server; `wall` is what their age is measured by."""

    def __init__(self, database: Database, wall: Callable[[], float] = time.time) -> None:
        self._database = database
        self._wall = wall
        self._under_way: set[Name] = set()

    async def begin(self, name: Name) -> Kept | None:
        """The answer that a request was given before; None for a new one, of which `over` is called at its end.

        Raises `IdempotencyConflict` while another of the same name is under way.
        """
        if name in self._under_way:
            raise IdempotencyConflict(
                "a request with this idempotency key is under way", hint="Ask again when it is answered."
            )
        self._under_way.add(name)
        try:
            kept = await self._database.do(lambda db: _find(db, name, self._oldest()))
        except BaseException:
            self.over(name)
            raise
        if kept is not None:
            self.over(name)
        return kept

    async def keep(self, name: Name, kept: Kept) -> None:
        """Keep an answer for a day; it is on disk when this returns."""
        hidden = SHOWN_ONCE.get(name.route)
        if hidden is not None:
            shown = msgspec.json.decode(kept.body)
            del shown[hidden]
            kept = msgspec.structs.replace(kept, body=msgspec.json.encode(shown).decode())
        at, oldest = iso(self._wall()), self._oldest()
        await self._database.do(lambda db: _keep(db, name, kept, at, oldest), durable=True, grows=True)

    def over(self, name: Name) -> None:
        """The request is not under way any more."""
        self._under_way.discard(name)

    def _oldest(self) -> str:
        return iso(self._wall() - DAY_S)


def _find(db: sa.Connection, name: Name, oldest: str) -> Kept | None:
    c = tables.answers.c
    query = sa.select(c.digest, c.status, c.location, c.body).where(
        c.key_id == name.key_id, c.route == name.route, c.key == name.key, c.at >= oldest
    )
    row = db.execute(query).first()
    return None if row is None else Kept(**row._mapping)


def _keep(db: sa.Connection, name: Name, kept: Kept, at: str, oldest: str) -> None:
    db.execute(sa.delete(tables.answers).where(tables.answers.c.at < oldest))
    values = {**msgspec.structs.asdict(name), **msgspec.structs.asdict(kept)}
    db.execute(sa.insert(tables.answers).values(**values, at=at))
