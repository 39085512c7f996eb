"""Objects shared over REST: who finds, reads, uses, changes them, and who is told that there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from api.storage import tables
from api.storage.database import Database

WAIT = {"Prefer": "wait=60"}
KERNEL = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main() { y[0] = 7.0; }
"""
DOUBLE = "def main(x):\n    return (x + x).tolist()"
SEVEN = "import kernels\nresult = kernels.run('alice/seven', y=kernels.output(1)).tolist()"
KINDS = ["tensors", "kernels", "scripts", "runs"]


@pytest.fixture(scope="module")
def shared(start: Callable[..., Any]) -> Iterator[Any]:
    with start(workers=1, adapter="cpu") as running:
        yield running


@pytest.fixture(scope="module")
def alice(shared: Any) -> httpx2.Client:
    return shared.client_for("alice")  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def bob(shared: Any) -> httpx2.Client:
    return shared.client_for("bob", groups=("lab",))  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def carol(shared: Any) -> httpx2.Client:
    return shared.client_for("carol")  # type: ignore[no-any-return]


def made(http: httpx2.Client, kind: str) -> str:
    """A new object of `http`'s; its address."""
    if kind == "tensors":
        answer = http.post("/api/tensors", json={"shape": [2], "dtype": "f32", "data": [1, 2]})
        return f"/api/tensors/{answer.json()['id']}"
    if kind == "runs":
        answer = http.post("/api/runs", json={"script": "result = 1"}, headers=WAIT)
        return f"/api/runs/{answer.json()['id']}"
    source = KERNEL if kind == "kernels" else "seven = 7"
    answer = http.post(f"/api/{kind}", json={"name": "seven", "source": source})
    assert answer.status_code in (200, 201), answer.text
    return f"/api/{kind}/{answer.json()['owner']}/seven"


def share(http: httpx2.Client, address: str, **entries: str) -> httpx2.Response:
    """Give an access list; `_` stands for `:` in what is no Python name."""
    listed = [{"to": to.replace("_", ":"), "may": may} for to, may in entries.items()]
    return http.put(f"{address}/acl", json={"entries": listed})


def listed(http: httpx2.Client, kind: str, **params: Any) -> list[str]:
    """The addresses of what a list shows, over pages of one."""
    found: list[str] = []
    cursor = "after" if kind in ("kernels", "scripts") else "before"
    while True:
        body = http.get(f"/api/{kind}", params={"limit": 1, **params}).json()
        for item in body[kind]:
            name = f"{item['owner']}/{item['name']}" if "name" in item else item["id"]
            found.append(f"/api/{kind}/{name}")
        if body["next"] is None:
            return found
        params[cursor] = body["next"]


def use(http: httpx2.Client, address: str) -> httpx2.Response:
    """Compute with a tensor or a kernel over HTTP."""
    if "/kernels/" in address:
        inputs = {"y": {"shape": [1], "dtype": "f32"}}
        return http.post(f"{address}/dispatch", json={"inputs": inputs, "workgroups": [1]})
    tensor = {"$tensor": {"id": address.rpartition("/")[2]}}
    return http.post("/api/ops/neg", json={"inputs": [tensor]})


def lists(running: Any, address: str = "") -> int:
    """How many lines the access lists of a server have together, or those of what has this id or name."""
    database = Database(running.settings.database)
    database.open()
    name = address.rpartition("/")[2]
    kind = address.split("/")[2][:-1] if address else ""
    c = tables.acl.c
    query = sa.select(sa.func.count()).select_from(tables.acl)
    query = query.where(c.name == name, c.kind == kind) if address else query
    try:
        return int(database.run(lambda db: db.execute(query).scalar_one()))
    finally:
        database.close()


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


@pytest.mark.parametrize("kind", KINDS)
def test_another_s_private_object_is_not_there_in_any_way(
    alice: httpx2.Client, bob: httpx2.Client, kind: str
) -> None:
    address = made(alice, kind)
    absent = f"{address[:-1]}x"
    missing = (404, f"{kind[:-1]}_not_found")
    for there in (address, absent):
        assert code(bob.get(there)) == missing
        assert code(bob.delete(there)) == missing
        assert code(bob.get(f"{there}/acl")) == missing
        assert code(share(bob, there, everyone="admin")) == missing
    assert address not in listed(bob, kind)
    assert address in listed(alice, kind)
    private, none = (bob.get(there).json()["detail"].replace(there[-5:], "") for there in (address, absent))
    assert private == none


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_be_read_is_listed_and_shown_and_nothing_more(
    alice: httpx2.Client, bob: httpx2.Client, carol: httpx2.Client, kind: str
) -> None:
    address = made(alice, kind)
    assert share(alice, address, group_lab="read").status_code == 200
    assert bob.get(address).status_code == 200
    assert address in listed(bob, kind)
    assert address in listed(bob, kind, owner="alice")
    assert address not in listed(bob, kind, owner="bob")
    for answer in (bob.delete(address), bob.get(f"{address}/acl"), share(bob, address, everyone="admin")):
        assert code(answer) == (403, "access_denied")
    assert carol.get(address).status_code == 404
    assert address not in listed(carol, kind)
    assert share(alice, address).json()["entries"] == []
    assert bob.get(address).status_code == 404
    assert address not in listed(bob, kind)


