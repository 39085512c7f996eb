"""`AsyncClient` against the real server: the same calls, awaited; and streams that break."""

from __future__ import annotations

import asyncio
import json

import httpx2
import numpy as np
import pytest

from kernelgate import ApiError, AsyncClient, Client, Event
from kernelgate.local import LocalServer

LOOP = """
def main(n):
    for i in range(n):
        progress((i + 1) / n, loss=1 / (i + 1))
"""


def test_the_calls_of_a_client_are_awaited(server: LocalServer) -> None:
    async def work() -> None:
        async with AsyncClient(server.url, server.key) as client:
            x = np.arange(70_000, dtype=np.float32)
            runs = [client.run("def main(x): return x.sum().item()", {"x": x + n}) for n in range(2)]
            assert [run.result for run in await asyncio.gather(*runs)] == pytest.approx(
                [float(x.sum()), float(x.sum()) + 70_000], rel=1e-5
            )
            held = await client.upload(x)
            assert (await client.download(held) == x).all()
            assert (await client.op("sum", held)).shape == ()
            await client.delete_tensor(held)
            with pytest.raises(ApiError, match="tensor_not_found"):
                await client.get_tensor(held)

    asyncio.run(work())


def test_events_are_iterated_asynchronously(server: LocalServer) -> None:
    async def work() -> list[Event]:
        async with AsyncClient(server.url, server.key) as client:
            run = await client.start(LOOP, {"n": 3})
            return [event async for event in client.events(run.id)]

    events = asyncio.run(work())
    told = [json.loads(event.data) for event in events if event.kind == "progress"]
    assert [each["values"] for each in told] == [{"loss": 1.0}, {"loss": 0.5}, {"loss": pytest.approx(1 / 3)}]
    assert events[-1].kind == "result"


def test_a_session_is_awaited_and_closed_with_its_block(server: LocalServer) -> None:
    async def work() -> None:
        async with AsyncClient(server.url, server.key) as client:
            async with await client.session(limits={"wall_s": 10}) as session:
                await session.run("x = 2")
                assert await session.value("x * n", n=21) == 42
            with pytest.raises(ApiError, match="session_over"):
                await session.run("x")

    asyncio.run(work())


def test_lists_have_what_was_stored(client: Client) -> None:
    client.add_script("listed_one", "def main(): return 1")
    client.add_script("listed_two", "def main(): return 2")
    names = [record["name"] for record in client.list_scripts(1000)]
    assert {"listed_one", "listed_two"} <= set(names)
    assert [record["name"] for record in client.list_scripts(1)] == names[:1]
    assert "return 2" in client.get_script("listed_two")["source"]
    client.delete_script("listed_two")
    assert "listed_two" not in [record["name"] for record in client.list_scripts(1000)]
    run = client.start_script("listed_one")
    assert client.wait(run.id).result == 1
    assert run.id in [record["id"] for record in client.list_runs(5, status="succeeded")]
    assert any(op["name"].endswith("matmul") for op in client.list_ops())


class Broken(httpx2.SyncByteStream):
    """A body that breaks after `text`."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def __iter__(self):  # type: ignore[no-untyped-def]
        yield self._text
        raise httpx2.ReadError("broken")


def test_a_stream_that_breaks_is_taken_up_where_it_was() -> None:
    seen = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers.get("last-event-id"))
        if len(seen) < 3:
            return httpx2.Response(
                200, stream=Broken(b"id: %d\nevent: output\ndata: x\n\nid: 9\nda" % len(seen))
            )
        return httpx2.Response(200, text="id: 3\nevent: result\ndata: {}\n\n")

    client = Client("http://server", "a-key", transport=httpx2.MockTransport(answer))
    assert [event.id for event in client.events("run_1")] == ["1", "2", "3"]
    assert seen == [None, "1", "2"]
