"""What stands around a worker on this machine: steps that were tried, and the level that they add up to.

Owns the words that `/healthz`, the log and each run show. Must not know how a step is done.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How much of the design is in force; see `level_of`."""

    FULL = "full"
    HARDENED = "hardened"
    SECCOMP = "seccomp"
    PROCESS = "process"


@dataclass(frozen=True)
class Step:
    """One thing that was tried: its name, whether it worked, and what was got or why not."""

    name: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True)
class WallReport:
    """The level, every step behind it, and why it is not a higher one (empty at `full`)."""

    level: Level
    steps: tuple[Step, ...]
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> WallReport:
        """The inverse of `to_dict`; raises ValueError, KeyError or TypeError on what it did not write."""
        steps = tuple(Step(**step) for step in fields["steps"])
        return cls(Level(fields["level"]), steps, fields["reason"])


SECCOMP = "seccomp"
LANDLOCK = "landlock"
USER = "user namespace"
NETWORK = "network namespace"
IPC = "ipc namespace"
MOUNT = "mount namespace"
ROOT = "empty root"
PID = "pid namespace"
UTS = "uts namespace"  # good to have, not asked for by a level: as the next
CGROUP = "cgroup namespace"

NAMESPACES = (USER, NETWORK, IPC, MOUNT, ROOT, PID)

_HINTS = {
    (USER, errno.ENOSPC): "user.max_user_namespaces is reached, or 0",
    (USER, errno.EPERM): "a container's seccomp profile, AppArmor or a sysctl forbids user namespaces",
    (USER, errno.EINVAL): "the process has threads, or is in a chroot",
    (LANDLOCK, errno.ENOSYS): "the kernel is older than 5.13, or built without landlock",
    (LANDLOCK, errno.EOPNOTSUPP): "landlock is built in but not enabled at boot (lsm=)",
    (SECCOMP, errno.ENOSYS): "the kernel is older than 3.17, or built without seccomp",
    (SECCOMP, errno.EOPNOTSUPP): "the kernel is older than 4.14",
}


def explain(name: str, error: OSError) -> str:
    """Why step `name` failed: the error's symbol, the call, and what it mostly means."""
    code = error.errno or 0
    text = f"{errno.errorcode.get(code, code)}, {error.strerror or error}"
    hint = _HINTS.get((name, code))
    return f"{text} ({hint})" if hint else text


def attempt(name: str, action: Callable[[], str | None]) -> Step:
    """Do `action`; its text, or the reason of its OSError, becomes the step's detail."""
    try:
        return Step(name, True, action() or "")
    except OSError as error:
        return Step(name, False, explain(name, error))


def level_of(steps: tuple[Step, ...]) -> WallReport:
    """`full`: all namespaces, landlock, seccomp. `hardened`: no namespaces, or not all. `seccomp`: no landlock.

    `process`: not even seccomp; nothing but limits. A step that was not tried counts as missing.
    """
    got = {step.name for step in steps if step.ok}
    if SECCOMP not in got:
        return WallReport(Level.PROCESS, steps, _first_missing(steps, (SECCOMP,)))
    if LANDLOCK not in got:
        return WallReport(Level.SECCOMP, steps, _first_missing(steps, (LANDLOCK,)))
    if not got.issuperset(NAMESPACES):
        return WallReport(Level.HARDENED, steps, _first_missing(steps, NAMESPACES))
    return WallReport(Level.FULL, steps)


def _first_missing(steps: tuple[Step, ...], names: tuple[str, ...]) -> str:
    tried = {step.name: step for step in steps}
    for name in names:
        step = tried.get(name)
        if step is None:
            return f"{name}: not tried"
        if not step.ok:
            return f"{name}: {step.detail}"
    raise AssertionError("nothing is missing")
