"""The databases that Kernelgate knows, SQLite and PostgreSQL, and all that differs between them.

Owns how each is connected to, what makes a write durable, who may use it at once, what its errors mean, and `upsert`.
Must not know any table.

SQLite runs in WAL mode. An ordinary write (`synchronous=NORMAL`; PostgreSQL: `synchronous_commit=off`) survives the
death of the server at any moment; a durable one also survives the loss of power, at the price of a sync.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.pool import NullPool

from api.errors import StorageBusy, StorageError, StorageFull

PATIENCE_S = 10
"""Seconds that a transaction waits for somebody else's."""
_ADVISORY = 0x6B67  # "kg": any number that other users of the database do not take
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Dialect(Protocol):
    """What `Database` must know of the database behind it."""

    def engine(self) -> sa.Engine:
        """An engine without a pool, whose connections make ordinary writes."""

    def make_durable(self, db: sa.Connection) -> None:
        """From now on `db` makes durable writes."""

    def claim(self, db: sa.Connection) -> None:
        """Keep other servers out while `db` is connected. Raises `StorageError` when another is in."""

    def lock(self, db: sa.Connection) -> None:
        """Keep others from the tables' shape until the transaction ends."""

    def snapshot(self, db: sa.Connection) -> None:
        """Let the transaction that begins see nothing of what others write."""

    def give_back(self, db: sa.Connection) -> None:
        """Give back what the data folder's disk can have back, as far as that costs no room."""

    def error(self, error: sa.exc.SQLAlchemyError) -> StorageError:
        """What an error of the driver means."""


def dialect_of(source: Path | str) -> Dialect:
    """That of a file, or of a PostgreSQL URL. Raises `StorageError` for another URL."""
    return Sqlite(source) if isinstance(source, Path) else Postgres(source)


def upsert(db: sa.Connection, table: sa.Table, values: dict[str, Any]) -> None:
    """Insert a row, or give the row with the same primary key these values."""
    insert = _INSERT[db.dialect.name](table).values(**values)
    keys = [column.name for column in table.primary_key]
    rest = {name: insert.excluded[name] for name in values if name not in keys}
    db.execute(insert.on_conflict_do_update(index_elements=keys, set_=rest))


class Sqlite:
    """A file. Its folder's lock keeps other servers out."""

    _FULL = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")
    _BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")

    def __init__(self, path: Path) -> None:
        self._path = path

    def engine(self) -> sa.Engine:
        """See `Dialect`."""
        arguments = {"check_same_thread": False, "timeout": PATIENCE_S}
        engine = _engine(sa.URL.create("sqlite", database=str(self._path)), arguments)
        sa.event.listen(engine, "connect", _pragmas)
        return engine

    def make_durable(self, db: sa.Connection) -> None:
        """See `Dialect`."""
        db.exec_driver_sql("PRAGMA synchronous=FULL")

    def claim(self, db: sa.Connection) -> None:
        """See `Dialect`."""

    def lock(self, db: sa.Connection) -> None:
        """See `Dialect`. Without it the driver would commit each change of a table by itself."""
        db.exec_driver_sql("BEGIN IMMEDIATE")

    def snapshot(self, db: sa.Connection) -> None:
        """See `Dialect`."""
        db.exec_driver_sql("BEGIN")

    def give_back(self, db: sa.Connection) -> None:
        """See `Dialect`. By itself the file keeps what is freed, and the log its size. First the log, for room."""
        script = (
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "PRAGMA incremental_vacuum",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        )
        cast(Any, db.connection.driver_connection).executescript("; ".join(script))

    def error(self, error: sa.exc.SQLAlchemyError) -> StorageError:
        """See `Dialect`."""
        name = getattr(getattr(error, "orig", None), "sqlite_errorname", None) or ""
        if name in self._FULL:
            return StorageFull.of("the disk of the data folder is full")
        if name.startswith(self._BUSY):
            return StorageBusy(
                f"another process kept the database locked for {PATIENCE_S} s", hint="Try again."
            )
        return _failed(error, "Look at the data folder's disk and rights.")


def _pragmas(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    for pragma in ("auto_vacuum=INCREMENTAL", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


class Postgres:
    """A PostgreSQL server, by psycopg. What stands in its text is escaped: there it cannot hold NUL characters."""

    _BUSY = ("08", "40", "53", "55P03", "57P")
    _SETTINGS = (
        f"SET lock_timeout = '{PATIENCE_S}s'",
        "SET synchronous_commit = off",
    )

    def __init__(self, url: str) -> None:
        try:
            parsed = sa.make_url(url)
        except sa.exc.ArgumentError:
            parsed = sa.URL.create("nothing")
        if parsed.drivername not in ("postgres", "postgresql", "postgresql+psycopg"):
            raise StorageError(
                "KERNELGATE_DATABASE_URL is no address of a PostgreSQL database",
                hint="As postgresql://USER:PASSWORD@HOST/NAME; leave it unset for SQLite in the data folder.",
            )
        self._url = parsed.set(drivername="postgresql+psycopg")

    def engine(self) -> sa.Engine:
        """See `Dialect`. Raises `StorageError` where the driver is not installed."""
        limits = {"connect_timeout": PATIENCE_S, "tcp_user_timeout": PATIENCE_S * 1000}
        try:
            escaping = import_module("api.storage.postgres")
            engine = _engine(self._url, limits)
        except ModuleNotFoundError:
            raise StorageError(
                "PostgreSQL needs the driver psycopg", hint="pip install 'kernelgate[server,postgres]'"
            ) from None
        sa.event.listen(engine, "connect", lambda connection, _: escaping.prepare(connection, self._SETTINGS))
        return engine

    def make_durable(self, db: sa.Connection) -> None:
        """See `Dialect`."""
        db.exec_driver_sql("SET synchronous_commit = on")

    def claim(self, db: sa.Connection) -> None:
        """See `Dialect`."""
        if not db.scalar(sa.select(sa.func.pg_try_advisory_lock(_ADVISORY))):
            raise StorageError(
                "another Kernelgate uses the database",
                hint="Stop it, or give this one a database of its own.",
            )

    def lock(self, db: sa.Connection) -> None:
        """See `Dialect`."""
        db.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY + 1)))

    def snapshot(self, db: sa.Connection) -> None:
        """See `Dialect`."""
        db.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    def give_back(self, db: sa.Connection) -> None:
        """See `Dialect`. It is on a disk of its own."""

    def error(self, error: sa.exc.SQLAlchemyError) -> StorageError:
        """See `Dialect`. An error without a state is one of the connection."""
        state = getattr(getattr(error, "orig", None), "sqlstate", "") or ""
        if state == "53100":
            return StorageFull.of("the disk of the database is full")
        if state.startswith(self._BUSY) or (isinstance(error, sa.exc.OperationalError) and not state):
            return StorageBusy(f"the database does not answer: {_cause(error)}", hint="Try again.")
        return _failed(error, "Look at the log of the PostgreSQL server.")


def _engine(url: sa.URL, arguments: dict[str, Any]) -> sa.Engine:
    return sa.create_engine(
        url,
        poolclass=NullPool,
        connect_args=arguments,
        hide_parameters=True,  # errors go to the log, and values are users'
    )


def _failed(error: sa.exc.SQLAlchemyError, hint: str) -> StorageError:
    return StorageError(f"the database failed: {_cause(error)}", hint=hint)


def _cause(error: sa.exc.SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).strip()[:300]
