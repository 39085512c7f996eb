"""Files in memory, and how to read those of a process that is not trusted.

Owns their making, by what the system has: Linux has files without a folder that can be sealed against shrinking, other
systems get a temporary file without a name. Must not know arrays or frames.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
from typing import Protocol

from ops.wire import FrameError

CAN_SEAL = hasattr(os, "memfd_create") and hasattr(fcntl, "F_ADD_SEALS")


def create(name: str) -> int:
    """The descriptor of a new, empty file; the caller closes it. `name` is for who looks at the system."""
    if CAN_SEAL:
        return os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with tempfile.TemporaryFile(prefix=name, buffering=0) as file:
        return os.dup(file.fileno())


def fix_size(fd: int, size: int) -> None:
    """Give a file its size, for ever where it can be sealed."""
    os.ftruncate(fd, size)
    if CAN_SEAL:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)


def mapped(fd: int, size: int) -> mmap.mmap | None:
    """A file of our own, whose size is fixed, to read and write; None where no room is left to map it."""
    try:
        return mmap.mmap(fd, size)
    except OSError:
        return None


def read_into(fd: int, target: memoryview, offset: int) -> None:
    """Fill `target` from `offset` on. Raises `FrameError` if the file ends before that."""
    while len(target):
        count = os.preadv(fd, [target], offset)
        if count == 0:
            raise FrameError("a file was cut short while it was read")
        target, offset = target[count:], offset + count


class Window(Protocol):
    """A file of another process, of `size` bytes, which that one writes."""

    size: int

    def look(self, nbytes: int) -> memoryview | mmap.mmap:
        """Its first `nbytes` bytes, or more of them, read-only. Raises `FrameError` if they are gone."""
        ...

    def close(self) -> None:
        """Let go of it; what was looked at stays."""
        ...


class Mapped(Window):
    """A sealed file. Raises `FrameError` for one that can still shrink, which would make a reader fault; OSError."""

    def __init__(self, fd: int) -> None:
        self.size = os.fstat(fd).st_size
        if not fcntl.fcntl(fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_SHRINK:
            raise FrameError("a download came in a file that can still shrink")
        self._memory = mmap.mmap(fd, self.size, mmap.MAP_SHARED, mmap.PROT_READ)

    def look(self, nbytes: int) -> memoryview | mmap.mmap:
        return self._memory

    def close(self) -> None:
        pass  # it goes with its last reader


class Copied(Window):
    """A file that its writer may shorten at any time: each look is a copy. Raises OSError."""

    def __init__(self, fd: int) -> None:
        self.size = os.fstat(fd).st_size
        self._fd = os.dup(fd)

    def look(self, nbytes: int) -> memoryview | mmap.mmap:
        copy = memoryview(bytearray(nbytes))
        read_into(self._fd, copy, 0)
        return copy.toreadonly()

    def close(self) -> None:
        os.close(self._fd)


def window(fd: int) -> Window:
    """A look at the file behind `fd`, which stays the caller's to close."""
    return Mapped(fd) if CAN_SEAL else Copied(fd)