def test_elements_and_events_follow_their_objects(alice: httpx2.Client, bob: httpx2.Client) -> None:
    tensor, run = made(alice, "tensors"), made(alice, "runs")
    body = {"shape": [1], "dtype": "f32", "data": [5]}
    assert code(bob.get(f"{tensor}/data")) == (404, "tensor_not_found")
    assert bob.get(f"{run}/events").status_code == 404
    share(alice, tensor, everyone="read")
    share(alice, run, everyone="read")
    assert bob.get(f"{tensor}/data").json()["$tensor"]["data"] == [1, 2]
    assert "event: result" in bob.get(f"{run}/events").text
    assert code(bob.put(f"{tensor}/data", json=body)) == (403, "access_denied")
    assert code(bob.patch(tensor, json={"persist": True})) == (403, "access_denied")
    share(alice, tensor, everyone="write")
    assert bob.put(tensor, json=body).status_code == 200
    assert (alice.get(tensor).json()["shape"], alice.get(f"{tensor}/acl").json()["entries"]) == (
        [1],
        [{"to": "everyone", "may": "write"}],
    )


@pytest.mark.parametrize("kind", ["tensors", "kernels"])
def test_to_read_is_not_to_use(alice: httpx2.Client, bob: httpx2.Client, kind: str) -> None:
    address = made(alice, kind)
    share(alice, address)
    assert use(bob, address).status_code == 404
    share(alice, address, everyone="read")
    assert code(use(bob, address)) == (403, "access_denied")
    share(alice, address, group_lab="use")
    assert use(bob, address).status_code == 200
    assert use(alice, address).status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_who_may_write_deletes_or_cancels_and_the_list_goes_too(
    shared: Any, alice: httpx2.Client, bob: httpx2.Client, kind: str
) -> None:
    address = made(alice, kind)
    share(alice, address, everyone="write")
    assert bob.delete(address).status_code in (200, 204)
    if kind == "runs":
        return
    assert alice.get(address).status_code == 404
    assert lists(shared, address) == 0


def test_an_admin_of_an_object_shares_it_on_and_an_admin_of_the_server_any(
    shared: Any, alice: httpx2.Client, bob: httpx2.Client, carol: httpx2.Client
) -> None:
    address = made(alice, "scripts")
    share(alice, address, group_lab="admin")
    assert share(bob, address, everyone="read", group_lab="admin").status_code == 200
    assert carol.get(address).json()["source"] == "seven = 7"
    assert shared.http.get(f"{address}/acl").json() == {
        "kind": "script", "owner": "alice", "name": "seven",
        "entries": [{"to": "everyone", "may": "read"}, {"to": "group:lab", "may": "admin"}],
    }  # fmt: skip
    assert share(shared.http, address).status_code == 200
    assert carol.get(address).status_code == 404
    assert address in listed(shared.http, "scripts")


def test_a_list_goes_by_name_then_owner_and_its_pages_join(alice: httpx2.Client, bob: httpx2.Client) -> None:
    for http in (alice, bob):
        made(http, "scripts")
        http.post("/api/scripts", json={"name": "eight", "source": "x = 8"})
    for name in ("seven", "eight"):
        share(alice, f"/api/scripts/{name}", everyone="read")
    expected = [f"/api/scripts/{owner}/{name}" for name in ("eight", "seven") for owner in ("alice", "bob")]
    assert listed(bob, "scripts") == expected


