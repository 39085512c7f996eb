"""Processes of a device, one after the other: which start is tried again, when, and who waits for it how long."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host.errors import AdapterNotFound, DeviceFailed
from host.supervisor import Device, DeviceSettings

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]


async def _ask(device: Device) -> None:
    """A small request, of any kind."""
    await device.upload_bytes(device.new_handle(), "me", "f32", [2], bytes(8))


async def _settle() -> None:
    """Let tasks run until they wait for something."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_the_first_start_says_what_adapters_there_are(run: Run) -> None:
    async def body() -> None:
        device = Device(DeviceSettings(adapter="no such adapter"))
        with pytest.raises(AdapterNotFound, match=r"no such adapter.*llvmpipe"):
            await device.start()
        await device.close()

    run(body())


def test_a_process_that_never_starts_is_given_up(run: Run, tmp_path: Path, manual_clock: Any) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 1000\n")
    python.chmod(0o755)

    async def body() -> None:
        clock = manual_clock()
        device = Device(DeviceSettings(adapter="null", python=str(python), clock=clock, start_s=11.0))
        starting = asyncio.create_task(device.start())
        await clock.timer_of(11.0)
        clock.advance(11.0)
        with pytest.raises(DeviceFailed, match="did not start"):
            await starting
        await device.close()

    run(body())


def test_restarts_that_fail_back_off_and_requests_meanwhile_are_told_why(
    run: Run, opened: Any, tmp_path: Path, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        python = tmp_path / "python"
        python.symlink_to("/bin/false")
        async with opened(
            adapter="null", clock=clock, failures=2, backoff_s=5.0, backoff_most_s=8.0
        ) as device:
            real = device.settings.python
            object.__setattr__(device.settings, "python", str(python))
            os.kill(device.pid, signal.SIGKILL)
            await clock.timer_of(5.0)
            waiting = asyncio.create_task(_ask(device))
            await _settle()
            clock.advance(5.0)
            with pytest.raises(DeviceFailed, match="did not start"):
                await waiting
            assert device.state == "failed"
            with pytest.raises(DeviceFailed):
                await _ask(device)
            await clock.timer_of(8.0)
            object.__setattr__(device.settings, "python", real)
            clock.advance(8.0)
            while device.state != "ready":
                await asyncio.sleep(0)
            await _ask(device)

    run(body())


def test_a_process_that_cannot_be_started_at_all_is_tried_again(
    run: Run, opened: Any, manual_clock: Any
) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(adapter="null", clock=clock, backoff_s=5.0) as device:
            real = device.settings.python
            object.__setattr__(device.settings, "python", "/no/such/python")
            os.kill(device.pid, signal.SIGKILL)
            await clock.timer_of(5.0)
            object.__setattr__(device.settings, "python", real)
            clock.advance(5.0)
            while device.state != "ready":
                await asyncio.sleep(0)
            await _ask(device)

    run(body())


def test_a_request_waits_for_a_restart_only_so_long(run: Run, opened: Any, manual_clock: Any) -> None:
    async def body() -> None:
        clock = manual_clock()
        async with opened(
            adapter="null", clock=clock, wait_s=13.0, backoff_s=500.0, backoff_most_s=500.0
        ) as device:
            object.__setattr__(device.settings, "python", "/bin/false")
            os.kill(device.pid, signal.SIGKILL)
            await clock.timer_of(500.0)
            waiting = asyncio.create_task(_ask(device))
            await clock.timer_of(13.0)
            clock.advance(13.0)
            with pytest.raises(DeviceFailed):
                await waiting

    run(body())
