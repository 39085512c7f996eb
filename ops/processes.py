"""What a system tells of a process that ended.

Owns the units, and the names of signals. It stands here since whoever reaps devices and whoever reaps workers may not
import each other. Must not know either.
"""

from __future__ import annotations

import resource
import signal
import sys


def peak_bytes(usage: resource.struct_rusage) -> int:
    """The most memory that was resident at once: `ru_maxrss` is in bytes on macOS, in KiB elsewhere (getrusage(2)).

    A process that replaced another, which is how programs are started, has the other's peak at least.
    """
    return usage.ru_maxrss if sys.platform == "darwin" else usage.ru_maxrss << 10


def own_peak_bytes() -> int:
    """The most memory that this process had resident at once: what a program that it starts begins with."""
    return peak_bytes(resource.getrusage(resource.RUSAGE_SELF))


def signal_name(number: int) -> str:
    """What a signal is called. Most of the real-time signals have no name, and end a process like others."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
