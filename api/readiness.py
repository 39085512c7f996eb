"""Whether the server can work: what `/readyz` says of the parts that may fail while it runs.

Owns the questions and the words of the answers. Must not know HTTP, or how a part comes up (`api/starting.py`).
"""

from __future__ import annotations

import asyncio

import sqlalchemy as sa

from api.storage.database import Database
from api.storage.reserve import Reserve
from api.storage.tables import keys
from host.supervisor import Device
from shaders.errors import KernelgateError

PATIENCE_S = 2.0
"""For the database's answer. Requests that need it wait for longer."""


class Readiness:
    """Asks the device, the compiler, the database and the disk."""

    def __init__(self, device: Device, compiler: Device, database: Database, reserve: Reserve) -> None:
        self._device, self._compiler, self._database, self._reserve = device, compiler, database, reserve
        self._probe: asyncio.Future[None] | None = None

    async def reasons(self) -> list[str]:
        """Why nothing can be done at the moment; nothing when it can."""
        found = [] if self._device.state in ("ready", "starting") else [f"device: {self._device.state}"]
        trouble = await self._of_database()
        return found if trouble is None else [*found, f"database: {trouble}"]

    def degraded(self) -> list[str]:
        """What cannot be done at the moment, while the rest can."""
        found = []
        if self._compiler.state not in ("ready", "starting"):
            found.append(f"compiler: {self._compiler.state}: new kernels wait")
        if self._reserve.is_needed():
            found.append("storage: the disk of the data folder is full: nothing new is stored")
        return found

    async def _of_database(self) -> str | None:
        """What is wrong with it. One question is asked at a time, so that nobody floods it with them."""
        if self._probe is None or self._probe.done():
            self._probe = self._database.do(_write_nothing)
            self._probe.add_done_callback(_seen)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.shield(self._probe)
        except TimeoutError:
            return f"no answer within {PATIENCE_S:g} s: it is busy, or another process keeps it locked"
        except KernelgateError as error:
            return error.message
        return None


def _write_nothing(db: sa.Connection) -> None:
    """A write that changes no row, which needs all that a write needs."""
    db.execute(sa.update(keys).where(sa.false()).values(name=keys.c.name))


def _seen(probe: asyncio.Future[None]) -> None:
    """Take note of an error that came too late for whoever asked."""
    if not probe.cancelled():
        probe.exception()
