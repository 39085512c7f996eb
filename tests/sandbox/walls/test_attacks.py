"""Each wall alone stops what it is said to stop; all together stop everything; any one may be missing."""

from __future__ import annotations

import os

import pytest

from sandbox.walls import linux
from sandbox.walls.level import Level
from sandbox.walls.preparation import WALLS
from tests.sandbox.walls.attacks import ATTACKS
from tests.sandbox.walls.behind import Behind, Case, run_behind_walls
from tests.sandbox.walls.ordinary import ORDINARY

pytestmark = pytest.mark.skipif(not linux.supported(), reason="this system has no walls")

REFUSALS = {"EPERM", "EACCES", "ENOSYS", "SIGSYS"}
ENDLESS = "run for ever"
ADMIN_AND_TRACE = 1 << 21 | 1 << 19

ALONE = [(name, wall) for name, attack in ATTACKS.items() for wall in attack.alone]
REMOVED = [(name, wall) for name, wall in ALONE if len(ATTACKS[name].alone) > 1]


def _without(wall: str) -> tuple[str, ...]:
    return tuple(other for other in WALLS if other != wall)


@pytest.fixture(scope="module")
def bare() -> Behind:
    """Everything that is asked without namespaces."""
    names = [name for name in ATTACKS if name != ENDLESS]
    cases: list[Case] = [(name, ()) for name in names]
    cases += [(name, (wall,)) for name, wall in ALONE if wall != "namespaces"]
    cases += [(name, WALLS) for name, wall in REMOVED if wall == "namespaces"]
    return run_behind_walls(cases, namespaces=False)


@pytest.fixture(scope="module")
def spaced() -> Behind:
    """Everything that is asked behind namespaces."""
    names = [name for name in ATTACKS if name != ENDLESS]
    cases: list[Case] = [(name, ()) for name in names]
    cases += [(name, WALLS) for name in ATTACKS]
    cases += [(name, _without(wall)) for name, wall in REMOVED if wall != "namespaces"]
    cases += [(name, WALLS) for name in ORDINARY]
    cases.append(("fork", ("rlimits",)))
    behind = run_behind_walls(cases)
    if behind.report.level is not Level.FULL:
        pytest.skip(f"this machine gives level {behind.report.level}: {behind.report.reason}")
    return behind


@pytest.mark.parametrize("name", sorted(ATTACKS.keys() - {ENDLESS}))
def test_an_attack_works_where_there_is_no_wall(bare: Behind, name: str) -> None:
    met = bare.outcomes[name, ()]
    if met in REFUSALS and (ATTACKS[name].machine_refuses or os.geteuid() != 0 or _in_container()):
        pytest.skip(f"this machine or user is refused without walls: {met}")
    assert met not in REFUSALS


def _in_container() -> bool:
    """Whether root lacks the capabilities to administer and to trace, as in most containers."""
    with open("/proc/self/status", encoding="ascii") as status:
        effective = next(line.split()[1] for line in status if line.startswith("CapEff"))
    return int(effective, 16) & ADMIN_AND_TRACE != ADMIN_AND_TRACE


@pytest.mark.parametrize(("name", "wall"), ALONE)
def test_a_wall_alone_stops_an_attack(
    bare: Behind, request: pytest.FixtureRequest, name: str, wall: str
) -> None:
    expected = ATTACKS[name].alone[wall]
    without_walls = bare.outcomes.get((name, ()), "nothing")
    if wall != "seccomp" and without_walls in REFUSALS:
        pytest.skip(f"this machine refuses it without walls: {without_walls}")
    if wall == "namespaces":
        assert request.getfixturevalue("spaced").outcomes[name, ()] == expected
    else:
        assert bare.outcomes[name, (wall,)] == expected


@pytest.mark.parametrize("name", ATTACKS)
def test_all_walls_together_stop_an_attack(spaced: Behind, name: str) -> None:
    assert spaced.outcomes[name, WALLS] in ATTACKS[name].alone.values()


@pytest.mark.parametrize(("name", "wall"), REMOVED)
def test_an_attack_is_stopped_though_one_wall_is_missing(
    bare: Behind, request: pytest.FixtureRequest, name: str, wall: str
) -> None:
    if wall == "namespaces":
        met = bare.outcomes[name, WALLS]
    else:
        met = request.getfixturevalue("spaced").outcomes[name, _without(wall)]
    assert met != "nothing"
    assert met in {*ATTACKS[name].alone.values(), *REFUSALS}


def test_as_root_the_limit_of_processes_holds_too_because_the_worker_is_another_user(spaced: Behind) -> None:
    assert spaced.outcomes["fork", ("rlimits",)] == "EAGAIN"


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_python_works_behind_all_walls(spaced: Behind, name: str) -> None:
    assert spaced.outcomes[name, WALLS] == "nothing"
