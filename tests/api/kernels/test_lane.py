"""The heavy lane: a second process with the numbers and errors of the first, that leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from api.kernels.lane import Lane
from host import frames
from host.errors import DeviceFailed, KernelHung
from host.meter import Meter
from host.supervisor import Device, DeviceSettings
from ops.graph import TensorType
from shaders.errors import KernelgateError
from shaders.reflect import reflect

WAIT_S = 60
TURNING = reflect(
    "@group(0) @binding(0) var<storage, read> turns: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
    "  var x = g.x;\n"
    "  for (var i = 0u; i < turns[0]; i++) {\n" + "    x = (x ^ (x >> 3u)) * 1664525u + i;\n" * 300 + "  }\n"
    "  b[g.x % 256u] += x;\n}\n"
)
TYPE = TensorType((1,), "u32")
LONG = 60_000
LASTING = (10, 256)
"""Turns and workgroups of a dispatch that takes several slices."""


@asynccontextmanager
async def devices(idle_s: float = WAIT_S, **settings: Any) -> AsyncIterator[tuple[Device, Lane]]:
    main = Device(DeviceSettings(adapter="cpu"))
    lane = Lane(main, lambda: Device(DeviceSettings(**{"adapter": "cpu", **settings})), idle_s)
    await main.start()
    try:
        yield main, lane
    finally:
        await lane.close()
        await main.close()


async def dispatch(
    main: Device, lane: Lane | None, turns: int, groups: int = 1, owner: str = "me", **more: Any
) -> list[int]:
    """What `b` holds after a dispatch that begins with ones, on the lane or on `main`."""
    given, ones, out = main.new_handle(), main.new_handle(), main.new_handle()
    await main.upload_bytes(given, owner, "u32", [1], np.uint32(turns).tobytes())
    await main.upload_bytes(ones, owner, "u32", [256], np.ones(256, np.uint32).tobytes())
    step = frames.Step("main", (groups, 1, 1), [frames.Bound("turns", given), frames.Bound("b", out)])
    made = [frames.Fresh(out, "u32", (256,), ones)]
    try:
        if lane is None:
            await main.add_kernel("k", TURNING)
            await main.dispatch(given, owner, "k", [step], made, **more)
        else:
            async with lane.borrow({given: TYPE, ones: TensorType((256,), "u32")}) as there:
                await there.add_kernel("k", TURNING)
                await there.dispatch(given, owner, "k", [step], made, **more)
        with await main.download(out) as shared:
            return np.frombuffer(bytes(shared.view), np.uint32).tolist()
    finally:
        await main.free([given, ones, out])


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0)


def run(body: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(body(), WAIT_S)

    asyncio.run(bounded())


def test_a_dispatch_in_the_lane_has_the_numbers_of_the_shared_device_and_leaves_nothing_there() -> None:
    async def body() -> None:
        async with devices() as (main, lane):
            assert lane.device is None
            found = await dispatch(main, lane, 3, groups=2)
            assert lane.device is not None
            assert lane.device.pid != main.pid
            assert found == await dispatch(main, None, 3, groups=2)
            assert main.memory.tensors == 0
            device = lane.device
            await until(lambda: device.memory.tensors == 0)

    run(body)


def test_an_error_in_the_lane_is_the_one_of_the_shared_device() -> None:
    async def body() -> None:
        async with devices() as (main, lane):
            errors = []
            for where in (lane, None):
                with pytest.raises(KernelgateError) as caught:
                    await dispatch(main, where, 100, fuel=10)
                errors.append(caught.value.record())
            assert errors[0] == errors[1]
            assert errors[0].code == "fuel_exhausted"
            assert main.memory.tensors == 0

    run(body)


def test_a_cancelled_dispatch_leaves_the_lane_to_the_next() -> None:
    async def body() -> None:
        async with devices() as (main, lane):
            await dispatch(main, lane, 1)
            began = asyncio.Event()

            def report(fraction: float) -> None:
                began.set()

            meter = Meter(lambda usage: None, report=report)
            task = asyncio.create_task(dispatch(main, lane, 200, 1 << 20, meter=meter))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await dispatch(main, lane, 1) == await dispatch(main, None, 1)
            assert main.memory.tensors == 0

    run(body)


def test_who_asks_for_one_thing_in_the_lane_does_not_wait_for_all_that_another_asked_for() -> None:
    async def body() -> None:
        async with devices() as (main, lane):
            await dispatch(main, lane, 1)
            meter = Meter(lambda usage: None)
            async with asyncio.TaskGroup() as group:
                many = [group.create_task(dispatch(main, lane, *LASTING, "much", meter=meter))]
                many += [group.create_task(dispatch(main, lane, *LASTING, "much")) for _ in range(7)]
                await until(lambda: meter.started)
                await dispatch(main, lane, *LASTING, "little")
                assert sum(task.done() for task in many) < 4

    run(body)


def test_a_kernel_that_hangs_the_lane_leaves_the_shared_device_alone() -> None:
    async def body() -> None:
        async with devices(watchdog_s=0.2) as (main, lane):
            expected = await dispatch(main, lane, 1)
            with pytest.raises(KernelHung):
                await dispatch(main, lane, LONG)
            assert main.generation == 1
            assert await dispatch(main, lane, 1) == expected

    run(body)


def test_the_lane_ends_when_it_was_idle_and_comes_again() -> None:
    async def body() -> None:
        async with devices(idle_s=0.0) as (main, lane):
            first = await dispatch(main, lane, 1)
            await until(lambda: lane.device is None)
            assert await dispatch(main, lane, 1) == first

    run(body)


def test_a_lane_that_does_not_start_says_why() -> None:
    async def body() -> None:
        async with devices(python="/bin/false") as (main, lane):
            with pytest.raises(DeviceFailed, match="did not start"):
                await dispatch(main, lane, 1)
            assert main.memory.tensors == 0

    run(body)
