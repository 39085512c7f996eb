"""Which device a kernel is given to, whose is compiled next, and who is kept from one that breaks it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from api.errors import KernelQuarantined
from api.kernels.compiling import Compiler
from api.kernels.lane import Lane
from api.kernels.launcher import Launcher
from api.kernels.quarantine import Quarantine
from api.kernels.standby import Standby
from api.kernels.store import KernelRecord
from api.metrics import Metrics
from api.storage import tables
from api.storage.database import Database
from api.storage.dialects import upsert
from host.errors import KernelHung
from host.supervisor import Device, DeviceSettings
from shaders.reflect import reflect
from shaders.reflection import Reflection

REFLECTION = reflect("@compute @workgroup_size(1) fn main() {}")
HEAVY_MS = 100.0


class Watched(Device):
    """A device that notes in which order it was asked to compile."""

    def __init__(self) -> None:
        super().__init__(DeviceSettings(adapter="null"))
        self.asked: list[str] = []

    async def add_kernel(self, kernel_hash: str, reflection: Reflection, *more: Any, **named: Any) -> float:
        self.asked.append(kernel_hash)
        return await super().add_kernel(kernel_hash, reflection, *more, **named)


def kernel(hash: str) -> KernelRecord:
    return KernelRecord("somebody", hash, hash, "", REFLECTION, "2026-01-01T00:00:00Z")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Launcher, Watched, Watched]]:
    """A launcher over a device and a lane, for which kernels named `heavy…` took long to compile."""
    main, other = Watched(), Watched()
    database = Database(folder / "db")
    await database.start()
    lane = Lane(main, lambda: other, 60)
    quarantine = Quarantine(database)
    compiler = Compiler(main, Standby(lambda: other, 60), database, quarantine)
    for kind, took in (("light", HEAVY_MS / 2), ("heavy", HEAVY_MS * 2)):
        for hash in (f"{kind}{number}" for number in range(4)):
            row = {"hash": hash, "milliseconds": took}
            await database.do(lambda db, row=row: upsert(db, tables.compile_times, row))
            assert await compiler.milliseconds(hash) == took, (
                "it is at hand, so that all ask for a turn at once"
            )
    await main.start()
    try:
        yield Launcher(main, lane, compiler, quarantine, Metrics(), HEAVY_MS), main, other
    finally:
        await lane.close()
        await main.close()
        database.close()


@pytest.mark.parametrize("kind", ["light", "heavy"])
def test_owners_take_turns_at_having_kernels_compiled(tmp_path: Path, kind: str) -> None:
    async def body() -> None:
        async with opened(tmp_path) as (launcher, main, other), asyncio.timeout(60):

            async def launch(owner: str, number: int) -> None:
                async with launcher.launch(owner, kernel(f"{kind}{number}"), {}):
                    pass

            await launch("much", 0)
            await asyncio.gather(*[launch("much", n) for n in (0, 1, 2)], launch("little", 3))
            asked = main.asked if kind == "light" else other.asked
            assert asked == [f"{kind}{number}" for number in (0, 1, 3, 2)]

    asyncio.run(body())


def test_a_kernel_is_in_quarantine_for_who_dispatched_it_and_not_for_whose_it_is(tmp_path: Path) -> None:
    async def body() -> None:
        async with opened(tmp_path) as (launcher, *_), asyncio.timeout(60):
            with pytest.raises(KernelHung, match="did not yield"):
                async with launcher.launch("stranger", kernel("light"), {}):
                    raise KernelHung("did not yield")
            with pytest.raises(KernelQuarantined):
                async with launcher.launch("stranger", kernel("light"), {}):
                    pass
            async with launcher.launch("somebody", kernel("light"), {}):
                pass

    asyncio.run(body())
