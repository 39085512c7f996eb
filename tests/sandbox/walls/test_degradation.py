"""Machines that do not allow every wall get the next best, say why, and hold what their level promises."""

from __future__ import annotations

import os
from typing import NamedTuple

import pytest

from sandbox.walls import linux
from sandbox.walls.level import Level
from sandbox.walls.namespaces import OUTSIDE_ID
from sandbox.walls.preparation import WALLS, prepare_zygote
from sandbox.walls.probe import probe
from tests.sandbox.walls.behind import Behind, run_behind_walls
from tests.sandbox.walls.ordinary import ORDINARY

needs_linux = pytest.mark.skipif(not linux.supported(), reason="this system has no walls")


class Promise(NamedTuple):
    """What a machine gives: level, the beginning of the reason, and what attacks meet behind all walls."""

    level: Level
    reason: str
    met: dict[str, str]


_FILTERED = {
    "fork": "SIGSYS",
    "read a file": "EPERM",
    "connect by TCP": "SIGSYS",
    "signal another worker": "SIGSYS",
    "read another worker's clock": "EPERM",
    "send to an abstract socket": "EPERM",
    "make memory executable": "EPERM",
    "take much memory": "MemoryError",
}

PROMISES = {
    "this": Promise(Level.FULL, "", _FILTERED),
    "ordinary user": Promise(Level.FULL, "", _FILTERED),
    "no user namespaces": Promise(Level.HARDENED, "user namespace: ENOSPC", _FILTERED),
    "docker": Promise(Level.HARDENED, "user namespace: EPERM", _FILTERED),
    "no landlock": Promise(Level.SECCOMP, "landlock: ENOSYS", _FILTERED),
    "no seccomp": Promise(
        Level.PROCESS,
        "seccomp: ENOSYS",
        {
            "read a file": "ENOENT",
            "connect by TCP": "EACCES",
            "signal another worker": "ESRCH",
            "take much memory": "MemoryError",
        },
    ),
}


@pytest.fixture(scope="module")
def here() -> Behind:
    """This machine as it is."""
    behind = run_behind_walls([])
    if behind.report.level is not Level.FULL:
        pytest.skip(f"this machine gives level {behind.report.level}: {behind.report.reason}")
    return behind


@needs_linux
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("machine", PROMISES)
def test_a_machine_gets_its_level_and_the_walls_of_it(machine: str) -> None:
    promise = PROMISES[machine]
    behind = run_behind_walls([(name, WALLS) for name in (*promise.met, *ORDINARY)], machine=machine)
    assert behind.report.level is promise.level
    assert behind.report.reason.startswith(promise.reason)
    assert {name: behind.outcomes[name, WALLS] for name in promise.met} == promise.met
    assert {behind.outcomes[name, WALLS] for name in ORDINARY} == {"nothing"}


@needs_linux
def test_root_becomes_an_ordinary_user_of_the_host(here: Behind) -> None:
    detail = next(step.detail for step in here.report.steps if step.name == "user namespace")
    assert detail == f"as user {os.geteuid() or OUTSIDE_ID} of the host"


def test_another_system_gets_the_lowest_level_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux, "supported", lambda: False)
    prepared = prepare_zygote()
    assert prepared.lifeline is not None
    prepared.lifeline.close()
    report = prepared.report
    assert report.level is Level.PROCESS
    assert report.reason == "seccomp: this system is not Linux on x86-64 or AArch64"


@needs_linux
@pytest.mark.usefixtures("here")
def test_the_probe_attacks_every_wall_and_each_holds() -> None:
    report = probe()
    assert report.level is Level.FULL
    assert {step.name for step in report.steps if step.name.startswith("attack")} == {
        "attack: list the root folder",
        "attack: see a network",
        "attack: see a process",
        "attack: open a file",
        "attack: use an inherited descriptor",
        "attack: use privilege",
        "attack: take memory",
        "attack: take descriptors",
        "attack: make a socket",
        "attack: start a process",
    }
    assert all(step.ok for step in report.steps)


def test_a_probe_that_can_not_run_gives_the_lowest_level() -> None:
    report = probe(python="/nonexistent/python")
    assert report.level is Level.PROCESS
    assert report.reason.startswith("the probe failed: ")
