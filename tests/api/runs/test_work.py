"""Work on a device that is lost meanwhile: what comes back by itself, and what does not."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from api.auth.identity import Identity
from api.runs.work import Work, again_if_lost
from api.tensors.values import InlineTensor
from api.usage.accounts import Accounts
from api.usage.holdings import Holdings
from host.errors import DeviceCrashed, DeviceRestarted
from host.supervisor import Device, DeviceSettings
from ops.graph import Graph, Node, TensorRef, TensorType
from ops.validate import validate

WAIT_S = 30
TWO = InlineTensor((1,), "f32", np.float32(2).tobytes())


def run(scenario: Callable[[Device, Work], Awaitable[None]]) -> None:
    """Do `scenario` with a device and work on it."""

    async def whole() -> None:
        device = Device(DeviceSettings(adapter="numpy"))
        await device.start()
        tensors: Any = None  # nothing is given by id
        identity = Identity("key", "owner", "user")
        account = Accounts(Holdings()).of(identity)
        launcher: Any = SimpleNamespace(device=device)  # nothing is dispatched
        try:
            async with asyncio.timeout(WAIT_S):
                await scenario(device, Work(launcher, tensors, identity, account))
        finally:
            await device.close()

    with asyncio.Runner() as runner:
        runner.run(whole())


def doubled(ref: TensorRef) -> Graph:
    leaf = {"handle": ref.handle, "shape": [1], "dtype": "f32"}
    return Graph([Node("input", (), leaf), Node("add", (0, 0))], [1])


async def kill(device: Device) -> None:
    """End the process and wait until that is noticed."""
    assert device.pid is not None
    os.kill(device.pid, signal.SIGKILL)
    while device.state == "ready":
        await asyncio.sleep(0)


def test_a_small_value_comes_back_by_itself() -> None:
    async def scenario(device: Device, work: Work) -> None:
        ref = await work.admit(TWO)
        await kill(device)
        (out,) = await work.graph(doubled(ref))
        assert await work.read(out.handle) == np.float32(4).tobytes()
        assert await work.read(ref.handle) == TWO.data

    run(scenario)


def test_a_request_that_waited_while_the_process_died_is_made_again() -> None:
    async def scenario(device: Device, work: Work) -> None:
        ref = await work.admit(TWO)
        os.kill(device.pid, signal.SIGSTOP)  # type: ignore[arg-type]
        waiting = asyncio.create_task(work.graph(doubled(ref)))
        await asyncio.sleep(0)
        os.kill(device.pid, signal.SIGKILL)  # type: ignore[arg-type]
        (out,) = await waiting
        assert device.generation == 2
        assert await work.read(out.handle) == np.float32(4).tobytes()

    run(scenario)


def test_what_was_computed_is_lost_and_the_error_says_what_to_do() -> None:
    async def scenario(device: Device, work: Work) -> None:
        (out,) = await work.graph(doubled(await work.admit(TWO)))
        await kill(device)
        for attempt in (lambda: work.graph(doubled(out)), lambda: work.read(out.handle)):
            with pytest.raises(DeviceRestarted) as lost:
                await attempt()
            assert "computed" in lost.value.message
            assert lost.value.hint is not None
            assert "Run it again" in lost.value.hint

    run(scenario)


def test_a_large_value_is_not_kept_here_and_lost() -> None:
    async def scenario(device: Device, work: Work) -> None:
        ref = await work.admit(InlineTensor((1 << 16,), "f32", bytes(1 << 18)))
        await kill(device)
        with pytest.raises(DeviceRestarted):
            await work.read(ref.handle)

    run(scenario)


def test_a_large_graph_is_checked_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def told(graph: Graph) -> list[TensorType]:
        threads.append(threading.current_thread())
        return validate(graph)

    async def scenario(device: Device, work: Work) -> None:
        ref = await work.admit(TWO)
        small = doubled(ref)
        large = Graph([*small.nodes, *[Node("add", (1, 1))] * 9_000], small.outputs)
        for asked in (large, small):
            (out,) = await work.graph(asked)
            assert await work.read(out.handle) == np.float32(4).tobytes()

    monkeypatch.setattr("api.runs.work.validate", told)
    run(scenario)
    assert [thread is threading.main_thread() for thread in threads] == [False, True]


def test_an_attempt_is_made_again_once_unless_it_took_the_device_itself() -> None:
    async def made(error: type[Exception] | None) -> int:
        count = 0

        async def attempt() -> int:
            nonlocal count
            count += 1
            if error is not None and count == 1:
                raise error("gone")
            return count

        return await again_if_lost(attempt)

    assert asyncio.run(made(None)) == 1
    assert asyncio.run(made(DeviceRestarted)) == 2
    with pytest.raises(DeviceCrashed):
        asyncio.run(made(DeviceCrashed))
