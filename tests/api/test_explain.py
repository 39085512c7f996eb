"""`POST /api/explain`: its answers are what happens, in the same words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.explain import ACTIONS, RULES
from tests.sandbox.website import Website, website

WAIT = {"Prefer": "wait=60"}
KERNEL = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main() { y[0] = 7.0; }
"""
RUN_SEVEN = "import kernels\nresult = kernels.run({!r}, y=kernels.output(1)).tolist()"


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    with website() as running:
        yield running


@pytest.fixture(scope="module")
def server(start: Callable[..., Any], site: Website) -> Iterator[Any]:
    with start(network=site.network, workers=1, adapter="cpu") as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("folder")
    (path / "a.txt").write_text("a")
    return path


@pytest.fixture(scope="module")
def alice(server: Any) -> httpx2.Client:
    http: httpx2.Client = server.client_for("alice")
    for name in ("seven", "shown"):
        assert http.post("/api/kernels", json={"name": name, "source": KERNEL}).status_code == 201
    shown = {"entries": [{"to": "everyone", "may": "read"}]}
    assert http.put("/api/kernels/shown/acl", json=shown).status_code == 200
    return http


@pytest.fixture(scope="module")
def bob(server: Any, alice: httpx2.Client, folder: Path) -> httpx2.Client:
    most = {
        "fetch": [{"host": "site.test"}],
        "files": [{"path": "/data", "folder": str(folder)}],
        "env": {"MODE": "fast"},
        "ops": ["tensor.add", "tensor.full"],
        "kernels": ["**"],
    }
    http: httpx2.Client = server.client_for(
        "bob",
        most,
        scopes=(
            "runs:write",
            "runs:read",
            "ops:run",
            "access:read",
            "kernels:run",
            "kernels:read",
            "tensors:write",
        ),
    )
    return http


def explain(http: httpx2.Client, action: str, resource: str, **more: Any) -> Any:
    answer = http.post("/api/explain", json={"action": action, "resource": resource, **more})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["rule"] in RULES
    return told


def run(http: httpx2.Client, script: str, grants: Any) -> Any:
    """The error of a run, without the name that the exception has in a script, or None."""
    body = {"script": script, "grants": grants}
    answer = http.post("/api/runs", json=body, headers=WAIT)
    error = answer.json()["error"] if answer.status_code == 200 else answer.json()
    return error and {**error, "detail": re.sub(r"^[A-Z]\w+: ", "", error["detail"])}


ALL = {
    "fetch": [{"host": "*", "methods": ["GET", "POST"]}],
    "files": [{"path": "/data", "mode": "rw"}],
    "env": {"MODE": None, "OTHER": "x"},
    "kernels": ["**"],
}
CASES = [
    ("fetch", "GET http://site.test/list", "fetch('http://site.test/list')"),
    ("fetch", "http://other.test/list", "fetch('http://other.test/list')"),
    ("fetch", "POST http://site.test/list", "fetch('http://site.test/list', 'POST')"),
    ("fetch", "http://127.0.0.1/", "fetch('http://127.0.0.1/')"),
    ("fetch", "ftp://site.test/", "fetch('ftp://site.test/')"),
    ("file:read", "/data/a.txt", "open('/data/a.txt').read()"),
    ("file:read", "/etc/passwd", "open('/etc/passwd').read()"),
    ("file:write", "/data/b.txt", "open('/data/b.txt', 'w').write('b')"),
    ("file:write", "/out/b.txt", "open('/out/b.txt', 'w').write('b')"),
    ("env", "MODE", "import os\nos.environ['MODE']"),
    ("env", "OTHER", "import os\nos.environ['OTHER']"),
    ("op", "tensor.add", "import torch\n(torch.ones(1) + 1).tolist()"),
    ("op", "tensor.exp", "import torch\ntorch.ones(1).exp().tolist()"),
    ("kernel:dispatch", "alice/seven", RUN_SEVEN.format("alice/seven")),
    ("kernel:dispatch", "alice/shown", RUN_SEVEN.format("alice/shown")),
    ("kernel:dispatch", "alice/none", RUN_SEVEN.format("alice/none")),
]


