"""The watchdog on a software adapter: what is killed, what is only slow, who is blamed, and what others notice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from host import frames
from host.errors import (
    DeviceHung,
    DeviceRestarted,
    KernelCompilerCrashed,
    KernelCompilerMemory,
    KernelCompilerTimeout,
    KernelHung,
)
from host.supervisor import Device
from ops import processes
from ops.graph import Graph, Node
from shaders.reflect import reflect

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]
WATCHDOG_S = 0.2
HEAVY = (
    "@group(0) @binding(0) var<storage, read> turns: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
    "  var x = g.x;\n"
    "  for (var i = 0u; i < turns[0]; i++) {\n" + "    x = (x ^ (x >> 3u)) * 1664525u + i;\n" * 300 + "  }\n"
    "  b[g.x] = x;\n}\n"
)
"""One workgroup of it takes from nothing to a second, as its data says; no fuel and no slice ends it sooner."""
LONG, SHORT = 60_000, 1


async def _upload(device: Device, number: int) -> int:
    handle = device.new_handle()
    await device.upload_bytes(handle, "me", "u32", [1], np.uint32(number).tobytes())
    return handle


async def _dispatch(device: Device, turns: int, owner: str = "me") -> bytes:
    given, out = await _upload(device, turns), device.new_handle()
    step = frames.Step("main", (1, 1, 1), [frames.Bound("turns", given), frames.Bound("b", out)])
    await device.dispatch(given, owner, "heavy", [step], [frames.Fresh(out, "u32", (256,))])
    with await device.download(out) as shared:
        return bytes(shared.view)


def test_a_slice_that_outlives_the_watchdog_costs_its_kernel_an_error_and_others_a_restart(
    run: Run, opened: Any
) -> None:
    async def body() -> None:
        async with opened(adapter="cpu", watchdog_s=WATCHDOG_S) as device:
            await device.add_kernel("heavy", reflect(HEAVY))
            expected = await _dispatch(device, SHORT)
            hanging = asyncio.create_task(_dispatch(device, LONG))
            other = asyncio.create_task(_dispatch(device, SHORT, "neighbour"))
            with pytest.raises(KernelHung, match=r"did not yield.*longer than 0.2 s"):
                await hanging
            with pytest.raises(DeviceRestarted):
                await other
            assert await _dispatch(device, SHORT, "neighbour") == expected
            assert (device.generation, device.restarts) == (2, 1)

    run(body())


def test_a_first_dispatch_may_take_longer_since_the_driver_compiles_then(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="cpu", watchdog_s=0.001) as device:
            await device.add_kernel("heavy", reflect(HEAVY))
            await _dispatch(device, SHORT)
            assert device.generation == 1

    run(body())


def test_a_graph_of_ours_that_hangs_is_a_timeout_and_blames_no_kernel(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="cpu", watchdog_s=1e-4, host_steps=False) as device:
            given = Node("full", (), {"shape": [256, 256], "value": 0.001})
            short = Graph([given, Node("matmul", (0, 0))], [1])
            long = Graph([given, *(Node("matmul", (at, 0)) for at in range(64))], [64])
            await device.run_graph(1, "me", short, [device.new_handle()])
            with pytest.raises(DeviceHung, match=r"a step of a graph") as hung:
                await device.run_graph(2, "me", long, [device.new_handle()])
            assert hung.value.code == "device_timeout"

    run(body())


def test_a_watchdog_that_overslept_gives_the_step_its_time_again(
    run: Run, opened: Any, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock, takeup_s=9.0) as device:
            os.kill(device.pid, signal.SIGSTOP)
            waiting = asyncio.create_task(_upload(device, 1))
            await clock.timer_of(9.0)
            clock.advance(50.0)
            await clock.timer_of(9.0)
            os.kill(device.pid, signal.SIGCONT)
            await waiting
            assert device.generation == 1

    run(body())


def test_a_first_slice_has_little_more_time_than_any_other(run: Run, opened: Any) -> None:
    async def body() -> None:
        async with opened(adapter="cpu", first_s=2 * WATCHDOG_S) as device:
            await device.add_kernel("heavy", reflect(HEAVY))
            with pytest.raises(KernelHung, match=r"longer than 0.4 s"):
                await _dispatch(device, LONG)

    run(body())


def test_a_kernel_that_compiles_too_long_is_refused_and_says_how_long_it_had(
    run: Run, opened: Any, kernels: Any
) -> None:
    async def body() -> None:
        async with opened(adapter="cpu", role="compiler", compile_s=0.05) as device:
            with pytest.raises(KernelCompilerTimeout, match=r"within 0.05 s"):
                await device.add_kernel("heavy", reflect(HEAVY), warm=True)

    run(body())


def test_a_kernel_that_needs_all_memory_to_run_once_is_refused_and_a_neighbour_s_is_not(
    run: Run, opened: Any, kernels: Any
) -> None:
    source = (
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n"
        "var<private> p: array<u32, 104857600>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
        "  p[g.x] = b[0]; b[g.x] = p[b[1]];\n}\n"
    )

    async def body() -> None:
        async with opened(adapter="cpu", role="compiler", memory_bytes=1 << 28) as device:
            bomb = kernels.reflection(source, kernels.binding("b", 0, "read_write"))
            exploding = asyncio.create_task(device.add_kernel("bomb", bomb, warm=True))
            good = asyncio.create_task(device.add_kernel("good", kernels.double, warm=True))
            # Where this process once had as much memory itself, what the other's peak was cannot be told.
            untold = () if processes.own_peak_bytes() < 1 << 30 else (KernelCompilerCrashed,)
            with pytest.raises((KernelCompilerMemory, *untold)):
                await exploding
            assert await good > 0

    run(body())


def test_what_compiling_takes_is_told_in_processor_time(run: Run, opened: Any, kernels: Any) -> None:
    async def body() -> None:
        async with opened(adapter="cpu", role="compiler") as device:
            light = await device.add_kernel("double", kernels.double, warm=True)
            heavy = await device.add_kernel("heavy", reflect(HEAVY), warm=True)
            assert 0 < light < heavy

    run(body())
