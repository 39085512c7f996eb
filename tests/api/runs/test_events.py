"""`api/runs/events.py`: order, the cap, and following."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.types import Message

from api.errors import TooManyStreams
from api.runs.events import PAGE_BYTES, PAGE_EVENTS, Event, EventLog, insert_events, last_event, select_events
from api.runs.sse import PING, EventStream, Streams
from api.storage import tables
from api.storage.database import Database


def test_events_are_numbered_from_one_and_followed_to_the_last() -> None:
    async def scenario() -> list[tuple[int, str]]:
        log = EventLog(100)
        log.add("status", {"status": "queued"})
        seen: list[tuple[int, str]] = []

        async def follow() -> None:
            async for page in log.follow(0):
                seen.extend((event.seq, event.type) for event in page)
                if page[-1].seq == 2:
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
            return [event.seq async for page in log.follow(after) for event in page]

        watchers = [asyncio.create_task(numbers(after)) for after in (0, 5, 49, 50, 1000)]
        for step in range(49):
            log.add("progress", {"step": step})
            if step % 7 == 0:
                await asyncio.sleep(0)
        log.close("{}")
        return list(await asyncio.wait_for(asyncio.gather(*watchers), 10))

    everything = list(range(1, 51))
    assert asyncio.run(scenario()) == [everything, everything[5:], [50], [50], [50]]


def test_beyond_the_cap_only_status_and_result_are_added() -> None:
    async def scenario() -> list[str]:
        log = EventLog(3)
        for step in range(10):
            log.add("progress", {"step": step})
        log.add("status", {"status": "succeeded"})
        log.close("{}")
        return [event.type async for page in log.follow(0) for event in page]

    assert asyncio.run(scenario()) == ["progress", "progress", "progress", "status", "status", "result"]


def test_each_event_is_given_to_the_database_until_it_is_stored() -> None:
    log = EventLog(10)
    log.add("status", {})
    given = log.unstored()
    log.add("status", {})
    assert [event.seq for event in log.unstored()] == [1, 2], "the first was not stored"
    log.mark_stored(given)
    assert [event.seq for event in log.unstored()] == [2]


@pytest.mark.parametrize(("size", "most"), [(10, PAGE_EVENTS), (PAGE_BYTES // 3 + 1, 3), (2 * PAGE_BYTES, 1)])
def test_events_are_handed_out_in_pages_bounded_by_number_and_bytes(
    size: int, most: int, source: Path | str
) -> None:
    count = 2 * most + 1
    events = [Event(n + 1, "output", "x" * size, "") for n in range(count)]

    async def live() -> list[int]:
        log = EventLog(count)
        log._events = list(events)
        log.close("{}")
        return [len(page) async for page in log.follow(0)]

    data = Database(source)
    data.open()
    try:
        data.run(lambda db: db.execute(tables.runs.insert().values(**_run("run_1"))))
        data.run(lambda db: insert_events(db, "run_1", events))
        assert len(data.run(lambda db: select_events(db, "run_1", 0))) == most
        assert [event.seq for event in data.run(lambda db: select_events(db, "run_1", count - 1))] == [count]
        assert data.run(lambda db: last_event(db, "run_1")) == count
    finally:
        data.close()
    assert max(asyncio.run(live())) == most


def _run(run_id: str) -> dict[str, object]:
    columns = tables.runs.columns
    return {c.name: run_id if c.name == "id" else c.type.python_type() for c in columns if not c.nullable}


async def _pages(*pages: list[Event]) -> AsyncIterator[list[Event]]:
    for page in pages:
        yield page


async def _never(began: asyncio.Event, ended: asyncio.Event) -> AsyncIterator[list[Event]]:
    try:
        began.set()
        await asyncio.Event().wait()
        yield []
    finally:
        ended.set()


def test_a_stream_is_sent_in_bounded_pieces() -> None:
    large = [Event(1, "result", "é" * (3 * PAGE_BYTES), "")]
    sent: list[bytes] = []

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))

    async def receive() -> Message:
        return await asyncio.Event().wait()  # type: ignore[return-value]

    asyncio.run(EventStream(_pages(large))({}, receive, send))
    assert max(map(len, sent)) <= 2 * PAGE_BYTES
    assert b"".join(sent).decode() == f"event: result\ndata: {'é' * (3 * PAGE_BYTES)}\nid: 1\n\n"


@pytest.mark.parametrize("stuck", [False, True], ids=["quiet", "not reading"])
def test_a_stream_ends_without_an_error_when_its_client_leaves(stuck: bool) -> None:
    async def scenario() -> list[Message]:
        began, ended, sent = asyncio.Event(), asyncio.Event(), []

        async def send(message: Message) -> None:
            sent.append(message)
            if stuck:
                await asyncio.Event().wait()

        async def receive() -> Message:
            if not stuck:
                await began.wait()
            return {"type": "http.disconnect"}

        stream = EventStream(_never(began, ended))
        await asyncio.wait_for(stream({}, receive, send), 10)
        assert ended.is_set() or stuck
        return sent

    assert len(asyncio.run(scenario())) <= 1


def test_a_quiet_stream_is_kept_alive() -> None:
    async def scenario() -> None:
        pinged = asyncio.Event()

        async def send(message: Message) -> None:
            if message.get("body") == PING:
                pinged.set()

        async def receive() -> Message:
            await pinged.wait()
            return {"type": "http.disconnect"}

        stream = EventStream(_never(asyncio.Event(), asyncio.Event()), ping_s=0.001)
        await asyncio.wait_for(stream({}, receive, send), 10)

    asyncio.run(scenario())


def test_a_key_has_only_so_many_streams_open() -> None:
    streams = Streams(2)
    with streams.opened("a"), streams.opened("b"):
        with streams.opened("a"), pytest.raises(TooManyStreams), streams.opened("a"):
            pytest.fail("a third stream was opened")
        with streams.opened("a"):
            pass
    assert not streams._open
