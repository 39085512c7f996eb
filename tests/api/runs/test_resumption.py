"""Runs that waited when the server stopped are run by the next one."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.auth import keys
from api.storage.database import Database
from tests.api.processes import serve
from tests.api.test_restart import ENDLESS

ONE_PLACE = {"KERNELGATE_RUNS_AT_ONCE": "1", "KERNELGATE_DRAIN_S": "0"}


@pytest.fixture(autouse=True)
def _one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ONE_PLACE.items():
        monkeypatch.setenv(name, value)


def ended(http: httpx2.Client, run_id: str, wait_until: Any) -> Any:
    wait_until(
        lambda: http.get(f"/api/runs/{run_id}").json()["status"] not in ("queued", "running"), "it ends"
    )
    return http.get(f"/api/runs/{run_id}").json()


def call_of_another(http: httpx2.Client) -> Any:
    """The run of a call of Alice's script, which imports another one of hers."""
    key = http.post("/api/keys", json={"name": "alice"}).json()["token"]
    alice = {"Authorization": f"Bearer {key}"}
    for name, source in {
        "lib": "x = 'of alice'",
        "model": "import lib\ndef main():\n    return lib.x",
    }.items():
        assert (
            http.post("/api/scripts", json={"name": name, "source": source}, headers=alice).status_code == 201
        )
    assert http.post("/api/scripts", json={"name": "lib", "source": "x = 'of admin'"}).status_code == 201
    return http.post("/api/scripts/alice/model", json={}).json()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_what_runs_fails_what_waits_runs_and_what_is_done_stays(
    tmp_path: Path, wait_until: Any, how: signal.Signals
) -> None:
    with serve(tmp_path) as (process, http):
        wait = {"Prefer": "wait=60"}
        done = http.post("/api/runs", json={"script": "print(1)\nresult = [1, 2]"}, headers=wait).json()
        told = http.get(f"/api/runs/{done['id']}/events").text
        stored = http.post("/api/tensors", json={"shape": [2], "dtype": "f32", "data": [1, 2]}).json()
        live = http.post("/api/runs", json={"script": ENDLESS}).json()
        assert live["place"] is None
        tensors = {
            "a": {"$tensor": {"id": stored["id"]}},
            "b": {"$tensor": {"shape": [2], "dtype": "f32", "data": [3, 4]}},
            "n": 2**70,
        }
        script = (
            "import os\ndef main(a, b, n):\n    return [list(a.shape), list(b.shape), n, os.environ['X']]"
        )
        body = {"script": script, "inputs": tensors, "grants": {"env": {"X": "hidden"}}}
        headers = {"Idempotency-Key": "once"}
        waiting = http.post("/api/runs", json={**body, "limits": {"wall_s": 7}}, headers=headers).json()
        assert (waiting["status"], waiting["place"]) == ("queued", 1)
        second = http.post("/api/runs", json={"script": "result = 2"}).json()
        assert second["place"] == 2
        third = call_of_another(http)
        assert third["place"] == 3
        process.send_signal(how)
        assert process.wait(60) == (0 if how == signal.SIGTERM else -signal.SIGKILL)
    with serve(tmp_path) as (process, http):
        lost = http.get(f"/api/runs/{live['id']}").json()
        assert (lost["status"], lost["reason"]) == ("failed", "server_restarted")
        again = ended(http, waiting["id"], wait_until)
        assert (again["status"], again["result"]) == ("succeeded", [[2], [2], 2**70, "hidden"]), again
        assert again["limits"]["wall_s"] == 7
        assert again["created_at"] == waiting["created_at"]
        assert http.post("/api/runs", json={**body, "limits": {"wall_s": 7}}, headers=headers).json() == again
        assert ended(http, second["id"], wait_until)["result"] == 2
        assert ended(http, third["id"], wait_until)["result"] == "of alice"
        assert http.get(f"/api/runs/{done['id']}").json() == done
        assert http.get(f"/api/runs/{done['id']}/events").text == told
        events = http.get(f"/api/runs/{waiting['id']}/events").text
        numbers = [int(line.split()[1]) for line in events.splitlines() if line.startswith("id: ")]
        assert numbers == list(range(1, len(numbers) + 1)), "numbers go on"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "kernelgate.db")) as data:
        kept = data.execute("SELECT count(*) FROM runs WHERE asked IS NOT NULL").fetchone()
    assert kept == (0,), "requests are forgotten when their runs begin"


def test_a_run_that_cannot_be_taken_up_fails_with_the_reason(tmp_path: Path, wait_until: Any) -> None:
    with serve(tmp_path) as (process, http):
        data = Database(tmp_path / "kernelgate.db")
        data.open()
        record, token = data.run(lambda db: keys.create(db, keys.NewKey("leaver")))
        live = http.post("/api/runs", json={"script": ENDLESS}).json()
        wait_until(
            lambda: http.get(f"/api/runs/{live['id']}").json()["status"] == "running", "the place is taken"
        )
        output = http.post("/api/ops/neg", json={"inputs": [1.5]}).json()["output"]["$tensor"]["id"]
        script = "def main(x):\n    return 1"
        inputs = {"x": {"$tensor": {"id": output}}}
        transient = http.post("/api/runs", json={"script": script, "inputs": inputs}).json()
        theirs = {"Authorization": f"Bearer {token}"}
        leaver = http.post("/api/runs", json={"script": "result = 1"}, headers=theirs).json()
        assert {transient["status"], leaver["status"]} == {"queued"}
        process.kill()
        process.wait(60)
        data.run(lambda db: keys.revoke(db, record.id))
        data.close()
    with serve(tmp_path) as (process, http):
        for run, code in ((transient, "tensor_not_found"), (leaver, "unauthorized")):
            failed = http.get(f"/api/runs/{run['id']}").json()
            assert (failed["status"], failed["reason"], failed["error"]["code"]) == ("failed", code, code)
            assert "event: result" in http.get(f"/api/runs/{run['id']}/events").text
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_client_that_waits_for_a_queued_run_is_answered_202_when_the_server_stops(
    tmp_path: Path, wait_until: Any
) -> None:
    with serve(tmp_path) as (process, http):
        live = http.post("/api/runs", json={"script": ENDLESS}).json()
        wait_until(lambda: http.get(f"/api/runs/{live['id']}").json()["status"] == "running", "it runs")
        queued = http.post("/api/runs", json={"script": "result = 1"}).json()
        with http.stream("GET", f"/api/runs/{queued['id']}/events") as stream:
            process.send_signal(signal.SIGTERM)
            text = "".join(stream.iter_text())
        assert "result" not in text, "its stream ends, and is not its last"
        assert process.wait(60) == 0
