"""Open descriptors: a new process has its parent's, and must close what it should not hold.

Owns closing. Must not know what they are. It asks no `/proc`: behind an empty root there is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from sandbox.walls import linux

_PLAUSIBLE = 65_536  # the end where the kernel cannot close a range, and each number is tried


def close_all_but(kept: Iterable[int]) -> None:
    """Close every descriptor of this process that is not in `kept`."""
    first = 0
    for descriptor in sorted(kept):
        if descriptor > first:  # `closerange(0, 0)` would close everything
            os.closerange(first, descriptor)
        first = descriptor + 1
    _close_from(first)


def _close_from(first: int) -> None:
    try:
        linux.call("close_range", first, 0xFFFF_FFFF, 0)
    except OSError:  # another system, or Linux before 5.9
        os.closerange(first, _PLAUSIBLE)
