"""What `kernelgate doctor` finds: versions, adapters, the sandbox's walls, the data folder.

Owns the findings and their lines of text. Must not know arguments.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
from pathlib import Path
from typing import Any

import msgspec

from api.settings import VERSION, Settings
from host.doctor import adapters
from host.frames import DeviceInfo
from sandbox.pool import PoolSettings, WorkerPool
from shaders.errors import KernelgateError


def diagnose(settings: Settings) -> dict[str, Any]:
    """Everything that was found, as data."""
    try:
        found, why = adapters(), ""
    except KernelgateError as error:
        found, why = [], str(error)
    return {
        "kernelgate": VERSION,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "adapters": [msgspec.to_builtins(adapter) for adapter in found],
        "adapters_problem": why,
        "sandbox": asyncio.run(_sandbox()),
        "data": _folder(settings.data),
    }


async def _sandbox() -> dict[str, str]:
    """Start the workers once, to see how strong their walls are."""
    pool = WorkerPool(PoolSettings(size=1))
    try:
        await pool.start()
        return {"level": pool.level, "reason": pool.reason}
    except KernelgateError as error:
        return {"level": "none", "reason": str(error)}
    finally:
        await pool.close()


def _folder(path: Path) -> dict[str, Any]:
    existing = (
        path if path.exists() else next(parent for parent in path.absolute().parents if parent.exists())
    )
    return {
        "path": str(path),
        "exists": path.exists(),
        "writable": os.access(existing, os.W_OK),
        "free_bytes": shutil.disk_usage(existing).free,
    }


def lines(found: dict[str, Any]) -> list[str]:
    """The findings as text."""
    folder, sandbox = found["data"], found["sandbox"]
    text = [
        f"kernelgate  {found['kernelgate']}, Python {found['python']}, Linux {found['kernel']}",
        f"data        {folder['path']} ({'exists' if folder['exists'] else 'is made at the first start'}, "
        f"{'writable' if folder['writable'] else 'NOT WRITABLE'}, {folder['free_bytes'] >> 30} GiB free)",
        f"sandbox     {sandbox['level']}{': ' + sandbox['reason'] if sandbox['reason'] else ''}",
    ]
    if not found["adapters"]:
        text.append(f"adapters    none: {found['adapters_problem'] or 'install mesa-vulkan-drivers'}")
    for adapter in found["adapters"]:
        text += _adapter(adapter)
    return text


def _adapter(adapter: dict[str, Any]) -> list[str]:
    info = msgspec.convert(adapter, DeviceInfo)
    limits = ", ".join(f"{name} {value:,}" for name, value in sorted(info.limits.items()))
    return [
        f"adapter     {info.name} ({info.kind}, {info.backend}, {info.driver})",
        f"  features  {', '.join(sorted(info.features)) or 'none'}",
        f"  limits    {limits}",
    ]
