"""Keys over REST and in themselves: what they hold, what they may, and when they end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.auth import keys
from api.auth.identity import Identity
from api.auth.keyring import CACHE_S, Keyring
from api.auth.keys import NewKey
from api.auth.scopes import SCOPES, of_role
from api.errors import InvalidRequest, KeyExists, Unauthorized
from api.ids import iso
from api.quotas import Quotas
from api.storage.database import Database
from sandbox.gates.grants import Grants, parse
from tests.clock import ManualClock

ADMIN = Identity("k", "admin", "admin", None, scopes=of_role("admin"))


@pytest.fixture
def database(source: Path | str) -> Iterator[Database]:
    opened = Database(source)
    opened.open()
    yield opened
    opened.close()


def make(http: httpx2.Client, **asked: Any) -> dict[str, Any]:
    answer = http.post("/api/keys", json=asked)
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


def bearer(made: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {made['token']}"}


# ---------------------------------------------------------------------- over REST
def test_a_key_is_made_shown_once_listed_and_revoked(http: httpx2.Client) -> None:
    asked = {
        "name": "carol",
        "owner": "carols",
        "groups": ["red", "blue"],
        "scopes": ["runs:read", "device:read"],
        "grants": {"env": {"TOKEN": "hush"}, "ops": ["tensor.*"]},
        "quotas": {"runs_at_once": 2, "kernels": None},
        "expires_in_s": 1000,
    }
    answer = http.post("/api/keys", json=asked)
    made = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    token = made.pop("token")
    assert token.split("_")[1] == made["id"]
    assert made["groups"] == ["blue", "red"]
    assert made["scopes"] == ["device:read", "runs:read"]
    assert made["grants"] == {"env": {"TOKEN": None}, "ops": ["tensor.*"]}
    assert (made["quotas"]["runs_at_once"], made["quotas"]["kernels"]) == (2, None)
    assert made["quotas"]["runs_a_minute"] == 600, "its role's, as it has none of its own"
    assert iso(time.time() + 900) < made["expires_at"] <= iso(time.time() + 1000)
    assert http.get(answer.headers["location"]).json() == made
    listed = http.get("/api/keys?limit=500")
    assert made in listed.json()["keys"]
    assert token.split("_")[2] not in listed.text
    assert http.get("/api/device", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert http.delete(answer.headers["location"]).status_code == 204
    assert http.get("/api/device", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert http.get(answer.headers["location"]).json()["state"] == "revoked"
    assert http.delete(answer.headers["location"]).status_code == 204, "once more is no error"


def test_keys_are_listed_in_pages_oldest_first(http: httpx2.Client) -> None:
    ours = [make(http, name=f"page{number}")["id"] for number in range(5)]
    found: list[str] = []
    after = None
    while True:
        page = http.get("/api/keys", params={"limit": 2} | ({"after": after} if after else {})).json()
        found += [key["id"] for key in page["keys"]]
        after = page["next"]
        if after is None:
            break
    assert [key for key in found if key in ours] == ours
    assert len(set(found)) == len(found)
    for path in ("/api/keys?after=none", "/api/keys/none"):
        assert http.get(path).json()["code"] == "key_not_found"
    assert http.delete("/api/keys/none").status_code == 404


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"name": "../x"}, "no name for a key"),
        ({"name": "x", "owner": "builtin"}, "builtin"),
        ({"name": "x", "groups": ["A B"]}, "no group for a key"),
        ({"name": "x", "groups": ["a"] * 33}, "groups"),
        ({"name": "x", "role": "root"}, "role"),
        ({"name": "x", "scopes": ["keys:admin"]}, "the role user has no 'keys:admin'"),
        ({"name": "x", "quotas": {"runs": 1}}, "runs"),
        ({"name": "x", "expires_in_s": 0}, "more than 0"),
        ({"name": "x", "expires_in_s": 1e300}, "at most"),
        ({"name": "x", "grants": {"shell": True}}, "shell"),
        ({"name": "x", "grants": {"files": [{"path": "/data"}]}}, "names no folder"),
        ({"name": "x", "secret": 1}, "secret"),
        ({}, "name is missing"),
    ],
)
def test_what_is_no_key_is_refused_with_the_field(http: httpx2.Client, asked: Any, says: str) -> None:
    answer = http.post("/api/keys", json=asked)
    assert answer.status_code == 422, answer.text
    assert says in answer.json()["detail"]


def test_what_only_looks_like_a_key_is_refused_like_none_at_all(running: Any) -> None:
    key = running.key
    _, key_id, secret = key.split("_")
    refused = set()
    for token in (
        "kg_", key[:-1], key + "0", key.upper(), f"kg_{key_id}_{'0' * len(secret)}", f"kg_{key_id}_", f"kg__{secret}",
        f"kg_{'0' * 12}_{secret}", secret, key_id, f"{key},{key}", "kg_" + "a" * 9000, "kg_%_%", "kg_' OR 1=1 --_x",
    ):  # fmt: skip
        answer = running.stranger.get("/api/device", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401, token
        refused.add(answer.content)
    assert len(refused) == 1, "nothing tells which part was wrong"
    assert running.stranger.get("/api/device", headers={"Authorization": f"Bearer {key}"}).is_success


def test_keys_are_an_admins_business(running: Any, http: httpx2.Client) -> None:
    user = running.client_for("curious")
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/x"), ("DELETE", "/x")):
        answer = user.request(method, f"/api/keys{path}", json={"name": "x"})
        assert (answer.status_code, answer.json()["code"]) == (403, "admin_only")
    assert user.get("/api/audit").json()["code"] == "admin_only"


def test_a_key_is_refused_what_its_scopes_leave_out_by_name(http: httpx2.Client) -> None:
    narrow = bearer(make(http, name="narrow", scopes=["runs:read"]))
    assert http.get("/api/runs", headers=narrow).status_code == 200
    answer = http.post("/api/runs", headers=narrow, json={"script": "result = 1"})
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert "POST /api/runs needs the scope runs:write" in answer.json()["detail"]
    assert "runs:write" in answer.json()["hint"]
    assert http.get("/api/kernels/some/thing", headers=narrow).json()["code"] == "scope_missing"


def test_a_key_makes_none_that_may_do_more(http: httpx2.Client) -> None:
    most = {"ops": ["tensor.add"], "files": [{"path": "/data", "folder": "/srv/in"}]}
    maker = make(
        http, name="maker", role="admin", scopes=["keys:admin", "runs:read"], grants=most,
        quotas={"runs_a_minute": 5}, expires_in_s=100,
    )  # fmt: skip
    refused = http.post("/api/keys", headers=bearer(maker), json={"name": "x", "scopes": ["runs:write"]})
    assert (refused.status_code, "'runs:write'" in refused.json()["detail"]) == (422, True)
    asked = {"name": "heir", "role": "admin", "quotas": {"runs_a_minute": None}, "expires_in_s": 1000}
    heir = http.post("/api/keys", headers=bearer(maker), json=asked).json()
    assert heir["scopes"] == ["keys:admin", "runs:read"]
    assert (heir["quotas"]["runs_a_minute"], heir["expires_at"]) == (5, maker["expires_at"])
    assert heir["grants"] == maker["grants"]
    wide = {"ops": ["**"], "files": [{"path": "/data", "folder": "/srv"}], "env": {"A": "1"}}
    asked = {"name": "user", "grants": wide}
    assert http.post("/api/keys", headers=bearer(maker), json=asked).json()["grants"] == {
        "ops": ["tensor.add"]
    }


# ---------------------------------------------------------------------- within
def test_without_bounds_of_its_own_a_key_passes_on_what_is_asked() -> None:
    asked = NewKey("a", grants=parse({"env": {"A": None}}), quotas={"kernels": 1}, expires_at="2100")
    assert keys.within(ADMIN, asked, Quotas(kernels=9)) == asked
    assert keys.within(ADMIN, NewKey("a"), Quotas(kernels=9)) == NewKey("a")


def test_a_bounded_key_makes_users_with_less_than_the_default() -> None:
    bounded = Identity("k", "o", "admin", parse({"kernels": []}), scopes=of_role("admin") - {"ops:run"})
    made = keys.within(bounded, NewKey("a"), Quotas())
    assert made.grants == Grants(kernels=())
    assert set(made.scopes or ()) == of_role("user") - {"ops:run"}
    with pytest.raises(InvalidRequest):
        keys.within(bounded, NewKey("a", scopes=("ops:run",)), Quotas())


def test_the_name_of_a_valid_key_is_refused_and_that_of_an_ended_one_is_free(
    database: Database, http: httpx2.Client
) -> None:
    first = make(http, name="twice")
    again = http.post("/api/keys", json={"name": "twice", "owner": "another"})
    assert (again.status_code, again.json()["code"]) == (409, "key_exists")
    assert first["id"] in again.json()["detail"]
    http.delete(f"/api/keys/{first['id']}")
    make(http, name="twice")

    for ends in (iso(1.0), None):
        database.run(lambda db, ends=ends: keys.create(db, NewKey("a", expires_at=ends)))
    with pytest.raises(KeyExists):
        database.run(lambda db: keys.create(db, NewKey("a")))


# ---------------------------------------------------------------------- the check of a token
def test_a_key_ends_at_its_time_though_it_is_remembered(database: Database) -> None:
    async def scenario() -> None:
        clock, moment = ManualClock(), [1000.0]
        held = Keyring(database, {"user": Quotas(kernels=7)}, clock, lambda: moment[0])
        _, token = await database.do(lambda db: keys.create(db, NewKey("a", expires_at=iso(1001.0))))
        identity = await held.check(token)
        assert (identity.quotas.kernels, identity.scopes) == (7, of_role("user"))
        moment[0] = 1000.999
        assert await held.check(token) == identity
        assert await held.over([identity.key_id]) == {}
        moment[0] = 1001.0
        for _ in range(2):
            with pytest.raises(Unauthorized, match="expired"):
                await held.check(token)
        assert await held.over([identity.key_id]) == {identity.key_id: "key_expired"}

    asyncio.run(scenario())


def test_a_revoked_key_works_until_it_is_looked_up_again(database: Database) -> None:
    async def scenario() -> None:
        clock = ManualClock()
        held = Keyring(database, clock=clock)
        (one, first), (_, second) = [
            await database.do(lambda db, name=name: keys.create(db, NewKey(name))) for name in "ab"
        ]
        for token in (first, second):
            await held.check(token)
        await database.do(lambda db: keys.revoke(db, one.id))
        clock.advance(CACHE_S - 0.001)
        await held.check(first)
        assert await held.over([one.id, "none"]) == {one.id: "key_revoked", "none": "key_revoked"}
        clock.advance(0.001)
        with pytest.raises(Unauthorized):
            await held.check(first)
        await held.check(second)

    asyncio.run(scenario())


def test_a_forgotten_key_is_looked_up_at_once(database: Database) -> None:
    async def scenario() -> None:
        held = Keyring(database, clock=ManualClock())
        record, token = await database.do(
            lambda db: keys.create(db, NewKey("a", "admin", scopes=tuple(SCOPES)))
        )
        assert (await held.check(token)).scopes == set(SCOPES)
        await database.do(lambda db: keys.revoke(db, record.id))
        held.forget(record.id)
        with pytest.raises(Unauthorized):
            await held.check(token)

    asyncio.run(scenario())
