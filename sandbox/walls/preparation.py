"""From a warm zygote to sealed workers: every wall, in its order.

Owns the order, and what happens where a wall cannot be had: the next is put up all the same, and the report says so.
Must not know what a worker does.

    prepared = prepare_zygote()        # once, with one thread, when everything is imported
    prepared.before_fork()             # for each worker
    if os.fork() == 0:
        prepared.seal(limits, keep={0, 1, 2, 3})   # the worker's last privileged act

Between `before_fork` and `os.fork` the zygote must fork nothing else. A worker dies with its zygote: by the
parent-death signal, and where it has a PID namespace, because the zygote is process 1 of the one above; on other
systems than Linux by its `Lifeline`. A killed worker stays a zombie until the zygote waits for it, so the zygote must.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass

from sandbox.walls import capabilities, descriptors, keeper, landlock, linux, namespaces, rlimits, seccomp
from sandbox.walls.level import LANDLOCK, SECCOMP, Step, WallReport, attempt, level_of
from sandbox.walls.numbers import architecture
from sandbox.walls.rlimits import WorkerLimits
from sandbox.walls.syscalls import WORKER

WALLS = (
    "no_new_privs",
    "undumpable",
    "parent_death",
    "landlock",
    "descriptors",
    "capabilities",
    "rlimits",
    "seccomp",
)
"""The walls that `Prepared.seal` puts up, in this order; the namespaces are there before."""

WALLS_ELSEWHERE = ("parent_death", "descriptors", "rlimits")
"""Those of `WALLS` that every system has."""


@dataclass(frozen=True)
class Prepared:
    """A zygote that can make sealed workers. `base`: bytes of its address space, None where the system hides them.

    A wall that the machine does not have is None here and is left out of `seal`; `lifeline` is None on Linux.
    """

    report: WallReport
    base: int | None
    pid: int
    pid_namespaces: namespaces.PidNamespaces | None
    ruleset: int | None
    program: bytes | None
    lifeline: keeper.Lifeline | None = None

    def before_fork(self) -> None:
        """Give the next child a PID namespace of its own, where there are any. Raises OSError (ENOSPC: too many)."""
        if self.pid_namespaces is not None:
            self.pid_namespaces.next()

    def seal(self, limits: WorkerLimits, keep: Collection[int], walls: Collection[str] = WALLS) -> None:
        """Put up `walls` around this process, a fresh child of the zygote, for ever. Raises OSError.

        Every descriptor but those in `keep` is closed. After a failure the caller must end the process: it may be
        half sealed. Fewer walls than all are for tests of the others.
        """
        actions: dict[str, Callable[[], None]] = {
            "no_new_privs": capabilities.forbid_new,
            "undumpable": capabilities.make_undumpable,
            "parent_death": self._die_with_zygote,
            "landlock": self._enforce_landlock,
            "descriptors": lambda: self._close_all_but(keep),
            "capabilities": capabilities.drop,
            "rlimits": lambda: rlimits.apply(limits, self.base),
            "seccomp": self._enforce_seccomp,
        }
        for name in walls_here():
            if name in walls:
                actions[name]()

    def _die_with_zygote(self) -> None:
        if self.lifeline is not None:
            self.lifeline.watch()
            return
        keeper.die_with_parent()
        if self.pid_namespaces is None and os.getppid() != self.pid:  # it died before the line above
            os._exit(1)

    def _close_all_but(self, keep: Collection[int]) -> None:
        descriptors.close_all_but(keep if self.lifeline is None else {*keep, self.lifeline.descriptor})

    def _enforce_landlock(self) -> None:
        if self.ruleset is not None:
            landlock.enforce(self.ruleset)

    def _enforce_seccomp(self) -> None:
        if self.program is not None:
            seccomp.enforce(self.program)


def walls_here() -> tuple[str, ...]:
    """The walls of `WALLS` that this system has, as far as it is known without trying."""
    return WALLS if linux.supported() else WALLS_ELSEWHERE


def prepare_zygote(*, use_namespaces: bool = True) -> Prepared:
    """Make this process, which has one thread, a zygote; does the best that the machine allows, and never raises.

    The process that returns may be a child of the one that called (`keeper.py`): take its pid, and make its pidfds,
    afterwards. It has no files any more (nothing can be imported), no network, and where the caller was root, another
    user. `use_namespaces=False` leaves them out: for tests of the other walls.
    """
    if not linux.supported():
        report = level_of((Step(SECCOMP, False, "this system is not Linux on x86-64 or AArch64"),))
        base, lifeline = rlimits.address_space(), keeper.Lifeline()
        return Prepared(report, base, os.getpid(), None, None, None, lifeline)
    base = rlimits.address_space()
    steps, pid_namespaces = namespaces.enter() if use_namespaces else ((), None)
    ruleset, landlock_step = _landlock()
    program, seccomp_step = _seccomp()
    capabilities.empty_bounding_set()
    capabilities.make_undumpable()
    report = level_of((*steps, landlock_step, seccomp_step))
    return Prepared(report, base, os.getpid(), pid_namespaces, ruleset, program)


def _landlock() -> tuple[int | None, Step]:
    ruleset: int | None = None

    def create() -> str:
        nonlocal ruleset
        ruleset = landlock.create()
        return landlock.describe(landlock.abi())

    step = attempt(LANDLOCK, create)
    return ruleset, step


def _seccomp() -> tuple[bytes | None, Step]:
    machine = architecture()
    assert machine is not None, "asked only where the system is supported"
    step = attempt(SECCOMP, seccomp.check_available)
    return (seccomp.assemble(WORKER, machine) if step.ok else None), step
