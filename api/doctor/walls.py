"""The report of the walls in words: each step, what is missing, and what follows from it.

Owns the text that `kernelgate doctor` prints of them. Must not know how a wall is tried.
"""

from __future__ import annotations

from typing import Any

from api.settings import Settings
from sandbox.pool import NATIVE_LEVELS
from sandbox.walls.level import Level, Step

_MEANING = {
    Level.FULL: "every wall stands: namespaces, an empty root, landlock, seccomp, limits",
    Level.HARDENED: "landlock, seccomp and limits stand; a worker shares some of the host's namespaces",
    Level.SECCOMP: "seccomp and limits stand; files are out of reach by the filter of system calls alone",
    Level.PROCESS: "nothing stands but limits: who gets past the language policy has what the server's user has",
}


def lines(sandbox: dict[str, Any]) -> list[str]:
    """A report as `diagnose` gives it, as text: the level, every step, what is missing, what follows."""
    steps = [Step(**step) for step in sandbox["steps"]]
    text = [f"sandbox     {sandbox['level']}{': ' + sandbox['reason'] if sandbox['reason'] else ''}"]
    text += [_line(step) for step in steps]
    missing = [step.name for step in steps if not step.ok]
    if missing:
        text.append(f"  missing   {', '.join(missing)}")
    return text + [f"  follows   {fact}" for fact in sandbox["follows"]]


def device_lines(device: dict[str, Any]) -> list[str]:
    """What `diagnose` found of a device process, as text."""
    if "problem" in device:
        return [f"device      fails: {device['problem']}"]
    missing = [f"  missing   {device['missing']}"] if device["missing"] else []
    behind = f"behind {', '.join(device['walls']) or 'no wall'}"
    return [f"device      {device['adapter']}, a sum in {device['dispatch_ms']} ms, {behind}", *missing]


def consequences(level: Level, settings: Settings) -> list[str]:
    """What follows from `level` under `settings`, in sentences."""
    return [_MEANING[level], _scripts(level, settings), _native(level, settings)]


def _line(step: Step) -> str:
    mark = "yes" if step.ok else "NO "
    return f"  {mark}  {step.name}{': ' + step.detail if step.detail else ''}"


def _scripts(level: Level, settings: Settings) -> str:
    if level is not Level.PROCESS:
        return "scripts run"
    if settings.allow_weak_sandbox:
        return "scripts run all the same, as allow_weak_sandbox is set"
    return "scripts are refused (sandbox_weak), unless you start with --allow-weak-sandbox"


def _native(level: Level, settings: Settings) -> str:
    if level not in NATIVE_LEVELS:
        return "native scripts are refused (native_refused): they need the level full or hardened"
    if settings.allow_native:
        return "native scripts (grants.native) run, as allow_native is set"
    return "native scripts (grants.native) are refused, unless you set KERNELGATE_ALLOW_NATIVE=true"
