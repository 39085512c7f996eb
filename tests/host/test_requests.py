"""The watch over what a device was asked: what it may take, by a clock that stands still."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from host.errors import DeviceCrashed, DeviceHung, DeviceLeft, DeviceRestarted
from host.frames import Done
from host.meter import Meter
from host.requests import Pending, Requests, room_s
from ops.wire import FrameError
from tests.clock import ManualClock

Run = Callable[..., Any]
SLICE_S, STEP_S, TAKEUP_S, DEADLINE_S = 2.0, 5.0, 10.0, 15.0


class Watched:
    """Requests 1, 2, …, each of which names itself, and what was late."""

    def __init__(self, count: int) -> None:
        self.clock = ManualClock()
        self.late: list[str] = []
        self.requests = Requests(self.clock, SLICE_S, TAKEUP_S, self.late.append)
        self.futures = [asyncio.get_running_loop().create_future() for _ in range(count)]
        for id, future in enumerate(self.futures, 1):
            meter, left_s = Meter(lambda usage: None), room_s(DEADLINE_S, STEP_S)
            self.requests.add(id, Pending(future, str(id), meter, lambda: None, STEP_S, left_s))

    def fail(self) -> list[type[BaseException]]:
        """The process is gone: how each request fails that had no answer."""
        self.requests.unwatch()
        self.requests.fail(DeviceCrashed)
        return [type(future.exception()) for future in self.futures]


def test_the_oldest_is_late_when_nothing_is_taken_up(run: Run) -> None:
    async def body() -> None:
        watched = Watched(2)
        watched.clock.advance(TAKEUP_S)
        assert watched.late == ["1"]
        assert watched.fail() == [DeviceLeft, DeviceLeft]
        assert [future.exception().was_next for future in watched.futures] == [True, False]

    run(body())


@pytest.mark.parametrize(("slice", "most_s"), [(True, SLICE_S), (False, STEP_S)])
def test_a_step_is_late_after_its_time_and_others_are_not_to_blame(
    run: Run, slice: bool, most_s: float
) -> None:
    async def body() -> None:
        watched = Watched(3)
        watched.requests.start(2, False)
        watched.requests.start(1, slice)
        watched.clock.advance(most_s - 0.1)
        assert not watched.late
        watched.clock.advance(0.1)
        assert watched.late == ["1"]
        assert watched.fail() == [DeviceHung, DeviceRestarted, DeviceLeft]
        assert f"longer than {most_s:g} s" in str(watched.futures[0].exception())

    run(body())


def test_who_was_in_hand_when_the_process_died_of_itself_is_told_so(run: Run) -> None:
    async def body() -> None:
        watched = Watched(2)
        watched.requests.start(1, True)
        assert watched.fail() == [DeviceCrashed, DeviceLeft]

    run(body())


def test_steps_and_brief_answers_between_them_do_not_keep_a_request_from_being_late(run: Run) -> None:
    async def body() -> None:
        watched = Watched(100)
        for step in range(2, 100):
            watched.requests.start(1, True)
            watched.clock.advance(1.0)
            watched.requests.settle(step, Done(step))
            if watched.late:
                break
        assert watched.clock.now() == room_s(DEADLINE_S, STEP_S)
        assert watched.fail()[0] is DeviceHung
        assert "beyond its limit" in str(watched.futures[0].exception())

    run(body())


def test_what_we_slept_through_is_not_taken_off_a_request_s_time(run: Run) -> None:
    async def body() -> None:
        watched = Watched(1)
        for _ in range(3):
            watched.requests.start(1, True)
            watched.clock.advance(1000.0)
        assert not watched.late
        watched.requests.settle(1, Done(1))
        assert await watched.futures[0] == Done(1)

    run(body())


def test_what_was_not_asked_is_a_breach_of_the_protocol(run: Run) -> None:
    async def body() -> None:
        watched = Watched(1)
        for breach in (
            lambda: watched.requests.start(2, False),
            lambda: watched.requests.settle(2, Done(2)),
            lambda: watched.requests.progress(2, 0.5),
            lambda: watched.requests.progress(1, 1.5),
        ):
            with pytest.raises(FrameError):
                breach()
        watched.fail()

    run(body())
