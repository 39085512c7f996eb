"""Namespaces: what a worker cannot even name.

Owns how the zygote leaves the host's users, network, IPC, names, mounts and processes, once; and how each worker gets a
PID namespace of its own. Must not know landlock and seccomp, which stand behind it.

As root the zygote becomes an ordinary, otherwise unused user on the way: what runs in the namespace as its user 0 is
nobody outside, owns no file of the host, and the kernel's limits by user count for it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from sandbox.walls import keeper, linux
from sandbox.walls.level import CGROUP, IPC, MOUNT, NETWORK, PID, ROOT, USER, UTS, Step, attempt

OUTSIDE_ID = 1_900_000_000
"""The user and group that root's zygote becomes: in the range that systemd's table of ids calls unused."""

_SIMPLE = ((NETWORK, linux.CLONE_NEWNET), (IPC, linux.CLONE_NEWIPC), (UTS, linux.CLONE_NEWUTS),
           (CGROUP, linux.CLONE_NEWCGROUP), (MOUNT, linux.CLONE_NEWNS))  # fmt: skip

_ROOT = "/proc"  # any folder does as the place of the new root; this one must exist, as the maps are written in it


class PidNamespaces:
    """A source of new PID namespaces below the zygote's own.

    A process that has unshared its children's PID namespace may do so again only after it went back to its own
    (`setns`), hence the descriptor. In its namespace a worker is process 1 and sees no other; when the zygote, process
    1 of the namespace above, dies, the kernel kills everything below it.
    """

    def __init__(self) -> None:
        self.descriptor = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def next(self) -> None:
        """Put the next child to be forked into a new PID namespace; raises OSError."""
        linux.setns(self.descriptor, linux.CLONE_NEWPID)
        linux.unshare(linux.CLONE_NEWPID)

    def close(self) -> None:
        """Give up the descriptor, in a child."""
        os.close(self.descriptor)


def enter() -> tuple[tuple[Step, ...], PidNamespaces | None]:
    """Enter every namespace that this machine allows; returns what was tried, and the source for workers.

    The caller must have one thread. What returns is a child of the caller, where a PID namespace was got: the caller
    itself has become the keeper (`keeper.py`). A failed step is left out, and the next is tried all the same, except
    that nothing is possible without the user namespace.
    """
    steps = [attempt(USER, enter_user)]
    if not steps[0].ok:
        return tuple(steps), None
    for name, flag in _SIMPLE:
        steps.append(attempt(name, _unshare(flag)))
    source: PidNamespaces | None = None

    def become_init() -> str:
        nonlocal source
        linux.unshare(linux.CLONE_NEWPID)
        keeper.fork_init()
        source = PidNamespaces()
        return "one for each worker"

    steps.append(attempt(PID, become_init))
    if any(step.name == MOUNT and step.ok for step in steps):
        steps.append(attempt(ROOT, empty_root))
    return tuple(steps), source


def _unshare(flag: int) -> Callable[[], None]:
    return lambda: linux.unshare(flag)


def enter_user() -> str:
    """Enter a user namespace, as its user 0; returns who that is outside. Raises OSError."""
    uid, gid = os.geteuid(), os.getegid()
    with contextlib.ExitStack() as stack:
        mapper = stack.enter_context(_Mapper()) if uid == 0 else None
        linux.unshare(linux.CLONE_NEWUSER)
        if mapper is not None and mapper.map():
            os.setgroups([])
            os.setresgid(0, 0, 0)
            os.setresuid(0, 0, 0)
            return f"as user {OUTSIDE_ID} of the host"
    _write("self", "setgroups", "deny")
    _write("self", "uid_map", f"0 {uid} 1")
    _write("self", "gid_map", f"0 {gid} 1")
    return f"as user {uid} of the host"


def _write(process: int | str, name: str, text: str) -> None:
    with open(f"/proc/{process}/{name}", "wb", buffering=0) as file:
        file.write(text.encode())


class _Mapper:
    """A child that stays outside: only from there may a user other than one's own be mapped into the namespace."""

    def __enter__(self) -> _Mapper:
        target = os.getpid()
        read, self._go = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._go)
            os._exit(_map_when_told(read, target))
        os.close(read)
        return self

    def map(self) -> bool:
        """Write the maps; False where even root may not (it has been given a few ids only)."""
        os.write(self._go, b"!")
        return self._end() == 0

    def _end(self) -> int:
        os.close(self._go)
        pid, self._pid = self._pid, 0
        return os.waitpid(pid, 0)[1]

    def __exit__(self, *_: object) -> None:
        if self._pid:
            self._end()


def _map_when_told(told: int, target: int) -> int:
    if not os.read(told, 1):
        return 1
    try:
        _write(target, "uid_map", f"0 {OUTSIDE_ID} 1")
        _write(target, "gid_map", f"0 {OUTSIDE_ID} 1")
    except OSError:
        return 1
    return 0


def empty_root() -> None:
    """Change the root for a new file system with nothing in it, read-only; what is open or mapped stays. Raises
    OSError."""
    bare = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
    linux.mount(None, "/", None, linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", _ROOT, "tmpfs", bare, "size=4k,nr_inodes=4,mode=0555")
    os.mkdir(f"{_ROOT}/old", 0o700)
    linux.pivot_root(_ROOT, f"{_ROOT}/old")
    os.chdir("/")
    linux.detach("/old")
    os.rmdir("/old")
    linux.mount(None, "/", None, linux.MS_REMOUNT | linux.MS_RDONLY | bare)
