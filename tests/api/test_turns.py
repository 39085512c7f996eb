"""Turns: how many at once, who is next, and that nobody who leaves takes one along."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from api.turns import Turns


class Bench:
    """Turns that last until they are ended, in the order in which they began."""

    def __init__(self, most: int) -> None:
        self.turns = Turns(most)
        self.began: list[str] = []
        self._ends: list[asyncio.Event] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, *owners: str) -> None:
        self.tasks += [asyncio.create_task(self._take(owner)) for owner in owners]
        await _settle()

    async def end(self, number: int) -> None:
        """End the turn that began as the `number`th."""
        self._ends[number].set()
        await _settle()

    async def _take(self, owner: str) -> None:
        async with self.turns.turn(owner):
            self.began.append(owner)
            end = asyncio.Event()
            self._ends.append(end)
            await end.wait()


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def run(most: int, scenario: Callable[[Bench], Awaitable[None]]) -> None:
    async def bounded() -> None:
        bench = Bench(most)
        await asyncio.wait_for(scenario(bench), 10)
        for task in bench.tasks:
            task.cancel()
        await asyncio.gather(*bench.tasks, return_exceptions=True)
        assert not bench.turns._waiting, "nobody waits who is gone"
        assert bench.turns._free == most, "all turns came back"
        assert not bench.turns._under_way

    asyncio.run(bounded())


def test_who_asks_once_is_next_however_much_another_asked_for_before() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask(*["alice"] * 20, "bob", "carol")
        assert bench.began == ["alice"]
        for number in range(4):
            await bench.end(number)
        assert bench.began == ["alice", "bob", "carol", "alice", "alice"]

    run(1, scenario)


def test_two_who_always_wait_alternate() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask(*["alice"] * 4, *["bob"] * 4)
        for number in range(7):
            await bench.end(number)
        assert bench.began == ["alice", "bob"] * 4

    run(1, scenario)


def test_the_next_of_several_at_once_is_of_who_has_the_fewest_under_way() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask(*["alice"] * 9, "bob", "bob")
        assert bench.began == ["alice"] * 3
        await bench.end(0)
        await bench.end(1)
        assert bench.began == ["alice"] * 3 + ["bob"] * 2
        await bench.end(2)
        assert bench.began[5:] == ["alice"]

    run(3, scenario)


def test_who_leaves_the_queue_takes_no_turn_and_keeps_no_place() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask("alice", "bob", "bob", "carol")
        bench.tasks[1].cancel()
        bench.tasks[2].cancel()
        await bench.end(0)
        assert bench.began == ["alice", "carol"]

    run(1, scenario)


def test_a_turn_that_is_given_to_one_who_just_left_goes_to_the_next() -> None:
    async def scenario(bench: Bench) -> None:
        await bench.ask("alice", "bob", "carol", "dave")
        bench._ends[0].set()
        bench.tasks[1].cancel()  # in the same round of the loop: before the turn is given
        await asyncio.sleep(0)
        bench.tasks[2].cancel()  # or after
        await _settle()
        assert bench.began == ["alice", "dave"]

    run(1, scenario)


def test_a_turn_that_fails_is_over() -> None:
    async def scenario(bench: Bench) -> None:
        try:
            async with bench.turns.turn("alice"):
                raise ValueError
        except ValueError:
            await bench.ask("bob")
        assert bench.began == ["bob"]

    run(1, scenario)
