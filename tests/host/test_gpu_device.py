"""The whole road to an adapter: supervisor, process, wgpu. Timed figures belong to `bench/`."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from host import frames
from host.errors import Cancelled, DeviceRestarted, DeviceTimeout, KernelCompileError
from host.meter import Meter
from host.shared import memory_file
from host.supervisor import Device
from ops.graph import Graph, Node
from tests.host.devices import cpu_seconds
from tests.host.engines import ADAPTER

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]
ENDLESS = (
    "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  var x = id.x;\n"
    "  for (var i = 0u; i < 60000u; i++) { x = x * 1664525u + 1013904223u; }\n"
    "  b[id.x % arrayLength(&b)] = x;\n}\n"
)
"""Each invocation ends soon, but a large grid of them takes minutes."""


async def _put(device: Device, array: np.ndarray, dtype: str = "u32") -> int:
    handle = device.new_handle()
    await device.upload_bytes(handle, "me", dtype, array.shape, array.tobytes())
    return handle


async def _get(device: Device, handle: int) -> np.ndarray:
    with await device.download(handle) as shared:
        return np.frombuffer(bytes(shared.view), np.uint32)


def _endless(device: Device, job: int = 1, **more: Any) -> asyncio.Task[Any]:
    fresh = frames.Fresh(device.new_handle(), "u32", (1000,))
    step = frames.Step("main", (65535, 32768, 1), [frames.Bound("b", fresh.handle)])
    return asyncio.create_task(device.dispatch(job, "me", "endless", [step], [fresh], **more))


def test_a_device_is_ready_in_three_seconds_and_computes(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        began = time.monotonic()
        async with opened(adapter=ADAPTER) as device:
            spent = min(time.monotonic() - began, cpu_seconds(device.pid))
            await device.add_kernel("k", kernels.double, warm=True)
            a, out = await _put(device, np.arange(256, dtype=np.uint32)), device.new_handle()
            step = frames.Step("main", (4, 1, 1), [frames.Bound("a", a), frames.Bound("b", out)])
            usage = await device.dispatch(1, "me", "k", [step], [frames.Fresh(out, "u32", (256,))])
            assert (await _get(device, out)).tolist() == [2 * n for n in range(256)]
            assert usage.device_ms > 0
            await device.free([a, out])
            assert (device.memory.live_bytes, device.memory.tensors) == (0, 0)
            assert spent < 3, "on a machine that does nothing else it is ready in less"

    run(body())


def test_64_mb_go_there_and_back_unchanged(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter=ADAPTER) as device:
            array = np.random.default_rng(0).integers(0, 2**32, 16 << 20, dtype=np.uint32)
            fd = memory_file(memoryview(array).cast("B"))
            for _ in range(2):
                handle = device.new_handle()
                await device.upload(handle, "me", "u32", array.shape, fd, 0, array.nbytes)
                with await device.download(handle) as shared:
                    assert memoryview(array).cast("B") == shared.view
                await device.free([handle])
            os.close(fd)

    run(body())


def test_kill_9_during_a_kernel_fails_it_and_the_next_dispatch_works(
    run: Run, opened: Any, kernels: Any, manual_clock: Any, taken_up: Any
) -> None:
    async def body() -> None:
        meter = Meter(lambda usage: None)
        async with opened(adapter=ADAPTER, clock=manual_clock()) as device:
            endless = kernels.reflection(ENDLESS, kernels.binding("b", 0, "read_write"))
            await device.add_kernel("endless", endless)
            await device.add_kernel("k", kernels.double)
            running = _endless(device, meter=meter)
            await taken_up(meter)
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises(DeviceRestarted, match="SIGKILL"):
                await running
            a, out = await _put(device, np.arange(4, dtype=np.uint32)), device.new_handle()
            step = frames.Step("main", (1, 1, 1), [frames.Bound("a", a), frames.Bound("b", out)])
            await device.dispatch(1, "me", "k", [step], [frames.Fresh(out, "u32", (4,))])
            assert (await _get(device, out)).tolist() == [0, 2, 4, 6]

    run(body())


def test_a_dispatch_that_runs_too_long_is_stopped_between_slices_and_the_process_lives(
    run: Run, opened: Any, kernels: Any
) -> None:
    async def body() -> None:
        async with opened(adapter=ADAPTER) as device:
            await device.add_kernel(
                "endless", kernels.reflection(ENDLESS, kernels.binding("b", 0, "read_write"))
            )
            running = _endless(device, deadline_s=1.5)
            with pytest.raises(DeviceTimeout, match=r"1\.5 s"):
                await running
            await _put(device, np.arange(4, dtype=np.uint32))
            assert device.generation == 1

    run(body())


def test_a_running_graph_is_cancelled_long_before_its_end(
    run: Run, opened: Any, manual_clock: Any, taken_up: Any
) -> None:
    async def body() -> None:
        meter = Meter(lambda usage: None)
        async with opened(adapter=ADAPTER, clock=manual_clock()) as device:
            a = await _put(device, np.zeros((512, 512), np.float32), "f32")
            nodes = [Node("input", (), {"handle": a, "shape": [512, 512], "dtype": "f32"})]
            nodes += [Node("matmul", (number, 0)) for number in range(5000)]
            running = asyncio.create_task(
                device.run_graph(7, "me", Graph(nodes, [5000]), [device.new_handle()], meter=meter)
            )
            await taken_up(meter)
            await device.cancel(7)
            with pytest.raises(Cancelled):
                await running
            await device.free([a])
            assert device.memory.live_bytes == 0
            assert device.generation == 1

    run(body())


def test_a_compiler_tries_kernels_and_keeps_none(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        async with opened(adapter=ADAPTER, role="compiler") as device:
            await device.add_kernel("k", kernels.double, warm=True)
            with pytest.raises(KernelCompileError) as error:
                await device.add_kernel("bad", kernels.reflection("fn main( {}\n"), warm=True)
            assert error.value.line == 1
            assert device.generation == 1

    run(body())


def test_another_owner_s_work_is_done_between_the_slices_of_a_long_dispatch_which_can_be_cancelled(
    run: Run, opened: Any, kernels: Any
) -> None:
    async def body() -> None:
        async with opened(adapter=ADAPTER) as device:
            await device.add_kernel(
                "endless", kernels.reflection(ENDLESS, kernels.binding("b", 0, "read_write")), warm=True
            )
            await device.add_kernel("k", kernels.double, warm=True)
            running = _endless(device)
            for _ in range(5):
                a, out = await _put(device, np.arange(4, dtype=np.uint32)), device.new_handle()
                step = frames.Step("main", (1, 1, 1), [frames.Bound("a", a), frames.Bound("b", out)])
                await device.dispatch(2, "you", "k", [step], [frames.Fresh(out, "u32", (4,))])
                assert (await _get(device, out)).tolist() == [0, 2, 4, 6]
                await device.free([a, out])
            assert not running.done()
            await device.cancel(1)
            with pytest.raises(Cancelled):
                await running
            assert (device.memory.live_bytes, device.generation) == (0, 1), "it is told at once"

    run(body())


def test_a_dispatch_whose_output_is_freed_before_it_exists_stops(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        async with opened(adapter=ADAPTER) as device:
            await device.add_kernel(
                "endless", kernels.reflection(ENDLESS, kernels.binding("b", 0, "read_write")), warm=True
            )
            handle = device.new_handle()
            fresh = frames.Fresh(handle, "u32", (1000,))
            step = frames.Step("main", (65535, 32768, 1), [frames.Bound("b", handle)])
            running = asyncio.create_task(device.dispatch(1, "me", "endless", [step], [fresh]))
            await _put(device, np.arange(4, dtype=np.uint32))
            await device.free([handle])
            with pytest.raises(Cancelled):
                await running

    run(body())


def test_a_long_dispatch_tells_its_meter_how_far_it_is(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        async with opened(adapter=ADAPTER) as device:
            await device.add_kernel(
                "endless", kernels.reflection(ENDLESS, kernels.binding("b", 0, "read_write")), warm=True
            )
            told: list[float] = []
            is_told = asyncio.Event()

            def report(fraction: float) -> None:
                told.append(fraction)
                if len(told) == 3:
                    is_told.set()

            running = _endless(device, meter=Meter(lambda usage: None, report=report))
            await is_told.wait()
            await device.cancel(1)
            with pytest.raises(Cancelled):
                await running
            assert 0 < told[0] <= told[1] <= told[2] < 1

    run(body())
