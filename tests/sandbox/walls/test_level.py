"""How steps add up to a level, and what is said of those that failed."""

from __future__ import annotations

import errno
import json

import pytest

from sandbox.walls.level import (
    LANDLOCK,
    NAMESPACES,
    PID,
    SECCOMP,
    USER,
    Level,
    Step,
    WallReport,
    attempt,
    level_of,
)

ALL = (*NAMESPACES, LANDLOCK, SECCOMP)


def report_without(*missing: str) -> WallReport:
    return level_of(tuple(Step(name, name not in missing, "why") for name in ALL))


@pytest.mark.parametrize(
    ("missing", "level"),
    [
        ((), Level.FULL),
        *(((name,), Level.HARDENED) for name in NAMESPACES),
        ((LANDLOCK,), Level.SECCOMP),
        ((LANDLOCK, USER), Level.SECCOMP),
        ((SECCOMP,), Level.PROCESS),
        (ALL, Level.PROCESS),
    ],
)
def test_the_level_is_that_of_the_weakest_wall(missing: tuple[str, ...], level: Level) -> None:
    assert report_without(*missing).level is level


def test_full_needs_no_reason() -> None:
    assert report_without().reason == ""


def test_the_reason_is_the_first_wall_that_a_higher_level_misses() -> None:
    assert report_without(PID).reason == f"{PID}: why"
    assert level_of((Step(LANDLOCK, True), Step(SECCOMP, True))).reason == f"{USER}: not tried"


def test_a_failed_step_names_the_error_and_what_it_mostly_means() -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    detail = attempt(USER, fail).detail
    assert detail == "ENOSPC, No space left on device (user.max_user_namespaces is reached, or 0)"


def test_an_error_that_means_nothing_special_is_named_alone() -> None:
    def fail() -> None:
        raise OSError(errno.EIO, "Input/output error")

    assert attempt(PID, fail) == Step(PID, False, "EIO, Input/output error")


def test_a_report_survives_json() -> None:
    report = report_without(PID)
    assert WallReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report
