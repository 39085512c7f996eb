"""What every answer has, and how a request ends whose key is over."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from api.auth.identity import Identity
from api.exchange import Exchange, Exchanges
from api.http.problems import LEFT
from api.quotas import Quotas
from api.usage.accounts import Accounts
from api.usage.holdings import Holdings

IDENTITY = Identity("k", "alice", "user", quotas=Quotas(runs_a_minute=60))


class FakeAudit:
    """Keeps the entries."""

    def __init__(self) -> None:
        self.entries: list[Any] = []

    async def add(self, entry: Any) -> None:
        self.entries.append(entry)


def served(app: Any, end_after: int | None = None) -> tuple[list[Message], list[Any]]:
    """What `app` answers to a request of `IDENTITY`, whose key is over after so many turns of the loop, and what is
    written down of it."""

    async def scenario() -> tuple[list[Message], list[Any]]:
        sent: list[Message] = []
        audit = FakeAudit()
        server: Any = SimpleNamespace(accounts=Accounts(Holdings()), audit=audit, tracer=None)
        scope: Scope = {"type": "http", "method": "POST", "path": "/api/runs"}

        async def known(scope: Scope, receive: Receive, send: Send) -> None:
            exchange: Exchange = scope["state"]["exchange"]
            exchange.identity, exchange.route = IDENTITY, "POST /api/runs"
            await app(scope, receive, send)

        async def receive() -> Message:
            await asyncio.Event().wait()
            raise AssertionError("nothing comes")

        async def send(message: Message) -> None:
            sent.append(message)

        serving = asyncio.create_task(Exchanges(known, server)(scope, receive, send))
        for _ in range(end_after or 0):
            await asyncio.sleep(0)
        if end_after is not None:
            scope["state"]["exchange"].end("key_revoked")
            scope["state"]["exchange"].end("key_expired")  # the route and the sweep may both say so
        async with asyncio.timeout(10):
            with contextlib.suppress(RuntimeError):
                await serving
        return sent, audit.entries

    return asyncio.run(scenario())


def headers(message: Message) -> dict[str, str]:
    return {name.decode().lower(): value.decode() for name, value in message["headers"]}


async def start(send: Send, status: int = 200, **more: str) -> None:
    raw = [(name.encode(), value.encode()) for name, value in more.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})


def test_an_answer_has_an_id_and_the_quotas_and_is_on_record_under_that_id() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await start(send, 202, location="/api/runs/run_1")
        await send({"type": "http.response.body", "body": b"x"})

    (begin, body), (entry,) = served(app)
    found = headers(begin)
    assert (found["x-request-id"], body["body"]) == (entry.request_id, b"x")
    assert found["ratelimit"] == '"runs_a_minute";r=60;t=0'
    assert (entry.resource, entry.outcome) == ("/api/runs/run_1", "done")


def test_a_request_that_waits_for_its_body_is_answered_that_its_key_is_over() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.disconnect"
        assert (await receive())["type"] == "http.disconnect"
        await start(send, LEFT)
        await send({"type": "http.response.body", "body": b""})

    (begin, body), (entry,) = served(app, end_after=3)
    assert (begin["status"], headers(begin)["connection"]) == (401, "close")
    assert b"key_revoked" in body["body"]
    assert entry.outcome == "key_revoked"


def test_what_was_done_all_the_same_is_answered_as_it_is() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await start(send, 201)
        await send({"type": "http.response.body", "body": b"made"})

    (begin, body), (entry,) = served(app, end_after=3)
    assert (begin["status"], body["body"], entry.outcome) == (201, b"made", "done")


def test_a_stream_that_is_cut_short_ends_as_a_whole_answer() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await start(send)
        await send({"type": "http.response.body", "body": b"first", "more_body": True})
        await receive()

    sent, _ = served(app, end_after=5)
    assert [message.get("body") for message in sent[1:]] == [b"first", b""]
    assert not sent[-1].get("more_body")


def test_somebody_elses_cancellation_is_no_end_of_the_key() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        waiting = asyncio.ensure_future(receive())
        await asyncio.sleep(0)
        waiting.cancel()
        (result,) = await asyncio.gather(waiting, return_exceptions=True)
        assert isinstance(result, asyncio.CancelledError)
        await start(send)
        await send({"type": "http.response.body", "body": b""})

    (begin, _), _ = served(app)
    assert begin["status"] == 200


def test_what_fails_inside_the_server_is_on_record() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("a bug")

    sent, (entry,) = served(app)
    assert (sent, entry.outcome) == ([], "internal")
