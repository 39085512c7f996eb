"""Device time of runs on a real device: bounded, charged however a run ends, and nothing of a run stays behind."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from api.auth.identity import Identity

HEAVY = "import torch\ndef main():\n    x = torch.ones(5000, 5000)\n    return (x @ x @ x @ x).sum().item()"
LIGHT = {"inputs": [1.5]}
WAIT = {"Prefer": "wait=60"}
SOON_S = 10.0


def charged(http: httpx2.Client) -> float:
    """The seconds on the device that the server has counted."""
    found = re.search(r"^udf_device_seconds_total\{.*\} (.*)$", http.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def assert_free(running: Any) -> None:
    """The device answers another owner soon, by the same process."""
    began = time.monotonic()
    answer = running.client_for("neighbour").post("/api/ops/neg", json=LIGHT)
    assert answer.json()["output"]["$tensor"]["data"] == [-1.5], answer.text
    assert time.monotonic() - began < SOON_S
    assert running.http.get("/api/device").json()["restarts"] == 0


@pytest.mark.parametrize(
    ("limits", "status", "code"),
    [
        ({"device_ms": 300, "wall_s": 60}, "failed", "device_limit"),
        ({"device_ms": 60_000, "wall_s": 2}, "timed_out", "wall_limit"),
    ],
)
def test_a_limit_stops_a_heavy_product_in_the_middle_and_it_is_charged(
    running: Any, limits: dict[str, int], status: str, code: str
) -> None:
    warm = HEAVY.replace("5000, 5000", "256, 256")  # a software driver compiles at the first dispatch
    assert running.http.post("/api/runs", json={"script": warm}, headers=WAIT).json()["status"] == "succeeded"
    before = charged(running.http)
    body = {"script": HEAVY, "limits": limits}
    done = running.http.post("/api/runs", json=body, headers=WAIT).json()
    assert (done["status"], done["error"]["code"]) == (status, code), done
    assert 200 < done["usage"]["device_ms"] < SOON_S * 1000
    assert charged(running.http) - before > 0.2
    assert_free(running)


def test_a_cancelled_run_leaves_the_device_at_once_and_is_charged(running: Any, wait_until: Any) -> None:
    http = running.http
    before = charged(http)
    script = HEAVY.replace("main():", "main():\n    torch.ones(3).sum().item()")
    url = http.post("/api/runs", json={"script": script}).headers["location"]
    wait_until(lambda: charged(http) > before, "the run is on the device")
    http.delete(url)
    done = http.get(url).json()
    assert done["status"] == "cancelled"
    assert_free(running)
    assert done["usage"]["device_ms"] > 0


ENDS = {
    "succeeds": "def main(x):\n    return (x * 2).sum().item()",
    "fails": "def main(x):\n    y = (x * 2)\n    y.sum().item()\n    return y / 0 if y[7].item() else 1 / 0",
    "is over its dispatches": "def main(x):\n    while True:\n        x = x * 2\n        x.sum().item()",
    "returns what cannot be": "def main(x):\n    (x + 1).sum().item()\n    return object()",
    "runs for ever": "def main(x):\n    while True:\n        (x * 2).sum().item()",
}


def test_no_tensor_of_a_run_stays_on_the_device_however_it_ends(
    start: Callable[..., Any], wait_until: Any
) -> None:
    inputs = {"x": {"$tensor": {"shape": [3], "dtype": "f32", "data": [1, 2, 3]}}}
    with start() as running:
        device = running.server.runtime.device
        for end, script in ENDS.items():
            limits = {"wall_s": 1, "dispatches": 30 if end == "is over its dispatches" else 100_000}
            body = {"script": script, "inputs": inputs, "limits": limits}
            done = running.http.post("/api/runs", json=body, headers=WAIT).json()
            assert (done["status"] == "succeeded") == (end == "succeeds"), done
            assert done["usage"]["device_ms"] > 0, end
            wait_until(lambda: device.memory.tensors == 0, f"the tensors of a run that {end} are freed", 10)


LONG = """
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
  var x = g.x;
  for (var i = 0u; i < 2000u; i++) { x = (x ^ (x >> 3u)) * 1664525u + i; }
  b[g.x % 64u] = x;
}
"""


def dispatch(client: httpx2.Client, groups: int) -> httpx2.Response:
    inputs = {"b": {"shape": [64], "dtype": "u32"}}
    body = {"inputs": inputs, "workgroups": [groups, 1, 1]}
    answer: httpx2.Response = client.post("/api/kernels/long/dispatch", json=body)
    return answer


def exceeded(problem: dict[str, Any]) -> bool:
    return problem["code"] == "quota_exceeded" and "device_ms_a_minute is 100;" in problem["detail"]


def used(problem: dict[str, Any]) -> float:
    """The milliseconds that a refusal says were used."""
    found = re.search(r"; ([0-9,.]+) are used", problem["detail"])
    assert found is not None, problem
    return float(found[1].replace(",", ""))


def test_a_long_kernel_ends_between_slices_when_its_keys_minute_is_used_up_and_a_neighbours_goes_on(
    running: Any,
) -> None:
    poor = running.client_for("poor", quotas={"device_ms_a_minute": 100})
    rich = running.client_for("rich")
    for client in (poor, rich):
        client.post("/api/kernels", json={"name": "long", "source": LONG}).raise_for_status()
    dispatch(rich, 1).raise_for_status()  # it compiles for both
    answers: list[httpx2.Response] = []
    neighbour = threading.Thread(target=lambda: answers.append(dispatch(rich, 40_000)))
    neighbour.start()
    before = charged(running.http)
    ended = dispatch(poor, 65_535)
    assert ended.status_code == 429, ended.text
    assert exceeded(ended.json())
    assert 100 <= used(ended.json()) < 500, "a slice more, and not the whole kernel"
    debt_s = (used(ended.json()) - 90) * 0.6  # until a tenth of 100 ms is there again, at 100 ms in 60 s
    assert abs(int(ended.headers["retry-after"]) - debt_s) <= 2
    assert '"device_ms_a_minute";r=0;t=' in ended.headers["ratelimit"]
    neighbour.join(60)
    assert answers[0].status_code == 200, "the neighbour's goes on"
    assert answers[0].json()["usage"]["device_ms"] > 200, "and is as long as it would be"
    assert charged(running.http) - before > 0.3
    assert running.http.get("/api/device").json()["restarts"] == 0

    key_id = poor.headers["authorization"].split("_")[1]
    running.server.runtime.accounts.of(Identity(key_id, "poor", "user")).spend(
        1.0
    )  # more than comes back meanwhile
    assert exceeded(poor.post("/api/ops/neg", json=LIGHT).json()), "of runs, dispatches and ops together"
    script = "import torch\nresult = torch.ones(3).sum().item()"
    done = poor.post("/api/runs", json={"script": script}, headers=WAIT).json()
    assert exceeded(done["error"]), done
    assert rich.post("/api/ops/neg", json=LIGHT).status_code == 200


def test_a_run_is_stopped_in_the_middle_when_its_keys_minute_is_used_up(running: Any) -> None:
    warm = HEAVY.replace("5000, 5000", "256, 256")
    assert running.http.post("/api/runs", json={"script": warm}, headers=WAIT).json()["error"] is None
    client = running.client_for("thrifty", quotas={"device_ms_a_minute": 100})
    done = client.post("/api/runs", json={"script": HEAVY}, headers=WAIT).json()
    assert exceeded(done["error"]), done
    assert done["status"] == "failed"
    assert 80 < done["usage"]["device_ms"] < 1000
