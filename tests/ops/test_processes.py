"""The figures of a process that ended, against what it is known to have done."""

from __future__ import annotations

import os
import subprocess
import sys

from ops.processes import peak_bytes

HELD = 100 << 20


def test_the_peak_of_a_process_is_what_it_held_in_bytes() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", f"b'x' * {HELD}"]) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert HELD < peak_bytes(usage) < 2 * HELD
