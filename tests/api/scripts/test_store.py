"""`/api/scripts`: store, list, read, forget; and `import` of them in runs."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from api.storage.database import Database
from api.storage.tables import scripts

SOURCE = "def double(x):\n    return 2 * x\n"


@pytest.fixture(scope="module")
def alice(running: Any) -> Any:
    return running.client_for("script-alice")


@pytest.fixture(scope="module")
def bob(running: Any) -> Any:
    return running.client_for("script-bob")


def post(client: httpx2.Client, name: str, source: str = SOURCE) -> httpx2.Response:
    return client.post("/api/scripts", json={"name": name, "source": source})


def run(client: httpx2.Client, script: str) -> Any:
    return client.post("/api/runs", json={"script": script}, headers={"Prefer": "wait=30"}).json()


def test_a_script_is_stored_by_its_hash_and_the_name_moves(alice: httpx2.Client) -> None:
    first = post(alice, "moving")
    assert first.status_code == 201
    assert first.headers["location"] == "/api/scripts/moving"
    assert first.json()["hash"] == hashlib.sha256(SOURCE.encode()).hexdigest()
    assert post(alice, "moving").status_code == 200
    second = post(alice, "moving", "x = 2")
    assert second.status_code == 201
    assert alice.get("/api/scripts/moving").json()["source"] == "x = 2"
    pinned = alice.get(f"/api/scripts/moving@{first.json()['hash'][:8]}").json()
    assert (pinned["source"], pinned["created_at"]) == (SOURCE, first.json()["created_at"])
    kept = [{key: each.json()[key] for key in ("hash", "created_at")} for each in (second, first)]
    assert pinned["versions"] == alice.get("/api/scripts/moving").json()["versions"] == kept
    assert post(alice, "moving").status_code == 200
    assert alice.get("/api/scripts/moving").json()["source"] == SOURCE


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(
    alice: httpx2.Client, bob: httpx2.Client
) -> None:
    post(alice, "normalise")
    for wrong, hint in [
        ("normalize", "Did you mean normalise?"),
        ("normalise@00000000", "There is normalise, but no version of it whose hash begins with '00000000'."),
        ("zzz", "GET /api/scripts lists yours; POST one to add it."),
    ]:
        assert alice.get(f"/api/scripts/{wrong}").json()["hint"] == hint
    for theirs in ("script-alice/normalise", "script-alice/normalize"):  # bob is not told that there is one
        assert "mean" not in bob.get(f"/api/scripts/{theirs}").json()["hint"]


def test_names_are_not_told_to_a_key_that_may_not_list_them(running: Any, alice: httpx2.Client) -> None:
    post(alice, "hidden_one")
    calling = running.client_for("caller", owner="script-alice", scopes=["runs:write"])
    for wrong in ("hidden_once", "hidden_one@00000000"):
        answer = calling.post(f"/api/scripts/{wrong}", json={}).json()
        assert answer["code"] == "script_not_found"
        assert "hidden_one" not in answer["hint"]


def test_an_input_outside_of_inputs_is_shown_where_it_belongs(alice: httpx2.Client) -> None:
    post(alice, "an_input", "def main(x): return x")
    answer = alice.post("/api/scripts/an_input", json={"x": 5}).json()
    assert (answer["code"], answer["hint"]) == ("invalid_request", 'If it is an input: {"inputs": {"x": 5}}.')
    answer = alice.post("/api/scripts/an_input", json={"x": 10**200}).json()
    assert answer["hint"] == 'Inputs go into "inputs".'
    answer = alice.post("/api/runs", json={"code": "result = 1"}).json()
    assert answer["hint"] == "There are script, inputs, grants, limits.", "a script is missing"


def test_scripts_are_listed_in_pages(alice: httpx2.Client) -> None:
    for name in ("page_a", "page_b", "page_c"):
        post(alice, name)
    page = alice.get("/api/scripts", params={"limit": 2, "after": "page"}).json()
    assert [script["name"] for script in page["scripts"]] == ["page_a", "page_b"]
    assert "source" not in page["scripts"][0]
    rest = alice.get("/api/scripts", params={"limit": 2, "after": page["next"]}).json()
    assert [script["name"] for script in rest["scripts"]] == ["page_c"]
    assert rest["next"] is None


def test_a_script_is_forgotten_with_all_versions(alice: httpx2.Client) -> None:
    digest = post(alice, "gone").json()["hash"]
    assert alice.delete(f"/api/scripts/gone@{digest[:8]}").json()["code"] == "invalid_request"
    assert alice.delete("/api/scripts/gone").status_code == 204
    for path in ("gone", f"gone@{digest}"):
        answer = alice.get(f"/api/scripts/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "script_not_found")
    assert alice.delete("/api/scripts/gone").status_code == 404


@pytest.mark.parametrize("name", ["math", "torch", "numpy", "requests", "os", "subprocess"])
def test_names_that_scripts_import_already_are_reserved(alice: httpx2.Client, name: str) -> None:
    answer = post(alice, name)
    assert (answer.status_code, answer.json()["code"]) == (409, "name_reserved")


@pytest.mark.parametrize(
    "name", ["", "A", "a-b", "a.b", "_a", "1a", "class", "x" * 65, "é", "a/b", "a@b", "a\n"]
)
def test_a_name_must_be_an_identifier(alice: httpx2.Client, name: str) -> None:
    assert post(alice, name).json()["code"] == "invalid_request"


@pytest.mark.parametrize(
    "body", [{}, {"name": "a"}, {"name": "a", "source": 1}, {"name": "a", "source": "", "x": 1}]
)
def test_a_request_must_say_what_it_must(alice: httpx2.Client, body: Any) -> None:
    assert alice.post("/api/scripts", json=body).json()["code"] == "invalid_request"


def test_a_run_imports_the_scripts_of_its_owner(alice: httpx2.Client) -> None:
    post(alice, "arithmetic")
    post(alice, "model", "from arithmetic import double\nfactor = double(3)")
    done = run(alice, "import model\nresult = model.factor")
    assert (done["status"], done["result"]) == ("succeeded", 6)


def test_the_scripts_of_others_are_not_there(
    alice: httpx2.Client, bob: httpx2.Client, http: httpx2.Client
) -> None:
    post(alice, "private")
    for other in (bob, http):
        assert other.get("/api/scripts/private").json()["code"] == "script_not_found"
        assert other.delete("/api/scripts/private").status_code == 404
        missing = run(other, "import private\nresult = 1")
        assert missing["error"]["code"] == "script_denied"
    post(bob, "private", "x = 'of bob'")
    assert run(bob, "import private\nresult = private.x")["result"] == "of bob"
    assert run(alice, "from private import double\nresult = double(1)")["result"] == 2


def test_an_error_in_an_imported_script_is_shown_at_its_place(alice: httpx2.Client) -> None:
    post(alice, "broken", "def f():\n    return [][0]")
    error = run(alice, "import broken\nbroken.f()")["error"]
    assert error["detail"] == "IndexError: list index out of range (in script broken)"
    assert (error["line"], error["snippet"].splitlines()[0]) == (2, "    return [][0]")


def test_what_a_run_imports_is_what_the_name_points_at_then(alice: httpx2.Client) -> None:
    for value in (1, 2):
        post(alice, "versioned", f"value = {value}")
        assert run(alice, "import versioned\nresult = versioned.value")["result"] == value


MODEL = '''
import torch
from arithmetic import double


def main(x: torch.Tensor, rows: int = 2, name: str | None = None) -> list[float]:
    """The rows of x.

    Args:
        rows: how many
    """
    print("rows", rows)
    return [double(each) for each in x[:rows].tolist()]
'''
X = {"$tensor": {"shape": [3], "dtype": "f32", "data": [1, 2, 3]}}


def call(client: httpx2.Client, name: str, body: Any = None, **headers: str) -> httpx2.Response:
    return client.post(f"/api/scripts/{name}", json=body or {}, headers={"Prefer": "wait=30", **headers})


@pytest.fixture(scope="module")
def model(alice: httpx2.Client) -> str:
    post(alice, "arithmetic")
    return str(post(alice, "rows", MODEL).json()["hash"])


def test_a_script_is_called_with_json_and_tensors(alice: httpx2.Client, model: str) -> None:
    answer = call(alice, "rows", {"inputs": {"x": X}})
    done = answer.json()
    assert (answer.status_code, done["status"], done["result"]) == (200, "succeeded", [2.0, 4.0])
    assert (done["kind"], done["stdout"]) == ("script", "rows 2\n")
    uploaded = alice.post("/api/tensors", json=X["$tensor"]).json()
    inputs = {"x": {"$tensor": {"id": uploaded["id"]}}, "rows": 3, "name": None}
    assert call(alice, f"rows@{model[:8]}", {"inputs": inputs}).json()["result"] == [2.0, 4.0, 6.0]


def test_a_call_is_a_run_with_its_limits_and_address(alice: httpx2.Client, model: str) -> None:
    body = {"inputs": {"x": X}, "limits": {"wall_s": 5}, "grants": {"env": {"A": "b"}}}
    answer = alice.post("/api/scripts/rows", json=body)
    assert (answer.status_code, answer.json()["limits"]["wall_s"]) == (202, 5)
    run = answer.headers["location"]
    assert run == f"/api/runs/{answer.json()['id']}"
    assert "event: result" in alice.get(f"{run}/events").text
    done = alice.get(run).json()
    assert (done["status"], "env" in done["grants"]) == ("succeeded", False), "a user's key allows no env"


def test_an_idempotency_key_finds_the_call_that_it_made(alice: httpx2.Client, model: str) -> None:
    keyed = {"Idempotency-Key": "call-1"}
    body = {"inputs": {"x": X}}
    first, again = (call(alice, "rows", body, **keyed).json()["id"] for _ in range(2))
    assert first == again
    for name, other in (("rows", {"inputs": {"x": X, "rows": 1}}), (f"rows@{model}", body)):
        assert call(alice, name, other, **keyed).json()["code"] == "idempotency_conflict"


@pytest.mark.parametrize(
    ("inputs", "detail"),
    [
        ({}, "inputs.x is missing: wanted tensor"),
        ({"x": [1, 2]}, "inputs.x: wanted tensor, got a list of 2"),
        ({"x": X, "rows": "two"}, "inputs.rows: wanted int, got str 'two'"),
        ({"x": X, "name": 1}, "inputs.name: wanted str | None, got int 1"),
        ({"x": X, "more": 1}, "inputs.more is unknown"),
    ],
)
def test_inputs_that_do_not_fit_are_refused_before_there_is_a_run(
    alice: httpx2.Client, model: str, inputs: Any, detail: str
) -> None:
    before = alice.get("/api/runs").json()["runs"][:1]
    answer = call(alice, "rows", {"inputs": inputs})
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        422,
        "input_mismatch",
        detail,
    )
    assert alice.get("/api/runs").json()["runs"][:1] == before


def test_a_script_shows_what_its_main_takes_and_gives(alice: httpx2.Client, model: str) -> None:
    shown = alice.get("/api/scripts/rows").json()
    assert shown["description"] == "The rows of x."
    assert shown["input"]["required"] == ["x"]
    assert shown["input"]["properties"]["rows"] == {
        "type": "integer",
        "description": "how many",
        "default": 2,
    }
    assert shown["output"] == {"type": "array", "items": {"type": "number"}}


def test_what_is_not_python_is_not_stored(alice: httpx2.Client) -> None:
    answer = post(alice, "wrong", "x = 1\ndef main(:")
    assert (answer.status_code, answer.json()["code"], answer.json()["line"]) == (422, "script_syntax", 2)
    assert alice.get("/api/scripts/wrong").status_code == 404


def test_scripts_are_operations_for_those_who_may_read_them(
    alice: httpx2.Client, bob: httpx2.Client, model: str
) -> None:
    mine = {each["name"]: each for each in alice.get("/api/ops", params={"limit": 500}).json()["scripts"]}
    assert mine["script.rows"]["hash"] == model
    assert mine["script.rows"]["input"]["required"] == ["x"]
    assert run(alice, "result = call('script.rows', x=torch.ones(3), rows=1)")["result"] == [2.0]
    page = alice.get("/api/ops", params={"limit": 1}).json()
    rest = alice.get("/api/ops", params={"limit": 1, "after": page["next"]}).json()
    assert page["scripts"][0]["name"] < rest["scripts"][0]["name"]
    assert "script.script-alice/rows" not in {each["name"] for each in bob.get("/api/ops").json()["scripts"]}


def test_a_shared_script_is_called_with_the_callers_grants_and_its_owners_imports(
    alice: httpx2.Client, bob: httpx2.Client, model: str
) -> None:
    post(bob, "arithmetic", "def double(x):\n    return 'of bob'")
    body = {"inputs": {"x": X, "rows": 1}}
    theirs = "script-alice/rows"
    assert call(bob, theirs, body).json()["code"] == "script_not_found"
    alice.put("/api/scripts/rows/acl", json={"entries": [{"to": "everyone", "may": "read"}]})
    assert call(bob, theirs, body).json()["code"] == "access_denied"
    assert f"script.{theirs}" in {each["name"] for each in bob.get("/api/ops").json()["scripts"]}
    alice.put("/api/scripts/rows/acl", json={"entries": [{"to": "everyone", "may": "use"}]})
    refused = call(bob, theirs, body).json()
    assert "arithmetic" in refused["error"]["detail"], "the imported script is not shared"
    alice.put("/api/scripts/arithmetic/acl", json={"entries": [{"to": "everyone", "may": "use"}]})
    assert call(bob, theirs, body).json()["result"] == [2.0]
    assert run(bob, f"result = call('script.{theirs}', x=torch.ones(1))")["result"] == [2.0]
    post(alice, "reader", "import os\n\ndef main():\n    return os.environ['SECRET']")
    alice.put("/api/scripts/reader/acl", json={"entries": [{"to": "everyone", "may": "use"}]})
    assert call(bob, "script-alice/reader").json()["error"]["code"] == "permission_denied"


def test_a_key_that_starts_no_runs_calls_no_script(running: Any, alice: httpx2.Client, model: str) -> None:
    weak = running.client_for("weak", owner="script-alice", scopes=("scripts:read",))
    assert call(weak, "rows").json()["code"] == "scope_missing"


def test_a_script_stored_by_an_older_version_is_read_when_it_is_asked_for(
    running: Any, alice: httpx2.Client
) -> None:
    post(alice, "older", "def main(n: int):\n    return n")
    data = Database(running.settings.database)
    data.open()
    try:
        data.run(
            lambda db: db.execute(sa.update(scripts).where(scripts.c.name == "older").values(signature=None))
        )
    finally:
        data.close()
    assert call(alice, "older", {"inputs": {"n": "1"}}).json()["code"] == "input_mismatch"
    assert alice.get("/api/scripts/older").json()["input"]["required"] == ["n"]
