"""`api/auth/secrets.py` and its routes: values that reach a granted host, and nobody else, in no form."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from api.auth.secrets import MAX_SECRETS, MAX_VALUE, SecretStore
from api.errors import InvalidRequest, QuotaExceeded, SecretNotFound, StorageError
from api.storage import tables
from api.storage.database import Database
from tests.sandbox.website import Website, website

VALUE = "Bearer sesame-4711-open"
OTHER = "Bearer another-0815-value"
WAIT = {"Prefer": "wait=60"}


# ---------------------------------------------------------------------- the store
@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    """`do(lambda secrets: …)` with a store of secrets in `tmp_path`."""

    def do(work: Callable[[SecretStore], Any]) -> Any:
        async def scenario() -> Any:
            database = Database(tmp_path / "kernelgate.db")
            await database.start()
            try:
                return await work(SecretStore(database, tmp_path / "secrets.key"))
            finally:
                database.close()

        return asyncio.run(scenario())

    return do


def test_a_secret_comes_back_after_a_restart_and_is_replaced_and_forgotten(store: Any) -> None:
    first, new = store(lambda secrets: secrets.put("alice", "TOKEN", VALUE))
    assert new
    assert store(lambda secrets: secrets.reveal("alice", ["TOKEN", "NONE"]))["TOKEN"].value == VALUE
    second, new = store(lambda secrets: secrets.put("alice", "TOKEN", OTHER))
    assert (new, second.created_at) == (False, first.created_at)
    assert store(lambda secrets: secrets.reveal("alice", ["TOKEN"]))["TOKEN"].value == OTHER
    assert store(lambda secrets: secrets.reveal("bob", ["TOKEN"])) == {}
    assert store(lambda secrets: secrets.listed("alice")) == [second]
    store(lambda secrets: secrets.delete("alice", "TOKEN"))
    assert store(lambda secrets: secrets.reveal("alice", ["TOKEN"])) == {}
    with pytest.raises(SecretNotFound):
        store(lambda secrets: secrets.delete("alice", "TOKEN"))


def test_nothing_in_the_data_folder_says_a_value_and_the_key_is_its_owners_alone(
    store: Any, tmp_path: Path
) -> None:
    store(lambda secrets: secrets.put("alice", "TOKEN", VALUE))
    assert (tmp_path / "secrets.key").stat().st_mode & 0o777 == 0o600
    for path in tmp_path.iterdir():
        assert not told(path.read_bytes()), path
    assert {path.name for path in tmp_path.iterdir()} >= {"kernelgate.db", "secrets.key"}


def test_a_row_does_not_pass_for_another(store: Any, tmp_path: Path) -> None:
    store(lambda secrets: secrets.put("alice", "TOKEN", VALUE))
    with sqlite3.connect(tmp_path / "kernelgate.db") as raw:
        raw.execute("UPDATE secrets SET owner = 'mallory'")
    raw.close()
    with pytest.raises(StorageError, match="cannot be read"):
        store(lambda secrets: secrets.reveal("mallory", ["TOKEN"]))


def spoil(key: Path, content: bytes | None, mode: int) -> None:
    key.unlink()
    if content is not None:
        key.write_bytes(content)
        key.chmod(mode)


@pytest.mark.parametrize(
    ("content", "mode", "says"),
    [
        (None, 0o600, "lacks secrets.key"),
        (b"no key", 0o600, "no key of secrets"),
        (base64.urlsafe_b64encode(bytes(32)), 0o600, "cannot be read"),
        (base64.urlsafe_b64encode(bytes(32)), 0o640, "others of this machine"),
    ],
)
def test_without_its_key_nothing_is_read_and_the_error_says_why(
    store: Any, tmp_path: Path, content: bytes | None, mode: int, says: str
) -> None:
    store(lambda secrets: secrets.put("alice", "TOKEN", VALUE))
    good = (tmp_path / "secrets.key").read_bytes()
    spoil(tmp_path / "secrets.key", content, mode)
    with pytest.raises(StorageError, match=says):
        store(lambda secrets: secrets.reveal("alice", ["TOKEN"]))
    (tmp_path / "secrets.key").touch()
    spoil(tmp_path / "secrets.key", good, 0o600)
    assert store(lambda secrets: secrets.reveal("alice", ["TOKEN"]))["TOKEN"].value == VALUE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("", VALUE),
        ("1TOKEN", VALUE),
        ("TO KEN", VALUE),
        ("T" * 129, VALUE),
        ("TOKEN", "x" * (MAX_VALUE + 1)),
        ("TOKEN", "sesame"),
        ("TOKEN", f"{VALUE}\r\nX-More: 1"),
        ("TOKEN", f"{VALUE} "),
    ],
)
def test_what_cannot_be_a_secret_is_refused_without_being_told(store: Any, name: str, value: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        store(lambda secrets: secrets.put("alice", name, value))
    assert value not in f"{caught.value.message} {caught.value.hint}"


def test_an_owner_has_a_bounded_number(store: Any, tmp_path: Path) -> None:
    store(lambda secrets: secrets.put("alice", "TOKEN", VALUE))
    database = Database(tmp_path / "kernelgate.db")
    database.open()
    rows = [
        {"owner": "alice", "name": f"T{n}", "sealed": b"", "created_at": "", "updated_at": ""}
        for n in range(MAX_SECRETS - 1)
    ]
    database.run(lambda db: db.execute(sa.insert(tables.secrets), rows))
    database.close()
    with pytest.raises(QuotaExceeded):
        store(lambda secrets: secrets.put("alice", "ONE_MORE", VALUE))
    store(lambda secrets: secrets.put("alice", "TOKEN", OTHER))
    store(lambda secrets: secrets.put("bob", "TOKEN", VALUE))


# ---------------------------------------------------------------------- over REST, and in runs
@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    with website() as running:
        yield running


@pytest.fixture(scope="module")
def gated(start: Callable[..., Any], site: Website) -> Iterator[Any]:
    with start(network=site.network, workers=1) as running:
        yield running


def told(data: bytes | str) -> bool:
    """Whether a value is in `data`, plain or in base64, or its part that is secret."""
    text = data if isinstance(data, bytes) else data.encode()
    parts = [part for value in (VALUE, OTHER) for part in (value.encode(), value.split()[-1].encode())]
    return any(part in text or base64.b64encode(part).rstrip(b"=") in text for part in parts)


def put(http: httpx2.Client, name: str, value: Any = VALUE) -> httpx2.Response:
    return http.put(f"/api/secrets/{name}", json={"value": value})


def run(http: httpx2.Client, script: str, grants: Any) -> Any:
    body = {"script": script, "grants": grants}
    return http.post("/api/runs", json=body, headers=WAIT).json()


def test_a_granted_host_gets_the_secret_and_nothing_else_ever_does(
    gated: Any, site: Website, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    grant = {"host": "site.test", "secret": "TOKEN", "header": "X-Api-Key"}
    alice = gated.client_for("alice", {"fetch": [grant, {"host": "other.test"}]})
    answers = [put(alice, "TOKEN"), alice.get("/api/secrets")]
    script = """
