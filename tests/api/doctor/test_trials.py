"""`api/doctor/trials.py`: what the doctor tries, on what works and on what does not; nothing is left behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa

from api.doctor import trials
from api.settings import Settings
from api.storage.database import Database
from api.storage.migrations import HEAD


def test_a_database_is_tried_and_left_as_it_was(source: Path | str, tmp_path: Path) -> None:
    database = Database(source)
    database.open()
    try:
        before = database.run(lambda db: sa.inspect(db).get_table_names())
        url = None if isinstance(source, Path) else source
        found = trials.database(Settings(data=tmp_path, database_url=url))
        assert "problem" not in found
        assert (found["revision"], found["newest"]) == (HEAD, HEAD)
        assert found["version"].split(".")[0].isdigit()
        assert database.run(lambda db: sa.inspect(db).get_table_names()) == before
    finally:
        database.close()


def test_a_newer_database_is_a_problem_and_an_older_one_none(tmp_path: Path) -> None:
    file = tmp_path / "kernelgate.db"
    assert trials.database(Settings(data=tmp_path))["revision"] is None
    assert not file.exists()
    database = Database(file)
    database.open()
    for revision, problem in (("0001", False), ("9999", True)):
        given = {"to": revision}
        database.run(
            lambda db, given=given: db.execute(sa.text("UPDATE alembic_version SET version_num = :to"), given)
        )
        assert ("problem" in trials.database(Settings(data=tmp_path))) is problem
    database.close()


def test_a_file_that_is_no_database_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "kernelgate.db").write_text("no database" * 100)
    assert "not a database" in trials.database(Settings(data=tmp_path))["problem"]


def test_a_full_disk_is_a_problem(tmp_path: Path) -> None:
    found = trials.storage(Settings(data=tmp_path, reserve_bytes=1 << 60))
    assert "fewer than the reserve" in found["problem"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("adapter", "problem"), [("numpy", None), ("null", "says that 1 + 2 + 3 is")])
def test_a_device_must_compute_and_compute_right(adapter: str, problem: str | None, tmp_path: Path) -> None:
    found = asyncio.run(trials.device(Settings(data=tmp_path, adapter=adapter)))
    assert found["dispatch_ms"] >= 0
    assert problem is None or problem in found["problem"]
    assert ("problem" in found) is (problem is not None)
