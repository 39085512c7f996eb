"""A moment that moves, on a clock that stands still."""

from __future__ import annotations

import pytest

from host.deadline import Deadline
from tests.clock import ManualClock, ManualTimer


class CountingClock(ManualClock):
    """A clock that counts the timers that it made."""

    def __init__(self) -> None:
        super().__init__()
        self.made = 0

    def call_later(self, seconds: float, callback: object) -> ManualTimer:
        self.made += 1
        return super().call_later(seconds, callback)  # type: ignore[arg-type]


@pytest.fixture
def clock() -> CountingClock:
    return CountingClock()


@pytest.fixture
def late() -> list[float]:
    """By how much each moment was passed when that was told."""
    return []


@pytest.fixture
def deadline(clock: CountingClock, late: list[float]) -> Deadline:
    return Deadline(clock, late.append)


def test_a_moment_that_comes_is_told_once(
    deadline: Deadline, clock: CountingClock, late: list[float]
) -> None:
    deadline.move(2.0)
    clock.advance(1.5)
    assert late == []
    clock.advance(0.75)
    assert late == [0.25]
    clock.advance(100)
    assert late == [0.25]


def test_one_that_moves_away_again_and_again_costs_a_timer_for_each_time_that_the_first_rings(
    deadline: Deadline, clock: CountingClock, late: list[float]
) -> None:
    for _ in range(1000):
        deadline.move(2.0)
        clock.advance(1 / 128)
    assert (clock.made, late) == (4, [])
    clock.advance(2.0)
    assert late == [1 / 128]


def test_one_that_comes_nearer_comes_in_time(
    deadline: Deadline, clock: CountingClock, late: list[float]
) -> None:
    deadline.move(10.0)
    deadline.move(2.0)
    clock.advance(2.0)
    assert late == [0.0]
    clock.advance(100)
    assert late == [0.0]


def test_one_that_was_lifted_does_not_come_and_the_next_does(
    deadline: Deadline, clock: CountingClock, late: list[float]
) -> None:
    deadline.move(2.0)
    deadline.lift()
    clock.advance(1.0)
    deadline.move(3.0)
    clock.advance(2.5)
    assert late == []
    clock.advance(0.5)
    assert late == [0.0]
    deadline.move(1.0)
    deadline.close()
    clock.advance(100)
    assert late == [0.0]
