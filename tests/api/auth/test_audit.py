"""The audit log: what is in it, who reads it, and for how long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from api import commands
from api.auth.audit import DAY_S, DONE, SWEEP_S, AuditLog, Entry, Filters
from api.ids import first_id, iso
from api.storage.database import Database
from api.usage.accounts import FAILURES_A_MINUTE
from tests.clock import ManualClock

KERNEL = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main() { y[0] = 1.0; }
"""
WAIT = {"Prefer": "wait=60"}


@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Iterator[Any]:
    with start(workers=1) as running:
        yield running


def entries(server: Any, **filters: Any) -> list[tuple[str, str, str]]:
    """Action, resource and outcome of entries, the oldest first."""
    page = server.http.get("/api/audit", params={"limit": 500, **filters}).json()["audit"]
    return [(each["action"], each["resource"], each["outcome"]) for each in reversed(page)]


def of_metrics(server: Any, name: str) -> float:
    """What `/metrics` says after `name`; 0 before there is any."""
    _, _, rest = server.http.get("/metrics").text.partition(f"\n{name}")
    return float(rest.split()[0]) if rest else 0.0


def test_what_changes_something_is_on_record_with_what_came_of_it(server: Any) -> None:
    client = server.client_for("actor")
    run = client.post("/api/runs", json={"script": "result = 1"}, headers=WAIT).headers["location"]
    tensor = client.post("/api/tensors", json={"shape": [1], "dtype": "f32", "data": [1]}).headers["location"]
    client.put(f"{tensor}/data", json={"shape": [1], "dtype": "f32", "data": [2]})
    client.post("/api/kernels", json={"name": "one", "source": KERNEL})
    client.post("/api/kernels", json={"name": "two", "source": "nonsense"})
    client.post("/api/scripts", json={"name": "mine", "source": "x = 1"})
    client.delete("/api/scripts/none")
    client.delete(tensor)
    assert entries(server, owner="actor") == [
        ("POST /api/runs", run, DONE),
        ("POST /api/tensors", tensor, DONE),
        ("PUT /api/tensors/{tensor_id}/data", f"{tensor}/data", DONE),
        ("POST /api/kernels", "/api/kernels/one", DONE),
        ("POST /api/kernels", "/api/kernels", "kernel_syntax"),
        ("POST /api/scripts", "/api/scripts/mine", DONE),
        ("DELETE /api/scripts/{name}", "/api/scripts/none", "script_not_found"),
        ("DELETE /api/tensors/{tensor_id}", tensor, DONE),
    ]


def test_reading_and_computing_leave_no_entry(server: Any) -> None:
    client = server.client_for("reader")
    for path in ("runs", "tensors", "kernels", "scripts", "ops", "device", "tensors/none"):
        client.get(f"/api/{path}")
    assert client.post("/api/ops/neg", json={"inputs": [1.0]}).status_code == 200
    assert entries(server, owner="reader") == []


def test_denials_are_on_record_wherever_they_happen(server: Any) -> None:
    client = server.client_for("denied", {"ops": ["tensor.add"]}, scopes=["ops:run", "runs:write"])
    counted = 'udf_denied_total{gate="scope"} '
    before = of_metrics(server, counted)
    client.get("/api/runs")
    client.get("/api/keys")
    client.post("/api/ops/exp", json={"inputs": [1.0]})
    done = client.post("/api/runs", json={"script": "open('/x')"}, headers=WAIT).json()
    *ours, gate = sorted(entries(server, owner="denied"))
    assert ours == [
        ("GET /api/keys", "/api/keys", "admin_only"),
        ("GET /api/runs", "/api/runs", "scope_missing"),
        ("POST /api/ops/{name}", "/api/ops/exp", "permission_denied"),
        ("POST /api/runs", f"/api/runs/{done['id']}", DONE),
    ]
    assert (gate[0], gate[2]) == ("gate files", "permission_denied")
    assert gate[1].startswith(f"{done['id']}: ")
    assert of_metrics(server, counted) == before + 2


def test_a_flood_of_denials_does_not_drown_the_rest(server: Any) -> None:
    client = server.client_for("flood", scopes=["ops:run"])
    began = time.monotonic()
    for _ in range(130):
        assert client.get("/api/runs").status_code == 403
    come_back = (time.monotonic() - began) * FAILURES_A_MINUTE / 60
    assert 0 <= len(entries(server, owner="flood")) - FAILURES_A_MINUTE <= come_back