import os
seen = []
for url in ("https://site.test/list", "https://site.test/echo", "http://site.test/list", "https://other.test/list",
            "https://site.test/away"):
    try:
        r = fetch(url)
        seen.append([r.status_code, dict(r.headers), r.text, repr(r)])
    except Exception as e:
        seen.append([str(e), repr(e)])
print(seen, dict(os.environ))
result = seen
"""
    asked = {"fetch": [{"host": "site.test", "secret": "TOKEN", "ports": [443, 80]}, {"host": "other.test"}]}
    site.seen.clear()
    done = run(alice, script, asked)
    assert done["status"] == "succeeded", done
    outcomes = [
        seen[0] if isinstance(seen[0], int) else seen[0].split(";")[0][:70] for seen in done["result"]
    ]
    assert outcomes[0] == 200
    assert "sent the secret TOKEN back" in outcomes[1]
    assert "over https only" in outcomes[2]
    assert outcomes[3] == 200
    assert done["grants"]["fetch"][0] == {
        "host": "site.test", "methods": ["GET"], "ports": [443, 80], "secret": "TOKEN", "header": "X-Api-Key",
    }  # fmt: skip
    got = {(seen["path"], seen["headers"]["host"]): seen["headers"].get("x-api-key") for seen in site.seen}
    assert got[("/list", "site.test")] == VALUE
    assert got[("/list", "other.test")] is None
    assert got.get(("/echo", "other.test")) is None
    assert put(alice, "TOKEN", OTHER).status_code == 200
    assert run(alice, "fetch('https://site.test/list')", asked)["status"] == "succeeded"
    assert site.seen[-1]["headers"]["x-api-key"] == OTHER
    failed = run(alice, "fetch('https://site.test/echo')\nresult = 1", asked)
    assert failed["error"]["code"] == "fetch_refused"
    for http in (alice, gated.http):
        answers += [http.get(f"/api/runs/{done['id']}"), http.get(f"/api/runs/{done['id']}/events")]
        answers += [http.get(f"/api/runs/{failed['id']}/events"), http.get("/api/runs"), http.get("/metrics")]
    answers += [
        gated.http.get(path) for path in ("/api/audit?limit=500", "/api/keys", "/api/secrets?owner=alice")
    ]
    for answer in answers:
        assert answer.status_code in (200, 201)
        assert not told(answer.text), answer.url
    assert not told(json.dumps([done, failed]))
    assert not told(caplog.text)
    assert caplog.text
    for path in gated.settings.data.rglob("*"):
        assert not path.is_file() or not told(path.read_bytes()), path


def test_a_secret_is_the_keys_to_grant_and_of_its_own_owner(gated: Any, site: Website) -> None:
    put(gated.http, "bob/TOKEN")
    put(gated.http, "TOKEN", OTHER)
    ask = {"fetch": [{"host": "site.test", "secret": "TOKEN"}]}
    open_to_all = gated.client_for("bob", {"fetch": [{"host": "*"}]})
    assert run(open_to_all, "fetch('https://site.test/list')", ask)["error"]["code"] == "permission_denied"
    given = gated.client_for("bobs", {"fetch": [{"host": "site.test", "secret": "TOKEN"}]}, owner="bob")
    assert run(given, "fetch('https://site.test/list')", ask)["status"] == "succeeded"
    assert site.seen[-1]["headers"]["authorization"] == VALUE
    elsewhere = {"fetch": [{"host": "*", "secret": "TOKEN"}]}
    assert run(given, "fetch('https://other.test/list')", elsewhere)["error"]["code"] == "permission_denied"
    without = {"fetch": [{"host": "site.test"}]}
    assert run(given, "fetch('https://site.test/echo')", without)["status"] == "succeeded"
    assert "authorization" not in site.seen[-1]["headers"]
    none = gated.client_for("dave", {"fetch": [{"host": "site.test", "secret": "TOKEN"}]})
    done = run(none, "fetch('https://site.test/list')", ask)
    assert "no secret TOKEN" in done["error"]["detail"]


def test_owners_and_admins_list_replace_and_delete_and_others_do_not(gated: Any) -> None:
    carol, eve = gated.client_for("carol"), gated.client_for("eve")
    answer = put(carol, "KEY")
    assert (answer.status_code, answer.headers["location"]) == (201, "/api/secrets/carol/KEY")
    assert set(answer.json()) == {"owner", "name", "created_at", "updated_at"}
    assert [each["name"] for each in carol.get("/api/secrets").json()["secrets"]] == ["KEY"]
    assert eve.get("/api/secrets").json() == {"secrets": []}
    for refused in (
        eve.get("/api/secrets?owner=carol"),
        put(eve, "carol/KEY"),
        put(eve, "carol/NONE"),
        eve.delete("/api/secrets/carol/KEY"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "admin_only")
    assert eve.delete("/api/secrets/KEY").json()["code"] == "secret_not_found"
    assert put(gated.http, "carol/KEY", OTHER).status_code == 200
    assert [each["owner"] for each in gated.http.get("/api/secrets?owner=carol").json()["secrets"]] == [
        "carol"
    ]
    assert gated.http.delete("/api/secrets/carol/KEY").status_code == 204
    assert carol.get("/api/secrets").json() == {"secrets": []}


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"value": VALUE, "more": VALUE}),
        json.dumps({"value": [VALUE]}),
        json.dumps({"values": VALUE}),
        json.dumps({"value": f"{VALUE}\n"}),
        json.dumps({"value": VALUE})[:-1],
        f'{{"value": "{VALUE}", "value": "{VALUE}"}}',
        f'{{"value": {VALUE}}}',
        f'{{"value": "{VALUE}\\ud800"}}',
    ],
)
def test_a_refusal_does_not_tell_what_was_sent(
    gated: Any, body: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = gated.http.put("/api/secrets/ODD", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert not told(answer.text)
    assert not told(caplog.text)
