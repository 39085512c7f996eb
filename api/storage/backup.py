"""Backups: all that is stored, as it was at one moment, in one file; made while the server runs.

Owns the file's form, a tar archive: `backup.json` (a `Manifest`), `tables/NAME` (rows, see `write_row`), `blobs/DIGEST`
and `keys/NAME` (the keys in the data folder). It is the same for both databases. Must not know what a row means, but
that `blob` names one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import msgspec
import sqlalchemy as sa

from api.errors import BackupInvalid, StorageError
from api.ids import now
from api.settings import VERSION, Settings
from api.storage.blobs import sync_folder
from api.storage.database import revision_of
from api.storage.dialects import Dialect, dialect_of

FORMAT = 1
MANIFEST = "backup.json"
VERSION_TABLE = "alembic_version"
TRIES = 5
"""Snapshots that are taken until all the blobs of one were there: tensors are deleted meanwhile."""
_ROWS_AT_ONCE = 100


class Manifest(msgspec.Struct, frozen=True):
    """What a backup has: the shape of the tables, how many rows each has, and the blobs, those without a file apart."""

    format: int
    version: str
    revision: str
    created_at: str
    tables: dict[str, int]
    blobs: int
    missing: list[str]


def back_up(settings: Settings, target: Path) -> Manifest:
    """Write a backup to `target`, mode 0600.

    Raises `BackupInvalid` if it exists, or its folder does not, `StorageError`, OSError.
    """
    if target.exists():
        raise BackupInvalid(f"{target} exists", hint="Name a file that does not.")
    if not target.parent.is_dir():
        raise BackupInvalid(f"there is no folder {target.parent}", hint="Make it first.")
    require_database(settings)
    blobs = Links(settings.data / "blobs")
    try:
        with TemporaryDirectory(dir=target.parent, prefix=f"{target.name}.") as folder:
            manifest = _snapshot(dialect_of(settings.database), Path(folder), blobs)
            part = Path(folder) / "archive"
            _write(part, manifest, Path(folder), blobs, sorted(settings.data.glob("*.key")))
            part.rename(target)
            sync_folder(target.parent)
    finally:
        blobs.close()
    return manifest


def require_database(settings: Settings) -> None:
    """Raise `StorageError` where nothing was ever stored, as under a misspelt data folder."""
    if isinstance(settings.database, Path) and not settings.database.exists():
        raise StorageError(f"there is no database in {settings.data}", hint="Set KERNELGATE_DATA.")


class Links:
    """Second names of blobs, which keep their content while the server goes on and may remove them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prefix = f"backup-{secrets.token_hex(4)}-"
        self.names: dict[str, Path] = {}

    def add_all(self) -> None:
        """Hold every blob that is there."""
        if not self._folder.exists():  # no server has begun there yet
            return
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.is_file():
                    self.add(entry.name)

    def keep(self, digests: set[str]) -> list[str]:
        """Hold these and no other; those that are not there."""
        for digest in self.names.keys() - digests:
            self.names.pop(digest).unlink()
        return sorted(digest for digest in digests if not self.add(digest))

    def add(self, digest: str) -> bool:
        """Hold a blob; whether it is there."""
        if digest not in self.names:
            name = self._folder / "new" / f"{self._prefix}{digest}"
            try:
                os.link(self._folder / digest, name)
            except FileNotFoundError:
                return False
            self.names[digest] = name
        return True

    def close(self) -> None:
        """Let go of all."""
        for name in self.names.values():
            name.unlink(missing_ok=True)


def _snapshot(dialect: Dialect, folder: Path, blobs: Links) -> Manifest:
    """Write the tables into `folder`, and hold the blobs that they speak of."""
    missing: list[str] | None = None
    for _ in range(TRIES):
        before = missing
        with _transaction(dialect) as db:
            blobs.add_all()  # before the first question, whose moment all others see: what is deleted since is held
            revision = revision_of(db) or ""
            if not revision:
                raise StorageError("there is nothing in the database yet", hint="Start the server once.")
            counts, digests = _dump(db, folder)
        missing = blobs.keep(digests)
        if not missing or missing == before:
            break
    return Manifest(FORMAT, VERSION, revision, now(), counts, len(blobs.names), missing or [])


@contextlib.contextmanager
def _transaction(dialect: Dialect) -> Iterator[sa.Connection]:
    """One that sees nothing of what others write. Raises `StorageError`."""
    engine = dialect.engine()
    try:
        with engine.begin() as db:
            dialect.snapshot(db)
            yield db
    except sa.exc.SQLAlchemyError as error:
        raise dialect.error(error) from error
    finally:
        engine.dispose()


def _dump(db: sa.Connection, folder: Path) -> tuple[dict[str, int], set[str]]:
    """Write every table to a file of its name; how many rows each has, and the blobs that they name."""
    shape = sa.MetaData()
    shape.reflect(db)
    counts, blobs = {}, set()
    for table in shape.sorted_tables:
        if table.name == VERSION_TABLE:
            continue
        name = str(table.name)
        counts[name] = 0
        with (folder / name).open("wb") as file:
            write_row(file, [str(column.name) for column in table.columns])
            query = sa.select(table).execution_options(yield_per=_ROWS_AT_ONCE)
            for row in db.execute(query):
                write_row(file, list(row))
                counts[name] += 1
                blobs.add(row._mapping.get("blob"))
    return counts, {blob for blob in blobs if blob is not None}


def write_row(file: BinaryIO, row: list[Any]) -> None:
    """Add a row, or at first the columns' names: MessagePack after its length in four bytes, the highest first."""
    packed = msgspec.msgpack.encode(row)
    file.write(len(packed).to_bytes(4, "big") + packed)


def _write(part: Path, manifest: Manifest, tables: Path, blobs: Links, keys: list[Path]) -> None:
    with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
            (tables / MANIFEST).write_bytes(msgspec.json.encode(manifest))
            _add(tar, MANIFEST, tables / MANIFEST)
            for name in manifest.tables:
                _add(tar, f"tables/{name}", tables / name)
            for path in keys:
                _add(tar, f"keys/{path.name}", path)
            for digest, path in blobs.names.items():
                _add(tar, f"blobs/{digest}", path)
        file.flush()
        os.fsync(file.fileno())


def _add(tar: tarfile.TarFile, name: str, path: Path) -> None:
    with path.open("rb") as file:
        info = tarfile.TarInfo(name)
        info.size, info.mode = os.fstat(file.fileno()).st_size, 0o600
        tar.addfile(info, file)
