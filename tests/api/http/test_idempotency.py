"""Requests with an `Idempotency-Key`: done once, whatever comes of the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.auth.scopes import ROUTES as ALL
from api.errors import IdempotencyConflict
from api.http.idempotency import DAY_S, ROUTES, Kept, Name, Repeats
from api.storage.database import Database

NAME = Name("key", "POST /api/tensors", "once")
KEPT = Kept("digest", 201, "/api/tensors/ten_1", '{"id": "ten_1"}')
RAW = {"Content-Type": "application/octet-stream"}
KERNEL = "@compute @workgroup_size(1) fn main() { }"


def on(source: Path | str, scenario: Callable[[Database], Awaitable[None]]) -> None:
    """Do `scenario` with a database."""

    async def whole() -> None:
        database = Database(source)
        await database.start()
        try:
            await scenario(database)
        finally:
            database.close()

    asyncio.run(whole())


def test_an_answer_is_found_by_who_asked_for_what_under_which_key_for_a_day(source: Path | str) -> None:
    async def scenario(database: Database) -> None:
        wall = [1_900_000_000.0]
        repeats = Repeats(database, lambda: wall[0])
        assert await repeats.begin(NAME) is None
        await repeats.keep(NAME, KEPT)
        repeats.over(NAME)
        later = Repeats(database, lambda: wall[0])  # as after a restart
        for other in (
            Name("another", NAME.route, NAME.key),
            Name(NAME.key_id, "POST /api/keys", NAME.key),
            Name(NAME.key_id, NAME.route, "twice"),
        ):
            assert await later.begin(other) is None
        wall[0] += DAY_S - 1
        assert await later.begin(NAME) == KEPT
        wall[0] += 2
        assert await later.begin(NAME) is None
        await later.keep(NAME, KEPT)
        assert await Repeats(database, lambda: wall[0]).begin(NAME) == KEPT

    on(source, scenario)


def test_of_two_at_a_time_one_is_refused(source: Path | str) -> None:
    async def scenario(database: Database) -> None:
        repeats = Repeats(database)
        assert await repeats.begin(NAME) is None
        with pytest.raises(IdempotencyConflict, match="under way"):
            await repeats.begin(NAME)
        repeats.over(NAME)
        assert await repeats.begin(NAME) is None

    on(source, scenario)


def test_every_route_that_makes_what_stays_is_one_of_them() -> None:
    made_otherwise = {"POST /api/runs", "POST /api/sessions/{session_id}/run"}
    computes = {
        "POST /api/ops/{name}",
        "POST /api/kernels/reflect",
        "POST /api/kernels/{name}/dispatch",
        "POST /api/explain",
    }
    posts = {route for route in ALL if route.startswith("POST ")}
    assert posts - made_otherwise - computes - {"POST /api/scripts/{name}"} == ROUTES


MADE = {
    "tensors": ({"shape": [2], "dtype": "f32", "data": [1, 2]}, {"shape": [2], "dtype": "f32", "data": [1, 3]}),
    "keys": ({"name": "twin"}, {"name": "other"}),
    "sessions": ({"idle_s": 60}, {"idle_s": 61}),
    "scripts": ({"name": "twin", "source": "x = 1"}, {"name": "twin", "source": "x = 2"}),
    "kernels": ({"name": "twin", "source": KERNEL}, {"name": "twin", "source": KERNEL + "\n"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", MADE)
def test_a_repeated_request_is_answered_as_the_first_was_and_makes_nothing(running: Any, kind: str) -> None:
    http, (body, other) = running.http, MADE[kind]
    key = {"Idempotency-Key": f"make-{kind}"}
    first = http.post(f"/api/{kind}", json=body, headers=key)
    assert first.status_code == 201, first.text
    before = http.get(f"/api/{kind}").json()
    again = http.post(f"/api/{kind}", json=body, headers=key)
    assert (again.status_code, again.headers["location"]) == (201, first.headers["location"])
    assert again.headers["idempotency-replayed"] == "true"
    assert "ratelimit" not in again.headers, "as it is an admin's"
    shown = first.json()
    token = shown.pop("token", None)
    assert again.json() == shown
    assert http.get(f"/api/{kind}").json() == before
    refused = http.post(f"/api/{kind}", json=other, headers=key)
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_conflict")
    assert first.headers["location"] in refused.json()["detail"]
    assert (token is None) == (kind != "keys")
    if kind == "sessions":
        http.delete(first.headers["location"])


def test_an_upload_is_told_apart_by_its_bytes_its_type_and_its_address(http: httpx2.Client) -> None:
    key, body = {**RAW, "Idempotency-Key": "upload"}, bytes(400_000)
    first = http.post("/api/tensors?dtype=f32&shape=100000", content=body, headers=key).json()["id"]
    assert http.post("/api/tensors?dtype=f32&shape=100000", content=body, headers=key).json()["id"] == first
    for path, content in (("dtype=u32&shape=100000", body), ("dtype=f32&shape=100000", body[:-1] + b"\1")):
        refused = http.post(f"/api/tensors?{path}", content=content, headers=key)
        assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_conflict")


def test_what_failed_is_done_anew_and_a_key_that_is_none_is_refused(http: httpx2.Client) -> None:
    key = {"Idempotency-Key": "second try"[:6]}
    assert http.post("/api/tensors", json={"shape": [2]}, headers=key).status_code == 422
    made = http.post("/api/tensors", json=MADE["tensors"][0], headers=key)
    assert (made.status_code, "idempotency-replayed" in made.headers) == (201, False)
    wrong = http.post("/api/tensors", json=MADE["tensors"][0], headers={"Idempotency-Key": "a b"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid_request")


def test_another_key_with_the_same_word_makes_its_own_and_an_invalid_one_nothing(running: Any) -> None:
    word = {"Idempotency-Key": "common"}
    ids = set()
    for name in ("alice", "bob"):
        answer = running.client_for(name).post("/api/tensors", json=MADE["tensors"][0], headers=word)
        ids.add(answer.json()["id"])
    assert len(ids) == 2
    headers = {**word, "Authorization": "Bearer kg_no"}
    assert running.stranger.post("/api/tensors", headers=headers, json={}).status_code == 401
