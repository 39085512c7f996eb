"""`api/usage/accounts.py`: what is used, and what comes back, by a clock that the tests move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from api.auth.identity import Identity
from api.errors import QuotaExceeded
from api.http.problems import problem_response
from api.quotas import Quotas
from api.usage.accounts import KEPT, Account, Accounts, Bucket
from api.usage.holdings import Holdings
from host.frames import Usage
from host.meter import Meter
from tests.clock import ManualClock


def on_a_clock(scenario: Callable[[ManualClock], None]) -> None:
    async def body() -> None:
        scenario(ManualClock())

    asyncio.run(body())


def account(clock: ManualClock, quotas: Quotas) -> Account:
    return Accounts(Holdings(), clock).of(Identity("k", "alice", "user", quotas=quotas))


def test_a_bucket_fills_evenly_up_to_what_it_holds_and_may_owe() -> None:
    def scenario(clock: ManualClock) -> None:
        bucket = Bucket(60, clock)
        bucket.take(90)
        assert (bucket.level, bucket.wait_s(0), bucket.wait_s(60), bucket.wait_s(1000)) == (-30, 30, 90, 90)
        clock.advance(45)
        assert bucket.level == 15
        clock.advance(1000)
        assert bucket.level == 60
        bucket.take(-5)
        assert bucket.level == 60
        assert Bucket(0, clock).wait_s(1) == 60

    on_a_clock(scenario)


def test_runs_at_once_are_counted_until_they_end() -> None:
    def scenario(clock: ManualClock) -> None:
        mine = account(clock, Quotas(runs_at_once=2))
        mine.admit_run()
        mine.admit_run()
        with pytest.raises(QuotaExceeded, match="quota runs_at_once is 2; 2 are used"):
            mine.admit_run()
        mine.run_over()
        mine.admit_run()

    on_a_clock(scenario)


def test_runs_a_minute_come_back_one_by_one() -> None:
    def scenario(clock: ManualClock) -> None:
        mine = account(clock, Quotas(runs_a_minute=6))
        for _ in range(6):
            mine.admit_run()
        clock.advance(4)
        with pytest.raises(QuotaExceeded, match="runs_a_minute is 6; 6 are used") as caught:
            mine.admit_run()
        assert caught.value.retry_after_s == pytest.approx(6)
        assert problem_response(caught.value).headers["Retry-After"] in ("6", "7")
        assert "Try again in" in (caught.value.hint or "")
        clock.advance(6)
        mine.admit_run()
        with pytest.raises(QuotaExceeded):
            mine.admit_run()

    on_a_clock(scenario)


def test_a_refused_run_uses_nothing() -> None:
    def scenario(clock: ManualClock) -> None:
        mine = account(clock, Quotas(runs_at_once=1, runs_a_minute=2))
        mine.admit_run()
        for _ in range(5):
            with pytest.raises(QuotaExceeded, match="runs_at_once"):
                mine.admit_run()
        mine.run_over()
        mine.admit_run()
        assert mine.headers()["RateLimit"] == '"runs_a_minute";r=0;t=60'

    on_a_clock(scenario)


def test_the_headers_say_what_is_left_and_when_all_is_back() -> None:
    def scenario(clock: ManualClock) -> None:
        mine = account(clock, Quotas(runs_a_minute=60, device_ms_a_minute=100))
        mine.admit_run()
        mine.spend(0.06)
        assert mine.headers() == {
            "RateLimit-Policy": '"runs_a_minute";q=60;w=60, "device_ms_a_minute";q=100;w=60;qu="device-ms"',
            "RateLimit": '"runs_a_minute";r=59;t=1, "device_ms_a_minute";r=40;t=36',
        }
        assert account(clock, Quotas(kernels=1)).headers() == {}

    on_a_clock(scenario)


def test_two_requests_at_a_time_draw_on_the_same_device_time() -> None:
    def scenario(clock: ManualClock) -> None:
        mine = account(clock, Quotas(device_ms_a_minute=1000))
        stops: list[str] = []
        first, second = (Meter(lambda usage: None, allowance=mine) for _ in range(2))
        for _ in range(3):
            first.run(clock, lambda: stops.append("first"))
            clock.advance(0.2)
            first.pause()
            second.run(clock, lambda: stops.append("second"))
            clock.advance(0.1)
            second.pause()
        assert stops == []
        first.run(clock, lambda: stops.append("first"))
        clock.advance(0.2)
        first.pause()
        assert (stops, first.exceeded, first.overdrawn, second.exceeded) == (["first"], True, True, False)
        with pytest.raises(QuotaExceeded, match=r"device_ms_a_minute is 1,000; 1,0\d\d") as caught:
            mine.check_device()
        assert 6 < (caught.value.retry_after_s or 0) < 12
        first.settle(Usage(device_ms=300))  # of which it was charged 800
        mine.check_device()
        assert 0.4 < mine.left_s() < 0.5

    on_a_clock(scenario)


def test_the_lesser_of_a_requests_budget_and_its_keys_time_ends_it() -> None:
    def scenario(clock: ManualClock) -> None:
        mine = account(clock, Quotas(device_ms_a_minute=1000))
        for budget_s, overdrawn in ((0.4, False), (5.0, True)):
            meter = Meter(lambda usage: None, budget_s, allowance=mine)
            meter.run(clock, lambda: None)
            clock.advance(0.7)
            meter.pause()
            assert (meter.exceeded, meter.overdrawn) == (True, overdrawn)

    on_a_clock(scenario)


def test_what_an_owner_holds_is_bounded_over_all_keys() -> None:
    def scenario(clock: ManualClock) -> None:
        holdings = Holdings()
        accounts = Accounts(holdings, clock)
        keys = [
            accounts.of(Identity(key, "alice", "user", quotas=Quotas(resident_bytes=100))) for key in "ab"
        ]
        holdings.take("alice", "x", 80)
        holdings.take("bob", "y", 80)
        for key in keys:
            key.check_resident(20)
            assert key.excess(50) == 30
            with pytest.raises(
                QuotaExceeded, match="resident_bytes is 100; 80 are used, and 21 more"
            ) as caught:
                key.check_resident(21)
            assert "Retry-After" not in problem_response(caught.value).headers

    on_a_clock(scenario)


def test_failures_that_are_written_down_are_bounded() -> None:
    def scenario(clock: ManualClock) -> None:
        mine = account(clock, Quotas())
        assert sum(mine.admit_failure() for _ in range(1000)) == 100
        clock.advance(6)
        assert sum(mine.admit_failure() for _ in range(1000)) == 10

    on_a_clock(scenario)


def test_accounts_in_which_nothing_is_used_are_forgotten() -> None:
    def scenario(clock: ManualClock) -> None:
        accounts = Accounts(Holdings(), clock)
        busy = accounts.of(Identity("busy", "alice", "user", quotas=Quotas(runs_a_minute=1)))
        busy.admit_run()
        idle = accounts.of(Identity("idle", "alice", "user"))
        for number in range(2 * KEPT):
            accounts.of(Identity(f"k{number}", "bob", "user"))
        assert accounts.of(Identity("busy", "alice", "user")) is busy
        assert accounts.of(Identity("idle", "alice", "user")) is not idle

    on_a_clock(scenario)
