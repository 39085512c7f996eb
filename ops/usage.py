"""What a process used that has ended, as the system tells whoever reaped it.

Owns the unit of its figures. Must not know whose process it was.
"""

from __future__ import annotations

import resource
import sys

_UNIT = 1 if sys.platform == "darwin" else 1024


def peak_bytes(usage: resource.struct_rusage) -> int:
    """The most memory that was resident at once, in bytes."""
    return usage.ru_maxrss * _UNIT
