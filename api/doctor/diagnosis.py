"""What `kernelgate doctor` finds: versions, adapters, the sandbox's walls, device, data folder and database.

Owns the findings, the problems among them with what follows, and their lines of text. Must not know arguments, or how
something is tried.
"""

from __future__ import annotations

import asyncio
import platform
from typing import Any

import msgspec

from api.doctor import trials, walls
from api.settings import VERSION, Settings
from host.doctor import adapters
from host.frames import DeviceInfo
from sandbox.walls.probe import probe
from shaders.errors import KernelgateError

_FOLLOWS = {
    "adapters": "no GPU and no software driver is found; the engine numpy computes all but kernels",
    "device": "the server starts, but whatever needs the device fails",
    "storage": "the server does not start, or stores nothing new",
    "database": "the server does not start",
}
"""What follows where a part has a problem. None of them is one that a server can do without."""


def diagnose(settings: Settings) -> dict[str, Any]:
    """Everything that was found, as data."""
    found: dict[str, Any] = {
        "kernelgate": VERSION,
        "python": platform.python_version(),
        "kernel": f"{platform.system()} {platform.release()}",
        **_adapters(),
        "device": asyncio.run(trials.device(settings)),
        "sandbox": _sandbox(settings),
        "storage": trials.storage(settings),
        "database": trials.database(settings),
    }
    return {**found, "problems": _problems(found)}


def _adapters() -> dict[str, Any]:
    try:
        return {"adapters": [msgspec.to_builtins(each) for each in adapters()], "adapters_problem": ""}
    except KernelgateError as error:
        return {"adapters": [], "adapters_problem": str(error)}


def _sandbox(settings: Settings) -> dict[str, Any]:
    """Every wall of this machine, tried and attacked, and what follows."""
    report = probe()
    return {**report.to_dict(), "follows": walls.consequences(report.level, settings)}


def _problems(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What a server needs and this machine lacks: each with what follows, and a hint where there is one."""
    lacking = [
        {
            "part": part,
            "problem": found[part]["problem"],
            "follows": _FOLLOWS[part],
            "hint": found[part]["hint"],
        }
        for part in ("device", "storage", "database")
        if "problem" in found[part]
    ]
    if not found["adapters"]:
        why = found["adapters_problem"] or "there is none"
        hint = "Install mesa-vulkan-drivers, or the driver of the GPU."
        lacking.append({"part": "adapters", "problem": why, "follows": _FOLLOWS["adapters"], "hint": hint})
    return lacking


def lines(found: dict[str, Any]) -> list[str]:
    """The findings as text; the problems are last."""
    text = [
        f"kernelgate  {found['kernelgate']}, Python {found['python']}, {found['kernel']}",
        _storage(found["storage"]),
        _database(found["database"]),
        *walls.lines(found["sandbox"]),
        *walls.device_lines(found["device"]),
    ]
    for adapter in found["adapters"]:
        text += _adapter(adapter)
    for lacking in found["problems"]:
        text.append(f"problem     {lacking['part']}: {lacking['problem']}")
        text.append(f"  follows   {lacking['follows']}")
        text += [f"  hint      {lacking['hint']}"] if lacking["hint"] else []
    return text if found["problems"] else [*text, "problems    none"]


def _storage(storage: dict[str, Any]) -> str:
    facts = ["exists" if storage["exists"] else "is made at the first start"]
    facts.append("writable" if storage["writable"] else "NOT WRITABLE")
    if "sync_ms" in storage:
        facts.append(f"{storage['free_bytes'] >> 30} GiB free, 1 MiB on disk in {storage['sync_ms']} ms")
    return f"data        {storage['path']} ({', '.join(facts)})"


def _database(database: dict[str, Any]) -> str:
    revision, newest = database.get("revision"), database["newest"]
    if "problem" in database:
        state = "cannot be used"
    elif revision is None:
        state = "empty: the first start makes its tables"
    else:
        older = "" if revision == newest else f": the next start brings it to {newest}"
        state = f"revision {revision}{older}"
    return f"database    {' '.join((database['kind'], database.get('version', ''))).strip()}, {state}"


def _adapter(adapter: dict[str, Any]) -> list[str]:
    info = msgspec.convert(adapter, DeviceInfo)
    limits = ", ".join(f"{name} {value:,}" for name, value in sorted(info.limits.items()))
    return [
        f"adapter     {info.name} ({info.kind}, {info.backend}, {info.driver})",
        f"  features  {', '.join(sorted(info.features)) or 'none'}",
        f"  limits    {limits}",
    ]
