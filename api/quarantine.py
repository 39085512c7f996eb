"""Kernels that took the device with them, by fingerprint: nobody dispatches or stores them until an admin lifts it.

The owner of several that differ in literals only dispatches and stores no other such kernel either.

Owns the list, which is durable and wholly in memory. Must not know devices or HTTP.
"""

from __future__ import annotations

import logging

import msgspec
import sqlalchemy as sa

from api import tables
from api.database import Database
from api.dialects import upsert
from api.errors import KernelQuarantined, QuarantineNotFound
from api.ids import now
from host.errors import KernelFault
from shaders.errors import KernelgateError
from shaders.fingerprint import family

FAMILY_LIMIT = 3
"""So many of one owner's kernels that differ in literals only get to break the device, and no more: whoever mends a
bound may be wrong twice."""

log = logging.getLogger("kernelgate")


class Entry(msgspec.Struct, frozen=True):
    """A kernel in quarantine: its fingerprint, whose it was when it happened, `hang` or `crash`, and what was seen."""

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
        self._entries: dict[str, Entry] = {}

    async def start(self) -> None:
        """Read what earlier servers put in."""
        entries = await self._database.do(_all)
        self._entries = {entry.fingerprint: entry for entry in entries}

    def find(self, fingerprint: str) -> Entry | None:
        """The entry of a kernel."""
        return self._entries.get(fingerprint)

    def page(self) -> list[Entry]:
        """All entries, the newest first."""
        return sorted(self._entries.values(), key=lambda entry: entry.created_at, reverse=True)

    def check(self, fingerprint: str, owner: str) -> None:
        """Raise `KernelQuarantined` if a kernel of `owner` is in quarantine, or too many like it are."""
        entry = self._entries.get(fingerprint)
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
        """Put a kernel in for `fault`: from this moment, whether or not it can be stored."""
        entry = self._entries[fingerprint] = Entry(
            fingerprint, owner, name, fault.reason, fault.message, now()
        )
        log.warning("kernel %s (%s/%s) is in quarantine: %s", fingerprint[:12], owner, name, fault.message)
        try:
            await self._database.do(lambda db: _put(db, entry), durable=True, frees=True)
        except KernelgateError as error:
            log.error("the quarantine of kernel %s could not be stored: %s", fingerprint[:12], error)

    async def lift(self, fingerprint: str) -> None:
        """Take a kernel out. Raises `QuarantineNotFound`."""
        if self._entries.pop(fingerprint, None) is None:
            raise QuarantineNotFound(
                f"no kernel {fingerprint[:64]!r} is in quarantine",
                hint="GET /api/quarantine lists those that are.",
            )
        log.info("the quarantine of kernel %s was lifted", fingerprint[:12])
        await self._database.do(lambda db: _remove(db, fingerprint), durable=True, frees=True)


def _all(db: sa.Connection) -> list[Entry]:
    return [Entry(**row._mapping) for row in db.execute(sa.select(tables.quarantine))]


def _put(db: sa.Connection, entry: Entry) -> None:
    upsert(db, tables.quarantine, msgspec.structs.asdict(entry))


def _remove(db: sa.Connection, fingerprint: str) -> None:
    db.execute(sa.delete(tables.quarantine).where(tables.quarantine.c.fingerprint == fingerprint))
