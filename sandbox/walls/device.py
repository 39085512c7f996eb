"""The walls around a process that computes on a device for strangers: every wall, at one of two moments.

Owns the order. Must not know what the process is.

    first = begin(program)     # before anything else: one thread, neither NumPy nor a driver loaded
    ...                        # load them, open the device
    last = finish("software")  # no stranger's byte has been seen
    sealed((*first, *last))

Landlock and capabilities belong to a thread and pass to those that it starts, so they come first and must leave what
loading needs (`device_files.py`). The filter of system calls can be put on all threads at once, so it comes last and
leaves what running needs (`device_syscalls.py`). A wall that cannot be had is left out, and the outcome says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from sandbox.walls import capabilities, landlock, linux, rlimits, seccomp
from sandbox.walls.device_files import allowed
from sandbox.walls.device_syscalls import Driver, device
from sandbox.walls.level import LANDLOCK, SECCOMP, Step, attempt
from sandbox.walls.numbers import architecture

FIRST = ("no_new_privs", "capabilities", LANDLOCK)
LAST = ("undumpable", "rlimits", SECCOMP)
WALLS = (*FIRST, *LAST)
"""The walls in the order in which they go up."""

_UNSUPPORTED = Step(SECCOMP, False, "this system is not Linux on x86-64 or AArch64")
_LIMITS = {
    "RLIMIT_CORE": 0,
    "RLIMIT_NOFILE": 4096,
    "RLIMIT_NPROC": 8192,  # counted over all threads of the user, so wide enough for a desktop's
    "RLIMIT_MSGQUEUE": 0,
    "RLIMIT_RTPRIO": 0,
    "RLIMIT_NICE": 0,
}


class Sealed(NamedTuple):
    """The walls that stand, and why another does not (empty: all stand)."""

    walls: tuple[str, ...]
    missing: str


def begin(program: Collection[str], walls: Collection[str] = WALLS) -> tuple[Step, ...]:
    """Put up the walls of `FIRST` around this process, which has one thread, for ever.

    It can then read what is at or below the paths `program`, libraries and drivers' files, and open graphics devices;
    nothing else. Fewer walls than all are for tests of the others. Raises PermissionError, with the path, when it
    could read a folder of its program by privilege only.
    """
    folders = [path for path in program if os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK)]
    actions: dict[str, Callable[[], str | None]] = {
        "no_new_privs": capabilities.forbid_new,
        "capabilities": _drop_capabilities,
        LANDLOCK: lambda: _enforce_landlock(program),
    }
    steps = _put_up(FIRST, actions, walls)
    for folder in folders:
        os.listdir(folder)
    return steps


def finish(driver: Driver, walls: Collection[str] = WALLS) -> tuple[Step, ...]:
    """Put up the walls of `LAST`, around all threads, for ever; what is open stays open."""
    actions: dict[str, Callable[[], str | None]] = {
        "undumpable": capabilities.make_undumpable,
        "rlimits": lambda: rlimits.lower(_LIMITS | {"RLIMIT_FSIZE": _machine_memory()}),
        SECCOMP: lambda: _enforce_seccomp(driver),
    }
    return _put_up(LAST, actions, walls)


def sealed(steps: Iterable[Step]) -> Sealed:
    """What `steps` add up to."""
    steps = tuple(steps)
    failed = [f"{step.name}: {step.detail}" for step in steps if not step.ok]
    return Sealed(tuple(step.name for step in steps if step.ok), failed[0] if failed else "")


def _put_up(
    order: Iterable[str], actions: dict[str, Callable[[], str | None]], walls: Collection[str]
) -> tuple[Step, ...]:
    if not linux.supported():
        return (_UNSUPPORTED,)
    return tuple(attempt(name, actions[name]) for name in order if name in walls)


def _drop_capabilities() -> None:
    capabilities.empty_bounding_set()
    capabilities.drop()


def _enforce_landlock(program: Collection[str]) -> None:
    ruleset = landlock.create(allowed(program, os.environ))
    try:
        landlock.enforce(ruleset)
    finally:
        os.close(ruleset)


def _enforce_seccomp(driver: Driver) -> None:
    machine = architecture()
    assert machine is not None, "asked only where the system is supported"
    seccomp.enforce(seccomp.assemble(device(driver, os.getpid()), machine))


def _machine_memory() -> int:
    """Bytes: no memory file can sensibly be larger."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
