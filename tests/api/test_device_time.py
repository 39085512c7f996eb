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


def identity(client: httpx2.Client, owner: str) -> Identity:
    """Who asks with a client's key, as far as accounts must know."""
    return Identity(client.headers["authorization"].split("_")[1], owner, "user")


def begun(http: httpx2.Client, url: str) -> bool:
    """Wait, without a question more, until a run has said so."""
    with http.stream("GET", f"{url}/events") as events:
        return any("begun" in line for line in events.iter_lines())


def ended(http: httpx2.Client, url: str) -> Any:
    """A run once it has ended."""
    http.get(f"{url}/events").raise_for_status()
    return http.get(url).json()


@pytest.mark.parametrize(
    ("limits", "status", "code"),
    [
        ({"device_ms": 300, "wall_s": 60}, "failed", "device_limit"),
        ({"device_ms": 60_000, "wall_s": 0.2}, "timed_out", "wall_limit"),
    ],
)
def test_a_limit_stops_a_heavy_product_in_the_middle_and_it_is_charged(
    running: Any,
    wait_until: Any,
    monkeypatch: pytest.MonkeyPatch,
    limits: dict[str, float],
    status: str,
    code: str,
) -> None:
    warm = HEAVY.replace("5000, 5000", "256, 256")  # a software driver compiles at the first dispatch
    assert running.http.post("/api/runs", json={"script": warm}, headers=WAIT).json()["status"] == "succeeded"
    before, clock = charged(running.http), running.hold_time(monkeypatch)
    client = running.client_for(code, quotas={"device_ms_a_minute": 20_000})
    url = client.post("/api/runs", json={"script": HEAVY, "limits": limits}).headers["location"]
    account = running.server.runtime.accounts.of(identity(client, code))
    if code == "wall_limit":
        wait_until(lambda: account.left_s() < 19.7, "the product is under way")
        clock.now += limits["wall_s"]
    done = ended(client, url)
    assert (done["status"], done["error"]["code"]) == (status, code), done
    assert 200 < done["usage"]["device_ms"] < SOON_S * 1000
    assert charged(running.http) - before > 0.2
    assert_free(running)


def test_a_cancelled_run_leaves_the_device_at_once_and_is_charged(running: Any) -> None:
    http = running.http
    script = HEAVY.replace("main():", "main():\n    torch.ones(3).sum().item()\n    print('begun')")
    url = http.post("/api/runs", json={"script": script}).headers["location"]
    assert begun(http, url)
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
    "runs for ever": "def main(x):\n    while True:\n        (x * 2).sum().item()\n        print('begun')",
}


def test_no_tensor_of_a_run_stays_on_the_device_however_it_ends(
    start: Callable[..., Any], wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = {"x": {"$tensor": {"shape": [3], "dtype": "f32", "data": [1, 2, 3]}}}
    with start() as running:
        http, device, clock = running.http, running.server.runtime.device, running.hold_time(monkeypatch)
        for end, script in ENDS.items():
            limits = {"wall_s": 0.2, "dispatches": 30 if end == "is over its dispatches" else 100_000}
            body = {"script": script, "inputs": inputs, "limits": limits}
            url = http.post("/api/runs", json=body).headers["location"]
            if end == "runs for ever":
                assert begun(http, url)
                clock.now += limits["wall_s"]
            done = ended(http, url)
            assert (done["status"] == "succeeded") == (end == "succeeds"), done
            assert done["usage"]["device_ms"] > 0, end
            wait_until(lambda: device.memory.tensors == 0, f"the tensors of a run that {end} are freed")


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
    refused = dispatch(poor, 65_535)
    assert refused.status_code == 429, refused.text
    assert exceeded(refused.json())
    assert 100 <= used(refused.json()) < 2000, "a slice more, and not the whole kernel"
    debt_s = (used(refused.json()) - 90) * 0.6  # until a tenth of 100 ms is there again, at 100 ms in 60 s
    assert abs(int(refused.headers["retry-after"]) - debt_s) <= 2
    assert '"device_ms_a_minute";r=0;t=' in refused.headers["ratelimit"]
    neighbour.join(60)
    assert answers[0].status_code == 200, "the neighbour's goes on"
    assert answers[0].json()["usage"]["device_ms"] > 200, "and is as long as it would be"
    assert charged(running.http) - before > 0.3
    assert running.http.get("/api/device").json()["restarts"] == 0

    running.server.runtime.accounts.of(identity(poor, "poor")).spend(1.0)  # more than comes back meanwhile
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
    assert 80 < done["usage"]["device_ms"] < 3000
