"""The database: one thread that does all work on it, in short transactions.

Owns its connections, the thread and the migration at start. Must not know any table but Alembic's own, or what
differs between databases: that is `api/storage/dialects.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa

from api.errors import StorageError, StorageFull
from api.storage.dialects import Dialect, dialect_of
from api.storage.migrations import HEAD
from api.storage.reserve import Reserve

T = TypeVar("T")
Work = Callable[[sa.Connection], T]


class Database:
    """The database in the SQLite file, or at the PostgreSQL URL, `source`.

    `start` opens and migrates it for a server; the synchronous `open` and `run` are for commands. `reserve` is given up
    for deletions where there is no room.
    """

    def __init__(self, source: Path | str, reserve: Reserve | None = None) -> None:
        self.dialect = dialect_of(source)
        self._reserve = reserve
        self._engine = self.dialect.engine()
        self._ordinary: sa.Connection | None = None
        self._durable: sa.Connection | None = None
        self._sole = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    def open(self, *, sole: bool = False) -> None:
        """Connect, and bring an older database to the newest shape; `sole`: keep other servers out.

        Raises `StorageError`.
        """
        self._sole = sole
        self._with_reserve(self._open)

    def _open(self) -> None:
        try:
            self._ordinary = self._engine.connect()
            self._durable = self._engine.connect()
            for connection in (self._ordinary, self._durable):
                with connection.begin():
                    self._prepare(connection)
            migrate(self._ordinary, self.dialect)
        except sa.exc.SQLAlchemyError as error:
            raise self.dialect.error(error) from error

    def run(self, work: Work[T], *, durable: bool = False, grows: bool = False, frees: bool = False) -> T:
        """What `work` returns, done in one transaction. Raises `StorageError`.

        What `grows` leaves the reserve alone, what `frees` may use it.
        """
        if grows and self._reserve is not None:
            self._reserve.require()
        if not frees:
            return self._run(work, durable)
        done = self._with_reserve(lambda: self._run(work, durable))
        if self._reserve is not None and self._reserve.is_spent:
            with suppress(StorageError):  # then there is less room, and what was to be done is done
                self._run(self.dialect.give_back, False)
        return done

    def _with_reserve(self, attempt: Callable[[], T]) -> T:
        """`attempt`, once more without the reserve if there is no room."""
        try:
            return attempt()
        except StorageFull:
            if self._reserve is None or not self._reserve.spend():
                raise
            return attempt()

    def _run(self, work: Work[T], durable: bool) -> T:
        connection = self._durable if durable else self._ordinary
        assert connection is not None, "the database is not open"
        try:
            lost = connection.invalidated
            with connection.begin():
                if lost:
                    self._prepare(connection)
                return work(connection)
        except sa.exc.IntegrityError:
            raise
        except sa.exc.SQLAlchemyError as error:
            raise self.dialect.error(error) from error

    async def start(self) -> None:
        """`open` for a server, in the database's thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, lambda: self.open(sole=True))

    def do(
        self, work: Work[T], *, durable: bool = False, grows: bool = False, frees: bool = False
    ) -> asyncio.Future[T]:
        """`run`, in the database's thread, in the order of the calls."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(
            self._thread, lambda: self.run(work, durable=durable, grows=grows, frees=frees)
        )

    def close(self) -> None:
        """Finish what is queued and disconnect."""
        self._thread.submit(self._disconnect).result()
        self._thread.shutdown()

    def _prepare(self, connection: sa.Connection) -> None:
        """Make a new connection what it is for."""
        if connection is self._durable:
            self.dialect.make_durable(connection)
        elif self._sole:
            self.dialect.claim(connection)

    def _disconnect(self) -> None:
        for connection in (self._durable, self._ordinary):
            if connection is not None:
                connection.close()
        self._engine.dispose()


def migrate(connection: sa.Connection, dialect: Dialect, target: str = HEAD) -> None:
    """Bring the database to revision `target`, wholly or not at all; Alembic is imported only if need be."""
    with connection.begin():
        found = revision_of(connection)
    if found == target:
        return
    with connection.begin():
        dialect.lock(connection)
        upgrade(connection, target)


def upgrade(connection: sa.Connection, target: str) -> None:
    """Bring the database to revision `target` within the transaction that is there. Raises `StorageError`."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    found = revision_of(connection) or target
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, target)
    except CommandError:  # it does not know the revision
        raise StorageError(
            f"what is stored is of a newer Kernelgate (revision {found}, this one knows {HEAD})",
            hint="Upgrade Kernelgate, or use another KERNELGATE_DATA.",
        ) from None


def revision_of(connection: sa.Connection) -> str | None:
    """The revision that the database has; None if it is empty."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found
