"""`api/residency.py`: which tensors are on the device, on a real device process (NumPy)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from api.errors import TensorLost
from api.residency import Residency
from host.supervisor import Device, DeviceSettings

BUDGET = 1700


class World:
    """A device, a residency over it, and a count of uploads."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.residency = Residency(device, BUDGET)
        self.uploads: list[str] = []

    def uploader(self, name: str) -> Callable[[int], Awaitable[None]]:
        async def upload(handle: int) -> None:
            self.uploads.append(name)
            await self.device.upload_bytes(handle, "owner", "f32", (100,), bytes(400))

        return upload

    async def use(self, name: str) -> None:
        """Pin and unpin."""
        await self.residency.unpin(await self.residency.pin(name, 400, self.uploader(name)))


def in_world(scenario: Callable[[World], Awaitable[Any]]) -> None:
    async def run() -> None:
        device = Device(DeviceSettings(adapter="numpy"))
        await device.start()
        try:
            await scenario(World(device))
        finally:
            await device.close()

    asyncio.run(run())


def test_a_tensor_is_uploaded_at_its_first_use_only() -> None:
    async def scenario(world: World) -> None:
        await world.use("a")
        await world.use("a")
        assert world.uploads == ["a"]

    in_world(scenario)


def test_uses_at_the_same_moment_share_one_upload() -> None:
    async def scenario(world: World) -> None:
        residents = await asyncio.gather(
            *[world.residency.pin("a", 400, world.uploader("a")) for _ in range(5)]
        )
        assert world.uploads == ["a"]
        assert len({resident.handle for resident in residents}) == 1

    in_world(scenario)


def test_the_longest_unused_leaves_when_room_is_short_and_a_pinned_one_stays() -> None:
    async def scenario(world: World) -> None:
        pinned = await world.residency.pin("pinned", 400, world.uploader("pinned"))
        for name in ("a", "b", "a", "c"):
            await world.use(name)
        assert world.uploads == ["pinned", "a", "b", "c"], "all four fit"
        await world.use("d")
        await world.use("c")
        assert world.uploads == ["pinned", "a", "b", "c", "d"], "a and b left for d"
        await world.use("b")
        assert world.uploads[5:] == ["b"]
        await world.residency.unpin(pinned)

    in_world(scenario)


def test_a_tensor_that_is_only_on_the_device_leaves_last_and_is_lost_then() -> None:
    async def scenario(world: World) -> None:
        handle = world.device.new_handle()
        await world.device.upload_bytes(handle, "owner", "f32", (100,), bytes(400))
        await world.residency.adopt("only", handle, 400, only=True)
        for name in ("a", "b", "c", "d", "e"):
            await world.use(name)
        await world.residency.unpin(await world.residency.pin("only", 400, None))
        await world.residency.drop("only")
        with pytest.raises(TensorLost):
            await world.residency.pin("only", 400, None)

    in_world(scenario)


def test_a_dropped_tensor_stays_on_the_device_as_long_as_somebody_has_it_pinned() -> None:
    async def scenario(world: World) -> None:
        resident = await world.residency.pin("a", 400, world.uploader("a"))
        await world.residency.drop("a")
        with await world.device.download(resident.handle) as shared:
            assert len(shared.view) == 400
        assert world.device.memory.tensors == 1
        await world.residency.unpin(resident)
        assert world.device.memory.tensors == 0

    in_world(scenario)


def test_after_a_restart_of_the_device_tensors_are_uploaded_again() -> None:
    async def scenario(world: World) -> None:
        await world.use("a")
        assert world.device.pid is not None
        os.kill(world.device.pid, signal.SIGKILL)
        async with asyncio.timeout(30):
            while world.device.generation == 1:
                await asyncio.sleep(0.01)
        await world.use("a")
        assert world.uploads == ["a", "a"]

    in_world(scenario)
