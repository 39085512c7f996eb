"""`/api/scripts`: store, list, read, forget; and `import` of them in runs."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx2
import pytest

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
    assert post(alice, "moving").status_code == 200
    assert alice.get("/api/scripts/moving").json()["source"] == SOURCE


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
