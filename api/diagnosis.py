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

from api import device_process, walls
from api.settings import VERSION, Settings
from host.doctor import adapters
from host.frames import DeviceInfo
from host.supervisor import Device, DeviceSettings
from sandbox.walls.probe import probe
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
        "kernel": f"{platform.system()} {platform.release()}",
        "adapters": [msgspec.to_builtins(adapter) for adapter in found],
        "adapters_problem": why,
        "device": asyncio.run(_device(settings)),
        "sandbox": _sandbox(settings),
        "data": _folder(settings.data),
    }


async def _device(settings: Settings) -> dict[str, Any]:
    """A device process started as the server does: the adapter, its walls, which is missing; or why it fails."""
    device = Device(DeviceSettings(adapter=settings.adapter, module=device_process.MODULE))
    try:
        info = await device.start()
        return {"adapter": info.name, **msgspec.to_builtins(device.seal)}
    except KernelgateError as error:
        return {"problem": str(error), "hint": error.hint}
    finally:
        await device.close()


def _sandbox(settings: Settings) -> dict[str, Any]:
    """Every wall of this machine, tried and attacked, and what follows."""
    report = probe()
    return {**report.to_dict(), "follows": walls.consequences(report.level, settings)}


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
    folder = found["data"]
    text = [
        f"kernelgate  {found['kernelgate']}, Python {found['python']}, {found['kernel']}",
        f"data        {folder['path']} ({'exists' if folder['exists'] else 'is made at the first start'}, "
        f"{'writable' if folder['writable'] else 'NOT WRITABLE'}, {folder['free_bytes'] >> 30} GiB free)",
        *walls.lines(found["sandbox"]),
        *walls.device_lines(found["device"]),
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
