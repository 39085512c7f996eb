"""`/readyz` says what is wrong while it is wrong, and no longer."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api import readiness
from api.storage import dialects
from api.storage.reserve import LEAST_ROOM, Reserve


def test_a_killed_device_is_not_ready_until_it_is_back(start: Callable[..., Any], wait_until: Any) -> None:
    with start(workers=1) as running:
        os.kill(running.server.runtime.device.pid, signal.SIGKILL)
        seen: list[Any] = []

        def lost() -> bool:
            answer = running.http.get("/readyz")
            seen.append((answer.status_code, answer.json()["reasons"]))
            return answer.status_code == 503

        wait_until(lost, "the device is not ready")
        assert seen[-1] == (503, ["device: restarting"])
        assert running.http.get("/healthz").status_code == 200, "the server lives"
        wait_until(lambda: running.http.get("/readyz").status_code == 200, "the device is back")
        assert "udf_device_restarts 1.0" in running.http.get("/metrics").text


def test_a_locked_database_is_said_and_asked_once_at_a_time(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    monkeypatch.setattr(readiness, "PATIENCE_S", 0.1)
    monkeypatch.setattr(dialects, "PATIENCE_S", 1.0)
    with start(workers=1, database_url=None) as running:
        other = sqlite3.connect(running.settings.data / "kernelgate.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for _ in range(3):
            answer = running.http.get("/readyz")
            assert answer.status_code == 503
            (reason,) = answer.json()["reasons"]
            assert reason.startswith("database: no answer within 0.1 s") or "locked" in reason
        other.execute("ROLLBACK")
        other.close()
        wait_until(lambda: running.http.get("/readyz").status_code == 200, "the database answers")


def test_a_database_that_takes_no_writes_is_said(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(workers=1) as running:
        database = running.server.runtime.database
        with monkeypatch.context() as broken:
            broken.setattr(database, "_ordinary", database._engine.connect())
            database._ordinary.exec_driver_sql("PRAGMA query_only = 1")
            answer = running.http.get("/readyz")
            assert answer.status_code == 503
            assert answer.json()["reasons"][0].startswith("database: ")
            database._ordinary.close()
        assert running.http.get("/readyz").status_code == 200


def test_a_full_disk_is_said_while_the_rest_goes_on(running: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = os.statvfs

    def full(path: Any) -> os.statvfs_result:
        found = list(honest(path))
        found[4] = (LEAST_ROOM - 1) // found[1]
        return os.statvfs_result(found)

    assert running.http.get("/readyz").json()["degraded"] == []
    monkeypatch.setattr(os, "statvfs", full)
    answer = running.http.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["degraded"] == [
        "storage: the disk of the data folder is full: nothing new is stored"
    ]


def test_a_spent_reserve_is_needed_until_it_is_filled(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "reserve", 1000)
    reserve.fill()
    assert not reserve.is_needed()
    reserve.spend()
    assert reserve.is_needed()
    reserve.fill()
    assert not reserve.is_needed()


def test_a_data_folder_that_is_gone_has_no_room(tmp_path: Path) -> None:
    assert Reserve(tmp_path / "gone" / "reserve", 1000).is_needed()
