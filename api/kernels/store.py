"""Stored kernels: text that is immutable by its hash, and names that point at hashes.

Owns names, versions, registration (`builds.py`, then the database), and that no kernel runs that an older guard wrote.
Must not know HTTP.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import sqlalchemy as sa

from api.auth.acl import Level, Target
from api.auth.identity import Identity
from api.auth.sharing import Sharing
from api.errors import InvalidRequest, KernelNotFound, NameReserved
from api.ids import now
from api.kernels.builds import Build, Builder, is_current, text_hash
from api.kernels.parameters import Template, dump, load
from api.quotas import Quotas
from api.storage import tables
from api.storage.database import Database
from api.storage.dialects import upsert
from api.usage.stored import check_kernels
from api.versions import KERNELS, check_unpinned, referred
from shaders.reflection import Reflection
from shaders.template import TemplateParamsError

NAME = re.compile(r"[a-z_][a-z0-9_.\-]{0,63}")
SPELLING = "up to 64 of a-z, 0-9, _, . and -, beginning with a letter or _"
"""Of a new name, for people: those that were stored under an older rule are found all the same."""
RESERVED = ("builtin", "kernelgate")
ADDRESSES = ("acl",)
"""Names that would stand where an address of the API ends."""
CACHED = 1024


class KernelRecord(msgspec.Struct, frozen=True):
    """A version of a kernel: its source as posted, and what the worker found in it.

    With a `template`, `source` is its text for the defaults (and examples), and `hash` that of the template.
    """

    owner: str
    name: str
    hash: str
    source: str
    reflection: Reflection
    created_at: str
    template: Template | None = None

    @property
    def target(self) -> Target:
        """What access lists call it, with all its versions."""
        return Target("kernel", self.owner, self.name)

    def document(self) -> dict[str, Any]:
        """What a client is told of it."""
        return {
            "name": self.name,
            "owner": self.owner,
            "hash": self.hash,
            "fingerprint": self.reflection.fingerprint,
            **({} if self.template is None else {"params": self.template.declarations()}),
            **contents(self.reflection),
            "created_at": self.created_at,
        }


def contents(reflection: Reflection) -> dict[str, Any]:
    """What a client is told of a kernel's text."""
    written = {info.name for info in reflection.bindings if info.access == "read_write"}
    return {
        "entry_points": [
            {
                "name": entry.name,
                "workgroup_size": entry.workgroup_size,
                "reads": list(entry.bindings),
                "writes": [name for name in entry.bindings if name in written],
                "overrides": entry.overrides,
            }
            for entry in reflection.entry_points
        ],
        "overrides": [msgspec.structs.asdict(override) for override in reflection.overrides],
        "bindings": msgspec.to_builtins(reflection.bindings),
    }


