"""The figures of a process that ended, against what it is known to have done."""

from __future__ import annotations

import subprocess
import sys

HELD = 100 << 20
PARENT = """
import os, subprocess, sys
from ops.processes import peak_bytes
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "b'x' * int(input())"], stdin=subprocess.PIPE)
child.stdin.write(sys.argv[1].encode()); child.stdin.close()
print(peak_bytes(os.wait4(child.pid, 0)[2]))
child.returncode = 0
"""
"""A small process: the peak of a child begins at what its parent had when it was made."""


def test_the_peak_of_a_process_is_what_it_held_in_bytes() -> None:
    command = [sys.executable, "-c", PARENT, str(HELD)]
    found = subprocess.run(command, capture_output=True, check=True, timeout=60, text=True)
    assert HELD < int(found.stdout) < 2 * HELD
