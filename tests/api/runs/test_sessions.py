"""`/api/sessions`: variables that last from cell to cell, and every way in which a session ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

WAIT = {"Prefer": "wait=30"}


@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Iterator[Any]:
    with start(sessions_of_key=3, sessions=5) as running:
        yield running


@pytest.fixture
def user(server: Any, request: pytest.FixtureRequest) -> Iterator[httpx2.Client]:
    """A key of the test's own, so that no test fills another's sessions."""
    name = f"u{abs(hash(request.node.name)) % 10**9}"
    client: httpx2.Client = server.client_for(name)
    yield client
    for each in listed(client):
        client.delete(f"/api/sessions/{each['id']}")


def listed(http: httpx2.Client) -> list[Any]:
    return [each for each in http.get("/api/sessions").json()["sessions"] if each["status"] != "over"]


def opened(http: httpx2.Client, **asked: Any) -> str:
    answer = http.post("/api/sessions", json=asked)
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/api/sessions/{answer.json()['id']}"
    return str(answer.json()["id"])


def cell(http: httpx2.Client, session: str, script: str, **inputs: Any) -> Any:
    answer = http.post(
        f"/api/sessions/{session}/run", json={"script": script, "inputs": inputs}, headers=WAIT
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_variables_last_and_each_cell_is_a_run_with_its_own_output_and_usage(user: httpx2.Client) -> None:
    session = opened(user, limits={"wall_s": 7})
    first = cell(user, session, "import torch\nx = torch.ones(3) * n\nprint('made')", n=2)
    assert (first["kind"], first["status"], first["result"], first["stdout"]) == (
        "cell",
        "succeeded",
        None,
        "made\n",
    )
    second = cell(user, session, "print('used')\n[x.sum().item(), n]")
    assert (second["result"], second["stdout"], second["limits"]["wall_s"]) == ([6.0, 2], "used\n", 7)
    assert second["usage"]["dispatches"] > 0
    third = cell(user, session, "x")
    assert third["result"]["$tensor"]["data"] == [2, 2, 2]
    assert cell(user, session, "1")["usage"]["dispatches"] == 0, "what others used does not count"
    assert user.get(f"/api/runs/{first['id']}").json() == first
    assert "event: output" in user.get(f"/api/runs/{second['id']}/events").text
    shown = user.get(f"/api/sessions/{session}").json()
    assert (shown["status"], shown["cells"], shown["cell"], shown["reason"]) == ("idle", 4, None, None)


def test_a_tensor_that_was_a_result_lasts_like_any_other(user: httpx2.Client) -> None:
    session = opened(user)
    first = cell(user, session, "import torch\nx = torch.ones(2)\nx")["result"]["$tensor"]
    assert cell(user, session, "(x + 1).tolist()")["result"] == [2, 2]
    assert cell(user, session, "[x, x]")["result"][0]["$tensor"]["id"] == first["id"]
    assert user.delete(f"/api/tensors/{first['id']}").status_code == 204
    again = cell(user, session, "x")["result"]["$tensor"]
    assert (again["id"] != first["id"], again["data"]) == (True, [1, 1])
    assert user.get(f"/api/tensors/{again['id']}").status_code == 200


def test_an_error_ends_nothing_and_a_killed_cell_ends_the_session_with_a_plain_error(
    server: Any, user: httpx2.Client, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = server.hold_time(monkeypatch)
    session = opened(user, limits={"wall_s": 0.3})
    assert cell(user, session, "x = 1\n1 / 0")["error"]["code"] == "script_error"
    assert cell(user, session, "x")["result"] == 1
    endless = {"script": "print('begun')\nwhile True: pass"}
    url = user.post(f"/api/sessions/{session}/run", json=endless).headers["location"]
    wait_until(lambda: user.get(url).json()["stdout"], "it computes")
    clock.now += 0.3
    wait_until(lambda: user.get(f"/api/sessions/{session}").json()["status"] == "over", "its time is over")
    killed = user.get(url).json()
    assert (killed["status"], killed["error"]["code"]) == ("timed_out", "wall_limit")
    answer = user.post(f"/api/sessions/{session}/run", json={"script": "x"})
    assert (answer.status_code, answer.json()["code"]) == (410, "session_over")
    assert killed["id"] in answer.json()["detail"]
    assert "wall_limit" in answer.json()["detail"]
    assert user.get(f"/api/sessions/{session}").json()["status"] == "over"


@pytest.mark.parametrize("way", ["runs", "sessions"])
def test_a_cancelled_cell_ends_the_session_and_a_closed_session_cancels_its_cell(
    user: httpx2.Client, wait_until: Any, way: str
) -> None:
    session = opened(user)
    run_id = user.post(f"/api/sessions/{session}/run", json={"script": "while True: pass"}).json()["id"]
    wait_until(lambda: user.get(f"/api/runs/{run_id}").json()["status"] == "running", "it runs")
    busy = user.post(f"/api/sessions/{session}/run", json={"script": "1"})
    assert (busy.status_code, busy.json()["code"]) == (409, "session_busy")
    assert int(busy.headers["retry-after"]) > 0
    user.delete(f"/api/{way}/{run_id if way == 'runs' else session}")
    assert user.get(f"/api/runs/{run_id}").json()["status"] == "cancelled"
    assert user.get(f"/api/sessions/{session}").json()["status"] == "over"


def test_a_session_is_its_keys_alone(server: Any, user: httpx2.Client) -> None:
    session = opened(user)
    owner = user.get(f"/api/sessions/{session}").json()["owner"]
    for other in (server.client_for("stranger"), server.client_for("second", owner=owner)):
        for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/run")):
            answer = other.request(method, f"/api/sessions/{session}{path}", json={"script": "1"})
            assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")
    assert session in [each["id"] for each in listed(server.http)], "an admin sees it"
    assert server.http.post(f"/api/sessions/{session}/run", json={"script": "1"}).status_code == 404
    assert server.http.delete(f"/api/sessions/{session}").json()["reason"] == "it was closed by admin"


def test_grants_are_fixed_when_it_is_opened(user: httpx2.Client) -> None:
    session = opened(user, grants={"env": {"A": "1"}})
    assert cell(user, session, "import os\nos.environ['A']")["status"] == "failed", "a user's key allows none"
    more = {"script": "1", "grants": {"env": {"A": "1"}}}
    assert user.post(f"/api/sessions/{session}/run", json=more).status_code == 422


def test_grants_that_a_key_has_work_in_every_cell(server: Any, tmp_path: Any) -> None:
    (tmp_path / "a.txt").write_text("one")
    grants = {"env": {"A": None}, "files": [{"path": "/w", "folder": str(tmp_path), "mode": "overlay"}]}
    http = server.client_for("granted", {**grants, "env": {"A": "x"}})
    session = opened(http, grants=grants)
    assert (
        cell(http, session, "import os\nopen('/w/b.txt', 'w').write('two')\nos.environ['A']")["result"] == "x"
    )
    done = cell(http, session, "[open('/w/a.txt').read(), open('/w/b.txt').read()]")
    assert (done["result"], done["files"]) == (["one", "two"], {"/w/b.txt": {"$bytes": "dHdv"}})
    assert "event: gate" in http.get(f"/api/runs/{done['id']}/events").text
    http.delete(f"/api/sessions/{session}")


def test_too_many_sessions_are_refused_and_a_closed_one_makes_room(server: Any, user: httpx2.Client) -> None:
    sessions = [opened(user) for _ in range(3)]
    answer = user.post("/api/sessions", json={})
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_sessions")
    assert "this key" in answer.json()["detail"]
    other = server.client_for("other")
    theirs = [opened(other) for _ in range(2)]
    assert "this server" in other.post("/api/sessions", json={}).json()["detail"]
    user.delete(f"/api/sessions/{sessions[0]}")
    theirs.append(opened(other))
    for session in theirs:
        other.delete(f"/api/sessions/{session}")


def test_an_idle_session_ends_and_says_so(user: httpx2.Client, wait_until: Any) -> None:
    session = opened(user, idle_s=0.2)
    url = f"/api/sessions/{session}"
    wait_until(lambda: user.get(url).json()["status"] == "over", "it was idle")
    assert "idle" in user.get(url).json()["reason"]


def test_a_session_ends_with_its_key(server: Any, wait_until: Any) -> None:
    http = server.client_for("leaving")
    session = opened(http)
    server.http.delete(f"/api/keys/{http.headers['authorization'].split('_')[1]}")
    url = f"/api/sessions/{session}"
    wait_until(lambda: server.http.get(url).json()["status"] == "over", "it ends")
    assert server.http.get(url).json()["reason"] == "key_revoked"


def test_a_session_whose_worker_dies_between_cells_ends(
    server: Any, user: httpx2.Client, wait_until: Any
) -> None:
    session = opened(user)
    worker = server.server.runtime.sessions._sessions[session].notebook._worker
    os.kill(worker._handle.pid, signal.SIGKILL)
    wait_until(
        lambda: user.get(f"/api/sessions/{session}").json()["reason"] == "its worker died", "it is seen"
    )


def test_what_a_session_holds_on_the_device_is_freed_at_its_end(
    start: Callable[..., Any], wait_until: Any
) -> None:
    with start(workers=1) as server:
        http, device = server.http, server.server.runtime.device
        assert device.memory.tensors == 0, "nobody else's come and go"
        session = opened(http)
        source = "import torch\nx = torch.ones(100) + 1\nx.sum().item()"
        assert cell(http, session, source)["result"] == 200
        wait_until(lambda: device.memory.tensors > 0, "it holds some")
        http.delete(f"/api/sessions/{session}")
        wait_until(lambda: device.memory.tensors == 0, "they are freed")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("", {"limits": {"wall_s": -1}}),
        ("", {"idle_s": 0}),
        ("", {"script": "1"}),
        ("", {"grants": {"what": 1}}),
        ("/run", {}),
        ("/run", {"script": 1}),
        ("/run", {"script": "1", "limits": {}}),
    ],
)
def test_a_request_that_is_wrong_is_refused(user: httpx2.Client, path: str, body: Any) -> None:
    at = f"/api/sessions/{opened(user)}{path}" if path else "/api/sessions"
    assert user.post(at, json=body).status_code == 422
