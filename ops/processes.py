"""What a system tells of a process that ended.

Owns the units. It stands here since whoever reaps devices and whoever reaps workers may not import each other. Must not
know either.
"""

from __future__ import annotations

import resource
import sys


def peak_bytes(usage: resource.struct_rusage) -> int:
    """The most memory that was resident at once: `ru_maxrss` is in bytes on macOS, in KiB elsewhere (getrusage(2))."""
    return usage.ru_maxrss if sys.platform == "darwin" else usage.ru_maxrss << 10
