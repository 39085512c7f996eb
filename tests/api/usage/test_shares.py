"""Who had the device in the last minute."""

from __future__ import annotations

import pytest

from api.usage.shares import MINUTE_S, STEP_S, Shares
from tests.clock import ManualClock


def test_time_counts_for_a_minute_and_then_no_more() -> None:
    clock = ManualClock()
    shares = Shares(clock)
    shares.add("alice", 5)
    clock.advance(30)
    shares.add("alice", 2)
    shares.add("bob", 1)
    assert shares.milliseconds() == {"alice": 7, "bob": 1}
    clock.advance(30)
    assert shares.milliseconds() == {"alice": 2, "bob": 1}
    clock.advance(30)
    assert shares.milliseconds() == {}


def test_much_small_work_is_forgotten_a_second_at_a_time() -> None:
    clock = ManualClock()
    shares = Shares(clock)
    for _ in range(10_000):
        shares.add("alice", 0.5)
        clock.advance(1 / 64)
    a_second = 32
    assert shares.milliseconds()["alice"] == pytest.approx(MINUTE_S / STEP_S * a_second, abs=a_second)
