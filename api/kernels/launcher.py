"""Where a kernel runs, and what becomes of one that takes its device with it.

Owns the choice between the device that all share and the heavy lane, that owners take turns at having kernels compiled
on either, and that a guilty kernel goes into quarantine. Must not know requests or arguments.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping

from api.kernels.compiling import Compiler
from api.kernels.lane import Copying, Lane
from api.kernels.quarantine import Quarantine
from api.kernels.store import KernelRecord
from api.metrics import Metrics
from api.turns import Turns
from host.errors import KernelFault
from host.supervisor import Device
from ops.graph import TensorType


class Launcher:
    """Kernels that took more than `heavy_ms` to compile run in `lane`, all others on `device`."""

    def __init__(
        self,
        device: Device,
        lane: Lane,
        compiler: Compiler,
        quarantine: Quarantine,
        metrics: Metrics,
        heavy_ms: float,
    ) -> None:
        self.device, self._lane = device, lane
        self._compiler, self._quarantine, self._metrics = compiler, quarantine, metrics
        self._heavy_ms = heavy_ms
        self._turns, self._lane_turns = Turns(1), Turns(1)

    @contextlib.asynccontextmanager
    async def launch(
        self, owner: str, kernel: KernelRecord, types: Mapping[int, TensorType]
    ) -> AsyncIterator[Device | Copying]:
        """A device that has `kernel`, for a dispatch of `owner`'s over tensors of these types by their handles on the
        shared one.

        Raises `KernelQuarantined`. A `KernelFault` inside the block puts the kernel into quarantine for `owner`.
        """
        self._quarantine.check(kernel.reflection.fingerprint, owner)
        try:
            if (await self._compiler.milliseconds(kernel.hash) or 0.0) > self._heavy_ms:
                async with self._lane.borrow(types) as lane:
                    await _add(lane, kernel, owner, self._lane_turns)
                    yield lane
            else:
                await _add(self.device, kernel, owner, self._turns)
                yield self.device
        except KernelFault as fault:
            self._metrics.quarantined.labels(fault.reason).inc()
            await self._quarantine.add(kernel.reflection.fingerprint, owner, kernel.name, fault)
            fault.hint = f"{fault.hint} The kernel is in quarantine for you now, which an admin can lift."
            raise


async def _add(device: Device | Copying, kernel: KernelRecord, owner: str, turns: Turns) -> None:
    """Have `device` compile a kernel that it does not have; nobody waits for all that another asked it to compile."""
    if not device.has_kernel(kernel.hash):
        async with turns.turn(owner):
            await device.add_kernel(kernel.hash, kernel.reflection)
