"""The database: one thread that does all work on it, in short transactions.

Owns the engine, its durability and the migration at start. Must not know any table but Alembic's own.

SQLite runs in WAL mode. An ordinary write (`synchronous=NORMAL`) survives the death of the server at any moment;
a durable one (`FULL`: keys, kernels, uploads) also survives the loss of power, at the price of a sync.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from api.errors import StorageError
from api.migrations import HEAD

T = TypeVar("T")
Work = Callable[[sa.Connection], T]


class Database:
    """The SQLite database at `path`. `start` opens and migrates it; the synchronous `run` is for commands."""

    def __init__(self, path: Path) -> None:
        self._engine = sa.create_engine(
            f"sqlite:///{path}",
            poolclass=NullPool,
            connect_args={"check_same_thread": False, "timeout": 10},
            hide_parameters=True,  # errors go to the log, and values are users'
        )
        sa.event.listen(self._engine, "connect", _configure)
        self._ordinary: sa.Connection | None = None
        self._durable: sa.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    def open(self) -> None:
        """Connect, and bring an older database to the newest shape. Raises `StorageError`."""
        try:
            self._ordinary = self._engine.connect()
            self._durable = self._engine.connect()
            self._durable.exec_driver_sql("PRAGMA synchronous=FULL")
            self._durable.commit()
            migrate(self._ordinary)
        except sa.exc.SQLAlchemyError as error:
            raise _storage_error(error) from error

    def run(self, work: Work[T], *, durable: bool = False) -> T:
        """What `work` returns, done in one transaction. Raises `StorageError`."""
        connection = self._durable if durable else self._ordinary
        assert connection is not None, "the database is not open"
        try:
            with connection.begin():
                return work(connection)
        except sa.exc.IntegrityError:
            raise
        except sa.exc.SQLAlchemyError as error:
            raise _storage_error(error) from error

    async def start(self) -> None:
        """`open`, in the database's thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self.open)

    def do(self, work: Work[T], *, durable: bool = False) -> asyncio.Future[T]:
        """`run`, in the database's thread, in the order of the calls."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._thread, lambda: self.run(work, durable=durable))

    def close(self) -> None:
        """Finish what is queued and disconnect."""
        self._thread.submit(self._disconnect).result()
        self._thread.shutdown()

    def _disconnect(self) -> None:
        for connection in (self._durable, self._ordinary):
            if connection is not None:
                connection.close()
        self._engine.dispose()


def migrate(connection: sa.Connection) -> None:
    """Bring the database to `HEAD`; Alembic is imported only if there is something to do."""
    found = _revision(connection)
    if found == HEAD:
        return
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        with connection.begin():
            command.upgrade(config, "head")
    except CommandError:  # it does not know the revision
        raise StorageError(
            f"the data folder was written by a newer Kernelgate (revision {found}, this one knows {HEAD})",
            hint="Upgrade Kernelgate, or use another KERNELGATE_DATA.",
        ) from None


def _revision(connection: sa.Connection) -> str | None:
    with connection.begin():
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        return revision


def _configure(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _storage_error(error: sa.exc.SQLAlchemyError) -> StorageError:
    cause = getattr(error, "orig", None) or error
    return StorageError(
        f"the database failed: {cause}"[:300], hint="Look at the data folder's disk and rights."
    )