@pytest.mark.parametrize("grants", [{}, ALL], ids=["without grants", "asking for all"])
@pytest.mark.parametrize(("action", "resource", "script"), CASES, ids=[f"{a} {r}" for a, r, _ in CASES])
def test_an_explanation_is_what_happens_in_a_run_word_for_word(
    bob: httpx2.Client, action: str, resource: str, script: str, grants: Any
) -> None:
    error = run(bob, script, grants)
    told = explain(bob, action, resource, grants=grants)
    assert told["allowed"] == (error is None), (told, error)
    if error is not None:
        assert (told["code"], told["detail"], told["hint"]) == (
            error["code"], error["detail"], error.get("hint"),
        )  # fmt: skip


@pytest.mark.parametrize(
    ("action", "resource"),
    [("fetch", "GET http://site.test/list"), ("file:read", "/data/a.txt"), ("env", "MODE")],
)
def test_what_only_the_run_lacks_is_opened_by_the_grant_that_is_named(
    bob: httpx2.Client, action: str, resource: str
) -> None:
    script = next(script for what, which, script in CASES if (what, which) == (action, resource))
    denied = explain(bob, action, resource, grants={})
    assert (denied["allowed"], denied["rule"]) == (False, "run_grants")
    assert "its key allows it" in denied["hint"]
    assert explain(bob, action, resource, grants=denied["grant"])["rule"] == "run_grants"
    assert run(bob, script, denied["grant"]) is None


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("fetch", "http://other.test/list"),
        ("fetch", "POST http://site.test/list"),
        ("file:read", "/etc/passwd"),
        ("file:write", "/data/b.txt"),
        ("env", "OTHER"),
        ("op", "tensor.exp"),
    ],
)
def test_what_the_key_lacks_is_opened_by_a_key_with_the_grant_that_is_named(
    server: Any, bob: httpx2.Client, folder: Path, action: str, resource: str
) -> None:
    script = next(script for what, which, script in CASES if (what, which) == (action, resource))
    denied = explain(bob, action, resource, grants={})
    assert (denied["allowed"], denied["rule"]) == (False, "key_grants")
    assert "its key's grants leave it out" in denied["hint"]
    assert not explain(bob, action, resource, grants=denied["grant"])["allowed"]
    grant = denied["grant"]
    most = {"files": [{**grant["files"][0], "folder": str(folder)}]} if "files" in grant else grant
    able = server.client_for(f"able{len(action)}{len(resource)}", {**most, "ops": ["tensor.*"]})
    wanted = {
        "env": {"env": {"OTHER": "x"}},
        "op": {"ops": [*grant.get("ops", []), "tensor.full"]},
    }.get(action, grant)
    assert explain(able, action, resource, grants=wanted)["allowed"]
    error = run(able, script, wanted)
    assert error is None or error["code"] == "file_not_found"


def test_what_grants_open_may_still_be_private(bob: httpx2.Client) -> None:
    denied = explain(bob, "kernel:dispatch", "alice/seven", grants={})
    assert (denied["rule"], denied["grant"]) == ("run_grants", {"kernels": ["alice/seven"]})
    assert explain(bob, "kernel:dispatch", "alice/seven", grants=denied["grant"])["rule"] == "acl"


def test_without_grants_the_question_is_what_the_key_allows(bob: httpx2.Client) -> None:
    told = explain(bob, "fetch", "http://site.test/list")
    assert (told["allowed"], told["rule"]) == (True, "key_grants")
    assert told["grant"] == {"fetch": [{"host": "site.test", "methods": ["GET"], "ports": [80]}]}
    told = explain(bob, "file:write", "/data/b.txt")
    assert (told["allowed"], told["rule"], told["grant"]) == (
        False, "key_grants", {"files": [{"path": "/data", "mode": "rw"}]},
    )  # fmt: skip
    assert explain(bob, "file:read", "/data/b.txt")["allowed"]


