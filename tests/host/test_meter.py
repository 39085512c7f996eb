"""What requests cost: counted only while the device works on them, charged once, stopped at a budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from host.errors import DeviceTimeout
from host.frames import Usage
from host.meter import Meter

Run = Callable[..., Any]


def test_only_the_time_on_the_device_is_counted_and_charged_once(run: Run, manual_clock: Any) -> None:
    async def body() -> None:
        clock, charges, stops = manual_clock(), [], []
        meter = Meter(charges.append, budget_s=10.0)
        await meter.settled()
        for _ in range(3):
            meter.run(clock, lambda: stops.append(clock.now()))
            clock.advance(3.0)
            meter.pause()
            clock.advance(100.0)
        assert (meter.exceeded, stops) == (False, [])
        meter.run(clock, lambda: stops.append(clock.now()))
        clock.advance(2.0)
        assert (meter.exceeded, stops) == (True, [311.0])
        meter.close()
        meter.settle(Usage(5.0))
        await meter.settled()
        assert charges == [Usage(device_ms=11_000.0)]

    run(body())


def test_what_the_device_says_goes_before_what_was_measured(run: Run, manual_clock: Any) -> None:
    async def body() -> None:
        clock, charges = manual_clock(), []
        meter = Meter(charges.append)
        meter.run(clock, lambda: None)
        clock.advance(3.0)
        meter.pause()
        meter.settle(Usage(5.0, 2, 64))
        unused = Meter(charges.append)
        unused.close()
        assert charges == [Usage(5.0, 2, 64)]
        assert (meter.is_over, unused.is_over) == (True, True)

    run(body())


def test_what_goes_on_when_nobody_waits_any_more_is_paid_by_the_allowance(
    run: Run, manual_clock: Any
) -> None:
    class Purse:
        spent_s = 0.0

        def left_s(self) -> float:
            return 100.0

        def spend(self, seconds: float) -> None:
            self.spent_s += seconds

    async def body() -> None:
        clock, charges, purse = manual_clock(), [], Purse()
        meter = Meter(charges.append, allowance=purse)
        meter.run(clock, lambda: None)
        clock.advance(2.0)
        meter.close()
        assert (charges, meter.is_over, purse.spent_s) == ([Usage(device_ms=2000.0)], True, 0.0)
        clock.advance(3.0)
        meter.pause()
        meter.settle(None)
        assert (charges, purse.spent_s) == ([Usage(device_ms=2000.0)], 5.0)

    run(body())


def test_a_request_that_costs_its_process_is_charged_as_measured(
    run: Run, opened: Any, manual_clock: Any, slow_graph: Any, taken_up: Any
) -> None:
    async def body() -> None:
        clock, charges = manual_clock(), []
        async with opened(adapter="numpy", clock=clock, compile_s=777.0) as device:
            meter = Meter(charges.append)
            out = device.new_handle()
            running = asyncio.create_task(device.run_graph(1, "me", slow_graph(1 << 23), [out], meter=meter))
            await taken_up(meter)
            clock.advance(777.0)
            with pytest.raises(DeviceTimeout):
                await running
            assert charges == [Usage(device_ms=777_000.0)]

    run(body())
