"""The tests' way behind walls: always in a fresh interpreter, which has one thread and nothing to come back to."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sandbox.walls.level import WallReport

Case = tuple[str, tuple[str, ...]]

_RUNNER = Path(__file__).with_name("runner.py")
_TIMEOUT_S = 120
_ROOT = str(Path(__file__).resolve().parents[3])


class Behind(NamedTuple):
    """What a run of the runner gave."""

    report: WallReport
    outcomes: dict[Case, str]


def run_behind_walls(
    cases: Iterable[tuple[str, Sequence[str]]], *, namespaces: bool = True, machine: str = "this"
) -> Behind:
    """Run each action of `cases` behind its walls, on `machine`. no_new_privs, which the others ask for, is added."""
    wanted = [(name, tuple(walls)) for name, walls in cases]
    sent = [(name, ["no_new_privs", *walls]) for name, walls in wanted]
    with tempfile.TemporaryDirectory() as folder:
        job = {"machine": machine, "namespaces": namespaces, "folder": folder, "cases": sent}
        done = subprocess.run(
            [sys.executable, "-I", str(_RUNNER)],
            input=json.dumps(job), capture_output=True, text=True, timeout=_TIMEOUT_S, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    answer = json.loads(done.stdout)
    return Behind(WallReport.from_dict(answer["report"]), dict(zip(wanted, answer["outcomes"], strict=True)))


def start_python(source: str, *arguments: str) -> subprocess.Popen[str]:
    """A fresh interpreter that runs `source`, with our packages importable, and text pipes."""
    program = f"import sys; sys.path.insert(0, {_ROOT!r})\n{source}"
    return subprocess.Popen(
        [sys.executable, "-I", "-c", program, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run_python(source: str, *arguments: str) -> str:
    """What `source` prints; it must end well and print no error."""
    with start_python(source, *arguments) as process:
        out, err = process.communicate(timeout=_TIMEOUT_S)
    assert (process.returncode, err) == (0, "")
    return out