class KernelStore:
    """The kernels of all owners."""

    def __init__(self, database: Database, builder: Builder, sharing: Sharing) -> None:
        self._database = database
        self._sharing = sharing
        self._builder = builder
        self._cache: OrderedDict[tuple[str, str, str], KernelRecord] = OrderedDict()

    async def add(self, identity: Identity, name: str, text: str | Template) -> tuple[KernelRecord, bool]:
        """Store WGSL or a template and point the caller's `name` at it; whether it is new under that name.

        Raises what building raises, `InvalidRequest`, `NameReserved` and `QuotaExceeded`.
        """
        check_name(name)
        template = text if isinstance(text, Template) else None
        digest = text_hash(text) if isinstance(text, str) else text.hash
        found = await self._database.do(lambda db: _find_or_check(db, identity, name, digest))
        if found is not None and is_current(found.reflection):
            self._builder.check(found.reflection, identity.owner)
            record = found
        else:
            build = await self._build(identity, text)
            created_at = now() if found is None else found.created_at
            record = KernelRecord(
                identity.owner, name, digest, build.source, build.reflection, created_at, template
            )
        changed = record is not found
        await self._database.do(
            lambda db: _point(db, record, changed, identity.quotas), durable=True, grows=True
        )
        self._forget(identity.owner, name)
        return record, found is None

    async def reflect(self, identity: Identity, source: str) -> Reflection:
        """What WGSL has, which is neither compiled nor kept. Raises what parsing raises."""
        return await self._builder.reflected(identity.owner, source)

    async def prepare(
        self, identity: Identity, record: KernelRecord, params: Mapping[str, object]
    ) -> KernelRecord:
        """The record as the caller dispatches it: `hash`, `source` and `reflection` of what runs with `params`.

        Raises `TemplateParamsError`, what rendering raises, and what building raises.
        """
        if not is_current(record.reflection):
            record = await self._renew(identity, record)
        template = record.template
        if template is None:
            if params:
                raise TemplateParamsError(
                    f"the kernel {record.name!r} takes no params", hint="It is WGSL, not a template."
                )
            return record
        values = template.fill(params)
        if values == template.first():
            return msgspec.structs.replace(record, hash=text_hash(record.source))
        build = await self._builder.of_template(identity.owner, template, values)
        return msgspec.structs.replace(
            record, hash=build.hash, source=build.source, reflection=build.reflection
        )

    async def _build(self, identity: Identity, text: str | Template) -> Build:
        if isinstance(text, str):
            return await self._builder.of_source(identity.owner, text)
        return await self._builder.of_template(identity.owner, text, text.first())

    async def _renew(self, identity: Identity, record: KernelRecord) -> KernelRecord:
        """A record that an older guard wrote, or none, made anew from what was posted."""
        build = await self._build(identity, record.template or record.source)
        renewed = msgspec.structs.replace(record, source=build.source, reflection=build.reflection)
        made = {"source": build.source, "reflection": msgspec.msgpack.encode(build.reflection)}
        await self._database.do(
            lambda db: KERNELS.change(db, record.owner, record.name, record.hash, **made), durable=True
        )
        self._forget(record.owner, record.name)
        return renewed

    async def find(self, identity: Identity, reference: str, wanted: Level = "read") -> KernelRecord:
        """The kernel `name`, `name@hash`, `owner/name` or `owner/name@hash`, if `identity` may do what it wants.

        Raises `KernelNotFound`, also for what it may not even see, `AccessDenied`, `PermissionDenied`.
        """
        owner, name, digest = referred(identity, reference)
        record = self._cache.get((owner, name, digest))
        if record is None:
            record = await self._database.do(lambda db: _find(db, owner, name, digest))
        missing = KernelNotFound(
            f"there is no kernel {reference[:80]!r}", hint="GET /api/kernels lists yours; POST one to add it."
        )
        record = await self._sharing.require_named(identity, "kernel", reference, record, wanted, missing)
        self._cache[owner, name, digest] = record
        if len(self._cache) > CACHED:
            self._cache.popitem(last=False)
        return record

    async def prove(
        self, identity: Identity, kernel: KernelRecord, sets: Iterable[Mapping[str, float]]
    ) -> None:
        """See `Builder.prove`."""
        await self._builder.prove(identity.owner, kernel.hash, kernel.reflection, sets)

    async def page(
        self, identity: Identity, limit: int, after: str | None, owner: str | None = None
    ) -> list[KernelRecord]:
        """Kernels that a key may read, of all owners or one, by name and owner, each at the version its name points at.

        `after` is the reference of the last one of the page before.
        """
        start = None if after is None else referred(identity, after)
        rows = await self._database.do(lambda db: KERNELS.page(db, identity, limit, start, owner))
        return [_record(row) for row in rows]

    async def delete(self, identity: Identity, reference: str) -> None:
        """Forget a name with all its versions. Raises as `find`, and `InvalidRequest` for a pinned version."""
        record = await self.find(identity, reference, "write")
        check_unpinned(reference)
        await self._database.do(lambda db: KERNELS.delete(db, record.target), durable=True, frees=True)
        self._forget(record.owner, record.name)

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
            hint=f"Use {SPELLING}.",
        )
    if name.startswith(RESERVED) or name in ADDRESSES:
        raise NameReserved(
            f"names beginning with {' or '.join(RESERVED)}, and {', '.join(ADDRESSES)}, are the server's",
            hint="Choose another.",
        )


def _find(db: sa.Connection, owner: str, name: str, digest: str) -> KernelRecord | None:
    row = KERNELS.find(db, owner, name, digest)
    return None if row is None else _record(row)


def _record(row: sa.Row[Any]) -> KernelRecord:
    template = None if row.template is None else Template(row.template, load(row.params))
    reflection = _reflection(row.reflection)
    return KernelRecord(row.owner, row.name, row.hash, row.source, reflection, row.created_at, template)


def _reflection(data: bytes) -> Reflection:
    """A stored reflection; one that an older version wrote in another form is none, and is made anew when needed."""
    try:
        return msgspec.msgpack.decode(data, type=Reflection)
    except msgspec.ValidationError:
        return Reflection("", (), ())


def _find_or_check(db: sa.Connection, identity: Identity, name: str, digest: str) -> KernelRecord | None:
    """A version of one's own. Raises `QuotaExceeded` if it is new and one too many."""
    found = _find(db, identity.owner, name, digest)
    if found is None:
        check_kernels(db, identity.owner, identity.quotas)
    return found


def _point(db: sa.Connection, record: KernelRecord, changed: bool, quotas: Quotas) -> None:
    """Point a name at `record`, and store that if it is new or `changed`. Raises `QuotaExceeded` for one too many."""
    if changed:
        if _find(db, record.owner, record.name, record.hash) is None:
            check_kernels(db, record.owner, quotas)
        template = record.template
        values = {
            "owner": record.owner,
            "name": record.name,
            "hash": record.hash,
            "source": record.source,
            "reflection": msgspec.msgpack.encode(record.reflection),
            "created_at": record.created_at,
            "template": None if template is None else template.text,
            "params": None if template is None else dump(template),
        }
        upsert(db, tables.kernels, values)
    KERNELS.point(db, record.owner, record.name, record.hash)