def test_an_admin_asks_about_any_key_and_is_told_the_entry_that_would_open_an_object(
    server: Any, alice: httpx2.Client, bob: httpx2.Client
) -> None:
    key = explain(bob, "op", "tensor.add")["key"]
    for action, code in (("object:use", "kernel_not_found"), ("object:write", "kernel_not_found")):
        own = explain(bob, action, "kernels/alice/seven")
        told = explain(server.http, action, "kernels/alice/seven", key=key)
        assert (own["code"], told["code"]) == (code, code)
        assert "grant" not in own
        assert told["grant"] == {"acl": [{"to": f"key:{key}", "may": action.partition(":")[2]}]}
        assert {**own, "grant": told["grant"]} == told
    entry = explain(server.http, "kernel:dispatch", "alice/seven", key=key)["grant"]["acl"]
    assert alice.put("/api/kernels/seven/acl", json={"entries": entry}).status_code == 200
    told = explain(bob, "object:use", "/api/kernels/alice/seven")
    assert (told["allowed"], told["rule"]) == (True, "acl")
    assert f"key:{key}" in told["detail"]
    alice.put("/api/kernels/seven/acl", json={"entries": []})


@pytest.mark.parametrize(("method", "level"), [("GET", "read"), ("PUT", "write"), ("DELETE", "write")])
@pytest.mark.parametrize("given", [None, "read", "write"])
def test_an_explanation_of_an_object_is_what_its_route_answers(
    server: Any, alice: httpx2.Client, method: str, level: str, given: str | None
) -> None:
    other = server.client_for("dora")
    body = {"shape": [1], "dtype": "f32", "data": [1]}
    tensor = alice.post("/api/tensors", json=body).json()["id"]
    entries = [] if given is None else [{"to": "everyone", "may": given}]
    alice.put(f"/api/tensors/{tensor}/acl", json={"entries": entries})
    told = explain(other, f"object:{level}", f"tensors/{tensor}")
    answer = other.request(method, f"/api/tensors/{tensor}", **({"json": body} if method == "PUT" else {}))
    assert told["allowed"] == (answer.status_code < 400)
    if not told["allowed"]:
        problem = answer.json()
        assert (told["code"], told["detail"], told["hint"]) == (
            problem["code"], problem["detail"], problem["hint"],
        )  # fmt: skip


def test_owners_and_admins_are_told_so(server: Any, alice: httpx2.Client) -> None:
    assert explain(alice, "object:admin", "kernels/seven")["rule"] == "owner"
    assert explain(server.http, "object:admin", "kernels/alice/seven")["rule"] == "role"
    assert explain(alice, "kernel:dispatch", "seven")["rule"] == "owner"


def test_scopes_are_explained_as_routes_answer(bob: httpx2.Client) -> None:
    assert explain(bob, "route", "POST /api/runs")["allowed"]
    told, problem = explain(bob, "route", "GET /api/scripts"), bob.get("/api/scripts").json()
    assert (told["rule"], told["code"], told["detail"]) == ("scope", problem["code"], problem["detail"])
    told, problem = explain(bob, "route", "GET /api/keys"), bob.get("/api/keys").json()
    assert (told["rule"], told["code"], told["detail"]) == ("role", problem["code"], problem["detail"])


@pytest.mark.parametrize(
    ("quota", "more"),
    [
        ("runs_at_once", 0),
        ("runs_a_minute", 0),
        ("device_ms_a_minute", 0.0),
        ("stored_bytes", 0),
        ("kernels", 0),
    ],
)
def test_quotas_are_explained_as_requests_are_refused(server: Any, quota: str, more: Any) -> None:
    http = server.client_for(f"poor-{quota}".replace("_", "-")[:32], quotas={quota: more})
    told = explain(http, "quota", quota)
    assert (told["allowed"], told["rule"], told["code"]) == (False, "quota", "quota_exceeded")
    tensor = {"shape": [1], "dtype": "f32", "data": [1]}
    answer = {
        "device_ms_a_minute": lambda: http.post("/api/ops/neg", json={"inputs": [1.0]}),
        "stored_bytes": lambda: http.post("/api/tensors", json=tensor),
        "kernels": lambda: http.post("/api/kernels", json={"name": "k", "source": KERNEL}),
    }.get(quota, lambda: http.post("/api/runs", json={"script": "result = 1"}))()
    assert (answer.status_code, answer.json()["detail"]) == (429, told["detail"])
    assert explain(server.http, "quota", quota)["allowed"]


