"""What `kernelgate doctor` tries on the device, the data folder and the database, and what it found.

Owns the trials: each is done for real, leaves nothing behind, and answers a record that has `problem` and `hint` where
it failed. Must not know how findings are shown.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from api import device_process
from api.settings import Settings
from api.storage.database import revision_of
from api.storage.dialects import Dialect, dialect_of
from api.storage.migrations import HEAD
from host.supervisor import Device, DeviceSettings
from ops.graph import Graph, Node
from shaders.errors import KernelgateError

_WRITTEN = 1 << 20
_OWNER = "doctor"


async def device(settings: Settings) -> dict[str, Any]:
    """A device process started as the server does: its adapter, its walls, and how long a sum took on it."""
    tried = Device(DeviceSettings(adapter=settings.adapter, module=device_process.MODULE))
    try:
        info = await tried.start()
        began = time.perf_counter()
        total = await _sum(tried)
        took = _milliseconds(began)
        found = {"adapter": info.name, **_fields(tried.seal), "dispatch_ms": took}
        return found if total == 6 else found | _failed(f"the adapter says that 1 + 2 + 3 is {total}")
    except KernelgateError as error:
        return _failed(error.message, error.hint)
    finally:
        await tried.close()


def storage(settings: Settings) -> dict[str, Any]:
    """The data folder, or the folder that it will be made in: room, and how long 1 MiB takes until it is on disk."""
    path = settings.data.absolute()
    folder = next(parent for parent in (path, *path.parents) if parent.exists())
    found: dict[str, Any] = {"path": str(settings.data), "exists": path.exists(), "writable": True}
    try:
        found["free_bytes"] = free = shutil.disk_usage(folder).free
        found["sync_ms"] = _written(folder)
    except OSError as error:
        failed = _failed(f"{folder}: {error.strerror}", "Name another with KERNELGATE_DATA.")
        return found | {"writable": False} | failed
    if free < settings.reserve_bytes:
        return found | _failed(
            f"{free:,} bytes are free, fewer than the reserve of {settings.reserve_bytes:,}"
        )
    return found


def database(settings: Settings) -> dict[str, Any]:
    """The database: which it is, its revision and the one that this version knows, and whether it takes a table."""
    source = settings.database
    found: dict[str, Any] = {"kind": "sqlite" if isinstance(source, Path) else "postgresql", "newest": HEAD}
    if isinstance(source, Path) and not source.exists():
        return found | {"revision": None}
    try:
        dialect = dialect_of(source)
        revision, version = _looked_at(dialect)
    except KernelgateError as error:
        return found | _failed(error.message, error.hint)
    found |= {"revision": revision, "version": version}
    if revision is not None and revision > HEAD:
        return found | _failed(f"revision {revision} is of a newer Kernelgate", "Upgrade Kernelgate.")
    return found


async def _sum(tried: Device) -> int:
    given, made = tried.new_handle(), tried.new_handle()
    await tried.upload_bytes(given, _OWNER, "i32", (3,), b"".join(n.to_bytes(4, "little") for n in (1, 2, 3)))
    read = Node("input", (), {"handle": given, "shape": [3], "dtype": "i32"})
    await tried.run_graph(1, _OWNER, Graph([read, Node("sum", (0,))], [1]), [made])
    with await tried.download(made) as elements:
        return int.from_bytes(bytes(elements.view), "little")


def _written(folder: Path) -> float:
    """The milliseconds in which a file was written and synced. Raises OSError."""
    began = time.perf_counter()
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(_WRITTEN))
        file.flush()
        os.fsync(file.fileno())
    return _milliseconds(began)


def _looked_at(dialect: Dialect) -> tuple[str | None, str]:
    """The revision, and the version of the database's own software. Raises `StorageError`."""
    try:
        engine = dialect.engine()
        with engine.connect() as db:
            with db.begin():
                revision = revision_of(db)
            with db.begin() as trial:
                dialect.lock(db)
                db.execute(sa.text("CREATE TABLE kernelgate_doctor (tried INTEGER)"))
                trial.rollback()
            version = ".".join(map(str, db.dialect.server_version_info or ()))
        engine.dispose()
        return revision, version
    except sa.exc.SQLAlchemyError as error:
        raise dialect.error(error) from error


def _fields(seal: Any) -> dict[str, Any]:
    return {"walls": list(seal.walls), "missing": seal.missing}


def _failed(problem: str, hint: str | None = None) -> dict[str, Any]:
    return {"problem": problem, "hint": hint}


def _milliseconds(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 1)
