"""A device whose processes die: what is lost, what is done again, and what is told to the next."""

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
from host.errors import (
    DeviceRestarted,
    KernelCompilerCrashed,
    UnknownHandle,
    UnknownKernel,
)
from host.meter import Meter
from host.supervisor import Device
from ops.graph import Graph
from tests.host.devices import cpu_seconds, download, input_node, settle, upload

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]


def test_a_process_killed_at_rest_is_replaced_and_its_tensors_are_unknown(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="numpy") as device:
            handle = await upload(device, np.zeros(2, np.float32))
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises((DeviceRestarted, UnknownHandle)):
                await device.download(handle)
            with pytest.raises(UnknownHandle, match="lost when the device restarted"):
                await device.download(handle)
            assert (device.generation, device.restarts, device.state) == (2, 1, "ready")
            await upload(device, np.zeros(2, np.float32))

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
            waiting = asyncio.create_task(upload(device, np.zeros(2, np.float32)))
            await settle()
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises(DeviceRestarted, match=r"lost during a graph.*SIGKILL"):
                await running
            began = time.monotonic()
            await waiting
            assert min(time.monotonic() - began, cpu_seconds(device.pid)) < 3

    run(body())


def test_what_a_dead_process_never_took_up_is_done_by_the_next(
    run: Run, opened: Any, kernels: Any, slow_graph: Any
) -> None:
    async def body() -> None:
        async with opened(adapter="null") as device:
            for generation in range(2, 4):
                os.kill(device.pid, signal.SIGKILL)
                await upload(device, np.zeros(2, np.float32))
                os.kill(device.pid, signal.SIGSTOP)  # nothing is taken up any more
                kept, lost, made = device.new_handle(), device.new_handle(), device.new_handle()
                asked = [
                    asyncio.create_task(upload(device, np.zeros(2, np.float32))),
                    asyncio.create_task(device.run_graph(1, "me", slow_graph(4), [made])),
                    asyncio.create_task(device.add_kernel(f"k{generation}", kernels.double)),
                    asyncio.create_task(device.run_graph(2, "me", Graph([input_node(kept, 2)], [0]), [lost])),
                    asyncio.create_task(device.download(kept)),
                ]
                await settle()
                os.kill(device.pid, signal.SIGKILL)
                ends = await asyncio.gather(*asked, return_exceptions=True)
                assert [isinstance(end, DeviceRestarted) for end in ends] == [False] * 3 + [True] * 2
                assert await download(device, made) == bytes(16)
            assert device.restarts == 4

    run(body())


def test_a_request_whose_second_process_dies_too_fails(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="null") as device:
            first = device.pid
            os.kill(first, signal.SIGSTOP)
            asked = asyncio.create_task(upload(device, np.zeros(2, np.float32)))
            await settle()
            os.kill(first, signal.SIGKILL)
            while device.pid in (first, None):
                await asyncio.sleep(0)
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises(DeviceRestarted):
                await asked

    run(body())


def test_a_stopped_process_is_found_out_and_replaced(run: Run, opened: Any, manual_clock: Any) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock, takeup_s=9.0) as device:
            os.kill(device.pid, signal.SIGSTOP)
            waiting = asyncio.create_task(upload(device, np.zeros(2, np.float32)))
            await clock.timer_of(9.0)
            clock.advance(9.0)
            await waiting
            assert device.generation == 2

    run(body())


def test_kernels_are_told_again_to_a_new_process(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        async with opened(adapter="null") as device:
            with pytest.raises(UnknownKernel):
                await _dispatch(device)
            await device.add_kernel("k", kernels.double)
            out = await _dispatch(device)
            assert await download(device, out) == bytes(16)
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
