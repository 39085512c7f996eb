"""`api/retention.py` and `api/upkeep.py`: what is old or too much leaves, what is marked or under way stays."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from api.settings import Settings
from api.upkeep import Upkeep
from tests.api.auth.test_sharing import lists

NOTHING = {
    f"keep_{name}_{unit}": 0
    for name in ("runs", "results", "events", "tensors")
    for unit in ("days", "bytes")
}
PRINTS = "def main():\n    print('x' * 1000)\n    return ['result'] * 100"
RAW = {"Content-Type": "application/octet-stream"}
WAIT = {"Prefer": "wait=60"}


def sweep(running: Any, later_days: float = 0, **settings: float) -> dict[str, int]:
    """What leaves when the server looks `later_days` from now, if nothing is bounded but by `settings`."""
    runtime = running.server.runtime
    upkeep = Upkeep(
        Settings(**{**NOTHING, **settings}),  # type: ignore[arg-type]
        runtime.database,
        runtime.tensors,
        runtime.reserve,
        lambda: time.time() + later_days * 86_400,
    )
    gone = asyncio.run_coroutine_threadsafe(upkeep.sweep(), running.server._loop).result(60)
    return {name: count for name, count in gone.items() if count}


@pytest.fixture
def running(start: Callable[..., Any]) -> Any:
    """A server of one's own, in which nothing leaves by itself."""
    with start(workers=1, sweep_s=3600) as server:
        yield server


@pytest.fixture
def http(running: Any) -> httpx2.Client:
    client: httpx2.Client = running.http
    return client


def make_runs(http: httpx2.Client, count: int) -> list[dict[str, Any]]:
    return [http.post("/api/runs", json={"script": PRINTS}, headers=WAIT).json() for _ in range(count)]


def upload(http: httpx2.Client, mark: int, *, persist: bool) -> str:
    body = bytes([mark]) * 40_000
    query = f"shape=10000&dtype=f32&persist={'true' if persist else 'false'}"
    made = http.post(f"/api/tensors?{query}", content=body, headers=RAW).json()
    assert made["persist"] is persist
    return str(made["id"])


def present(http: httpx2.Client, paths: list[str]) -> list[bool]:
    return [http.get(path).status_code == 200 for path in paths]


def test_without_bounds_nothing_leaves(running: Any, http: httpx2.Client) -> None:
    (run,) = make_runs(http, 1)
    upload(http, 1, persist=False)
    assert sweep(running, 10_000) == {}
    assert http.get(f"/api/runs/{run['id']}").json() == run


def test_runs_leave_with_their_events_at_their_age_and_live_ones_never(
    running: Any, http: httpx2.Client, wait_until: Any
) -> None:
    old = make_runs(http, 2)
    shared = {"entries": [{"to": "everyone", "may": "read"}]}
    assert http.put(f"/api/runs/{old[0]['id']}/acl", json=shared).status_code == 200
    live = http.post("/api/runs", json={"script": "def main():\n    while True: pass"}).headers["location"]
    wait_until(lambda: http.get(live).json()["status"] == "running", "it runs")
    assert sweep(running, 2.9, keep_runs_days=3) == {}
    assert sweep(running, 3.1, keep_runs_days=3) == {"runs": 2}
    assert http.get(f"/api/runs/{old[0]['id']}").json()["code"] == "run_not_found"
    assert http.get(f"/api/runs/{old[0]['id']}/events").status_code == 404
    assert lists(running) == 0
    assert [run["id"] for run in http.get("/api/runs").json()["runs"]] == [live.rpartition("/")[2]]
    http.delete(live)


def test_events_leave_and_the_run_keeps_its_result(running: Any, http: httpx2.Client) -> None:
    (run,) = make_runs(http, 1)
    assert sweep(running, 2, keep_events_days=1) == {"events": 1}
    assert sweep(running, 2, keep_events_days=1) == {}
    assert http.get(f"/api/runs/{run['id']}").json() == run
    events = http.get(f"/api/runs/{run['id']}/events").text
    assert (events.count("event: output"), events.count("event: result")) == (0, 1)


def test_results_leave_and_the_run_says_so(running: Any, http: httpx2.Client) -> None:
    (run,) = make_runs(http, 1)
    assert sweep(running, 2, keep_results_days=1) == {"results": 1}
    assert sweep(running, 2, keep_results_days=1) == {}
    emptied = http.get(f"/api/runs/{run['id']}").json()
    assert emptied.pop("emptied_at") is not None
    run.pop("emptied_at")
    assert emptied == {**run, "result": None, "stdout": ""}


