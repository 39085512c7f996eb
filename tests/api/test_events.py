"""`api/events.py`: order, the cap, and following."""

from __future__ import annotations

import asyncio

from api.events import EventLog


def test_events_are_numbered_from_one_and_followed_to_the_last() -> None:
    async def scenario() -> list[tuple[int, str]]:
        log = EventLog(100)
        log.add("status", {"status": "queued"})
        seen: list[tuple[int, str]] = []

        async def follow() -> None:
            async for event in log.follow(0):
                seen.append((event.seq, event.type))
                if event.seq == 2:
                    log.close("{}")

        watcher = asyncio.create_task(follow())
        await asyncio.sleep(0)
        log.add("output", {"text": "x"})
        await asyncio.wait_for(watcher, 10)
        return seen

    assert asyncio.run(scenario()) == [(1, "status"), (2, "output"), (3, "result")]


def test_many_watchers_see_the_same_from_where_they_start() -> None:
    async def scenario() -> list[list[int]]:
        log = EventLog(1000)

        async def numbers(after: int) -> list[int]:
            return [event.seq async for event in log.follow(after)]

        watchers = [asyncio.create_task(numbers(after)) for after in (0, 5, 49, 50, 1000)]
        for step in range(49):
            log.add("progress", {"step": step})
            if step % 7 == 0:
                await asyncio.sleep(0)
        log.close("{}")
        return list(await asyncio.wait_for(asyncio.gather(*watchers), 10))

    everything = list(range(1, 51))
    assert asyncio.run(scenario()) == [everything, everything[5:], [50], [], []]


def test_beyond_the_cap_only_status_and_result_are_added() -> None:
    async def scenario() -> list[str]:
        log = EventLog(3)
        for step in range(10):
            log.add("progress", {"step": step})
        log.add("status", {"status": "succeeded"})
        log.close("{}")
        return [event.type async for event in log.follow(0)]

    assert asyncio.run(scenario()) == ["progress", "progress", "progress", "status", "status", "result"]


def test_each_event_is_given_to_the_database_once() -> None:
    log = EventLog(10)
    log.add("status", {})
    assert [event.seq for event in log.take_unstored()] == [1]
    assert log.take_unstored() == []
    log.add("status", {})
    assert [event.seq for event in log.take_unstored()] == [2]
