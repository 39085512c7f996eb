"""Work that nobody waits for: that its failures are told, and what recurs goes on after them."""

from __future__ import annotations

import asyncio

import pytest

from api.background import Recurrent, later
from host.errors import DeviceRestarted
from tests.clock import ManualClock

PERIOD_S = 5.0


def test_work_that_nobody_waits_for_tells_the_log_when_it_fails(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise DeviceRestarted("the device was restarted")

    async def scenario() -> None:
        later(fails(), "tidying up")
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(scenario())
    assert "tidying up failed: the device was restarted" in caplog.text


@pytest.mark.parametrize("at_once", [False, True])
def test_what_recurs_goes_on_whatever_it_fails_with_until_it_is_stopped(
    caplog: pytest.LogCaptureFixture, at_once: bool
) -> None:
    ends = [None, DeviceRestarted("the device was restarted"), ZeroDivisionError("a bug"), None]

    async def scenario() -> int:
        clock, done = ManualClock(), 0

        async def work() -> None:
            nonlocal done
            done += 1
            if error := ends[done - 1]:
                raise error

        sweeper = Recurrent(work, PERIOD_S, "tidying up", clock, at_once=at_once)
        sweeper.start()
        for turn in range(4 - at_once):
            async with asyncio.timeout(10):
                await clock.timer_of(PERIOD_S)
            assert done == turn + at_once
            clock.advance(PERIOD_S)
        async with asyncio.timeout(10):
            await clock.timer_of(PERIOD_S)
            await sweeper.stop()
        clock.advance(PERIOD_S)
        return done

    assert asyncio.run(scenario()) == len(ends)
    assert "tidying up failed, and is tried again: the device was restarted" in caplog.text
    assert "tidying up failed unexpectedly, and is tried again" in caplog.text
    assert "ZeroDivisionError: a bug" in caplog.text


def test_what_never_began_can_be_stopped() -> None:
    async def never() -> None:
        raise AssertionError

    asyncio.run(Recurrent(never, PERIOD_S, "nothing").stop())
