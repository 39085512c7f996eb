"""`api/database.py` and its migrations: one thread, short transactions, brought up to date at start."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from api import keys, migrations, records, tables
from api.database import Database
from api.errors import StorageError
from api.migrations import HEAD

FOLDER = Path(migrations.__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kernelgate.db"


def opened(path: Path) -> Database:
    database = Database(path)
    database.open()
    return database


def test_the_newest_migration_is_the_one_that_is_expected_at_start() -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_migrations_make_the_tables_that_the_code_uses(path: Path) -> None:
    database = opened(path)
    try:
        differences = database.run(
            lambda db: compare_metadata(MigrationContext.configure(db), tables.metadata)
        )
        assert differences == []
    finally:
        database.close()


def test_opening_a_current_database_is_quick(path: Path) -> None:
    opened(path).close()
    began = time.process_time()
    opened(path).close()
    assert time.process_time() - began < 0.15


def test_a_database_from_the_future_is_left_alone(path: Path) -> None:
    opened(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    database = Database(path)
    with pytest.raises(StorageError, match="newer Kernelgate"):
        database.open()
    database.close()


def test_keys_and_runs_of_an_older_data_folder_stay_what_they_were(
    path: Path,
) -> None:
    older = sa.create_engine(f"sqlite:///{path}")
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    with older.connect() as connection:
        config.attributes["connection"] = connection
        with connection.begin():
            command.upgrade(config, "0001")
        with connection.begin():
            for role in ("admin", "user"):
                connection.exec_driver_sql(
                    "INSERT INTO keys (id, name, owner, role, hash, created_at) VALUES (?, ?, 'o', ?, '', '')",
                    (role, role, role),
                )
            connection.exec_driver_sql(
                "INSERT INTO runs (id, owner, kind, status, script, limits, grants, stdout, stderr, output_cut, usage,"
                " created_at) VALUES ('r', 'o', 'script', 'succeeded', '', ?, '{}', '', '', 0, '{}', '')",
                (
                    '{"wall_s": 1, "cpu_s": 1, "memory_mb": 1, "output_bytes": 1, "device_ms": 1, "dispatches": 1}',
                ),
            )
    older.dispose()
    database = opened(path)
    try:
        most = {record.role: keys.maximum(record.role, record.grants) for record in database.run(keys.listed)}
        assert most == {"admin": None, "user": keys.parse_maximum({})}
        run = database.run(lambda db: records.find_run(db, "r"))
        assert run is not None
        assert b'"files":{}' in run.document()
    finally:
        database.close()


def test_a_file_that_is_no_database_is_a_clear_error(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 1000)
    database = Database(path)
    with pytest.raises(StorageError, match="not a database"):
        database.open()
    database.close()


def test_work_is_done_in_the_order_of_the_calls_and_undone_when_it_fails(path: Path) -> None:
    def insert(key: str, fail: bool = False) -> object:
        def work(db: sa.Connection) -> None:
            values = {"name": key, "owner": key, "role": "user", "hash": "", "created_at": ""}
            db.execute(sa.insert(tables.keys).values(id=key, **values))
            if fail:
                raise StorageError("on purpose")

        return work

    async def scenario() -> list[str]:
        database = Database(path)
        await database.start()
        waiting = [
            database.do(insert(f"{n:02}", fail=n == 5), durable=n % 2 == 0)  # type: ignore[arg-type, func-returns-value]
            for n in range(10)
        ]
        await asyncio.gather(*waiting, return_exceptions=True)
        found = await database.do(lambda db: [row.id for row in db.execute(sa.select(tables.keys.c.id))])
        database.close()
        return found

    assert asyncio.run(scenario()) == [f"{n:02}" for n in range(10) if n != 5]


def test_ordinary_and_durable_writes_differ_in_what_they_sync(path: Path) -> None:
    database = opened(path)
    try:
        modes = [
            database.run(lambda db: db.exec_driver_sql("PRAGMA synchronous").scalar(), durable=durable)
            for durable in (False, True)
        ]
        assert modes == [1, 2]
        assert database.run(lambda db: db.exec_driver_sql("PRAGMA journal_mode").scalar()) == "wal"
    finally:
        database.close()


def test_an_error_does_not_show_the_values_that_were_to_be_stored(path: Path) -> None:
    database = Database(path)
    database.open()
    orphan = {"run_id": "run_0", "seq": 1, "type": "output", "data": "a secret", "at": "now"}
    with pytest.raises(sa.exc.IntegrityError) as caught:
        database.run(lambda db: db.execute(sa.insert(tables.events).values(**orphan)))
    assert "secret" not in str(caught.value)
    database.close()
