"""Stored kernels: text that is immutable by its hash, and names that point at hashes.

Owns names, versions, registration (sealed worker, then compiler, then the database), and which overrides the compiler
has tried. Must not know HTTP.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import msgspec
import sqlalchemy as sa

from api import tables
from api.compiling import Compiler
from api.database import Database
from api.errors import InvalidRequest, KernelNotFound, NameReserved
from api.ids import now
from api.keys import Identity
from sandbox.pool import WorkerPool
from shaders.reflection import Reflection

NAME = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,63}")
RESERVED = ("builtin", "kernelgate")
CACHED = 1024
MAX_SETS = 64
"""Of overrides, in one dispatch."""
Constants = tuple[tuple[str, float], ...]


class KernelRecord(msgspec.Struct, frozen=True):
    """A version of a kernel: its source as posted, and what the worker found in it."""

    owner: str
    name: str
    hash: str
    source: str
    reflection: Reflection
    created_at: str

    def document(self) -> dict[str, Any]:
        """What a client is told of it."""
        written = {info.name for info in self.reflection.bindings if info.access == "read_write"}
        return {
            "name": self.name,
            "owner": self.owner,
            "hash": self.hash,
            "entry_points": [
                {
                    "name": entry.name,
                    "workgroup_size": entry.workgroup_size,
                    "reads": list(entry.bindings),
                    "writes": [name for name in entry.bindings if name in written],
                    "overrides": entry.overrides,
                }
                for entry in self.reflection.entry_points
            ],
            "overrides": [msgspec.structs.asdict(override) for override in self.reflection.overrides],
            "bindings": [
                {
                    "group": info.group,
                    "binding": info.binding,
                    "name": info.name,
                    "kind": info.kind,
                    "access": info.access,
                    "type": info.type,
                    "fields": [{"name": field.name, "type": field.type} for field in info.fields],
                }
                for info in self.reflection.bindings
            ],
            "created_at": self.created_at,
        }


class KernelStore:
    """The kernels of all owners."""

    def __init__(
        self, database: Database, pool: WorkerPool, compiler: Compiler, ready: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._pool = pool
        self._compiler = compiler
        self._ready = ready
        self._cache: OrderedDict[tuple[str, str, str], KernelRecord] = OrderedDict()
        self._proven: OrderedDict[tuple[str, Constants], None] = OrderedDict()

    async def add(self, identity: Identity, name: str, source: str) -> tuple[KernelRecord, bool]:
        """Store `source` and point the caller's `name` at it; whether the source is new under that name.

        Raises what parsing or compiling raises, `InvalidRequest` and `NameReserved`.
        """
        check_name(name)
        digest = hashlib.sha256(source.encode()).hexdigest()
        found = await self._database.do(lambda db: _find(db, identity.owner, name, digest))
        record = found
        if record is None:
            await self._ready()
            reflection = await self._pool.reflect(source)
            await self._compiler.add_kernel(digest, reflection, warm=True)
            record = KernelRecord(identity.owner, name, digest, source, reflection, now())
        new = found is None
        await self._database.do(lambda db: _point(db, record, new), durable=True)
        self._forget(identity.owner, name)
        return record, new

    async def find(self, identity: Identity, reference: str, *, shared: bool = False) -> KernelRecord:
        """The kernel called `name`, `name@hash`, `owner/name` or `owner/name@hash`. Raises `KernelNotFound`.

        `shared`: a grant covers it, so that it may be anybody's.
        """
        owner, name, digest = self._split(identity, reference)
        record = self._cache.get((owner, name, digest))
        if record is None:
            record = await self._database.do(lambda db: _find(db, owner, name, digest))
        if record is None or not (shared or owner == identity.owner or identity.role == "admin"):
            raise KernelNotFound(
                f"there is no kernel {reference[:80]!r}",
                hint="GET /api/kernels lists yours; POST one to add it.",
            )
        self._cache[owner, name, digest] = record
        if len(self._cache) > CACHED:
            self._cache.popitem(last=False)
        return record

    async def prove(self, kernel: KernelRecord, sets: Iterable[Mapping[str, float]]) -> None:
        """Let the compiler try `kernel` with each of these sets of constants that it has not been tried with lately.

        Raises `InvalidRequest` for too many sets, and what compiling raises.
        """
        wanted = {tuple(sorted(constants.items())): constants for constants in sets if constants}
        if len(wanted) > MAX_SETS:
            raise InvalidRequest(
                f"the steps have {len(wanted)} different sets of overrides; the limit is {MAX_SETS}",
                hint="Each set is compiled on its own: give what changes often in a uniform.",
            )
        for key, constants in wanted.items():
            if (kernel.hash, key) not in self._proven:
                await self._ready()
                await self._compiler.add_kernel(kernel.hash, kernel.reflection, True, constants)
                self._proven[kernel.hash, key] = None
            self._proven.move_to_end((kernel.hash, key))
        while len(self._proven) > CACHED:
            self._proven.popitem(last=False)

    async def page(self, identity: Identity, limit: int, after: str | None) -> list[KernelRecord]:
        """The owner's kernels by name, each at the version its name points at."""
        return await self._database.do(lambda db: _page(db, identity.owner, limit, after))

    async def delete(self, identity: Identity, reference: str) -> None:
        """Forget a name with all its versions. Raises `KernelNotFound`, `InvalidRequest` for a pinned version."""
        record = await self.find(identity, reference)
        if "@" in reference:
            raise InvalidRequest(
                "a version is not deleted alone", hint="DELETE the name; all its versions go."
            )
        await self._database.do(lambda db: _delete(db, record.owner, record.name), durable=True)
        self._forget(record.owner, record.name)

    def _split(self, identity: Identity, reference: str) -> tuple[str, str, str]:
        path, _, digest = reference.partition("@")
        owner, slash, name = path.rpartition("/")
        return (owner if slash else identity.owner), name, digest

    def _forget(self, owner: str, name: str) -> None:
        for key in [key for key in self._cache if key[:2] == (owner, name)]:
            del self._cache[key]