def test_a_run_uses_what_is_shared_if_it_asks_for_it(alice: httpx2.Client, bob: httpx2.Client) -> None:
    tensor, kernel = made(alice, "tensors"), made(alice, "kernels")
    inputs = {"x": {"$tensor": {"id": tensor.rpartition("/")[2]}}}

    def run(script: str, inputs: Any, grants: Any) -> Any:
        body = {"script": script, "inputs": inputs, "grants": grants}
        answer = bob.post("/api/runs", json=body, headers=WAIT).json()
        problem = answer if "status" in answer and isinstance(answer["status"], int) else answer["error"]
        return problem["code"] if problem else answer["result"]

    share(alice, tensor)
    share(alice, kernel)
    assert run(DOUBLE, inputs, {"tensors": ["alice/*"]}) == "tensor_not_found"
    assert run(SEVEN, {}, {"kernels": ["alice/*"]}) == "kernel_not_found"
    share(alice, tensor, everyone="read")
    share(alice, kernel, everyone="read")
    assert run(DOUBLE, inputs, {"tensors": ["alice/*"]}) == "access_denied"
    assert run(SEVEN, {}, {"kernels": ["alice/*"]}) == "access_denied"
    share(alice, tensor, everyone="use")
    share(alice, kernel, everyone="use")
    assert run(DOUBLE, inputs, {}) == "permission_denied"
    assert run(SEVEN, {}, {}) == "permission_denied"
    assert run(DOUBLE, inputs, {"tensors": ["alice/*"]}) == [2, 4]
    assert run(SEVEN, {}, {"kernels": ["alice/seven"]}) == [7]


def test_transient_tensors_are_shared_as_stored_ones_are(alice: httpx2.Client, bob: httpx2.Client) -> None:
    output = use(alice, made(alice, "tensors")).json()["output"]["$tensor"]
    address = f"/api/tensors/{output['id']}"
    assert bob.get(address).status_code == 404
    share(alice, address, everyone="use")
    assert use(bob, address).status_code == 200


def test_the_list_of_a_transient_tensor_goes_with_it(start: Callable[..., Any]) -> None:
    with start(workers=1, transient_tensors=1) as running:
        http = running.http
        first = use(http, made(http, "tensors")).json()["output"]["$tensor"]["id"]
        share(http, f"/api/tensors/{first}", everyone="use")
        assert lists(running) == 1
        second = use(http, made(http, "tensors")).json()["output"]["$tensor"]["id"]
        assert http.get(f"/api/tensors/{first}").status_code == 404
        assert lists(running) == 0
        share(http, f"/api/tensors/{second}", everyone="use")
        assert http.delete(f"/api/tensors/{second}").status_code == 204
        assert lists(running) == 0


def test_lists_of_what_is_gone_are_swept_at_the_next_start(start: Callable[..., Any], tmp_path: Any) -> None:
    with start(data=tmp_path / "data", workers=1) as running:
        kept = made(running.http, "tensors")
        output = use(running.http, kept).json()["output"]["$tensor"]
        for address in (kept, f"/api/tensors/{output['id']}"):
            share(running.http, address, everyone="use")
    with start(data=tmp_path / "data", workers=1) as running:
        assert running.http.get(f"{kept}/acl").json()["entries"] == [{"to": "everyone", "may": "use"}]
        assert lists(running) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"entries": [{"to": "bob", "may": "read"}]}, 422),
        ({"entries": [{"to": "everyone", "may": "own"}]}, 422),
        ({"entries": [{"to": "everyone"}]}, 422),
        ({"entries": [{"to": "group:a", "may": "read"}] * 2}, 422),
        ({"entries": [{"to": f"group:g{n}", "may": "read"} for n in range(65)]}, 422),
        ({}, 422),
        ([], 422),
    ],
)
def test_a_list_of_another_form_is_refused(alice: httpx2.Client, body: Any, status: int) -> None:
    address = made(alice, "tensors")
    assert alice.put(f"{address}/acl", json=body).status_code == status
    assert alice.get(f"{address}/acl").json()["entries"] == []


def test_what_is_no_kind_of_object_is_not_found(alice: httpx2.Client) -> None:
    for address in ("/api/keys/x", "/api/nothing/x", "/api/tensors//"):
        assert alice.get(f"{address}/acl").status_code == 404


def test_a_name_that_is_the_end_of_an_address_is_reserved(alice: httpx2.Client) -> None:
    for kind, source in (("kernels", KERNEL), ("scripts", "x = 1")):
        answer = alice.post(f"/api/{kind}", json={"name": "acl", "source": source})
        assert code(answer) == (409, "name_reserved")


def test_a_denial_by_a_list_is_audited_and_counted(
    shared: Any, alice: httpx2.Client, bob: httpx2.Client
) -> None:
    address = made(alice, "tensors")
    share(alice, address, everyone="read")
    bob.delete(address)
    entry = shared.http.get("/api/audit", params={"outcome": "access_denied", "limit": 1}).json()["audit"][0]
    assert (entry["owner"], entry["resource"]) == ("bob", address)
    assert 'udf_denied_total{gate="acl"}' in shared.http.get("/metrics").text
