"""Traces: a request, its run and the run's device work are one tree, with the run's id; nothing without the setting."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry import trace

from api import tracing
from api.errors import ExtraMissing
from tests.api.conftest import wait_until

WAIT = {"Prefer": "wait=30"}
SCRIPT = "import torch\nresult = (torch.ones(8) + x).sum().item()"


class Spans:
    """What an exporter in this process was given; made anew for each test."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter

    def __call__(self) -> list[Any]:
        return list(self._exporter.get_finished_spans())

    def named(self, name: str) -> Any:
        """The span `name`, once it has ended: that of a request does after its answer."""
        wait_until(lambda: any(each.name == name for each in self()), f"there is a span {name}")
        (found,) = (each for each in self() if each.name == name)
        return found


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    """An exporter behind the provider that the whole process uses."""
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    provider, exporter = sdk.TracerProvider(), memory.InMemorySpanExporter()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return Spans(exporter)


@pytest.fixture
def traced(spans: Spans, start: Callable[..., Any]) -> Iterator[Any]:
    with start(otel=True, workers=1) as running:
        yield running


def attributes(span: Any) -> dict[str, Any]:
    return {name.removeprefix("kernelgate."): value for name, value in span.attributes.items()}


def test_a_request_its_run_and_its_device_work_are_one_tree(
    traced: Any, spans: Spans, wait_until: Any
) -> None:
    script = SCRIPT.replace("x)", "1)")
    answer = traced.http.post("/api/runs", json={"script": script}, headers=WAIT)
    request, run, graph = (spans.named(name) for name in ("POST /api/runs", "run", "graph"))
    assert run.parent.span_id == request.context.span_id
    assert graph.parent.span_id == run.context.span_id
    run_id = answer.json()["id"]
    assert attributes(run)["run_id"] == attributes(graph)["run_id"] == run_id
    assert (
        attributes(request)["request_id"] == attributes(run)["request_id"] == answer.headers["x-request-id"]
    )
    assert attributes(run)["status"] == "succeeded"
    assert attributes(request)["key_id"] == attributes(graph)["key_id"]
    assert attributes(graph)["nodes"] >= 1
    assert run.status.is_ok or run.status.is_unset


def test_what_failed_has_its_code_and_no_text(traced: Any, spans: Spans) -> None:
    script = "raise ValueError('hunter2')"
    traced.http.post("/api/runs", json={"script": script}, headers=WAIT)
    traced.http.post(
        "/api/ops/matmul", json={"inputs": [{"$tensor": {"shape": [2], "dtype": "f32", "data": [1, 2]}}] * 3}
    )
    run = spans.named("run")
    assert attributes(run)["error.type"] == "script_error"
    assert not run.status.is_ok
    assert "hunter2" not in "".join(span.to_json() for span in spans())
    assert traced.key not in "".join(span.to_json() for span in spans())


def test_single_ops_are_traced_below_their_request(traced: Any, spans: Spans) -> None:
    assert traced.http.post("/api/ops/add", json={"inputs": [1, 2]}).status_code == 200
    request, graph = spans.named("POST /api/ops/{name}"), spans.named("graph")
    assert graph.parent.span_id == request.context.span_id
    assert "run_id" not in attributes(graph)


def test_a_trace_that_a_client_began_goes_on(traced: Any, spans: Spans) -> None:
    parent = f"00-{'a' * 32}-{'b' * 16}-01"
    traced.http.get("/api/runs", headers={"traceparent": parent})
    assert f"{spans.named('GET /api/runs').context.trace_id:032x}" == "a" * 32


def test_nothing_is_traced_without_the_setting(spans: Spans, start: Callable[..., Any]) -> None:
    with start(workers=1) as running:
        script = SCRIPT.replace("x)", "1)")
        assert running.http.post("/api/runs", json={"script": script}, headers=WAIT).json()["result"] == 16
    assert spans() == []


def test_the_setting_without_the_extra_keeps_the_server_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "opentelemetry.sdk" else find(name, *more),
    )
    with pytest.raises(ExtraMissing, match="SDK") as caught:
        tracing.tracer_of(True)
    assert "otel" in (caught.value.hint or "")
    assert tracing.tracer_of(False) is None


def test_the_sdk_is_not_loaded_by_a_server_that_does_not_trace() -> None:
    code = "import sys, api.app; api.app.create_app(); assert 'opentelemetry.sdk' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
