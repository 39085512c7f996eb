"""System calls through the C library, as Python functions that raise `OSError`.

Owns the conversion of arguments and the constants of the kernel's interface that Python's `os` does not name. Must not
know walls: it does what it is told.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

from sandbox.walls.numbers import architecture, number

_libc = ctypes.CDLL(None, use_errno=True)
_MACHINE = architecture()

CLONE_NEWNS = 0x0002_0000
CLONE_NEWCGROUP = 0x0200_0000
CLONE_NEWUTS = 0x0400_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_REC, MS_PRIVATE = 1 << 14, 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME, PR_GET_NAME = 15, 16
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

Argument = int | bytes | ctypes.Structure | None


def supported() -> bool:
    """Whether this is a system that the walls are written for: Linux, little-endian, x86-64 or AArch64."""
    wide_enough = sys.byteorder == "little" and sys.maxsize > 2**32
    return sys.platform == "linux" and wide_enough and _MACHINE is not None


def _c(argument: Argument) -> object:
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, ctypes.Structure):
        return ctypes.byref(argument)
    return ctypes.c_char_p(argument)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def call(name: str, *arguments: Argument) -> int:
    """System call `name` of the table; raises OSError, with ENOSYS where this machine has no such call."""
    nr = number(name, _MACHINE) if _MACHINE is not None and sys.platform == "linux" else None
    if nr is None:
        raise OSError(errno.ENOSYS, f"{name}: {os.strerror(errno.ENOSYS)}")
    return call_number(nr, *arguments, name=name)


def call_number(nr: int, *arguments: Argument, name: str = "syscall") -> int:
    """System call number `nr` of this machine; raises OSError."""
    _libc.syscall.restype = ctypes.c_long
    return _checked(_libc.syscall(ctypes.c_long(nr), *map(_c, arguments)), name)


def prctl(option: int, *arguments: int) -> int:
    """`prctl` with the arguments that are not given as zeros (the kernel checks that they are)."""
    filled = (*arguments, 0, 0, 0, 0)[:4]
    return _checked(_libc.prctl(option, *map(ctypes.c_ulong, filled)), "prctl")


def unshare(flags: int) -> None:
    """Leave the namespaces that `flags` name, for new ones."""
    call("unshare", flags)


def setns(descriptor: int, kind: int) -> None:
    """Enter the namespace behind `descriptor`, which must be of `kind`."""
    call("setns", descriptor, kind)


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """Mount, remount, or change the propagation of `target`."""
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    call("mount", texts[0], texts[1], texts[2], flags, texts[3])


def detach(target: str) -> None:
    """Take `target` and what is mounted below it out of the tree."""
    call("umount2", os.fsencode(target), MNT_DETACH)


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root, and put the old root at `old`."""
    call("pivot_root", os.fsencode(new), os.fsencode(old))
