"""The database and its migrations, of both kinds: one thread, short transactions, brought up to date."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from api.auth import keys
from api.auth.identity import maximum, parse_maximum
from api.errors import StorageBusy, StorageError, StorageFull
from api.http.problems import status_of
from api.runs import records
from api.storage import dialects, migrations, tables
from api.storage.database import Database, migrate
from api.storage.dialects import dialect_of, upsert
from api.storage.migrations import HEAD
from tests.api.postgres import PostgresServer

FOLDER = Path(migrations.__file__).parent


@contextmanager
def opened(source: Path | str, *, sole: bool = False) -> Iterator[Database]:
    database = Database(source)
    try:
        database.open(sole=sole)
        yield database
    finally:
        database.close()


@contextmanager
def connected(source: Path | str) -> Iterator[sa.Connection]:
    """A connection and a transaction, without a migration."""
    engine = dialect_of(source).engine()
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def older(source: Path | str, revision: str) -> None:
    """Make the tables as they were at `revision`."""
    engine = dialect_of(source).engine()
    with engine.connect() as connection:
        migrate(connection, dialect_of(source), revision)
    engine.dispose()


def test_the_newest_migration_is_the_one_that_is_expected_at_start() -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_migrations_make_the_tables_that_the_code_uses(source: Path | str) -> None:
    with opened(source) as database:
        differences = database.run(
            lambda db: compare_metadata(MigrationContext.configure(db), tables.metadata)
        )
        assert differences == []


def test_a_current_database_is_opened_without_alembic_which_takes_long(
    source: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(source):
        pass
    monkeypatch.setattr("api.storage.database.upgrade", lambda *_: pytest.fail("it is migrated again"))
    with opened(source):
        pass


def test_a_database_from_the_future_is_left_alone(source: Path | str) -> None:
    with opened(source):
        pass
    with connected(source) as raw:
        raw.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StorageError, match="newer Kernelgate"), opened(source):
        pass


KEY = sa.text(
    "INSERT INTO keys (id, name, owner, role, hash, created_at) VALUES (:role, :role, 'o', :role, '', '')"
)
RUN = sa.text(
    "INSERT INTO runs (id, owner, kind, status, script, limits, grants, stdout, stderr, output_cut, usage,"
    " created_at) VALUES ('r', 'o', 'script', 'succeeded', '', :limits, '{}', '', '', false, '{}', '')"
)
LIMITS = '{"wall_s": 1, "cpu_s": 1, "memory_mb": 1, "output_bytes": 1, "device_ms": 1, "dispatches": 1}'


def test_keys_and_runs_of_an_older_data_folder_stay_what_they_were(source: Path | str) -> None:
    older(source, "0001")
    with connected(source) as raw:
        for role in ("admin", "user"):
            raw.execute(KEY, {"role": role})
        raw.execute(RUN, {"limits": LIMITS})
    with opened(source) as database:
        most = {record.role: maximum(record.role, record.grants) for record in database.run(keys.listed)}
        assert most == {"admin": None, "user": parse_maximum({})}
        run = database.run(lambda db: records.find_run(db, "r"))
        assert run is not None
        assert b'"files":{}' in run.document()


def test_a_migration_that_fails_half_way_leaves_the_older_shape(
    source: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(source, "0001")

    def fail(*_: object, **__: object) -> None:
        raise sa.exc.OperationalError("", {}, Exception("the power is gone"))

    monkeypatch.setattr("alembic.operations.Operations.add_column", fail)
    with pytest.raises(StorageError), opened(source):
        pass
    monkeypatch.undo()
    with connected(source) as raw:
        assert raw.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "0001"
    with opened(source) as database:
        assert database.run(keys.listed) == []


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "kernelgate.db"
    path.write_bytes(b"not a database at all" * 1000)
    with pytest.raises(StorageError, match="not a database"), opened(path):
        pass


def test_work_is_done_in_the_order_of_the_calls_and_undone_when_it_fails(source: Path | str) -> None:
    def insert(key: str, fail: bool = False) -> object:
        def work(db: sa.Connection) -> None:
            values = {"name": key, "owner": key, "role": "user", "hash": "", "created_at": ""}
            db.execute(sa.insert(tables.keys).values(id=key, **values))
            if fail:
                raise StorageError("on purpose")

        return work

    async def scenario() -> list[str]:
        database = Database(source)
        await database.start()
        waiting = [
            database.do(insert(f"{n:02}", fail=n == 5), durable=n % 2 == 0)  # type: ignore[arg-type, func-returns-value]
            for n in range(10)
        ]
        await asyncio.gather(*waiting, return_exceptions=True)
        query = sa.select(tables.keys.c.id).order_by(tables.keys.c.id)
        found = await database.do(lambda db: [row.id for row in db.execute(query)])
        database.close()
        return found

    assert asyncio.run(scenario()) == [f"{n:02}" for n in range(10) if n != 5]


def test_ordinary_and_durable_writes_differ_in_what_they_sync(source: Path | str) -> None:
    asked = "PRAGMA synchronous" if isinstance(source, Path) else "SHOW synchronous_commit"
    with opened(source) as database:
        modes = [
            database.run(lambda db: db.exec_driver_sql(asked).scalar(), durable=durable)
            for durable in (False, True)
        ]
        assert modes == ([1, 2] if isinstance(source, Path) else ["off", "on"])
        if isinstance(source, Path):
            assert database.run(lambda db: db.exec_driver_sql("PRAGMA journal_mode").scalar()) == "wal"


def test_an_error_does_not_show_the_values_that_were_to_be_stored(source: Path | str) -> None:
    orphan = {"run_id": "run_0", "seq": 1, "type": "output", "data": "a secret", "at": "now"}
    with opened(source) as database, pytest.raises(sa.exc.IntegrityError) as caught:
        database.run(lambda db: db.execute(sa.insert(tables.events).values(**orphan)))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["\0", "\x1a", "a\x1a0\0\x1a1\x1a\x1a\0\0", "\0" * 3, "é\n"])
def test_any_character_is_stored_found_and_comes_back(source: Path | str, text: str) -> None:
    name = {"owner": text, "name": "n", "hash": text, "updated_at": ""}
    c = tables.script_names.c
    with opened(source) as database:
        database.run(lambda db: db.execute(sa.insert(tables.script_names).values(**name)))
        found = database.run(lambda db: db.execute(sa.select(c.hash).where(c.owner == text)).all())
        assert [row.hash for row in found] == [text]


def test_a_row_is_put_in_the_place_of_one_with_its_key(source: Path | str) -> None:
    c = tables.compile_times.c
    with opened(source) as database:
        for milliseconds in (1.0, 2.0):
            row = {"hash": "h", "milliseconds": milliseconds}
            database.run(lambda db, row=row: upsert(db, tables.compile_times, row))  # type: ignore[misc]
        assert database.run(lambda db: db.execute(sa.select(c.hash, c.milliseconds)).all()) == [("h", 2.0)]


# ---------------------------------------------------------------------- faults
def test_a_database_that_another_process_keeps_locked_is_a_clear_error_and_readable_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialects, "PATIENCE_S", 0.05)
    path = tmp_path / "kernelgate.db"
    with opened(path) as database:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageBusy, match="locked") as caught:
            database.run(lambda db: upsert(db, tables.compile_times, {"hash": "h", "milliseconds": 1.0}))
        assert status_of(caught.value.code) == 503
        assert database.run(keys.listed) == []
        other.execute("ROLLBACK")
        other.close()
        database.run(lambda db: upsert(db, tables.compile_times, {"hash": "h", "milliseconds": 1.0}))


def test_a_database_without_room_is_a_clear_error_and_goes_on_when_there_is_some(tmp_path: Path) -> None:
    large = {"hash": "h", "milliseconds": 1.0}
    name = {"owner": "x" * (1 << 20), "name": "n", "hash": "", "updated_at": ""}
    with opened(tmp_path / "kernelgate.db") as database:
        pages = database.run(lambda db: db.exec_driver_sql("PRAGMA page_count").scalar())
        database.run(lambda db: db.exec_driver_sql(f"PRAGMA max_page_count = {pages}"))
        with pytest.raises(StorageFull) as caught:
            database.run(lambda db: upsert(db, tables.script_names, name))
        assert status_of(caught.value.code) == 507
        database.run(lambda db: db.exec_driver_sql("PRAGMA max_page_count = 100000"))
        database.run(lambda db: upsert(db, tables.compile_times, large))
        database.run(lambda db: upsert(db, tables.script_names, name))


def test_when_the_database_server_restarts_the_next_transaction_finds_it(postgres: PostgresServer) -> None:
    mode = "SHOW synchronous_commit"
    with opened(postgres.database()) as database:
        postgres.stop()
        for durable in (False, True):
            with pytest.raises(StorageBusy, match="does not answer"):
                database.run(keys.listed, durable=durable)
        with pytest.raises(StorageBusy, match="does not answer"):
            database.run(keys.listed)
        postgres.start()
        assert database.run(keys.listed) == []
        assert database.run(lambda db: db.exec_driver_sql(mode).scalar(), durable=True) == "on"
        assert database.run(lambda db: db.exec_driver_sql(mode).scalar()) == "off"


def test_two_servers_do_not_share_a_database_and_commands_may(postgres: PostgresServer) -> None:
    url = postgres.database()
    with opened(url, sole=True):
        with pytest.raises(StorageError, match="another Kernelgate uses"), opened(url, sole=True):
            pass
        with opened(url) as command:
            assert command.run(keys.listed) == []
    with opened(url, sole=True):
        pass


@pytest.mark.parametrize("url", ["mysql://h/d", "sqlite:///x", "nonsense", ""])
def test_another_address_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(StorageError, match="no address of a PostgreSQL database"):
        Database(url)


def test_a_database_that_is_not_in_utf_8_is_refused(postgres: PostgresServer) -> None:
    with pytest.raises(StorageError, match="not in UTF-8"), opened(postgres.database("LATIN1")):
        pass
