"""The compiler as the server uses it: it tries each new kernel once, and how long that took is kept by hash.

Owns the times, and who waits for whom: one kernel is tried at a time, owners take turns, and one that takes long goes
on to a second compiler, where only its like waits for it. Must not know names or HTTP.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Mapping

import sqlalchemy as sa

from api.kernels.quarantine import Quarantine
from api.kernels.standby import Standby
from api.storage import tables
from api.storage.database import Database
from api.storage.dialects import upsert
from api.turns import Turns
from host.errors import KernelCompilerTimeout
from host.supervisor import Device
from shaders.reflection import Reflection

CACHED = 4096


class Compiler:
    """`device` is a compiler with little patience, `patient` one with all; neither runs what is in quarantine."""

    def __init__(self, device: Device, patient: Standby, database: Database, quarantine: Quarantine) -> None:
        self._device, self._patient, self._database, self._quarantine = device, patient, database, quarantine
        self._turns, self._patient_turns = Turns(1), Turns(1)
        self._times: OrderedDict[str, float] = OrderedDict()

    def check(self, reflection: Reflection, owner: str) -> None:
        """Raise `KernelQuarantined` if the compiler will not take a kernel of `owner`."""
        self._quarantine.check(reflection.fingerprint, owner)

    async def add_kernel(
        self,
        owner: str,
        hash: str,
        reflection: Reflection,
        warm: bool = False,
        constants: Mapping[str, float] | None = None,
    ) -> float:
        """As `Device.add_kernel` of a compiler, at `owner`'s turn; the longest that the kernel took so far is kept.

        Raises `KernelQuarantined`.
        """
        self.check(reflection, owner)
        known = await self.milliseconds(hash)
        elapsed = await self._try(owner, hash, reflection, warm, constants, known or 0.0)
        if known is None or elapsed > known:
            await self._database.do(lambda db: _put(db, hash, elapsed))
            self._remember(hash, elapsed)
        return elapsed

    async def _try(
        self,
        owner: str,
        hash: str,
        reflection: Reflection,
        warm: bool,
        constants: Mapping[str, float] | None,
        known_ms: float,
    ) -> float:
        if known_ms < 1e3 * self._device.settings.compile_s:
            with contextlib.suppress(KernelCompilerTimeout):
                async with self._turns.turn(owner):
                    return await self._device.add_kernel(hash, reflection, warm, constants)
        async with self._patient_turns.turn(owner), self._patient.borrow() as device:
            return await device.add_kernel(hash, reflection, warm, constants)

    async def milliseconds(self, hash: str) -> float | None:
        """The processor time that compiling a kernel and dispatching it once took; None if that is not known."""
        if hash not in self._times:
            found = await self._database.do(lambda db: _find(db, hash))
            if found is None:
                return None
            self._remember(hash, found)
        self._times.move_to_end(hash)
        return self._times[hash]

    def _remember(self, hash: str, elapsed: float) -> None:
        self._times[hash] = elapsed
        if len(self._times) > CACHED:
            self._times.popitem(last=False)


def _find(db: sa.Connection, hash: str) -> float | None:
    c = tables.compile_times.c
    found: float | None = db.execute(sa.select(c.milliseconds).where(c.hash == hash)).scalar()
    return found


def _put(db: sa.Connection, hash: str, elapsed: float) -> None:
    upsert(db, tables.compile_times, {"hash": hash, "milliseconds": elapsed})
