"""Processes of a device, one after the other: each takes over when the last has died or stalled.

Owns the restart policy and the spare. Must not know what processes are asked for.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Literal

from host.child import Child, open_child
from host.clock import sleep
from host.errors import AdapterNotFound, DeviceFailed
from host.frames import DeviceInfo, MemoryReport, Seal
from host.settings import DeviceSettings
from host.spare import Spare
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate.device")


class Lineage:
    """The process in use and its successors. `generation` grows by one with each new process, `restarts` with each
    that ended.
    """

    def __init__(self, settings: DeviceSettings) -> None:
        self.settings = settings
        self.info: DeviceInfo | None = None
        self.seal = Seal()
        self.generation = 0
        self.restarts = 0
        self.state: Literal["starting", "ready", "restarting", "failed", "closed"] = "starting"
        self._child: Child | None = None
        self._spare: Spare | None = None
        self._waiters: set[asyncio.Future[None]] = set()
        self._restarter: asyncio.Task[None] | None = None
        self._last_error: KernelgateError | None = None

    async def start(self) -> DeviceInfo:
        """Start the first process. Raises `AdapterNotFound` or `DeviceFailed`."""
        self.state = "starting"
        await self._bring_up()
        assert self.info is not None
        return self.info

    def keep_spare(self) -> None:
        """From now on keep a second process ready, which takes over at once when the one in use dies."""
        if self._spare is None and self.state != "closed":
            self._spare = Spare(self._open, self.settings.clock)
            self._spare.fill()

    async def close(self) -> None:
        """End the process and wait until it is gone. Pending requests fail."""
        self._enter("closed")
        if self._spare is not None:
            await self._spare.close()
        if self._restarter is not None:
            self._restarter.cancel()
            await asyncio.wait({self._restarter})
        if self._child is not None:
            await self._child.close()
            self._child = None

    @property
    def memory(self) -> MemoryReport:
        """Memory as the device last reported it."""
        return MemoryReport() if self._child is None else self._child.memory

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is none."""
        return None if self._child is None else self._child.pid

    @property
    def spare_pid(self) -> int | None:
        """The id of the process that stands ready; None while there is none."""
        return None if self._spare is None else self._spare.pid

    async def _ready_child(self) -> Child:
        """The process in use; waits for one that is being started, but not for ever."""
        if self._child is None and self.state in ("starting", "restarting"):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            timer = self.settings.clock.call_later(self.settings.wait_s, lambda: _wake(waiter))
            try:
                await waiter
            finally:
                timer.cancel()
                self._waiters.discard(waiter)
        if self._child is None:
            raise DeviceFailed("the device is closed") if self.state == "closed" else self._failure()
        return self._child

    def _enter(self, state: Literal["ready", "restarting", "failed", "closed"]) -> None:
        self.state = state
        if state != "restarting":
            for waiter in self._waiters:
                _wake(waiter)

    def _failure(self) -> KernelgateError:
        why = "it is still being restarted" if self._last_error is None else self._last_error.message
        return DeviceFailed(
            f"the device does not work: {why}", hint="`kernelgate doctor` shows what this machine has."
        )

    async def _open(self) -> Child:
        return await open_child(self.settings.child(), self.settings.clock, self._exited)

    async def _bring_up(self) -> None:
        self._use(await self._open())

    def _use(self, child: Child) -> None:
        self._child = child
        self.info, self.seal = child.info, child.seal
        self.generation += 1
        self._last_error = None
        self._enter("ready")

    def _exited(self, child: Child) -> None:
        """A process has ended. If it was the one in use, go on with the spare, or start the next."""
        if self.state == "closed" or (self._spare is not None and self._spare.lost(child)):
            return
        if child is self._child:
            self._child = None
            self.restarts += 1
            if not self._use_spare():
                self._enter("restarting")
                self._restarter = asyncio.get_running_loop().create_task(self._restart())

    def _use_spare(self) -> bool:
        """Let the spare take over, if one stands ready, and see to the next one."""
        spare = None if self._spare is None else self._spare.take()
        if spare is not None:
            self._use(spare)
        if self._spare is not None:
            self._spare.fill()
        return spare is not None

    async def _restart(self) -> None:
        failures = 0
        while self.state != "closed" and not self._use_spare():
            try:
                await self._bring_up()
            except KernelgateError as error:
                failures += 1
                self._last_error = error
                if failures >= self.settings.failures or isinstance(error, AdapterNotFound):
                    self._enter("failed")
                delay = min(self.settings.backoff_s * 2 ** (failures - 1), self.settings.backoff_most_s)
                log.warning("the device did not start (%s); next try in %g s", error, delay)
                await sleep(self.settings.clock, delay)
            else:
                log.info("the device was restarted")
                return


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
