"""Opening a file beneath a folder, so that no name, link or race leads out of it.

Owns the two ways of doing so: the kernel's `openat2`, and where it is missing a walk that opens one part at a time
and never follows a link. Neither looks at a path before it opens it, so there is nothing to race with.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Protocol

from sandbox.gates.paths import Parts

_OPENAT2 = 437  # on every architecture
_NO_XDEV, _NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x01, 0x02, 0x04, 0x08
_RETRIES = 64  # the kernel says EAGAIN when a rename passed by
_PATH = getattr(os, "O_PATH", os.O_RDONLY)
FOLDER = _PATH | os.O_DIRECTORY
LOOK = _PATH | os.O_NOFOLLOW
_ALWAYS = os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
_libc = ctypes.CDLL(None, use_errno=True)


class Opener(Protocol):
    """Opens `parts` below the folder `root` without following links; `cross` lets it enter other file systems.

    Raises OSError: ELOOP or ENOTDIR for a link, EXDEV for another file system. The caller closes the result.
    """

    def __call__(self, root: int, parts: Parts, flags: int, mode: int = 0, *, cross: bool = False) -> int: ...


def by_openat2(root: int, parts: Parts, flags: int, mode: int = 0, *, cross: bool = False) -> int:
    """An `Opener` that lets the kernel decide."""
    resolve = _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS | (0 if cross else _NO_XDEV)
    how = struct.pack("=QQQ", flags | (os.O_CLOEXEC if flags & _PATH == _PATH else _ALWAYS), mode, resolve)
    name = os.fsencode("/".join(parts) or ".")
    for _ in range(_RETRIES):
        descriptor: int = _libc.syscall(_OPENAT2, root, name, how, ctypes.c_size_t(len(how)))
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def by_walk(root: int, parts: Parts, flags: int, mode: int = 0, *, cross: bool = False) -> int:
    """An `Opener` for systems without openat2."""
    folder = os.open(".", FOLDER | os.O_CLOEXEC, dir_fd=root)
    try:
        device = os.fstat(folder).st_dev
        for part in parts[:-1]:
            inner = os.open(part, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = inner
        found = os.open(parts[-1] if parts else ".", flags | os.O_NOFOLLOW | _ALWAYS, mode, dir_fd=folder)
        if not cross and os.fstat(found).st_dev != device:
            os.close(found)
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return found
    finally:
        os.close(folder)


@cache
def best() -> Opener:
    """`by_openat2` where the kernel has it and lets us, else `by_walk`."""
    if not sys.platform.startswith("linux"):
        return by_walk
    root = os.open("/", FOLDER | os.O_CLOEXEC)
    try:
        os.close(by_openat2(root, (), FOLDER))
    except OSError:
        return by_walk
    finally:
        os.close(root)
    return by_openat2


@contextmanager
def opened(opener: Opener, folder: str) -> Iterator[int]:
    """A descriptor of the host's folder `folder`, no part of whose path may be a link."""
    slash = os.open("/", FOLDER | os.O_CLOEXEC)
    try:
        root = opener(slash, tuple(part for part in folder.split("/") if part), FOLDER, cross=True)
    finally:
        os.close(slash)
    try:
        yield root
    finally:
        os.close(root)
