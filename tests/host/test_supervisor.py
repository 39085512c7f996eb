"""A device as it is asked: tensors, graphs, deadlines, cancellation, and its end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host import frames
from host.errors import (
    BindingMismatch,
    Cancelled,
    DeviceFailed,
    DeviceOutOfMemory,
    DeviceRestarted,
    DeviceTimeout,
    UnknownHandle,
    UnknownKernel,
)
from host.meter import Meter
from host.shared import memory_file
from ops.graph import Graph, Node
from ops.wire import FrameError
from shaders.errors import KernelgateError
from tests.host.devices import download, input_node, settle, upload

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]


def test_a_graph_is_computed_and_its_tensors_are_freed(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            assert (device.state, device.generation, device.info.kind) == ("ready", 1, "numpy")
            x = np.arange(6, dtype=np.float32).reshape(2, 3)
            handle, out, total = await upload(device, x), device.new_handle(), device.new_handle()
            graph = Graph([input_node(handle, 2, 3), Node("mul", (0, 0)), Node("sum", (1,))], [1, 2])
            usage = await device.run_graph(1, "me", graph, [out, total])
            assert usage.dispatches >= 1
            assert usage.peak_bytes >= 28
            assert await download(device, out) == (x * x).tobytes()
            assert await download(device, total) == np.float32(55).tobytes()
            assert device.memory.tensors == 3
            await device.free([handle, out, total])
            assert (device.memory.live_bytes, device.memory.tensors) == (0, 0)
            await device.free([handle, 12345])

    run(body())


def test_large_arrays_come_from_files_and_return_unchanged(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            array = np.random.default_rng(1).integers(0, 2**32, 1 << 20, dtype=np.uint32)
            fd = memory_file(b"12345678" + array.tobytes())
            handle = device.new_handle()
            await device.upload(handle, "me", "u32", [1 << 20], fd, 8, array.nbytes)
            os.close(fd)
            assert await download(device, handle) == array.tobytes()
            assert await download(device, handle) == array.tobytes()

    run(body())


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_scalars_and_empty_tensors_pass(run: Run, opened: Any, shape: tuple[int, ...]) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            array = np.ones(shape, np.float32)
            assert await download(device, await upload(device, array)) == array.tobytes()

    run(body())


def test_many_requests_at_once_are_answered_each_with_its_own(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            arrays = [np.full(5, number, np.float32) for number in range(300)]
            handles = await asyncio.gather(*(upload(device, array) for array in arrays))
            data = await asyncio.gather(*(download(device, handle) for handle in handles))
            assert data == [array.tobytes() for array in arrays]

    run(body())


def test_wrong_requests_fail_alone(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            with pytest.raises(UnknownHandle, match="no tensor 99"):
                await device.download(99)
            with pytest.raises(UnknownHandle):
                await device.run_graph(1, "me", Graph([input_node(99, 2)], [0]), [device.new_handle()])
            with pytest.raises(FrameError, match="not a f32"):
                await device.upload_bytes(device.new_handle(), "me", "f32", [3], bytes(8))
            with pytest.raises(KernelgateError, match="f99"):
                await device.upload_bytes(device.new_handle(), "me", "f99", [2], bytes(8))
            with pytest.raises(FrameError, match="shape"):
                await device.upload_bytes(device.new_handle(), "me", "f32", [-2], bytes(8))
            handle = await upload(device, np.zeros(2, np.float32))
            with pytest.raises(FrameError, match="exist already"):
                await device.upload_bytes(handle, "me", "f32", [2], bytes(8))
            with pytest.raises(KernelgateError, match="takes tensor"):
                await device.run_graph(1, "me", Graph([input_node(handle, 3)], [0]), [device.new_handle()])
            with pytest.raises(FrameError, match="0 handles"):
                await device.run_graph(1, "me", Graph([input_node(handle, 2)], [0]), [])
            assert device.generation == 1

    run(body())


def test_more_memory_than_the_budget_is_refused_with_both_numbers(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="null", memory_bytes=1000) as device:
            kept = await upload(device, np.zeros(200, np.float32))
            with pytest.raises(DeviceOutOfMemory, match=r"400 bytes.*1,000") as refused:
                await upload(device, np.zeros(100, np.float32))
            assert "800" not in refused.value.message, "what is in use may be others'"
            await device.free([kept])
            await upload(device, np.zeros(100, np.float32))

    run(body())


def test_a_request_over_its_deadline_costs_itself_a_timeout_and_others_nothing(
    run: Run, opened: Any, manual_clock: Any, slow_graph: Any, taken_up: Any
) -> None:
    async def body() -> None:
        clock, meter = manual_clock(), Meter(lambda usage: None)
        async with opened(adapter="numpy", clock=clock, compile_s=777.0) as device:
            running = asyncio.create_task(
                device.run_graph(1, "me", slow_graph(1 << 23), [device.new_handle()], meter=meter)
            )
            await taken_up(meter)
            waiting = asyncio.create_task(upload(device, np.zeros(2, np.float32)))
            await settle()
            clock.advance(776.0)
            assert not running.done()
            clock.advance(1.5)
            with pytest.raises(DeviceTimeout, match="777 s"):
                await running
            await waiting
            assert device.generation == 2

    run(body())


def test_a_queued_job_is_cancelled_and_makes_nothing(run: Run, opened: Any, slow_graph: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy", deadline_s=60) as device:
            small = Graph([Node("full", (), {"shape": [1], "value": 1})], [0])
            first = asyncio.create_task(device.run_graph(1, "me", slow_graph(1 << 19), [device.new_handle()]))
            out = device.new_handle()
            second = asyncio.create_task(device.run_graph(2, "me", small, [out]))
            third = asyncio.create_task(device.run_graph(3, "me", small, [device.new_handle()]))
            await settle()
            await device.cancel(2)
            await device.cancel(99)
            await first
            with pytest.raises(Cancelled):
                await second
            await third
            with pytest.raises(UnknownHandle):
                await device.download(out)

    run(body())


def test_a_caller_who_gives_up_leaves_no_tensor(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            graph = Graph([Node("full", (), {"shape": [10], "value": 1})], [0])
            task = asyncio.create_task(device.run_graph(1, "me", graph, [device.new_handle()]))
            other = asyncio.create_task(upload(device, np.zeros(2, np.float32)))
            await asyncio.sleep(0)  # the requests are sent; no answer can be here yet
            task.cancel()
            other.cancel()
            await asyncio.gather(task, other, return_exceptions=True)
            await device.free([device.new_handle()])
            assert (device.memory.live_bytes, device.memory.tensors) == (0, 0)

    run(body())


def test_only_so_many_kernels_are_remembered(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        async with opened(adapter="null", kernels=2) as device:
            for name in "abc":
                await device.add_kernel(name, kernels.double)
            with pytest.raises(UnknownKernel):
                await device.dispatch(1, "me", "a", [frames.Step("main", (1, 1, 1), [])])
            with pytest.raises(BindingMismatch):
                await device.dispatch(1, "me", "c", [frames.Step("main", (1, 1, 1), [])])

    run(body())


def test_a_closed_device_refuses_and_leaves_no_process(run: Run, opened: Any, slow_graph: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy", exit_s=0.1) as device:
            running = asyncio.create_task(
                device.run_graph(1, "me", slow_graph(1 << 23), [device.new_handle()])
            )
            await settle()
            pid = device.pid
            await device.close()
            with pytest.raises((DeviceRestarted, DeviceFailed)):
                await running
            with pytest.raises(DeviceFailed, match="closed"):
                await device.download(1)
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)

    run(body())


def test_the_process_has_none_of_our_secrets(run: Run, opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELGATE_SECRET", "hidden")
    monkeypatch.setenv("SOME_TOKEN", "hidden")

    async def body() -> None:
        async with opened(adapter="null") as device:
            assert b"hidden" not in Path(f"/proc/{device.pid}/environ").read_bytes()

    run(body())
