"""Kernels that took the device with them, by fingerprint and who dispatched them: he neither dispatches nor stores them
until an admin lifts it. Once several have broken the device with one, nobody does: a stranger who dispatches another's
kernel, or its text, with inputs that make it hang takes it from himself alone.

Who has several there that differ in literals only dispatches and stores no other such kernel either.

Owns the list, which is durable and wholly in memory. Must not know devices or HTTP.
"""

from __future__ import annotations

import logging
from collections.abc import Collection

import msgspec
import sqlalchemy as sa

from api.errors import KernelQuarantined, QuarantineNotFound
from api.ids import now
from api.storage import tables
from api.storage.database import Database
from api.storage.dialects import upsert
from host.errors import KernelFault
from shaders.errors import KernelgateError
from shaders.fingerprint import family

FAMILY_LIMIT = 3
"""So many of one owner's kernels that differ in literals only get to break the device, and no more: whoever mends a
bound may be wrong twice."""
EVERYBODY = 2
"""So many owners who broke the device with one kernel, and it is in quarantine for all."""

log = logging.getLogger("kernelgate")


class Entry(msgspec.Struct, frozen=True):
    """A kernel in quarantine: its fingerprint, who dispatched it, its name, `hang` or `crash`, and what was seen."""

    fingerprint: str
    owner: str
    name: str
    reason: str
    detail: str
    created_at: str


class Quarantine:
    """The kernels in quarantine."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries: dict[tuple[str, str], Entry] = {}

    async def start(self) -> None:
        """Read what earlier servers put in."""
        entries = await self._database.do(_all)
        self._entries = {(entry.fingerprint, entry.owner): entry for entry in entries}

    def find(self, fingerprint: str, owners: Collection[str]) -> Entry | None:
        """Why one of `owners` may not dispatch a kernel; what others did with it is told without who they are."""
        entries = self._of(fingerprint)
        own = next((entry for entry in entries if entry.owner in owners), None)
        if own is not None or len(entries) < EVERYBODY:
            return own
        return msgspec.structs.replace(entries[-1], owner="", name="")

    def _of(self, fingerprint: str) -> list[Entry]:
        """What was done with a kernel, the last last."""
        return [entry for entry in self._entries.values() if entry.fingerprint == fingerprint]

    def page(self) -> list[Entry]:
        """All entries, the newest first."""
        return sorted(self._entries.values(), key=lambda entry: entry.created_at, reverse=True)

    def check(self, fingerprint: str, owner: str) -> None:
        """Raise `KernelQuarantined` if a kernel is in quarantine for `owner`, or too many like it are."""
        entry = self.find(fingerprint, [owner])
        if entry is not None:
            raise KernelQuarantined(
                f"the kernel {fingerprint[:12]}… is in quarantine since {entry.created_at}: {entry.detail}",
                hint="Store a text that does less in each workgroup, or nothing that crashes the driver; an admin "
                "can lift the quarantine.",
            )
        kin = (owner, family(fingerprint))
        alike = sum((each.owner, family(each.fingerprint)) == kin for each in self._entries.values())
        if alike >= FAMILY_LIMIT:
            raise KernelQuarantined(
                f"{alike} kernels of {owner} that differ from this one in literals only are in quarantine; the limit "
                f"is {FAMILY_LIMIT}",
                hint="Store a text that does its work in another way; an admin can lift a quarantine.",
            )

    async def add(self, fingerprint: str, owner: str, name: str, fault: KernelFault) -> None:
        """Put a kernel that `owner` dispatched in for `fault`: from this moment, whether or not it can be stored."""
        entry = Entry(fingerprint, owner, name, fault.reason, fault.message, now())
        self._entries[fingerprint, owner] = entry
        log.warning("kernel %s (%s/%s) is in quarantine: %s", fingerprint[:12], owner, name, fault.message)
        try:
            await self._database.do(lambda db: _put(db, entry), durable=True, frees=True)
        except KernelgateError as error:
            log.error("the quarantine of kernel %s could not be stored: %s", fingerprint[:12], error)

    async def lift(self, fingerprint: str) -> None:
        """Take a kernel out, for all. Raises `QuarantineNotFound`."""
        entries = self._of(fingerprint)
        if not entries:
            raise QuarantineNotFound(
                f"no kernel {fingerprint[:64]!r} is in quarantine",
                hint="GET /api/quarantine lists those that are.",
            )
        for entry in entries:
            del self._entries[fingerprint, entry.owner]
        log.info("the quarantine of kernel %s was lifted", fingerprint[:12])
        await self._database.do(lambda db: _remove(db, fingerprint), durable=True, frees=True)


def _all(db: sa.Connection) -> list[Entry]:
    """All entries, the last last."""
    query = sa.select(tables.quarantine).order_by(tables.quarantine.c.created_at)
    return [Entry(**row._mapping) for row in db.execute(query)]


def _put(db: sa.Connection, entry: Entry) -> None:
    upsert(db, tables.quarantine, msgspec.structs.asdict(entry))


def _remove(db: sa.Connection, fingerprint: str) -> None:
    db.execute(sa.delete(tables.quarantine).where(tables.quarantine.c.fingerprint == fingerprint))