def test_asking_uses_nothing_up_and_is_no_denial_on_record(server: Any) -> None:
    http = server.client_for("careful", quotas={"runs_a_minute": 1})
    metrics = server.http.get("/metrics").text
    before = [line for line in metrics.splitlines() if line.startswith("udf_denied_total{")]
    for _ in range(3):
        assert explain(http, "quota", "runs_a_minute")["allowed"]
        assert not explain(http, "fetch", "http://site.test/")["allowed"]
    assert run(http, "result = 1", {}) is None
    assert not explain(http, "quota", "runs_a_minute")["allowed"]
    after = [
        line for line in server.http.get("/metrics").text.splitlines() if line.startswith("udf_denied_total{")
    ]
    assert after == before
    assert (
        server.http.get("/api/audit", params={"owner": "careful"}).json()["audit"][0]["action"]
        == "POST /api/runs"
    )


def test_a_key_that_is_over_may_nothing(server: Any) -> None:
    made = server.http.post("/api/keys", json={"name": "gone"}).json()
    assert explain(server.http, "op", "tensor.add", key=made["id"])["allowed"]
    server.http.delete(f"/api/keys/{made['id']}")
    told = explain(server.http, "op", "tensor.add", key=made["id"])
    assert (told["allowed"], told["rule"], told["detail"]) == (False, "key_state", "the key is revoked")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"action": "fly", "resource": "x"}, 422, "invalid_request"),
        ({"action": "op", "resource": "tensor.fly"}, 404, "unknown_op"),
        ({"action": "quota", "resource": "cats"}, 422, "invalid_request"),
        ({"action": "route", "resource": "GET /nowhere"}, 422, "invalid_request"),
        ({"action": "fetch", "resource": "SHOUT http://site.test/"}, 422, "invalid_request"),
        ({"action": "object:read", "resource": "cats/felix"}, 404, "not_found"),
        ({"action": "op", "resource": "tensor.add", "key": "0" * 12}, 404, "key_not_found"),
        ({"action": "op", "resource": "tensor.add", "grants": {"shell": True}}, 422, "grants_invalid"),
    ],
)
def test_what_is_no_question_is_an_error(bob: httpx2.Client, body: Any, status: int, code: str) -> None:
    answer = bob.post("/api/explain", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_user_asks_about_its_own_key_alone(server: Any, alice: httpx2.Client, bob: httpx2.Client) -> None:
    key = explain(bob, "op", "tensor.add")["key"]
    there, absent = (
        alice.post("/api/explain", json={"key": which, "action": "op", "resource": "tensor.add"}).json()
        for which in (key, "0" * 12)
    )
    assert there["code"] == absent["code"] == "key_not_found"
    assert there["detail"].replace(key, "") == absent["detail"].replace("0" * 12, "")


def test_every_action_was_asked_about() -> None:
    asked = {action for action, *_ in CASES} | {"script:call", "quota", "route"}
    assert asked | {f"object:{level}" for level in ("read", "use", "write", "admin")} == set(ACTIONS)


def test_a_script_is_called_by_whom_its_list_lets(alice: httpx2.Client, bob: httpx2.Client) -> None:
    alice.post("/api/scripts", json={"name": "job", "source": "def main(): return 1"})
    assert explain(bob, "script:call", "alice/job")["code"] == "script_not_found"
    assert explain(alice, "script:call", "job")["rule"] == "owner"
    alice.put("/api/scripts/job/acl", json={"entries": [{"to": "everyone", "may": "use"}]})
    assert explain(bob, "script:call", "alice/job")["rule"] == "acl"