def test_keys_and_quarantines_are_on_record_and_the_host_has_no_key(
    server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = server.http.post("/api/keys", json={"name": "brief"}).json()["id"]
    server.http.delete(f"/api/keys/{made}")
    server.http.delete("/api/quarantine/none")
    server.for_commands(monkeypatch)
    commands.keys(["create", "console"])
    host = capsys.readouterr().out.split("_")[1]
    commands.keys(["revoke", host])
    found = entries(server)
    for expected in (
        ("POST /api/keys", f"/api/keys/{made}", DONE),
        ("DELETE /api/keys/{key_id}", f"/api/keys/{made}", DONE),
        ("DELETE /api/quarantine/{fingerprint}", "/api/quarantine/none", "quarantine_not_found"),
        ("keys create", f"/api/keys/{host}", DONE),
        ("keys revoke", f"/api/keys/{host}", DONE),
    ):
        assert found.count(expected) == 1, expected
    (first, _) = server.http.get("/api/audit", params={"owner": "(host)", "limit": 2}).json()["audit"]
    assert (first["key_id"], first["request_id"]) == (None, None)


def test_an_entry_is_there_when_its_answer_is_and_names_the_request(server: Any) -> None:
    client = server.client_for("prompt")
    for number in range(20):
        answer = client.post("/api/scripts", json={"name": f"s{number}", "source": "x = 1"})
        asked = {"request_id": answer.headers["x-request-id"]}
        (entry,) = server.http.get("/api/audit", params=asked).json()["audit"]
        assert entry["resource"] == f"/api/scripts/s{number}"


def test_entries_are_read_in_pages_and_by_time(server: Any) -> None:
    client = server.client_for("pages")
    for number in range(5):
        client.delete(f"/api/scripts/none{number}")
    whole = server.http.get("/api/audit", params={"owner": "pages"}).json()["audit"]
    found, before = [], None
    while True:
        asked = {"owner": "pages", "limit": 2} | ({"before": before} if before else {})
        page = server.http.get("/api/audit", params=asked).json()
        found += page["audit"]
        before = page["next"]
        if before is None:
            break
    assert found == whole
    assert len(whole) == 5
    later = server.http.get("/api/audit", params={"owner": "pages", "since": whole[0]["at"]}).json()["audit"]
    assert whole[0] in later
    none = server.http.get("/api/audit", params={"owner": "pages", "until": "2020-01-01"}).json()
    assert none == {"audit": [], "next": None}
    refused = server.http.get("/api/audit", params={"since": "yesterday"})
    assert refused.json()["code"] == "invalid_request"


def test_an_unknown_key_leaves_no_entry(server: Any) -> None:
    before = len(entries(server))
    stranger = server.stranger.post("/api/runs", headers={"Authorization": "Bearer kg_no"}, json={})
    assert stranger.status_code == 401
    assert stranger.headers["x-request-id"].startswith("req_")
    assert len(entries(server)) == before


# ---------------------------------------------------------------------- for how long
def test_old_entries_leave_and_new_ones_stay(source: Path | str) -> None:
    async def scenario() -> None:
        database = Database(source)
        await database.start()
        clock, wall = ManualClock(), [time.time()]
        log = AuditLog(database, 10, clock, lambda: wall[0])
        for days in (0, 5, 9):
            moment = wall[0] + days * DAY_S
            name = f"{first_id('aud', moment)}{'0' * 20}"
            await log.add(Entry("k", "o", "act", f"day {days}", DONE, id=name, at=iso(moment)))
        log.sweeper.start()
        await clock.timer_of(SWEEP_S)
        assert len(await log.page(10, Filters())) == 3
        wall[0] += 15.5 * DAY_S
        clock.advance(SWEEP_S)
        async with asyncio.timeout(10):
            while [entry.resource for entry in await log.page(10, Filters())] != ["day 9"]:
                await asyncio.sleep(0)
        await log.sweeper.stop()
        database.close()

    asyncio.run(scenario())


def test_what_cannot_be_stored_is_in_the_servers_log(
    source: Path | str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        database = Database(source)
        await database.start()
        await database.do(lambda db: db.exec_driver_sql("DROP TABLE audit"))
        await AuditLog(database, 10).add(Entry("k", "o", "act", "this thing", DONE))
        database.close()

    asyncio.run(scenario())
    assert "this thing" in caplog.text


def test_a_long_resource_is_cut(source: Path | str) -> None:
    async def scenario() -> str:
        database = Database(source)
        await database.start()
        log = AuditLog(database, 10)
        await log.add(Entry("k", "o", "act", "x" * 100_000, DONE))
        (entry,) = await log.page(10, Filters())
        database.close()
        return entry.resource

    assert len(asyncio.run(scenario())) == 300
