"""The figures of a process that ended, against what it is known to have done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ops.processes import signal_name

HELD = 100 << 20
PROGRAM = f"""
import os
from ops.processes import peak_bytes
pid = os.fork()
if not pid:
    b"x" * {HELD}
    os._exit(0)
print(peak_bytes(os.wait4(pid, 0)[2]))
"""
"""Forks from a small process: what a program replaces counts as its own peak (getrusage(2)), so the tests' would."""


def test_the_peak_of_a_process_is_what_it_held_in_bytes() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, check=True, timeout=30
    )
    assert HELD < int(done.stdout) < 2 * HELD


def test_a_signal_without_a_name_has_its_number() -> None:
    assert [signal_name(number) for number in (9, 35, 63)] == ["SIGKILL", "signal 35", "signal 63"]
