"""What needs no key, and what does."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from api.http.problems import STATUS
from shaders.errors import KernelgateError


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/llms.txt"])
def test_the_server_pages_need_no_key(running: Any, path: str) -> None:
    assert running.stranger.get(path).status_code == 200


@pytest.mark.parametrize(
    "authorization", [None, "Bearer", "Bearer kg_", "Basic eDp5", "Bearer kg_" + "0" * 12 + "_" + "0" * 48]
)
@pytest.mark.parametrize("path", ["runs", "kernels", "tensors", "ops", "device"])
def test_everything_under_api_needs_a_valid_key(running: Any, path: str, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = running.stranger.get(f"/api/{path}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_body_without_a_key_is_refused_before_it_is_read(running: Any) -> None:
    answer = running.stranger.post("/api/runs", content=b"{" * 1000)
    assert answer.json()["code"] == "unauthorized"


def test_unknown_addresses_and_methods_are_problems(http: httpx2.Client) -> None:
    for method, path, status, code in (
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/api/nothing", 404, "not_found"),
        ("PATCH", "/api/runs", 405, "method_not_allowed"),
        ("POST", "/healthz", 405, "method_not_allowed"),
        ("GET", "/api/runs/", 404, "run_not_found"),
    ):
        answer = http.request(method, path)
        assert answer.status_code == status, path
        assert answer.json()["code"] in (code, "not_found")
        assert answer.headers["content-type"] == "application/problem+json"


def test_an_address_says_which_methods_it_takes(http: httpx2.Client) -> None:
    answer = http.request("PATCH", "/api/scripts/greet")
    assert answer.json()["hint"] == "It takes DELETE, GET, POST."
    assert answer.headers["allow"] == "DELETE, GET, POST"


def test_metrics_have_the_names_that_were_promised(http: httpx2.Client) -> None:
    script = "import torch\nresult = torch.ones(1).sum().item()"
    http.post("/api/runs", json={"script": script}, headers={"Prefer": "wait=30"})
    text = http.get("/metrics").text
    for name in (
        'udf_runs_total{kind="script",status="succeeded"}',
        "udf_run_duration_seconds_bucket",
        "udf_queue_depth 0.0",
        "udf_device_seconds_total{device=",
    ):
        assert name in text, name
    for name in ("udf_denied_total", "udf_sandbox_kills_total"):
        assert f"# TYPE {name} counter" in text


def test_the_documentation_loads_nothing_and_lists_every_error(http: httpx2.Client) -> None:
    page = http.get("/docs").text
    assert not re.findall(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    for path in ("/api/runs", "/api/kernels/{name}/dispatch", "/api/tensors/{tensor_id}/data"):
        assert path in page
    for code in KernelgateError.catalogue():
        assert f'id="error-{code}"' in page


def test_every_status_belongs_to_a_code_that_exists() -> None:
    unknown = set(STATUS) - set(KernelgateError.catalogue()) - {"internal"}
    assert not unknown
