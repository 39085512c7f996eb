"""The server's housekeeping, from time to time: retention, blobs that nobody refers to, the reserve.

Owns the order and the loop. Must not know what is kept for how long: that is `api/retention.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from functools import partial

import sqlalchemy as sa

from api.background import Recurrent
from api.retention import DROPS, KINDS, due
from api.settings import Settings
from api.storage.database import Database
from api.storage.reserve import Reserve
from api.tensors.store import TensorStore
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate")


class Upkeep:
    """Sweeps every `settings.sweep_s` seconds between `start` and `stop`; `wall` is what age is measured by."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        tensors: TensorStore,
        reserve: Reserve,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._database = database
        self._tensors = tensors
        self._reserve = reserve
        self._wall = wall
        self._sweeper = Recurrent(self.sweep, settings.sweep_s, "housekeeping")

    def start(self) -> None:
        """Begin to sweep."""
        self._sweeper.start()

    async def stop(self) -> None:
        """End, and store which tensors were used."""
        await self._sweeper.stop()
        with contextlib.suppress(KernelgateError):
            await self._tensors.store_uses()

    async def sweep(self) -> dict[str, int]:
        """Do all of it once; how many of each kind left. Raises `StorageError`."""
        await asyncio.to_thread(self._reserve.fill)
        await self._tensors.store_uses()
        gone = {name: await self._drop(name) for name in KINDS}
        gone["blobs"] = await self._tensors.collect_orphans()
        if any(gone.values()):
            log.info("retention: %s", ", ".join(f"{count} {name}" for name, count in gone.items() if count))
        return gone

    async def _drop(self, name: str) -> int:
        count = 0
        while ids := await self._database.do(partial(self._batch, name), frees=True):
            if name not in DROPS:
                await self._tensors.forget(ids)
            count += len(ids)
        return count

    def _batch(self, name: str, db: sa.Connection) -> list[str]:
        """Find what is due, and drop it at once where that is a matter of the database alone."""
        at = self._wall()
        ids = due(db, name, self._settings, at)
        if ids and name in DROPS:
            DROPS[name](db, ids, at)
        return ids
