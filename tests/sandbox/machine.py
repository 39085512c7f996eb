"""Runs a program as if on another machine: `python -I machine.py MACHINE ARGUMENT…` becomes `python ARGUMENT…`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])


def interpreter_on(machine: str, folder: Path) -> str:
    """A program in `folder` that does what this Python does, on one of `MACHINES`."""
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{__file__}" "{machine}" "$@"\n')
    program.chmod(0o755)
    return str(program)


if __name__ == "__main__":
    sys.path.insert(0, ROOT)
    from tests.sandbox.walls.machines import MACHINES

    MACHINES[sys.argv[1]]()
    os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
