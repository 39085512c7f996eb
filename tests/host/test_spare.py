"""The process that stands ready: when it starts, takes over, and is replaced."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host.spare import PAUSE_S
from host.supervisor import Device

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]


async def _spare_of(device: Device, clock: Any) -> int:
    """Let the pause pass, and wait until a spare stands ready."""
    await clock.timer_of(PAUSE_S)
    clock.advance(PAUSE_S)
    while device.spare_pid is None:
        await asyncio.sleep(0)
    return device.spare_pid


async def _gone(pid: int, device: Device) -> None:
    while pid in (device.pid, device.spare_pid):
        await asyncio.sleep(0)


def test_the_spare_takes_over_when_the_process_dies_and_is_replaced(
    run: Run, opened: Any, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock) as device:
            assert device.spare_pid is None
            device.keep_spare()
            spare = await _spare_of(device, clock)
            first = device.pid
            assert spare != first
            states = set()
            os.kill(first, signal.SIGKILL)
            while device.pid == first:
                states.add(device.state)
                await asyncio.sleep(0)
            assert (device.pid, device.generation, device.restarts) == (spare, 2, 1)
            assert states == {"ready"}
            assert device.spare_pid is None
            await device.upload_bytes(device.new_handle(), "me", "f32", [1], bytes(4))
            assert await _spare_of(device, clock) not in (first, spare)

    run(body())


def test_what_waits_when_the_process_dies_is_done_by_the_spare(
    run: Run, opened: Any, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock) as device:
            device.keep_spare()
            await _spare_of(device, clock)
            os.kill(device.pid, signal.SIGSTOP)
            waiting = asyncio.create_task(
                device.upload_bytes(device.new_handle(), "me", "f32", [1], bytes(4))
            )
            await asyncio.sleep(0)
            os.kill(device.pid, signal.SIGKILL)
            await waiting
            assert device.generation == 2

    run(body())


def test_a_spare_that_dies_is_replaced_and_nobody_else_notices(
    run: Run, opened: Any, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock) as device:
            device.keep_spare()
            spare = await _spare_of(device, clock)
            os.kill(spare, signal.SIGKILL)
            await _gone(spare, device)
            assert await _spare_of(device, clock) != spare
            assert (device.generation, device.restarts) == (1, 0)

    run(body())


def test_without_a_spare_yet_the_next_process_is_started(run: Run, opened: Any, manual_clock: Any) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock) as device:
            device.keep_spare()
            os.kill(device.pid, signal.SIGKILL)
            while device.generation == 1:
                await asyncio.sleep(0)
            await device.upload_bytes(device.new_handle(), "me", "f32", [1], bytes(4))

    run(body())


def test_a_spare_that_does_not_start_is_tried_again_more_and_more_seldom(
    run: Run, opened: Any, manual_clock: Any, tmp_path: Path
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock, exit_s=77.0) as device:
            real = device.settings.python
            object.__setattr__(device.settings, "python", "/bin/false")
            device.keep_spare()
            for number in range(3):
                await clock.timer_of(PAUSE_S * 2**number)
                clock.advance(PAUSE_S * 2**number)
            await clock.timer_of(PAUSE_S * 8)
            object.__setattr__(device.settings, "python", real)
            clock.advance(PAUSE_S * 8)
            while device.spare_pid is None:
                await asyncio.sleep(0)

    run(body())


def test_a_spare_that_becomes_ready_while_restarts_fail_takes_over_at_the_next_try(
    run: Run, opened: Any, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock, backoff_s=5.0) as device:
            device.keep_spare()
            real = device.settings.python
            object.__setattr__(device.settings, "python", "/bin/false")
            os.kill(device.pid, signal.SIGKILL)
            await clock.timer_of(5.0)
            object.__setattr__(device.settings, "python", real)
            spare = await _spare_of(device, clock)
            object.__setattr__(device.settings, "python", "/bin/false")
            clock.advance(5.0)
            while device.state != "ready":
                await asyncio.sleep(0)
            assert (device.pid, device.generation) == (spare, 2)

    run(body())


def test_a_device_that_is_closed_while_its_spare_starts_leaves_no_process(
    run: Run, opened: Any, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock) as device:
            device.keep_spare()
            await clock.timer_of(PAUSE_S)
            clock.advance(PAUSE_S)
            await clock.timer_of(device.settings.start_s)
            device.keep_spare()

    run(body())
