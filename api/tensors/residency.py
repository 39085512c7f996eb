"""Which tensors of the server are on the device at the moment.

Owns the least-recently-used order, pins, and the room that idle tensors may take; what is nowhere else goes to `Spill`
before it leaves. Must not know where elements come from: whoever pins a tensor says how to upload it, or that nobody
can.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from api.background import later
from api.errors import TensorLost
from api.tensors.spill import Spill
from host.errors import DeviceOutOfMemory
from host.supervisor import Device
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate")
MAX_RESIDENTS = 8192
Upload = Callable[[int], Awaitable[None]]


@dataclass(eq=False, slots=True)
class Resident:
    """A tensor on the device. It stays while `pins` is above zero; `only` means that it is nowhere else."""

    handle: int
    generation: int
    nbytes: int
    only: bool = False
    pins: int = 0
    dropped: bool = False


class Residency:
    """The residents of `device`: idle ones leave when all together take more than `budget` bytes."""

    def __init__(self, device: Device, budget: int, spill: Spill) -> None:
        self._device = device
        self._budget = budget
        self._spill = spill
        self._residents: OrderedDict[str, Resident] = OrderedDict()
        self._bytes = 0
        self._bringing = asyncio.Lock()
        self._leaving = asyncio.Lock()

    async def pin(self, tensor_id: str, nbytes: int, upload: Upload | None) -> Resident:
        """The resident of a tensor, uploaded if need be; `unpin` it. Raises `TensorLost` when nobody can upload it."""
        resident = self._current(tensor_id)
        if resident is None:
            async with self._bringing:
                resident = self._current(tensor_id) or await self._bring(tensor_id, nbytes, upload)
        self._residents.move_to_end(tensor_id)
        resident.pins += 1
        return resident

    def unpin(self, resident: Resident) -> None:
        """Undo one `pin`. Does not wait for the device, so nothing keeps whoever undoes several from the next."""
        resident.pins -= 1
        if resident.dropped and not resident.pins:
            later(self._free([resident]), "freeing a tensor")

    def adopt(self, tensor_id: str, handle: int, nbytes: int, *, only: bool, pins: int = 0) -> Resident:
        """Make device tensor `handle` the resident of a tensor; `shrink` then."""
        resident = Resident(handle, self._device.generation, nbytes, only, pins)
        self._put_in(tensor_id, resident)
        return resident

    async def drop(self, tensor_id: str) -> None:
        """Forget a tensor; it leaves the device when nobody has it pinned."""
        resident = self._take_out(tensor_id)
        self._spill.drop(tensor_id)
        if resident is not None:
            resident.dropped = True
            if not resident.pins:
                await self._free([resident])

    async def make_room(self) -> bool:
        """Take every idle tensor from the device: memory is short. Whether there was one."""
        before = self._bytes
        await self._evict([key for key, resident in self._residents.items() if not resident.pins])
        return self._bytes < before

    async def shrink(self, coming: int = 0) -> None:
        """If there is too much, with `coming` bytes more, evict idle tensors, the longest unused first and those that
        can come back before others, until an eighth of the room is free."""
        if self._bytes + coming <= self._budget and len(self._residents) <= MAX_RESIDENTS:
            return
        idle = [(key, resident) for key, resident in self._residents.items() if not resident.pins]
        excess = self._bytes + coming - self._budget * 7 // 8
        surplus = len(self._residents) - MAX_RESIDENTS * 7 // 8
        leaving = []
        for key, resident in sorted(idle, key=lambda item: item[1].only):
            if excess <= 0 and surplus <= 0:
                break
            leaving.append(key)
            excess -= resident.nbytes
            surplus -= 1
        await self._evict(leaving)

    def _current(self, tensor_id: str) -> Resident | None:
        """The resident of a tensor, unless it went with an earlier device process."""
        resident = self._residents.get(tensor_id)
        return resident if resident is not None and resident.generation == self._device.generation else None

    async def _bring(self, tensor_id: str, nbytes: int, upload: Upload | None) -> Resident:
        if upload is None:
            raise TensorLost(
                f"the elements of tensor {tensor_id} are gone: it was on the device only",
                hint="Outputs of dispatches and ops live until the device restarts. Compute again; PATCH stores one.",
            )
        await self.shrink(nbytes)
        handle = self._device.new_handle()
        try:
            await upload(handle)
        except DeviceOutOfMemory:
            await self.make_room()
            await upload(handle)
        resident = Resident(handle, self._device.generation, nbytes)
        self._put_in(tensor_id, resident)
        return resident

    def _put_in(self, tensor_id: str, resident: Resident) -> None:
        self._take_out(tensor_id)
        self._residents[tensor_id] = resident
        self._bytes += resident.nbytes

    def _take_out(self, tensor_id: str) -> Resident | None:
        resident = self._residents.pop(tensor_id, None)
        if resident is not None:
            self._bytes -= resident.nbytes
        return resident

    async def _evict(self, keys: list[str]) -> None:
        """Free those that are idle, and those that are nowhere else only if they could be saved."""
        gone = []
        async with self._leaving:
            for key in keys:
                resident = self._residents.get(key)
                if resident is None or resident.pins or not await self._saved(key, resident):
                    continue
                if self._residents.get(key) is resident and not resident.pins:  # still, after saving
                    gone.append(resident)
                    self._take_out(key)
        await self._free(gone)

    async def _saved(self, key: str, resident: Resident) -> bool:
        """Whether a resident may leave: it can come back, or it is lost already."""
        if not resident.only or resident.generation != self._device.generation:
            return True
        try:
            with await self._device.download(resident.handle) as shared:
                await self._spill.put(key, shared.view)
        except KernelgateError as error:
            log.warning("tensor %s stays on the device: %s", key, error)
            return False
        resident.only = False
        if resident.dropped or self._residents.get(key) is not resident:
            self._spill.drop(key)
        return True

    async def _free(self, residents: list[Resident]) -> None:
        current = self._device.generation
        await self._device.free([resident.handle for resident in residents if resident.generation == current])
