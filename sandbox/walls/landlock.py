"""Landlock: a process gives up files, TCP, abstract sockets and signals to others, without any privilege.

Owns the rule sets. Must not know who is sealed. A rule set is made once, as a descriptor, and put in force in each
child. What the kernel's version (its "ABI") does not know is left out; `describe` says what that leaves. Landlock
does not cover `stat`, `chdir` and `access`: the empty root and seccomp do.

| ABI | Linux | adds |
|---|---|---|
| 1 | 5.13 | open, create, remove, execute |
| 2 | 5.19 | moves between folders |
| 3 | 6.2 | truncate |
| 4 | 6.7 | TCP bind and connect |
| 5 | 6.10 | ioctl on devices |
| 6 | 6.12 | abstract sockets and signals beyond the domain |
| 7 | 6.15 | what is logged |
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Mapping

from sandbox.walls import linux

NEWEST_ABI = 7

_VERSION_QUERY = 1
_RULE_PATH_BENEATH = 1
_LOG_SAME_EXEC_OFF = 1

_WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_TCP_RIGHTS = {4: 0b11}
_SCOPES = {6: 0b11}

READ = _READ_FILE | _READ_DIR
"""Read files and list folders."""
LIST = _READ_DIR
"""List folders."""
WRITE = _WRITE_FILE | _TRUNCATE
"""Write files that exist."""
DEVICE = READ | _WRITE_FILE | _IOCTL
"""Open devices and speak to their drivers."""


def abi() -> int:
    """The version of landlock in this kernel, at most `NEWEST_ABI`; raises OSError where it is absent or off."""
    return min(linux.call("landlock_create_ruleset", None, 0, _VERSION_QUERY), NEWEST_ABI)


def _known(rights: dict[int, int], version: int) -> int:
    return sum(bits for since, bits in rights.items() if since <= version)


def handled(version: int) -> bytes:
    """The rights that ABI `version` can take away, all of them, in the form that this version reads."""
    fields = [_known(_FILE_RIGHTS, version)]
    if version >= 4:
        fields.append(_known(_TCP_RIGHTS, version))
    if version >= 6:
        fields.append(_known(_SCOPES, version))
    return struct.pack(f"={len(fields)}Q", *fields)


def create(allowed: Mapping[str, int] | None = None) -> int:
    """A rule set that takes everything away, except what is `allowed`: the rights on what is at or below each path.

    Returns a descriptor, closed on exec; raises OSError. A path that does not exist is an error.
    """
    version = abi()
    attributes = handled(version)
    ruleset = linux.call("landlock_create_ruleset", attributes, len(attributes), 0)
    try:
        for path, rights in (allowed or {}).items():
            _allow(ruleset, path, rights & _known(_FILE_RIGHTS, version))
    except OSError:
        os.close(ruleset)
        raise
    return ruleset


def _allow(ruleset: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= ~_READ_DIR
        linux.call("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def enforce(ruleset: int) -> None:
    """Put `ruleset` in force for this thread, for ever. Needs no_new_privs. Denials are not logged: a script could
    fill the host's audit log with them."""
    linux.call("landlock_restrict_self", ruleset, _LOG_SAME_EXEC_OFF if abi() >= 7 else 0)


def describe(version: int) -> str:
    """What ABI `version` takes away, in words."""
    kinds = ["files"]
    if version >= 4:
        kinds.append("TCP")
    if version >= 5:
        kinds.append("devices")
    if version >= 6:
        kinds += ["abstract sockets", "signals"]
    return f"ABI {version}: {', '.join(kinds)}"