def kernel_name(identity: Identity, reference: str) -> str:
    """The name of a kernel as grants spell it: of one's own `name`, of others `owner/name`, without a version."""
    path = reference.partition("@")[0]
    return path.removeprefix(f"{identity.owner}/")


def check_name(name: str) -> None:
    """Raise unless `name` may be given to a kernel."""
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name[:80]!r} is no name for a kernel",
            hint="Use up to 64 of a-z, 0-9, _, . and -, beginning with a letter, a digit or _.",
        )
    if name.startswith(RESERVED):
        raise NameReserved(
            f"names beginning with {' or '.join(RESERVED)} are the server's", hint="Choose another."
        )


def _find(db: sa.Connection, owner: str, name: str, digest: str) -> KernelRecord | None:
    """The version `digest` (at least 8 digits of it) of a kernel; "" means what the name points at."""
    c, names = tables.kernels.c, tables.kernel_names.c
    query = sa.select(tables.kernels).where(c.owner == owner, c.name == name)
    if digest:
        if not re.fullmatch(r"[0-9a-f]{8,64}", digest):
            return None
        query = query.where(c.hash.startswith(digest))
    else:
        pointer = sa.select(names.hash).where(names.owner == owner, names.name == name).scalar_subquery()
        query = query.where(c.hash == pointer)
    rows = db.execute(query.limit(2)).all()
    return _record(rows[0]) if len(rows) == 1 else None


def _page(db: sa.Connection, owner: str, limit: int, after: str | None) -> list[KernelRecord]:
    c, names = tables.kernels.c, tables.kernel_names.c
    same = (names.owner == c.owner) & (names.name == c.name) & (names.hash == c.hash)
    query = sa.select(tables.kernels).join(tables.kernel_names, same).where(c.owner == owner)
    if after is not None:
        query = query.where(c.name > after)
    return [_record(row) for row in db.execute(query.order_by(c.name).limit(limit))]


def _record(row: sa.Row[Any]) -> KernelRecord:
    reflection = msgspec.msgpack.decode(row.reflection, type=Reflection)
    return KernelRecord(row.owner, row.name, row.hash, row.source, reflection, row.created_at)


def _point(db: sa.Connection, record: KernelRecord, new: bool) -> None:
    """Store `record` if it is new, and point its name at it."""
    if new:
        values = {**msgspec.structs.asdict(record), "reflection": msgspec.msgpack.encode(record.reflection)}
        db.execute(sa.insert(tables.kernels).prefix_with("OR IGNORE", dialect="sqlite").values(**values))
    _delete_pointer(db, record.owner, record.name)
    db.execute(
        sa.insert(tables.kernel_names).values(
            owner=record.owner, name=record.name, hash=record.hash, updated_at=now()
        )
    )


def _delete_pointer(db: sa.Connection, owner: str, name: str) -> None:
    c = tables.kernel_names.c
    db.execute(sa.delete(tables.kernel_names).where(c.owner == owner, c.name == name))


def _delete(db: sa.Connection, owner: str, name: str) -> None:
    _delete_pointer(db, owner, name)
    c = tables.kernels.c
    db.execute(sa.delete(tables.kernels).where(c.owner == owner, c.name == name))
