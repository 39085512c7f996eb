"""Who goes first when a machine has too little for all: the server, before its devices.

Must not know what a device does.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_NICE = 5
"""With it a thread gets a third of what one without gets, where both want all of a core (sched(7))."""
_OOM_SCORE = 500
"""In thousandths of all memory: so much more a device seems to have when the kernel looks for whom to kill
(`proc_pid_oom_score_adj(5)`)."""


def lower() -> None:
    """Let the server go first from now on: for the CPU, every thread but the loop's; for memory, the whole process."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE))
    try:
        threads = [int(name) for name in os.listdir("/proc/self/task") if int(name) != os.getpid()]
    except OSError:  # not Linux: threads have no priority of their own
        threads = [os.getpid()]
    for thread in threads:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, _NICE)