@pytest.mark.parametrize("name", ["runs", "results", "events"])
def test_over_the_bytes_the_oldest_leave_first(running: Any, http: httpx2.Client, name: str) -> None:
    runs = make_runs(http, 4)
    sizes = {"runs": 7000, "results": 4500, "events": 2500}
    assert sweep(running, **{f"keep_{name}_bytes": sizes[name]}) == {name: 2}
    assert sweep(running, **{f"keep_{name}_bytes": sizes[name]}) == {}
    paths = [f"/api/runs/{run['id']}" for run in runs]
    whole = {
        "runs": lambda path: http.get(path).status_code == 200,
        "results": lambda path: http.get(path).json().get("emptied_at") is None,
        "events": lambda path: "event: output" in http.get(f"{path}/events").text,
    }
    assert [whole[name](path) for path in paths] == [False, False, True, True]


def test_unused_tensors_leave_with_their_blobs_and_those_that_persist_stay(
    running: Any, http: httpx2.Client
) -> None:
    kept, unused, used = (upload(http, mark, persist=mark == 1) for mark in (1, 2, 3))
    result = http.post(
        "/api/runs", json={"script": "import torch\nresult = torch.ones(3)"}, headers=WAIT
    ).json()
    assert result["result"]["$tensor"]["id"]
    paths = [f"/api/tensors/{tensor}" for tensor in (kept, unused, used)]
    assert sweep(running, 0, keep_tensors_days=1) == {}
    assert sweep(running, 2, keep_tensors_days=1) == {"tensors": 3}
    assert present(http, paths) == [True, False, False]
    assert {path.name for path in (running.settings.data / "blobs").iterdir()} == {
        "new",
        hashlib.sha256(bytes([1]) * 40_000).hexdigest(),
    }


def test_a_tensor_that_was_used_counts_from_then(running: Any, http: httpx2.Client) -> None:
    first, second = (upload(http, mark, persist=False) for mark in (1, 2))
    http.get(f"/api/tensors/{first}/data")
    assert sweep(running, keep_tensors_bytes=50_000) == {"tensors": 1}
    assert present(http, [f"/api/tensors/{first}", f"/api/tensors/{second}"]) == [True, False]


def test_tensors_that_share_a_blob_leave_one_by_one(running: Any, http: httpx2.Client) -> None:
    first, second = upload(http, 7, persist=True), upload(http, 7, persist=False)
    assert sweep(running, 2, keep_tensors_days=1) == {"tensors": 1}
    assert present(http, [f"/api/tensors/{first}/data", f"/api/tensors/{second}"]) == [True, False]


def test_a_blob_that_nobody_refers_to_is_removed_and_an_upload_under_way_is_not(
    running: Any, http: httpx2.Client
) -> None:
    kept = upload(http, 1, persist=True)
    stray = running.settings.data / "blobs" / hashlib.sha256(b"stray").hexdigest()
    stray.write_bytes(b"stray")
    held = running.settings.data / "blobs" / hashlib.sha256(b"held").hexdigest()
    held.write_bytes(b"held")
    running.server.runtime.blobs.hold(held.name)
    assert sweep(running)["blobs"] >= 1
    assert (stray.exists(), held.exists()) == (False, True)
    assert present(http, [f"/api/tensors/{kept}/data"]) == [True]


def test_the_mark_is_put_on_and_taken_off(running: Any, http: httpx2.Client) -> None:
    tensor = upload(http, 1, persist=False)
    url = f"/api/tensors/{tensor}"
    assert http.patch(url, json={"persist": True}).json()["persist"] is True
    assert sweep(running, 2, keep_tensors_days=1) == {}
    assert http.get(url).json()["persist"] is True
    assert http.patch(url, json={"persist": False}).json()["persist"] is False
    assert sweep(running, 2, keep_tensors_days=1) == {"tensors": 1}


def test_the_output_of_an_op_is_stored_by_the_mark(start: Callable[..., Any]) -> None:
    given = {"$tensor": {"shape": [2], "dtype": "f32", "data": [1.5, 2]}}
    with start(workers=1) as running:
        http, data = running.http, running.settings.data
        output = http.post("/api/ops/neg", json={"inputs": [given]}).json()["output"]["$tensor"]
        url = f"/api/tensors/{output['id']}"
        assert http.patch(url, json={"persist": False}).json()["stored"] is False
        marked = http.patch(url, json={"persist": True}).json()
        assert (marked["stored"], marked["persist"]) == (True, True)
    with start(data=data, workers=1) as running:
        assert running.http.get(f"{url}/data").json()["$tensor"]["data"] == [-1.5, -2]
        other = running.client_for("other")
        assert other.patch(url, json={"persist": False}).json()["code"] == "tensor_not_found"


def test_the_server_sweeps_by_itself_and_goes_on_after_a_failure(
    start: Callable[..., Any], wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(workers=1, sweep_s=0.02, keep_tensors_bytes=1) as running:
        reserve = running.server.runtime.reserve
        monkeypatch.setattr(reserve, "fill", lambda: 1 / 0)
        tensor = upload(running.http, 1, persist=False)
        monkeypatch.undo()
        listed = lambda: running.http.get("/api/tensors").json()["tensors"]  # noqa: E731
        wait_until(lambda: listed() == [], f"{tensor} has left")
