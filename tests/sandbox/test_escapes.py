"""Escape attempts get nothing from the language policy, even without the walls of the operating system."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FILES = sorted((HERE.parent / "escape").glob("[0-9]*.py"))
FLAG = "FLAG{a-secret-of-the-host}"
TIMEOUT_S = 100
EYES = ["003_func_globals.py", "028_traceback_frame.py", "084_re_enum_sys.py", "130_poison_module.py"]


def judged(folder: Path, files: list[Path], *options: str) -> dict[str, Any]:
    """What the judge says of `files`, run in `folder`."""
    (folder / "results").mkdir()
    (folder / "results" / "flag.txt").write_text(FLAG)
    command = [sys.executable, str(HERE / "escape_judge.py"), *options, *map(str, files)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr
    verdicts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return verdicts


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return judged(tmp_path_factory.mktemp("escapes"), FILES)


def test_the_attempts_are_there() -> None:
    assert len(FILES) >= 170


def test_the_judge_sees_what_plain_python_gives_away(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, [HERE.parent / "escape" / name for name in EYES], "--plain")
    assert all(prizes for prizes, _ in verdicts.values()), verdicts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_attempt_gets_nothing(verdicts: dict[str, Any], path: Path) -> None:
    prizes, error = verdicts[path.name]
    assert not prizes, (prizes, error)
