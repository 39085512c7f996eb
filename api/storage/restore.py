"""Restoring a backup into an empty data folder and an empty database.

Owns the order, and that a restoration is whole or leaves nothing: blobs are checked by their names, the database is
filled in one transaction and then brought up to date. Must not know what a row means.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import sqlalchemy as sa

from api.errors import BackupInvalid, StorageError
from api.settings import Settings
from api.storage.backup import FORMAT, MANIFEST, Manifest
from api.storage.blobs import sync_folder
from api.storage.database import migrate, revision_of, upgrade
from api.storage.dialects import Dialect, dialect_of
from api.storage.folder import RESTORING, take

_ENTRY = re.compile(r"tables/[a-z_]{1,64}|keys/[a-z_]{1,64}\.key|blobs/[0-9a-f]{64}")
_PIECE = 1 << 20
_ROWS_AT_ONCE = 100


def restore(settings: Settings, source: Path) -> Manifest:
    """Make the data folder and the database what `source` has. Raises `BackupInvalid`, `StorageError`, OSError."""
    _require_empty(settings.data)
    lock = take(settings.data)
    try:
        (settings.data / RESTORING).touch()
        manifest = _unpack(source, settings.data)
        _fill(dialect_of(settings.database), settings.data / "tables", manifest)
        shutil.rmtree(settings.data / "tables")
        (settings.data / RESTORING).unlink()
        sync_folder(settings.data)
    except BaseException:
        _empty(settings.data)
        raise
    finally:
        os.close(lock)
    return manifest


def _require_empty(folder: Path) -> None:
    left = [path.name for path in folder.iterdir()] if folder.exists() else []
    if set(left) - {"lock"}:
        raise StorageError(
            f"the data folder {folder} is not empty: it has {sorted(left)[0]}",
            hint="Restore into a new one: set KERNELGATE_DATA.",
        )


def _empty(folder: Path) -> None:
    """Remove what was restored so far, the mark at last."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name == RESTORING):
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


def _unpack(source: Path, folder: Path) -> Manifest:
    """Write all entries of the archive into `folder`, checked; what it says that it has."""
    found: dict[str, set[str]] = {"tables": set(), "keys": set(), "blobs": set()}
    try:
        with tarfile.open(source, "r:") as tar:
            manifest = _manifest(tar)
            for kind in found:
                (folder / kind).mkdir(mode=0o700)
            for member in tar:
                if member.name == MANIFEST:
                    continue
                if not _ENTRY.fullmatch(member.name) or not member.isfile():
                    raise BackupInvalid(f"{source} has an entry {member.name[:80]!r}, which no backup has")
                _extract(tar, member, folder / member.name)
                kind, _, name = member.name.partition("/")
                found[kind].add(name)
    except tarfile.TarError as error:
        raise BackupInvalid(f"{source} is no backup, or damaged: {error}") from None
    if found["tables"] != set(manifest.tables) or len(found["blobs"]) != manifest.blobs:
        raise BackupInvalid(f"{source} is not whole")
    for key in (folder / "keys").iterdir():
        key.rename(folder / key.name)
    (folder / "keys").rmdir()
    sync_folder(folder / "blobs")
    return manifest


def _manifest(tar: tarfile.TarFile) -> Manifest:
    first = tar.next()
    file = None if first is None or first.name != MANIFEST else tar.extractfile(first)
    if file is None:
        raise BackupInvalid("the file is no backup of Kernelgate's")
    try:
        manifest = msgspec.json.decode(file.read(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise BackupInvalid(f"the backup's description is damaged: {error}") from None
    if manifest.format != FORMAT:
        raise BackupInvalid(f"the backup has form {manifest.format}, and this Kernelgate reads form {FORMAT}")
    return manifest


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Write one entry. Raises `BackupInvalid` for a blob that is not what its name says."""
    file = tar.extractfile(member)
    assert file is not None
    digest = hashlib.sha256()
    with open(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as written:
        while piece := file.read(_PIECE):
            digest.update(piece)
            written.write(piece)
        written.flush()
        os.fsync(written.fileno())
    if target.parent.name == "blobs" and digest.hexdigest() != target.name:
        raise BackupInvalid(f"the blob {target.name[:16]} in the backup is damaged")


def _fill(dialect: Dialect, tables: Path, manifest: Manifest) -> None:
    """Make the tables as they were, put the rows in, and bring them up to date."""
    engine = dialect.engine()
    try:
        with engine.connect() as db:
            with db.begin():
                dialect.lock(db)
                if revision_of(db) is not None:
                    raise StorageError("the database is not empty", hint="Restore into a new one.")
                upgrade(db, manifest.revision)
                shape = sa.MetaData()
                shape.reflect(db)
                if strange := manifest.tables.keys() - shape.tables.keys():
                    raise BackupInvalid(f"the backup has tables that it cannot have: {sorted(strange)[0]}")
                for table in shape.sorted_tables:
                    if table.name in manifest.tables:
                        _insert(db, table, tables / table.name, manifest.tables[table.name])
            migrate(db, dialect)
    except sa.exc.SQLAlchemyError as error:
        raise dialect.error(error) from error
    finally:
        engine.dispose()


def _insert(db: sa.Connection, table: sa.Table, path: Path, count: int) -> None:
    with path.open("rb") as file:
        rows = _rows(file)
        columns = next(rows, [])
        batch: list[dict[str, Any]] = []
        for row in rows:
            batch.append(dict(zip(map(str, columns), row, strict=True)))
            count -= 1
            if len(batch) == _ROWS_AT_ONCE:
                db.execute(sa.insert(table), batch)
                batch.clear()
        if batch:
            db.execute(sa.insert(table), batch)
    if count:
        raise BackupInvalid(f"the table {table.name} in the backup is not whole")


def _rows(file: BinaryIO) -> Iterator[list[object]]:
    """What `backup.write_row` wrote."""
    while head := file.read(4):
        packed = file.read(int.from_bytes(head, "big"))
        try:
            yield msgspec.msgpack.decode(packed, type=list[object])
        except msgspec.MsgspecError as error:
            raise BackupInvalid(f"a row in the backup is damaged: {error}") from None
