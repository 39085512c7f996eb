"""Attempts to learn what else the machine does: whether other runs exist, and how busy they are."""

from __future__ import annotations

import errno
import os
import socket

from tests.sandbox.walls.attacks.base import Attack, World, kernel

_BY_NUMBER = {"namespaces": "ESRCH", "seccomp": "EPERM"}
_BY_FILE = {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"}


def _parent(_: World) -> None:
    if kernel("getppid") == 0:
        raise OSError(errno.ESRCH, "no parent here")


def _socket_number(_: World) -> None:
    """The number of a new socket's inode grows with every socket that anybody on the machine makes."""
    pair = socket.socketpair()
    kernel("fstat", pair[0].fileno(), bytes(256))


ROWS = (
    Attack("ask for the parent", _parent, _BY_NUMBER),
    Attack("ask for the machine's load", lambda w: kernel("sysinfo", bytes(256)), {"seccomp": "EPERM"}),
    Attack("read the machine's load", lambda w: open("/proc/loadavg").close(), _BY_FILE),
    Attack("read who listens", lambda w: open("/proc/net/unix").close(), _BY_FILE),
    Attack("read what the kernel counts", lambda w: open("/proc/stat").close(), _BY_FILE),
    Attack("count the machine's sockets", _socket_number, {"seccomp": "EPERM"}),
    Attack("ask for another worker's session", lambda w: os.getsid(w.sibling), _BY_NUMBER),
    Attack(
        "ask how another worker is scheduled", lambda w: kernel("sched_getscheduler", w.sibling), _BY_NUMBER
    ),
    Attack(
        "ask for another worker's priority", lambda w: os.getpriority(os.PRIO_PROCESS, w.sibling), _BY_NUMBER
    ),
    Attack(
        "ask for another worker's share of disks", lambda w: kernel("ioprio_get", 1, w.sibling), _BY_NUMBER
    ),
    Attack(
        "ask for another worker's locks",
        lambda w: kernel("get_robust_list", w.sibling, bytes(8), bytes(8)),
        {"namespaces": "ESRCH", "capabilities": "EPERM", "landlock": "EPERM", "seccomp": "EPERM"},
    ),
    Attack(
        "ask where another worker's pages are",
        lambda w: kernel("move_pages", w.sibling, 0, None, None, None, 0),
        {"namespaces": "ESRCH", "capabilities": "EPERM", "landlock": "EPERM", "seccomp": "EPERM"},
    ),
)
