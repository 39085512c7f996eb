"""A device that outlives its processes: restarts, deadlines, cancellation, what is lost and what is not."""

from __future__ import annotations

import asyncio
import os
import signal
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
    KernelCompilerCrashed,
    UnknownHandle,
    UnknownKernel,
)
from host.meter import Meter
from host.shared import memory_file
from host.supervisor import Device
from ops.graph import Graph, Node
from ops.wire import FrameError
from shaders.errors import KernelgateError

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]


def _input(handle: int, *shape: int, dtype: str = "f32") -> Node:
    return Node("input", (), {"handle": handle, "shape": list(shape), "dtype": dtype})


async def _upload(device: Device, array: np.ndarray) -> int:
    handle = device.new_handle()
    await device.upload_bytes(handle, "me", "f32", array.shape, array.tobytes())
    return handle


async def _download(device: Device, handle: int) -> bytes:
    with await device.download(handle) as shared:
        return bytes(shared.view)


async def _settle() -> None:
    """Let tasks run until they wait for something."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_graph_is_computed_and_its_tensors_are_freed(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            assert (device.state, device.generation, device.info.kind) == ("ready", 1, "numpy")
            x = np.arange(6, dtype=np.float32).reshape(2, 3)
            handle, out, total = await _upload(device, x), device.new_handle(), device.new_handle()
            graph = Graph([_input(handle, 2, 3), Node("mul", (0, 0)), Node("sum", (1,))], [1, 2])
            usage = await device.run_graph(1, "me", graph, [out, total])
            assert usage.dispatches >= 1
            assert usage.peak_bytes >= 28
            assert await _download(device, out) == (x * x).tobytes()
            assert await _download(device, total) == np.float32(55).tobytes()
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
            assert await _download(device, handle) == array.tobytes()
            assert await _download(device, handle) == array.tobytes()

    run(body())


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_scalars_and_empty_tensors_pass(run: Run, opened: Any, shape: tuple[int, ...]) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            array = np.ones(shape, np.float32)
            assert await _download(device, await _upload(device, array)) == array.tobytes()

    run(body())


def test_many_requests_at_once_are_answered_each_with_its_own(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            arrays = [np.full(5, number, np.float32) for number in range(300)]
            handles = await asyncio.gather(*(_upload(device, array) for array in arrays))
            data = await asyncio.gather(*(_download(device, handle) for handle in handles))
            assert data == [array.tobytes() for array in arrays]

    run(body())


def test_wrong_requests_fail_alone(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            with pytest.raises(UnknownHandle, match="no tensor 99"):
                await device.download(99)
            with pytest.raises(UnknownHandle):
                await device.run_graph(1, "me", Graph([_input(99, 2)], [0]), [device.new_handle()])
            with pytest.raises(FrameError, match="not a f32"):
                await device.upload_bytes(device.new_handle(), "me", "f32", [3], bytes(8))
            with pytest.raises(KernelgateError, match="f99"):
                await device.upload_bytes(device.new_handle(), "me", "f99", [2], bytes(8))
            with pytest.raises(FrameError, match="shape"):
                await device.upload_bytes(device.new_handle(), "me", "f32", [-2], bytes(8))
            handle = await _upload(device, np.zeros(2, np.float32))
            with pytest.raises(FrameError, match="exist already"):
                await device.upload_bytes(handle, "me", "f32", [2], bytes(8))
            with pytest.raises(KernelgateError, match="takes tensor"):
                await device.run_graph(1, "me", Graph([_input(handle, 3)], [0]), [device.new_handle()])
            with pytest.raises(FrameError, match="0 handles"):
                await device.run_graph(1, "me", Graph([_input(handle, 2)], [0]), [])
            assert device.generation == 1

    run(body())


def test_more_memory_than_the_budget_is_refused_with_both_numbers(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="null", memory_bytes=1000) as device:
            kept = await _upload(device, np.zeros(200, np.float32))
            with pytest.raises(DeviceOutOfMemory, match=r"400 bytes.*1,000") as refused:
                await _upload(device, np.zeros(100, np.float32))
            assert "800" not in refused.value.message, "what is in use may be others'"
            await device.free([kept])
            await _upload(device, np.zeros(100, np.float32))

    run(body())


def test_a_process_killed_at_rest_is_replaced_and_its_tensors_are_unknown(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            handle = await _upload(device, np.zeros(2, np.float32))
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises((DeviceRestarted, UnknownHandle)):
                await device.download(handle)
            with pytest.raises(UnknownHandle, match="lost when the device restarted"):
                await device.download(handle)
            assert (device.generation, device.restarts, device.state) == (2, 1, "ready")
            await _upload(device, np.zeros(2, np.float32))

    run(body())


def test_kill_9_during_a_request_fails_it_clearly_and_the_next_works_within_3_s(
    run: Run, opened: Any, manual_clock: Any, slow_graph: Any, taken_up: Any
) -> None:
    async def body() -> None:
        clock, meter = manual_clock(), Meter(lambda usage: None)
        async with opened(adapter="numpy", clock=clock, compile_s=777.0) as device:
            running = asyncio.create_task(
                device.run_graph(1, "me", slow_graph(1 << 23), [device.new_handle()], meter=meter)
            )
            await taken_up(meter)
            waiting = asyncio.create_task(_upload(device, np.zeros(2, np.float32)))
            await _settle()
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises(DeviceRestarted, match=r"lost during a graph.*SIGKILL"):
                await running
            await asyncio.wait_for(waiting, 3)

    run(body())


def test_what_a_dead_process_never_took_up_is_done_by_the_next(
    run: Run, opened: Any, kernels: Any, slow_graph: Any
) -> None:
    async def body() -> None:
        async with opened(adapter="null") as device:
            for generation in range(2, 4):
                os.kill(device.pid, signal.SIGKILL)
                await _upload(device, np.zeros(2, np.float32))
                os.kill(device.pid, signal.SIGSTOP)  # nothing is taken up any more
                kept, lost, made = device.new_handle(), device.new_handle(), device.new_handle()
                asked = [
                    asyncio.create_task(_upload(device, np.zeros(2, np.float32))),
                    asyncio.create_task(device.run_graph(1, "me", slow_graph(4), [made])),
                    asyncio.create_task(device.add_kernel(f"k{generation}", kernels.double)),
                    asyncio.create_task(device.run_graph(2, "me", Graph([_input(kept, 2)], [0]), [lost])),
                    asyncio.create_task(device.download(kept)),
                ]
                await _settle()
                os.kill(device.pid, signal.SIGKILL)
                ends = await asyncio.gather(*asked, return_exceptions=True)
                assert [isinstance(end, DeviceRestarted) for end in ends] == [False] * 3 + [True] * 2
                assert await _download(device, made) == bytes(16)
            assert device.restarts == 4

    run(body())


def test_a_request_whose_second_process_dies_too_fails(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="null") as device:
            first = device.pid
            os.kill(first, signal.SIGSTOP)
            asked = asyncio.create_task(_upload(device, np.zeros(2, np.float32)))
            await _settle()
            os.kill(first, signal.SIGKILL)
            while device.pid in (first, None):
                await asyncio.sleep(0)
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises(DeviceRestarted):
                await asked

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
            waiting = asyncio.create_task(_upload(device, np.zeros(2, np.float32)))
            await _settle()
            clock.advance(776.0)
            assert not running.done()
            clock.advance(1.5)
            with pytest.raises(DeviceTimeout, match="777 s"):
                await running
            await waiting
            assert device.generation == 2

    run(body())


def test_a_stopped_process_is_found_out_and_replaced(run: Run, opened: Any, manual_clock: Any) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock, takeup_s=9.0) as device:
            os.kill(device.pid, signal.SIGSTOP)
            waiting = asyncio.create_task(_upload(device, np.zeros(2, np.float32)))
            await clock.timer_of(9.0)
            clock.advance(9.0)
            await waiting
            assert device.generation == 2

    run(body())


def test_a_queued_job_is_cancelled_and_makes_nothing(run: Run, opened: Any, slow_graph: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy", deadline_s=60) as device:
            small = Graph([Node("full", (), {"shape": [1], "value": 1})], [0])
            first = asyncio.create_task(device.run_graph(1, "me", slow_graph(1 << 15), [device.new_handle()]))
            out = device.new_handle()
            second = asyncio.create_task(device.run_graph(2, "me", small, [out]))
            third = asyncio.create_task(device.run_graph(3, "me", small, [device.new_handle()]))
            await _settle()
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
            other = asyncio.create_task(_upload(device, np.zeros(2, np.float32)))
            await asyncio.sleep(0)  # the requests are sent; no answer can be here yet
            task.cancel()
            other.cancel()
            await asyncio.gather(task, other, return_exceptions=True)
            await device.free([device.new_handle()])
            assert (device.memory.live_bytes, device.memory.tensors) == (0, 0)

    run(body())


def test_kernels_are_told_again_to_a_new_process(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        async with opened(adapter="null") as device:
            with pytest.raises(UnknownKernel):
                await _dispatch(device)
            await device.add_kernel("k", kernels.double)
            out = await _dispatch(device)
            assert await _download(device, out) == bytes(16)
            os.kill(device.pid, signal.SIGKILL)
            await device.add_kernel("other", kernels.double, warm=True)
            await _dispatch(device)
            assert device.generation == 2
            device.drop_kernel("k")
            with pytest.raises(UnknownKernel):
                await _dispatch(device)

    async def _dispatch(device: Device) -> int:
        a, out = device.new_handle(), device.new_handle()
        await device.upload_bytes(a, "me", "u32", [4], bytes(16))
        step = frames.Step("main", (1, 1, 1), [frames.Bound("a", a), frames.Bound("b", out)])
        await device.dispatch(1, "me", "k", [step], [frames.Fresh(out, "u32", (4,))])
        return out

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


def test_a_compiler_that_stops_is_replaced_and_the_kernel_tried_again(
    run: Run, opened: Any, manual_clock: Any, kernels: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", role="compiler", clock=clock, takeup_s=9.0) as device:
            os.kill(device.pid, signal.SIGSTOP)
            kernel = asyncio.create_task(device.add_kernel("good", kernels.double, warm=True))
            await clock.timer_of(9.0)
            clock.advance(9.0)
            await kernel
            assert device.generation == 2

    run(body())


def test_a_closed_device_refuses_and_leaves_no_process(run: Run, opened: Any, slow_graph: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy", exit_s=0.1) as device:
            running = asyncio.create_task(
                device.run_graph(1, "me", slow_graph(1 << 23), [device.new_handle()])
            )
            await _settle()
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


def test_a_kernel_that_crashes_the_compiler_is_refused_and_one_that_waits_meanwhile_is_not(
    run: Run, opened: Any, kernels: Any
) -> None:
    source = (
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n"
        "fn f(p: ptr<function, u32>) { *p = 1u; }\n"
        "@compute @workgroup_size(1) fn main() { var a: array<u32, 4>; f(&a[0]); b[0] = a[0]; }\n"
    )

    async def body() -> None:
        async with opened(adapter="cpu", role="compiler") as device:
            bad = kernels.reflection(source, kernels.binding("b", 0, "read_write"))
            crashing = asyncio.create_task(device.add_kernel("bad", bad, warm=True))
            good = asyncio.create_task(device.add_kernel("good", kernels.double, warm=True))
            with pytest.raises(KernelCompilerCrashed, match="SIGABRT"):
                await crashing
            assert 0 < await good < 10_000

    run(body())
