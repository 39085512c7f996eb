"""What the walls of a device process stop, each of them alone, all together, and with one missing; what they allow."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from sandbox.walls import linux
from sandbox.walls.device import WALLS, begin, finish, sealed
from sandbox.walls.level import Step
from tests.sandbox.walls.attacks import ATTACKS
from tests.sandbox.walls.behind import run_python
from tests.sandbox.walls.device_outcomes import (
    ALLOWED,
    BY_LANDLOCK,
    DRIVERS,
    LANDLOCK_SPARES,
    REFUSED,
    refusal,
)
from tests.sandbox.walls.driverlike import DRIVERLIKE, DRIVERLIKE_OF_GPU

pytestmark = pytest.mark.skipif(not linux.supported(), reason="this system has no walls")

RUNNER = Path(__file__).with_name("device_runner.py")
TIMEOUT_S = 120
NO_NEW_PRIVS = ("no_new_privs",)

CASES = [(driver, name) for driver in DRIVERS for name in REFUSED[driver]]
ALONE = [
    (name, wall)
    for name in REFUSED["software"]
    for wall in ("capabilities", "landlock")
    if wall in ATTACKS[name].alone and not (wall == "landlock" and name in LANDLOCK_SPARES)
]
WORKS = [
    *((driver, name) for driver in DRIVERS for name in (*sorted(ALLOWED[driver]), *DRIVERLIKE)),
    *(("gpu", name) for name in DRIVERLIKE_OF_GPU),
]


def run(driver: str, cases: Iterable[tuple[str, tuple[str, ...]]], machine: str = "this") -> list[str]:
    """What each of `cases` met."""
    with tempfile.TemporaryDirectory() as folder:
        job = {"machine": machine, "driver": driver, "folder": folder, "cases": list(cases)}
        done = subprocess.run(
            [sys.executable, "-I", str(RUNNER)],
            input=json.dumps(job), capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    outcomes: list[str] = json.loads(done.stdout)
    return outcomes


def without(wall: str) -> tuple[str, ...]:
    return tuple(other for other in WALLS if other != wall)


@cache
def outcomes(driver: str) -> dict[tuple[str, tuple[str, ...]], str]:
    """Everything that is asked of this machine."""
    names = REFUSED[driver]
    cases = [(name, walls) for name in names for walls in (WALLS, without("seccomp"), without("landlock"))]
    cases += [(name, (*NO_NEW_PRIVS, wall)) for name, wall in ALONE if name in names]
    cases += [(name, WALLS) for works, name in WORKS if works == driver]
    cases += [(name, ()) for name in names]
    cases.append(("abort", WALLS))
    met = dict(zip(cases, run(driver, cases), strict=True))
    if any(outcome.startswith(WALLS) for outcome in met.values()):
        pytest.skip(f"this machine has not every wall: {met['abort', WALLS]}")
    return met


def _skip_where_refused(name: str) -> None:
    bare = outcomes("software")[name, ()]
    if bare in {"EPERM", "EACCES", "ENOSYS"}:
        pytest.skip(f"this machine or user is refused without walls: {bare}")


@pytest.mark.parametrize(("driver", "name"), CASES)
def test_all_walls_together_stop_an_attack(driver: str, name: str) -> None:
    assert outcomes(driver)[name, WALLS] == refusal(driver, name)


@pytest.mark.parametrize(("name", "wall"), ALONE)
def test_a_wall_alone_stops_an_attack(name: str, wall: str) -> None:
    _skip_where_refused(name)
    assert outcomes("software")[name, (*NO_NEW_PRIVS, wall)] == ATTACKS[name].alone[wall]


@pytest.mark.parametrize(("driver", "name"), CASES)
def test_without_landlock_the_filter_stops_all_but_files_of_a_gpu(driver: str, name: str) -> None:
    met = outcomes(driver)[name, without("landlock")]
    if driver == "gpu" and name in BY_LANDLOCK:
        assert met in ("nothing", ATTACKS[name].alone.get("capabilities", "nothing"))
    else:
        assert met == refusal(driver, name)


@pytest.mark.parametrize("name", sorted({name for name, _ in ALONE}))
def test_without_the_filter_landlock_and_lost_privilege_still_stop_an_attack(name: str) -> None:
    _skip_where_refused(name)
    walls = {wall for attack, wall in ALONE if attack == name}
    assert outcomes("software")[name, without("seccomp")] in {ATTACKS[name].alone[wall] for wall in walls}


@pytest.mark.parametrize(("driver", "name"), WORKS)
def test_what_drivers_do_works_behind_all_walls(driver: str, name: str) -> None:
    assert outcomes(driver)[name, WALLS] == "nothing"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_native_panic_still_ends_the_process_by_its_own_signal(driver: str) -> None:
    assert outcomes(driver)["abort", WALLS] == "SIGABRT"


@pytest.mark.parametrize(
    ("machine", "driver", "name", "met"),
    [
        ("ordinary user", "software", "read a file", "EPERM"),
        ("ordinary user", "gpu", "read a file", "EACCES"),
        ("ordinary user", "software", "fork", "EPERM"),
        ("docker", "software", "trace the server", "SIGSYS"),
        ("no landlock", "software", "read a file", "landlock:EPERM"),
        ("no landlock", "gpu", "read a file", "landlock:nothing"),
        ("no landlock", "gpu", "connect by TCP", "landlock:EPERM"),
        ("no seccomp", "software", "read a file", "seccomp:EACCES"),
        ("no seccomp", "gpu", "connect by TCP", "seccomp:EACCES"),
        ("no seccomp", "software", "trace the server", "seccomp:EPERM"),
    ],
)
def test_a_machine_without_a_wall_says_so_and_has_the_others(
    machine: str, driver: str, name: str, met: str
) -> None:
    outcomes("software")  # skips where this machine has not every wall
    assert run(driver, [(name, WALLS)], machine) == [met]


@pytest.mark.parametrize("name", [*DRIVERLIKE, "abort"])
def test_an_ordinary_user_s_driver_works_behind_all_walls(name: str) -> None:
    outcomes("software")
    assert run("software", [(name, WALLS)], "ordinary user") == ["SIGABRT" if name == "abort" else "nothing"]


def test_it_leaves_no_core_file_and_no_debugger_of_the_same_user_may_look() -> None:
    told = run_python(
        "import resource\n"
        "from sandbox.walls import linux\n"
        "from sandbox.walls.device import finish\n"
        "finish('software', ('undumpable', 'rlimits'))\n"
        "print(linux.prctl(3), resource.getrlimit(resource.RLIMIT_CORE)[1], end='')\n"
    )
    assert told == "0 0"


def test_the_first_wall_that_is_missing_is_named() -> None:
    steps = (
        Step("landlock", False, "ENOSYS, no"),
        Step("rlimits", True),
        Step("seccomp", False, "EPERM, no"),
    )
    assert sealed(steps) == (("rlimits",), "landlock: ENOSYS, no")


def test_another_system_has_no_walls_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux, "supported", lambda: False)
    steps = (*begin([]), *finish("software"))
    assert sealed(steps) == ((), "seccomp: this system is not Linux on x86-64 or AArch64")
