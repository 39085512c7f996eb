"""Capabilities, and the two flags of a process that go with them.

Owns how a process gives up privilege. Must not know why.
"""

from __future__ import annotations

import errno
import struct

from sandbox.walls import linux

_VERSION_3 = 0x2008_0522
_HIGHEST = 63


def forbid_new() -> None:
    """no_new_privs: no exec gives privilege again. Landlock and seccomp ask for it. For ever, and inherited."""
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)


def make_undumpable() -> None:
    """No core file, and no other process of the same user may trace this one or read its memory or `/proc`."""
    linux.prctl(linux.PR_SET_DUMPABLE, 0)


def empty_bounding_set() -> None:
    """Take every capability out of the set that bounds what an exec may give; inherited by children.

    Stops where the process may not: then it has no privilege, and the set no meaning behind `forbid_new`.
    """
    for capability in range(_HIGHEST + 1):
        try:
            linux.prctl(linux.PR_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EPERM):
                raise
            return  # past the kernel's last one, or not ours to change


def drop() -> None:
    """Give up every capability that this process has, could take up, or would hand on."""
    linux.prctl(linux.PR_CAP_AMBIENT, linux.PR_CAP_AMBIENT_CLEAR_ALL)
    linux.call("capset", struct.pack("=Ii", _VERSION_3, 0), bytes(24))
