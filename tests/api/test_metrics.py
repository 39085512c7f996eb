"""Every metric moves when what it counts happens. Restarts are driven in `test_readiness.py`, quarantines in
`test_quarantine.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

WAIT = {"Prefer": "wait=30"}


@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Iterator[Any]:
    """A server with one place for runs, whose figures are nobody else's."""
    with start(workers=2, runs_at_once=1) as running:
        yield running


def value(http: httpx2.Client, name: str) -> float:
    """What `/metrics` has of `name`, a metric with its labels; 0 before there is any."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", http.get("/metrics").text, re.MULTILINE)
    return 0.0 if found is None else float(found[1])


def run(http: httpx2.Client, script: str, **more: Any) -> dict[str, Any]:
    done: dict[str, Any] = http.post("/api/runs", json={"script": script, **more}, headers=WAIT).json()
    return done


@pytest.mark.parametrize(
    ("script", "status"), [("result = 1", "succeeded"), ("raise ValueError('no')", "failed")]
)
def test_finished_runs_are_counted_by_status_and_timed(server: Any, script: str, status: str) -> None:
    names = (
        f'udf_runs_total{{kind="script",status="{status}"}}',
        'udf_run_duration_seconds_count{kind="script"}',
    )
    before = [value(server.http, name) for name in names]
    assert run(server.http, script)["status"] == status
    assert [value(server.http, name) for name in names] == [count + 1 for count in before]


def test_single_ops_are_counted(server: Any) -> None:
    before = value(server.http, 'udf_runs_total{kind="op",status="succeeded"}')
    assert server.http.post("/api/ops/add", json={"inputs": [1, 2]}).status_code == 200
    assert value(server.http, 'udf_runs_total{kind="op",status="succeeded"}') == before + 1


def test_time_on_the_device_is_counted(server: Any) -> None:
    name = f'udf_device_seconds_total{{device="{server.server.runtime.device.info.name}"}}'
    before = value(server.http, name)
    run(server.http, "import torch\nresult = (torch.rand(200, 200) @ torch.rand(200, 200)).sum().item()")
    assert value(server.http, name) > before


def test_a_worker_that_is_stopped_is_counted_by_the_limit(server: Any) -> None:
    name = 'udf_sandbox_kills_total{reason="wall_limit"}'
    before = value(server.http, name)
    assert run(server.http, "while True: pass", limits={"wall_s": 0.1})["status"] == "timed_out"
    assert value(server.http, name) == before + 1


def test_a_worker_of_a_kernel_s_template_that_is_stopped_is_counted_too(server: Any) -> None:
    names = [f'udf_sandbox_kills_total{{reason="{limit}"}}' for limit in ("cpu_limit", "wall_limit")]
    before = sum(value(server.http, name) for name in names)
    loops = "{% for a in range(4096) %}" * 3 + "{% endfor %}" * 3
    refused = server.http.post("/api/kernels", json={"name": "k", "template": loops})
    assert refused.json()["code"] == "template_limit"
    assert sum(value(server.http, name) for name in names) == before + 1


def test_denials_are_counted_by_gate(server: Any) -> None:
    user = server.client_for("denied", scopes=("runs:read", "runs:write"))
    gates = ("fetch", "scope")
    before = [value(user, f'udf_denied_total{{gate="{gate}"}}') for gate in gates]
    run(user, "import requests\nrequests.get('https://example.org/')")
    assert user.get("/api/device").status_code == 403
    assert [value(user, f'udf_denied_total{{gate="{gate}"}}') for gate in gates] == [n + 1 for n in before]


def test_the_queue_is_as_deep_as_runs_wait(server: Any, wait_until: Any) -> None:
    busy = {"script": "while True: pass", "limits": {"wall_s": 60}}
    posted = [server.http.post("/api/runs", json=busy).json()["id"] for _ in range(3)]
    assert value(server.http, "udf_queue_depth") == 2
    for run_id in reversed(posted):
        server.http.delete(f"/api/runs/{run_id}")
    wait_until(lambda: value(server.http, "udf_queue_depth") == 0, "nothing waits")


def test_bytes_on_the_device_are_those_of_tensors(server: Any) -> None:
    before = value(server.http, "udf_device_bytes")
    raw = {"Content-Type": "application/octet-stream"}
    url = "/api/tensors?dtype=f32&shape=1000000"
    given = server.http.post(url, content=bytes(4_000_000), headers=raw).json()["id"]
    kept = server.http.post("/api/ops/neg", json={"inputs": [{"$tensor": {"id": given}}]}).json()
    assert value(server.http, "udf_device_bytes") >= before + 4_000_000, "what others leave is small"
    server.http.delete(f"/api/tensors/{kept['output']['$tensor']['id']}")
