"""A key that is over: its runs are cancelled, its requests end, others go on."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from api import commands
from api.auth.presence import SWEEP_S, Presence
from host.clock import Clock
from tests.clock import ManualClock

ENDLESS = {"script": "print('begun')\nwhile True: pass"}


class FakeKeys:
    """Keys of which those in `gone` are over."""

    def __init__(self) -> None:
        self.gone: dict[str, str] = {}
        self.forgotten: list[str] = []

    async def over(self, key_ids: set[str]) -> dict[str, str]:
        return {key: reason for key, reason in self.gone.items() if key in key_ids}

    def forget(self, key_id: str) -> None:
        self.forgotten.append(key_id)


class FakeRuns:
    """Runs of `working`, and what was stopped."""

    def __init__(self, working: set[str]) -> None:
        self.working = working
        self.stopped: list[tuple[str, str]] = []

    def keys_at_work(self) -> set[str]:
        return self.working

    def stop_of(self, key_id: str, reason: str) -> int:
        self.stopped.append((key_id, reason))
        return 1


class Request:
    """A request that remembers why it ended."""

    ended = ""

    def end(self, reason: str) -> None:
        self.ended = reason


def presence(keys: FakeKeys, runs: FakeRuns, clock: Clock) -> Presence:
    return Presence(keys, [runs], clock)  # type: ignore[arg-type]


def test_each_second_it_is_seen_whether_the_keys_at_work_are_over() -> None:
    async def scenario() -> None:
        clock, keys, runs = ManualClock(), FakeKeys(), FakeRuns({"running", "fine"})
        here = presence(keys, runs, clock)
        here.sweeper.start()
        asking, fine, left = Request(), Request(), Request()
        with here.present("asking", asking), here.present("fine", fine):
            with here.present("asking", left):
                pass
            await clock.timer_of(SWEEP_S)
            keys.gone = {"asking": "key_revoked", "running": "key_expired", "elsewhere": "key_expired"}
            clock.advance(SWEEP_S / 2)
            assert not runs.stopped
            clock.advance(SWEEP_S / 2)
            async with asyncio.timeout(10):
                while len(runs.stopped) < 2:
                    await asyncio.sleep(0)
        assert (asking.ended, fine.ended, left.ended) == ("key_revoked", "", "")
        assert sorted(runs.stopped) == [("asking", "key_revoked"), ("running", "key_expired")]
        assert sorted(keys.forgotten) == ["asking", "running"]
        await here.sweeper.stop()

    asyncio.run(scenario())


def test_the_request_that_ends_a_key_is_answered() -> None:
    async def scenario() -> None:
        here = presence(FakeKeys(), FakeRuns(set()), ManualClock())
        own, other = Request(), Request()
        with here.present("k", own), here.present("k", other):
            here.end("k", but=own)
        assert (own.ended, other.ended) == ("", "key_revoked")

    asyncio.run(scenario())


# ---------------------------------------------------------------------- on a server
@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Iterator[Any]:
    """A server that runs one script at a time."""
    with start(runs_at_once=1, workers=1) as running:
        yield running


def begin(client: httpx2.Client, wait_until: Any) -> str:
    """A run under way; its address."""
    address: str = client.post("/api/runs", json=ENDLESS).headers["location"]
    wait_until(lambda: client.get(address).json()["stdout"] == "begun\n", "the run has begun")
    return address


def made(server: Any, **asked: Any) -> tuple[str, httpx2.Client]:
    """The id of a new key, and a client with it."""
    key = server.http.post("/api/keys", json=asked).raise_for_status().json()
    client = httpx2.Client(
        base_url=server.url, headers={"Authorization": f"Bearer {key['token']}"}, timeout=60
    )
    return key["id"], client


class Upload(threading.Thread):
    """An upload that goes on until it is ended; `answer` is what came of it."""

    def __init__(self, client: httpx2.Client) -> None:
        super().__init__()
        self.answer: httpx2.Response | BaseException | None = None
        self._client = client
        self._over = threading.Event()

    def run(self) -> None:
        try:
            self.answer = self._client.post(
                "/api/tensors?dtype=f32&shape=1000000",
                headers={"Content-Type": "application/octet-stream"},
                content=self._pieces(),
            )
        except httpx2.HTTPError as error:  # the connection was closed while a piece was sent
            self.answer = error

    def stop(self) -> None:
        self._over.set()
        self.join(60)

    def _pieces(self) -> Iterator[bytes]:
        while not self._over.wait(0.05):
            yield b"\0" * 16


def test_revoked_over_rest_all_ends_at_once_and_others_go_on(server: Any, wait_until: Any) -> None:
    key_id, client = made(server, name="leaver")
    _, neighbour = made(server, name="stayer")
    running = begin(client, wait_until)
    queued = client.post("/api/runs", json=ENDLESS).headers["location"]
    next_one = neighbour.post("/api/runs", json={"script": "result = 7"}).headers["location"]
    upload = Upload(client)
    upload.start()
    with client.stream("GET", f"{running}/events") as events:
        lines = events.iter_lines()
        assert next(lines) == "event: status"
        assert server.http.delete(f"/api/keys/{key_id}").status_code == 204
        assert "".join(lines)  # it ends, and as a whole answer
    for address in (running, queued):  # whose worker is waited for: a stream that is cut ends before
        wait_until(lambda at=address: server.http.get(at).json()["status"] == "cancelled", "it is cancelled")
        done = server.http.get(address).json()
        assert (done["status"], done["cancelled_by"], done["reason"]) == (
            "cancelled", "server", "key_revoked",
        )  # fmt: skip
    upload.join(60)
    assert not upload.is_alive()
    assert isinstance(upload.answer, httpx2.HTTPError) or upload.answer.status_code == 401  # type: ignore[union-attr]
    assert client.get("/api/device").status_code == 401
    wait_until(lambda: neighbour.get(next_one).json()["result"] == 7, "another's run goes on")
    client.close()
    neighbour.close()


def test_a_download_under_way_does_not_come_to_its_end(server: Any) -> None:
    key_id, client = made(server, name="reader")
    body, raw = bytes(40_000_000), {"Content-Type": "application/octet-stream"}
    tensor = client.post("/api/tensors?dtype=f32&shape=10000000", content=body, headers=raw).json()["id"]
    came: list[int] = []
    with client.stream("GET", f"/api/tensors/{tensor}/data?format=raw") as answer:
        assert answer.headers["content-length"] == str(len(body))
        assert server.http.delete(f"/api/keys/{key_id}").status_code == 204
        with pytest.raises(httpx2.RemoteProtocolError):
            came.extend(len(piece) for piece in answer.iter_raw())
    assert sum(came) < len(body) / 2, "what was already on its way"
    client.close()


def test_revoked_on_the_command_line_or_expired_all_ends_soon(
    server: Any, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.for_commands(monkeypatch)
    for reason in ("key_revoked", "key_expired"):
        key_id, client = made(server, name="short", expires_in_s=3600)
        run = begin(client, wait_until)
        if reason == "key_revoked":
            assert commands.keys(["revoke", key_id]) == 0
        else:
            monkeypatch.setattr(server.server.runtime.keys, "_wall", lambda: time.time() + 3601)
        with server.http.stream("GET", f"{run}/events") as events:
            assert re.search("event: ", "\n".join(events.iter_lines()))
        done = server.http.get(run).json()
        assert (done["status"], done["reason"]) == ("cancelled", reason)
        wait_until(lambda client=client: client.get("/api/runs").status_code == 401, "its requests end too")
        client.close()


def test_a_key_may_end_itself(server: Any) -> None:
    key_id, client = made(server, name="tired", role="admin")
    assert client.delete(f"/api/keys/{key_id}").status_code == 204
    assert client.get("/api/keys").status_code == 401
    client.close()
