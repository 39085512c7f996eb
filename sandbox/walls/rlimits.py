"""Limits of the kernel on one process: memory, processor time, files, processes.

Owns `WorkerLimits` and how it becomes the kernel's numbers. Must not know what a run is. Every limit is set hard, so
that the process cannot raise it. A worker gets wide limits when it is sealed, and the narrow ones of its run from the
server, from outside (`apply_from_outside`), before the job is sent: `setrlimit` is not among a worker's calls. Where
a system cannot do that (`FROM_OUTSIDE`), there is no filter either, and the worker does it itself.

Memory is address space beyond what the zygote had (`base`), as cgroups are often not ours to use. Processor time in
whole seconds is a net below the server's own exact watch: it is one second wider, so that the watch, which can
say what happened, is the one to fire. In a PID namespace of its own a worker is init, which SIGXCPU does not stop:
soft and hard are therefore equal, and the kernel sends SIGKILL.
"""

from __future__ import annotations

import math
import resource
from collections.abc import Mapping
from dataclasses import dataclass

_STACK_BYTES = 8 << 20
FROM_OUTSIDE = hasattr(resource, "prlimit")
"""Whether one process can put limits on another."""


@dataclass(frozen=True)
class WorkerLimits:
    """`memory_bytes` beyond the zygote's address space, `cpu_s` seconds of processor, `nofile` descriptors."""

    memory_bytes: int
    cpu_s: float
    nofile: int = 16


def address_space(pid: int | None = None) -> int | None:
    """Bytes of address space of this process, or of process `pid`; None where the system does not tell."""
    try:
        with open(f"/proc/{pid or 'self'}/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return None


def _of_a_run(limits: WorkerLimits, base: int | None) -> dict[str, int]:
    values = {"RLIMIT_CPU": math.ceil(limits.cpu_s) + 1, "RLIMIT_NOFILE": limits.nofile}
    if base is not None:
        values["RLIMIT_AS"] = base + limits.memory_bytes
    return values


_ALWAYS = {
    "RLIMIT_CORE": 0,
    "RLIMIT_FSIZE": 0,
    "RLIMIT_NPROC": 0,
    "RLIMIT_MEMLOCK": 0,
    "RLIMIT_MSGQUEUE": 0,
    "RLIMIT_RTPRIO": 0,
    "RLIMIT_NICE": 0,
    "RLIMIT_STACK": _STACK_BYTES,
}


_REFUSABLE = frozenset(["RLIMIT_STACK"])
"""What a system may refuse to set at all: macOS does so to Python (CPython issue 142317)."""


def _lowest(wanted: int, hard: int) -> int:
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def apply(limits: WorkerLimits, base: int | None) -> None:
    """Limit this process as a worker; see `lower`."""
    lower(_ALWAYS | _of_a_run(limits, base))


def lower(limits: Mapping[str, int]) -> None:
    """Limit this process, by the names of `resource`; never raises a limit that is lower.

    Kinds that the system does not have are left out. Raises ValueError or OSError where it refuses a limit, other than
    that of the stack.
    """
    for name, wanted in limits.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        try:
            _lower(kind, wanted)
        except ValueError:
            if name not in _REFUSABLE:
                raise


def _lower(kind: int, wanted: int) -> None:
    """Set a limit of this process; the server may lower it, from outside, at the same moment."""
    while True:
        value = _lowest(wanted, resource.getrlimit(kind)[1])
        try:
            resource.setrlimit(kind, (value, value))
            return
        except ValueError:  # it would be raised
            if _lowest(value, resource.getrlimit(kind)[1]) == value:
                raise


def apply_from_outside(pid: int, limits: WorkerLimits, base: int | None) -> None:
    """Limit process `pid` to one run's limits; never raises a limit that is lower.

    The caller must be of the same user as the process, or above it; `base` is the zygote's (`Prepared.base`). Raises
    ProcessLookupError when the process is gone. Only where `FROM_OUTSIDE`.
    """
    for name, wanted in _of_a_run(limits, base).items():
        kind = getattr(resource, name)
        value = _lowest(wanted, resource.prlimit(pid, kind)[1])
        resource.prlimit(pid, kind, (value, value))
