"""The queue: no key starves another, whatever it submits."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from api.errors import KeyQueueFull, QueueFull
from api.runs.queue import MOST_DEBT_S, FairQueue, Ticket
from tests.clock import ManualClock


class Bench:
    """Runs that hold their places until they are ended."""

    def __init__(self, places: int, most: int = 100, most_of_key: int = 100) -> None:
        self.clock = ManualClock()
        self.queue = FairQueue(places, most, most_of_key, self.clock)
        self.running: dict[Ticket, asyncio.Event] = {}
        self.tasks: dict[Ticket, asyncio.Task[None]] = {}

    async def ask(self, *keys: str) -> list[Ticket]:
        tickets = [self.queue.join(key) for key in keys]
        for ticket in tickets:
            self.tasks[ticket] = asyncio.create_task(self._run(ticket))
        await _settle()
        return tickets

    async def end(self, key: str, after_s: float = 0.0) -> None:
        """End the first run of `key`, `after_s` later."""
        self.clock.advance(after_s)
        next(end for ticket, end in self.running.items() if ticket.key == key).set()
        await _settle()

    @property
    def keys(self) -> list[str]:
        """The keys whose runs run."""
        return [ticket.key for ticket in self.running]

    async def _run(self, ticket: Ticket) -> None:
        async with self.queue.place(ticket):
            self.running[ticket] = asyncio.Event()
            try:
                await self.running[ticket].wait()
            finally:
                del self.running[ticket]


async def _settle() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


def run(bench: Callable[[], Bench], scenario: Callable[[Bench], Awaitable[None]]) -> None:
    async def bounded() -> None:
        made = bench()
        async with asyncio.timeout(20):
            await scenario(made)
        for task in made.tasks.values():
            task.cancel()
        await asyncio.gather(*made.tasks.values(), return_exceptions=True)
        assert made.queue.length == 0, "nobody waits who is gone"
        assert made.queue._free == made.queue._places, "all places came back"
        assert not made.queue._under_way

    asyncio.run(bounded())


def test_the_last_free_place_is_for_a_key_that_has_none() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask(*["greedy"] * 20)
        assert bench.keys == ["greedy"] * 3
        await bench.ask("modest")
        assert bench.keys == [*["greedy"] * 3, "modest"], "it starts though the other's never end"

    run(lambda: Bench(4), scenario)


def test_a_single_place_is_for_everybody() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask("a", "a", "b")
        assert bench.keys == ["a"]
        await bench.end("a", 1)
        assert bench.keys == ["b"], "who has used nothing is next"
        await bench.end("b", 1)
        assert bench.keys == ["a"]

    run(lambda: Bench(1), scenario)


def test_keys_get_equal_time_however_long_their_runs_are() -> None:
    async def scenario(bench: Bench) -> None:
        held: Counter[str] = Counter()
        await bench.ask(*["long"] * 90, *["short"] * 90)
        lengths = {"long": 10.0, "short": 1.0}
        for _ in range(60):
            (key,) = bench.keys
            held[key] += int(lengths[key])
            await bench.end(key, lengths[key])
        assert abs(held["long"] - held["short"]) <= 11, held

    run(lambda: Bench(1, most=200), scenario)


def test_what_was_used_long_ago_is_forgotten() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask("long")
        await bench.end("long", 3600)
        await bench.ask("long", *["other"] * 99)
        assert bench.keys == ["long"], "nobody else asked"
        await bench.end("long", 3600)
        await bench.ask("long")
        for _ in range(int(MOST_DEBT_S)):
            assert bench.keys == ["other"]
            await bench.end("other", 1.01)
        assert bench.keys == ["long"], "a key waits at most so long for what it used"

    run(lambda: Bench(1), scenario)


def test_a_key_that_was_away_gets_no_more_than_the_others() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask(*["busy"] * 60)
        for _ in range(10):
            await bench.end("busy", 10)
        await bench.ask(*["new"] * 30)
        began: Counter[str] = Counter()
        for _ in range(20):
            (key,) = bench.keys
            began[key] += 1
            await bench.end(key, 10)
        assert abs(began["busy"] - began["new"]) <= 2, began

    run(lambda: Bench(1), scenario)


def test_a_position_is_where_a_run_will_be_when_its_turn_comes() -> None:
    async def scenario(bench: Bench) -> None:
        tickets = await bench.ask("a", *["a"] * 3, *["b"] * 2, "c")
        expected = {bench.queue.position(ticket): ticket for ticket in tickets if ticket not in bench.running}
        assert sorted(place for place in expected if place) == [1, 2, 3, 4, 5, 6]
        for place in range(1, 7):
            (now,) = bench.keys
            await bench.end(now, 1)
            assert list(bench.running) == [expected[place]]
        assert bench.queue.position(expected[6]) is None

    run(lambda: Bench(1), scenario)


def test_too_many_waiting_runs_are_refused_by_key_and_in_all() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask("a", "a", "a")
        with pytest.raises(KeyQueueFull, match="2 runs of this key"):
            bench.queue.check("a")
        bench.queue.check("b")
        await bench.ask("b")
        with pytest.raises(QueueFull, match="3 runs are waiting"):
            bench.queue.check("c")

    run(lambda: Bench(1, most=3, most_of_key=2), scenario)


def test_who_leaves_before_or_as_its_turn_comes_takes_no_place() -> None:
    async def scenario(bench: Bench) -> None:
        first, second, third = await bench.ask("a", "b", "c")
        bench.tasks[second].cancel()
        next(iter(bench.running.values())).set()
        await _settle()
        assert list(bench.running) == [third]
        fourth, fifth = await bench.ask("a", "b")
        bench.running[third].set()
        bench.tasks[fourth].cancel()
        bench.tasks[fifth].cancel()
        await _settle()
        assert not bench.running
        assert first.since is not None
        assert fourth.called.cancelled()

    run(lambda: Bench(1), scenario)


def test_a_closed_queue_calls_nobody() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask("a", "b")
        bench.queue.close()
        await bench.end("a")
        assert not bench.running
        assert bench.queue.length == 1

    run(lambda: Bench(1), scenario)


def test_random_joins_and_ends_lose_no_place_and_starve_nobody() -> None:
    async def scenario(bench: Bench) -> None:
        choose = random.Random(5)
        for _ in range(400):
            match choose.randrange(3):
                case 0:
                    await bench.ask(choose.choice("abcde"))
                case 1 if bench.running:
                    await bench.end(choose.choice(bench.keys), choose.random())
                case _:
                    choose.choice([*bench.tasks.values(), asyncio.create_task(asyncio.sleep(0))]).cancel()
                    await _settle()
            busy = set(bench.keys)
            waiting = set(bench.queue._waiting) - busy
            assert len(bench.running) == 3 or not waiting, "a key without a run waits while a place is free"

    run(lambda: Bench(3, most=1000, most_of_key=1000), scenario)
