"""Every route withstands whatever its own schema allows, and what it forbids, and answers as the schema says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from api.auth.scopes import ROUTES
from tests.api.conftest import RunningServer

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")

WITHOUT_KEY = ["GET /healthz", "GET /readyz", "GET /metrics", "GET /llms.txt"]
LAST = ("DELETE",)
"""What takes away the objects that other routes are tried on."""
KERNEL = (
    "@group(0) @binding(0) var<storage, read_write> x: array<f32>;"
    "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] += 1.0; }"
)
TENSOR = {"shape": [2], "dtype": "f32", "data": [1, 2]}
GOOD: dict[str, Any] = {
    "POST /api/runs": {"script": "def main(x): return x", "inputs": {"x": {"$tensor": TENSOR}}},
    "POST /api/sessions/{session_id}/run": {"script": "1 + 1"},
    "POST /api/scripts": {"name": "good", "source": "def main(): return 1"},
    "POST /api/scripts/{name}": {"inputs": {}},
    "POST /api/kernels": {"name": "good", "source": KERNEL},
    "POST /api/kernels/reflect": {"source": KERNEL},
    "POST /api/kernels/{name}/dispatch": {"inputs": {"x": {"$tensor": TENSOR}}},
    "POST /api/tensors": TENSOR,
    "PUT /api/tensors/{tensor_id}": TENSOR,
    "PATCH /api/tensors/{tensor_id}": {"persist": True},
    "POST /api/ops/{name}": {"inputs": [{"$tensor": TENSOR}, 1]},
    "PUT /api/{kind}/{name}/acl": {"entries": [{"to": "everyone", "may": "use"}]},
    "POST /api/explain": {"action": "fetch", "resource": "GET https://example.org/"},
    "PUT /api/secrets/{name}": {"value": "Bearer abc"},
    "POST /api/keys": {"name": "good"},
}
NAMED_ANEW = {"POST /api/keys"}
"""What takes no name a second time."""
EXPECTED = {503, 507}
"""What a server says that cannot at the moment; nothing here takes its device or its disk."""
CONFORMING = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
FEW, MANY = 10, 100


class Target:
    """A server, its schema, and objects that are there."""

    def __init__(self, running: RunningServer) -> None:
        self.http = running.http
        self.url, self.headers = running.url, {"Authorization": f"Bearer {running.key}"}
        self.schema = schemathesis.openapi.from_url(f"{running.url}/openapi.json")
        tensor = self.http.post("/api/tensors", json={"shape": [2], "dtype": "f32", "data": [1, 2]}).json()
        run = {"script": "def main(): return 1"}
        names = {
            "kernels": self._made("/api/kernels", {"name": "fuzzed", "source": KERNEL})["name"],
            "scripts": self._made("/api/scripts", {"name": "fuzzed", "source": run["script"]})["name"],
            "tensors": tensor["id"],
            "runs": self.http.post("/api/runs", json=run, headers={"Prefer": "wait=20"}).json()["id"],
            "ops": "add",
            "secrets": "fuzzed",
        }
        self.names = names
        self.ids = {
            "run_id": names["runs"],
            "tensor_id": names["tensors"],
            "session_id": self._made("/api/sessions", {})["id"],
            "key_id": self._made("/api/keys", {"name": "fuzzed"})["id"],
            "fingerprint": "0" * 64,
            "kind": "kernels",
        }

    def _made(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.http.post(path, json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def existing(self, path: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The parameters of `path` for something that there is."""
        kind = self.ids["kind"] if "{kind}" in path else path.split("/")[2]
        return {name: self.ids[name] if name in self.ids else self.names[kind] for name in parameters}


@pytest.fixture(scope="module")
def target(start: Callable[..., Any]) -> Iterator[Target]:
    """A server of its own, since anything may be done to it."""
    with start(
        adapter="null", workers=2, default_wall_s=2, max_wall_s=2, wait_s=20, sessions_of_key=8
    ) as running:
        yield Target(running)


@pytest.mark.parametrize("route", GOOD)
def test_a_good_request_is_answered_as_its_schema_says_the_second_time_too(
    target: Target, route: str
) -> None:
    method, _, path = route.partition(" ")
    operation = target.schema[path][method]
    names = {each.name for each in operation.path_parameters}
    for number, headers in enumerate(({"Prefer": "wait=20"}, {})):
        case = operation.Case(
            path_parameters=target.existing(path, dict.fromkeys(names)),
            body={**GOOD[route], **({"name": f"good{number}"} if route in NAMED_ANEW else {})},
            media_type="application/json",
            headers=headers,
        )
        answer = case.call(base_url=target.url, headers=target.headers, timeout=30)
        assert 200 <= answer.status_code < 300, answer.text
        case.validate_response(answer, checks=CONFORMING)


@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.full)])
@pytest.mark.parametrize("route", sorted([*WITHOUT_KEY, *ROUTES], key=lambda route: route.startswith(LAST)))
def test_a_route_answers_as_its_schema_says_whatever_it_is_asked(
    target: Target, route: str, examples: int
) -> None:
    method, _, path = route.partition(" ")
    operation = target.schema[path][method]
    modes = schemathesis.GenerationMode

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=operation.as_strategy(generation_mode=modes.POSITIVE)
        | operation.as_strategy(generation_mode=modes.NEGATIVE)
        if "requestBody" in operation.definition.raw or operation.query or operation.headers
        else operation.as_strategy(generation_mode=modes.POSITIVE)
    )
    def withstands(case: Any) -> None:
        ask(case)
        if case.path_parameters:
            case.path_parameters = target.existing(path, case.path_parameters)
            ask(case)

    def ask(case: Any) -> None:
        answer = case.call(base_url=target.url, headers=target.headers, timeout=20)
        assert answer.status_code < 500 or answer.status_code in EXPECTED, answer.text
        case.validate_response(answer, checks=CONFORMING)

    withstands()


def test_every_route_of_the_schema_is_tried(target: Target) -> None:
    documented = {operation.ok().label for operation in target.schema.get_all_operations()}
    assert documented == {*WITHOUT_KEY, *ROUTES}


def test_the_server_is_well_after_all_that(target: Target) -> None:
    assert target.http.get("/readyz").status_code == 200
