"""`api/tensors/residency.py`: which tensors are on the device, on a real device process (NumPy)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import numpy as np
import pytest

from api.errors import TensorLost
from api.storage.reserve import Reserve
from api.tensors.residency import Residency
from api.tensors.spill import Spill
from host.supervisor import Device, DeviceSettings

WAIT_S = 30
BUDGET = 1700
ELEMENTS = bytes(range(100)) * 4


class World:
    """A device, a residency over it with a spill, and a count of uploads."""

    def __init__(self, device: Device, folder: Path, spill_bytes: int) -> None:
        self.device = device
        self.spill = Spill(folder / "spill", spill_bytes, Reserve(folder / "reserve", 0))
        self.spill.open_folder()
        self.residency = Residency(device, BUDGET, self.spill)
        self.uploads: list[str] = []

    async def only(self, name: str) -> None:
        """A tensor that is nowhere but on the device."""
        handle = self.device.new_handle()
        await self.device.upload_bytes(handle, "owner", "f32", (100,), ELEMENTS)
        self.residency.adopt(name, handle, 400, only=True)
        await self.residency.shrink()

    def uploader(self, name: str) -> Callable[[int], Awaitable[None]]:
        async def upload(handle: int) -> None:
            self.uploads.append(name)
            await self.device.upload_bytes(handle, "owner", "f32", (100,), bytes(400))

        return upload

    async def use(self, name: str) -> None:
        """Pin and unpin."""
        self.residency.unpin(await self.residency.pin(name, 400, self.uploader(name)))


def in_world(scenario: Callable[[World], Awaitable[Any]], spill_bytes: int = 10_000) -> None:
    async def run() -> None:
        device = Device(DeviceSettings(adapter="numpy"))
        await device.start()
        try:
            with TemporaryDirectory() as folder:
                await scenario(World(device, Path(folder), spill_bytes))
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
        world.residency.unpin(pinned)

    in_world(scenario)


def test_a_tensor_that_is_only_on_the_device_leaves_last_and_comes_back_from_the_disk() -> None:
    async def scenario(world: World) -> None:
        await world.only("only")
        for name in ("a", "b", "c", "d", "e"):
            await world.use(name)
        assert "only" not in world.spill, "others could leave"
        assert await world.residency.make_room()
        assert world.device.memory.tensors == 0
        with open(world.spill.open("only"), "rb") as file:
            assert file.read() == ELEMENTS
        await world.use("only")
        assert await world.residency.make_room()
        assert not await world.residency.make_room()
        await world.residency.drop("only")
        assert "only" not in world.spill
        with pytest.raises(TensorLost):
            await world.residency.pin("only", 400, None)

    in_world(scenario)


def test_a_tensor_that_cannot_be_saved_stays_on_the_device() -> None:
    async def scenario(world: World) -> None:
        for number in range(6):
            await world.only(f"only{number}")
        assert world.device.memory.tensors == 6, "more than the budget, but nothing is lost"
        assert not await world.residency.make_room()
        assert world.device.memory.tensors == 6

    in_world(scenario, spill_bytes=0)


def test_a_tensor_that_is_pinned_or_dropped_while_it_is_saved_is_neither_lost_nor_left_behind() -> None:
    async def scenario(world: World) -> None:
        await world.only("dropped")
        await world.only("pinned")
        leaving = asyncio.create_task(world.residency.make_room())
        await asyncio.sleep(0)
        resident = await world.residency.pin("pinned", 400, None)
        await world.residency.drop("dropped")
        await leaving
        with await world.device.download(resident.handle) as shared:
            assert bytes(shared.view) == ELEMENTS
        world.residency.unpin(resident)
        assert "dropped" not in world.spill
        assert world.device.memory.tensors == 1

    in_world(scenario)


def test_a_dropped_tensor_stays_on_the_device_as_long_as_somebody_has_it_pinned() -> None:
    async def scenario(world: World) -> None:
        resident = await world.residency.pin("a", 400, world.uploader("a"))
        await world.residency.drop("a")
        with await world.device.download(resident.handle) as shared:
            assert len(shared.view) == 400
        assert world.device.memory.tensors == 1
        world.residency.unpin(resident)
        async with asyncio.timeout(WAIT_S):
            while world.device.memory.tensors:
                await asyncio.sleep(0)

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


# ---------------------------------------------------------------------- a server whose device is full
COUNT = 250_000


def output(http: httpx2.Client, tensor: str) -> str:
    """The id of an op's output of 1 MB, computed from a tensor."""
    answer = http.post("/api/ops/neg", json={"inputs": [{"$tensor": {"id": tensor}}]})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["output"]["$tensor"]["id"])


def test_when_the_device_is_full_idle_tensors_wait_on_disk_and_come_back(
    start: Callable[..., Any], wait_until: Any
) -> None:
    raw = {"Content-Type": "application/octet-stream"}
    values = [np.full(COUNT, number, np.float32) for number in range(1, 8)]
    with start(workers=1, device_bytes=5_000_000) as running:
        http = running.http
        url = f"/api/tensors?dtype=f32&shape={COUNT}"
        stored = [http.post(url, content=value.tobytes(), headers=raw).json()["id"] for value in values]
        outputs = [output(http, tensor) for tensor in stored]
        again = [output(http, tensor) for tensor in outputs]
        for value, negated, same in zip(values, outputs, again, strict=True):
            assert http.get(f"/api/tensors/{negated}/data?format=raw").content == (-value).tobytes()
            assert http.get(f"/api/tensors/{same}/data?format=raw").content == value.tobytes()
        given = {"inputs": {"x": {"$tensor": {"id": again[0]}}}}
        script = "import torch\ndef main(x):\n    return (x.sum() + torch.ones(200_000).sum()).item()"
        done = http.post("/api/runs", json={"script": script, **given}, headers={"Prefer": "wait=60"}).json()
        assert done["result"] == COUNT + 200_000, done
        script = "def main(x):\n    return (x.reshape(1, -1).expand(8, -1) + 1)"
        done = http.post("/api/runs", json={"script": script, **given}, headers={"Prefer": "wait=60"}).json()
        assert done["error"]["code"] == "device_out_of_memory", done
        device = running.server.runtime.device
        os.kill(device.pid, signal.SIGKILL)
        wait_until(lambda: device.generation == 2 and device.state == "ready", "the device is back")
        assert http.get(f"/api/tensors/{outputs[0]}/data?format=raw").content == (-values[0]).tobytes()
        assert len(list((running.settings.data / "spill").iterdir())) >= len(outputs)
        for tensor in [*outputs, *again]:
            http.delete(f"/api/tensors/{tensor}")
        assert not list((running.settings.data / "spill").iterdir())
