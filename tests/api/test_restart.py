"""Processes that die: the device, the server. Runs end clearly, and what was stored is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api.processes import children_of, serve

ENDLESS = "def main():\n    while True:\n        pass"
LOOP = """
def main(x):
    y = x * 2
    for _ in range(2):  # what is cheap is kept on the device when it comes up again
        y.sum().item()
    print("begun")
    while True:
        (y * 2).sum().item()
"""
LOOPING = {"script": LOOP, "inputs": {"x": {"$tensor": {"shape": [2], "dtype": "f32", "data": [1, 2]}}}}


def test_killing_the_device_fails_the_run_whose_tensors_are_lost_and_the_next_one_works(
    start: Callable[..., Any], wait_until: Any
) -> None:
    with start() as running:
        http, device = running.http, running.server.runtime.device
        url = http.post("/api/runs", json=LOOPING).headers["location"]
        wait_until(lambda: http.get(url).json()["stdout"] == "begun\n", "the run computes")
        output = http.post("/api/ops/neg", json={"inputs": [1.5]}).json()["output"]["$tensor"]
        os.kill(device.pid, signal.SIGKILL)
        wait_until(lambda: http.get(url).json()["status"] == "failed", "the run failed")
        error = http.get(url).json()["error"]
        assert error["code"] == "device_restarted", error
        script = "import torch\ndef main():\n    return torch.ones(3).sum().item()"
        done = http.post("/api/runs", json={"script": script}, headers={"Prefer": "wait=60"}).json()
        assert done["result"] == 3.0, done
        assert http.get("/api/device").json()["restarts"] == 1
        lost = http.get(f"/api/tensors/{output['id']}/data")
        assert (lost.status_code, lost.json()["code"]) == (410, "tensor_lost")


def test_a_stored_tensor_returns_to_a_restarted_device_by_itself(start: Callable[..., Any]) -> None:
    with start() as running:
        http = running.http
        stored = http.post("/api/tensors", json={"shape": [2], "dtype": "f32", "data": [1, 2]}).json()
        body = {"inputs": [{"$tensor": {"id": stored["id"]}}]}
        assert http.post("/api/ops/neg", json=body).json()["output"]["$tensor"]["data"] == [-1, -2]
        generation = running.server.runtime.device.generation
        os.kill(running.server.runtime.device.pid, signal.SIGKILL)
        while running.server.runtime.device.generation == generation:
            http.get("/healthz")
        assert http.post("/api/ops/neg", json=body).json()["output"]["$tensor"]["data"] == [-1, -2]


def test_a_run_whose_inputs_can_come_back_goes_on_after_the_device_died(
    start: Callable[..., Any], wait_until: Any, tmp_path: Path
) -> None:
    script = (
        "import os, time\ndef main(stored, small):\n    print('begun')\n"
        "    while not os.path.exists('/held/go'):\n        time.sleep(0.01)\n"
        "    return (stored + small).sum().item()"
    )
    held = {"files": [{"path": "/held", "folder": str(tmp_path), "mode": "ro"}]}
    small = {"$tensor": {"shape": [2], "dtype": "f32", "data": [10, 20]}}
    with start() as running:
        http, device = running.http, running.server.runtime.device
        stored = http.post("/api/tensors", json={"shape": [2], "dtype": "f32", "data": [1, 2]}).json()
        inputs = {"stored": {"$tensor": {"id": stored["id"]}}, "small": small}
        body = {"script": script, "inputs": inputs, "grants": held}
        url = http.post("/api/runs", json=body).headers["location"]
        wait_until(lambda: http.get(url).json()["stdout"] == "begun\n", "its inputs are on the device")
        os.kill(device.pid, signal.SIGKILL)
        wait_until(lambda: device.generation == 2, "the device is another")
        (tmp_path / "go").touch()
        wait_until(lambda: http.get(url).json()["status"] not in ("queued", "running"), "the run ended")
        done = http.get(url).json()
        assert (done["status"], done["result"]) == ("succeeded", 33.0), done


@pytest.fixture(autouse=True)
def _database(
    new_database: Callable[[Path], str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_database(tmp_path)
    if url is not None:
        monkeypatch.setenv("KERNELGATE_DATABASE_URL", url)


def test_after_kill_9_of_the_server_runs_have_failed_results_are_there_and_no_process_is_left(
    tmp_path: Path, wait_until: Any
) -> None:
    with serve(tmp_path) as (process, http):
        done = http.post(
            "/api/runs", json={"script": "result = [1, 2]"}, headers={"Prefer": "wait=60"}
        ).json()
        tensor = http.post("/api/tensors", json={"shape": [1], "dtype": "f32", "data": [5]}).json()
        live = http.post("/api/runs", json={"script": ENDLESS}).json()["id"]
        wait_until(lambda: http.get(f"/api/runs/{live}").json()["status"] == "running", "it runs")
        children = children_of(process.pid)
        assert children
        process.kill()
        process.wait(60)
        wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in children), "its processes end")
    with serve(tmp_path) as (process, http):
        assert http.get(f"/api/runs/{done['id']}").json() == done
        assert http.get(f"/api/tensors/{tensor['id']}/data").json()["$tensor"]["data"] == [5]
        lost = http.get(f"/api/runs/{live}").json()
        assert (lost["status"], lost["reason"]) == ("failed", "server_restarted")
        assert lost["error"]["code"] == "server_restarted"
        events = http.get(f"/api/runs/{live}/events").text
        assert events.count("event: result") == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_stop_lets_short_runs_end_and_fails_the_rest(
    tmp_path: Path, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELGATE_DRAIN_S", "0.5")
    with serve(tmp_path) as (process, http):
        live = http.post("/api/runs", json={"script": ENDLESS}).json()["id"]
        wait_until(lambda: http.get(f"/api/runs/{live}").json()["status"] == "running", "it runs")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    with serve(tmp_path) as (process, http):
        lost = http.get(f"/api/runs/{live}").json()
        assert (lost["status"], lost["reason"]) == ("failed", "server_restarted")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_two_servers_do_not_share_a_data_folder(
    start: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    with start() as running:
        second = subprocess.run(
            [
                sys.executable,
                "-m",
                "kernelgate",
                "serve",
                "--port",
                "0",
                "--data",
                str(running.settings.data),
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert second.returncode != 0
        assert "another Kernelgate uses the data folder" in second.stderr
        assert "Traceback" not in second.stderr


def test_a_run_is_cancelled_at_once_while_the_device_does_not_answer(
    start: Callable[..., Any], wait_until: Any
) -> None:
    with start() as running:
        http, device = running.http, running.server.runtime.device
        url = http.post("/api/runs", json=LOOPING).headers["location"]
        wait_until(lambda: http.get(url).json()["stdout"] == "begun\n", "the run computes")
        os.kill(device.pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            assert http.delete(url).json()["status"] == "cancelled"
            assert time.monotonic() - began < 10, "it waits for a slice, and not for a driver that compiles"
        finally:
            os.kill(device.pid, signal.SIGCONT)
        wait_until(lambda: http.get("/api/device").json()["memory"]["tensors"] == 0, "its tensors are freed")


def test_a_stopping_server_refuses_new_runs_and_says_when_to_come_back(
    tmp_path: Path, wait_until: Any
) -> None:
    with serve(tmp_path) as (process, http):
        url = http.post("/api/runs", json={"script": ENDLESS}).headers["location"]
        wait_until(lambda: http.get(url).json()["status"] == "running", "it runs")
        process.send_signal(signal.SIGTERM)
        wait_until(
            lambda: http.post("/api/runs", json={"script": "result = 1"}).status_code == 503,
            "new runs are refused",
        )
        answer = http.post("/api/runs", json={"script": "result = 1"})
        assert answer.json()["code"] == "server_stopping"
        assert int(answer.headers["retry-after"]) > 0
        http.delete(url)
        assert process.wait(60) == 0
