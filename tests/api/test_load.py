"""Too much at once, in small: `bench/load.py` has the same in large."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sandbox import session

WAIT = {"Prefer": "wait=60"}
ENDLESS = "while True: pass"


@pytest.fixture(scope="module")
def busy(start: Callable[..., Any]) -> Iterator[Any]:
    with start(adapter="null", workers=2, runs_at_once=3, events_per_run=3000, patience_s=0.5) as server:
        yield server


def succeeded(server: Any) -> float:
    """How many scripts the server has counted that did."""
    counted = r'^udf_runs_total\{kind="script",status="succeeded"\} (.*)$'
    found = re.search(counted, server.http.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_no_run_of_many_keys_is_lost_or_doubled_and_the_queue_empties(busy: Any, wait_until: Any) -> None:
    clients = [busy.client_for(f"key{n}") for n in range(6)]
    before = succeeded(busy)

    def one(number: int) -> Any:
        body = {"script": "def main(n):\n    return n", "inputs": {"n": number}}
        return clients[number % 6].post("/api/runs", json=body, headers=WAIT).json()

    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(one, range(90)))
    assert Counter(run["result"] for run in found) == Counter(range(90))
    for client in clients:
        assert len(client.get("/api/runs?status=succeeded&limit=100").json()["runs"]) == 15
    assert succeeded(busy) == before + 90
    assert "udf_queue_depth 0.0" in busy.http.get("/metrics").text


def test_a_key_whose_runs_never_end_leaves_a_place_for_others(busy: Any, wait_until: Any) -> None:
    greedy, modest = busy.client_for("greedy"), busy.client_for("modest")
    ids = [greedy.post("/api/runs", json={"script": ENDLESS}).json()["id"] for _ in range(6)]
    shown = {each["id"]: each for each in greedy.get("/api/runs").json()["runs"]}
    assert [shown[each]["place"] for each in ids] == [None, None, 1, 2, 3, 4]
    for number in range(3):
        done = modest.post("/api/runs", json={"script": f"result = {number}"}, headers=WAIT).json()
        assert done["result"] == number
    for each in reversed(ids):
        greedy.delete(f"/api/runs/{each}")


def test_a_stream_of_events_that_nobody_reads_is_closed_and_costs_little(
    busy: Any, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_MESSAGES", 4000)
    chatty = "def main():\n    for i in range(5000):\n        progress(i / 5000, text='x' * 3900)"
    connections = busy.server.server_state.connections
    before = len(connections)
    url = busy.http.post("/api/runs", json={"script": chatty}).headers["location"]
    with contextlib.ExitStack() as stack:
        for _ in range(5):
            sock = stack.enter_context(socket.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            sock.connect(("127.0.0.1", httpx2.URL(busy.url).port))
            head = f"GET {url}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {busy.key}\r\n\r\n"
            sock.sendall(head.encode())
            assert sock.recv(1, socket.MSG_PEEK), "it is served"
        wait_until(lambda: busy.http.get(url).json()["status"] == "failed", "it ends")
        wait_until(lambda: len(connections) <= before, "the server leaves them")
    assert busy.http.get(url).json()["reason"] == "message_limit"
    text = busy.http.get(f"{url}/events").text
    assert "are not in the events (over 3000)" in text
    assert 2900 < text.count("event: progress") < 3000


def test_a_run_that_is_given_up_leaves_its_place_at_once(busy: Any, wait_until: Any) -> None:
    """The bench has how soon that is, less than 100 ms; here it would take 60 s to end by itself."""
    for _ in range(5):
        url = busy.http.post("/api/runs", json={"script": ENDLESS}).headers["location"]
        wait_until(lambda url=url: busy.http.get(url).json()["status"] == "running", "it runs")  # type: ignore[misc]
        assert busy.http.delete(url, timeout=20).json()["status"] == "cancelled"


@pytest.mark.parametrize(
    "name", ["a\r\nX-Evil: 1", "a\x00b", "../../etc/passwd", "a/b", "%2e%2e", "a" * 70_000]
)
def test_no_name_gets_into_a_header_or_a_path(busy: Any, name: str) -> None:
    before = set(Path(busy.settings.data).rglob("*"))
    for kind, body in (("scripts", {"source": "x = 1"}), ("kernels", {"source": ""}), ("keys", {})):
        answer = busy.http.post(f"/api/{kind}", content=json.dumps({"name": name, **body}))
        assert answer.status_code == 422
        assert "x-evil" not in answer.headers
        assert len(answer.content) < 2000
    answer = busy.http.post("/api/runs", json={"script": "result = 1"}, headers={"Idempotency-Key": "a b"})
    assert answer.status_code == 422
    assert set(Path(busy.settings.data).rglob("*")) == before
