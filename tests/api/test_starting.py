"""Parts on their way up: tried again after longer and longer, and what whoever needs them hears meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from api.devices import COMPILER_BYTES
from api.errors import DeviceUnavailable
from api.starting import MOST_PAUSE_S, PAUSE_S, TRIES, Start
from host.child import Child
from host.errors import AdapterNotFound, DeviceFailed

FAST, LONG = 0.01, 10.0


class Clock:
    """Time that passes when somebody sleeps; `slept` has how long each did."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.stops = 1000

    def now(self) -> float:
        return 0.0

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Any:
        self.slept.append(seconds)
        if len(self.slept) <= self.stops:
            callback()
        return asyncio.get_running_loop().call_later(LONG, lambda: None)


class Part:
    """Comes up when it has failed so often."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.left, self.error = failures, error or DeviceFailed("killed", hint="look")

    async def attempt(self) -> None:
        self.left -= 1
        if self.left >= 0:
            raise self.error


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), LONG))


@pytest.mark.parametrize("error", [DeviceFailed("killed"), OSError("no more processes")])
def test_a_part_that_dies_on_its_way_up_is_started_again_and_nobody_is_refused(error: Exception) -> None:
    async def scenario() -> None:
        clock = Clock()
        start = Start("device", Part(TRIES - 1, error).attempt, clock)
        await start.wait(LONG)
        assert start.up
        assert clock.slept == [PAUSE_S, 2 * PAUSE_S]

    run(scenario)


def test_after_some_tries_requests_are_refused_until_it_is_up() -> None:
    async def scenario() -> None:
        clock = Clock()
        clock.stops = TRIES - 1
        start = Start("compiler", Part(100).attempt, clock)
        for _ in range(2):
            with pytest.raises(DeviceUnavailable, match="the compiler did not start: killed") as refused:
                await start.wait(LONG)
            assert refused.value.hint == "look"
        assert not start.up
        await start.stop()

        clock, part = Clock(), Part(12)
        start = Start("compiler", part.attempt, clock)
        while not start.up:
            await asyncio.sleep(0)
        await start.wait(LONG)
        assert start.error is None
        assert clock.slept[-1] == MOST_PAUSE_S == max(clock.slept)

    run(scenario)


def test_an_adapter_that_is_not_there_is_said_at_once_and_not_looked_for_again() -> None:
    async def scenario() -> None:
        clock = Clock()
        start = Start("device", Part(100, AdapterNotFound("no such adapter")).attempt, clock)
        with pytest.raises(DeviceUnavailable, match="no such adapter"):
            await start.wait(LONG)
        assert clock.slept == []

    run(scenario)


def test_what_takes_too_long_is_said_and_goes_on() -> None:
    async def scenario() -> None:
        come = asyncio.Event()
        start = Start("workers", come.wait)
        with pytest.raises(DeviceUnavailable, match=r"within 0\.01 s"):
            await start.wait(FAST)
        come.set()
        await start.wait(LONG)

    run(scenario)


def test_a_server_whose_compiler_is_killed_while_it_starts_compiles_all_the_same(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest, kills = Child._spawn, [1] * (TRIES - 1)

    def spawn(child: Child) -> Any:
        process, link = honest(child)
        if child._settings.engine.memory_bytes == COMPILER_BYTES and kills:
            kills.pop()
            os.kill(process.pid, signal.SIGKILL)
        return process, link

    monkeypatch.setattr(Child, "_spawn", spawn)
    with start(adapter="null") as running:
        source = "@compute @workgroup_size(1) fn main() { }"
        answer = running.http.post("/api/kernels", json={"name": "k", "source": source})
        assert answer.status_code == 201, answer.text
        assert not kills
        assert running.http.get("/readyz").json() == {"ready": True, "reasons": [], "degraded": []}


def test_who_is_cancelled_while_the_part_is_up_stays_cancelled() -> None:
    async def scenario() -> None:
        start = Start("device", Part(0).attempt, Clock())
        await start.wait(LONG)
        for turns in range(10):
            waiting = asyncio.create_task(_ever_waiting(start))
            for _ in range(turns):
                await asyncio.sleep(0)
            waiting.cancel()
            (ended,) = await asyncio.gather(waiting, return_exceptions=True)
            assert isinstance(ended, asyncio.CancelledError), f"after {turns} turns of the loop"
        await start.stop()

    run(scenario)


async def _ever_waiting(start: Start) -> None:
    """What a run does: it needs the part, and goes on for as long as nobody stops it."""
    for _ in range(100):
        await start.wait(LONG)
        await asyncio.sleep(0)
