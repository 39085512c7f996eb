"""Attacks on other processes, and attempts to become more than one."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time

from tests.sandbox.walls.attacks.base import Attack, World, kernel

PTRACE_SEIZE = 0x4206
CPU_CLOCK = 2
PR_SET_DUMPABLE, PR_SET_PDEATHSIG, PR_SET_NAME = 4, 1, 15


def _fork(_: World) -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def _clone(_: World) -> None:
    """Without sharing memory: a thread on the same stack would smash it where there is no wall."""
    if kernel("clone", signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os._exit(0)
    os.wait()


def _thread(_: World) -> None:
    thread = threading.Thread(target=time.time)
    thread.start()
    thread.join()


def _read_memory(pid: int) -> int:
    """One byte from the address space of `pid`, at an address that every fork of the zygote shares."""
    here = ctypes.create_string_buffer(1)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(here), 1)
    return kernel("process_vm_readv", pid, bytes(vector), 1, bytes(vector), 1, 0)


def _write_memory(pid: int) -> int:
    here = ctypes.create_string_buffer(1)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(here), 1)
    return kernel("process_vm_writev", pid, bytes(vector), 1, bytes(vector), 1, 0)


def _steal_descriptor(world: World) -> None:
    kernel("pidfd_getfd", os.pidfd_open(world.sibling), 0, 0)


def _signal_by_descriptor(world: World) -> None:
    signal.pidfd_send_signal(os.pidfd_open(world.sibling), 0)


def _execute_memory(_: World) -> None:
    """It is no program: where there is no wall, that is what it meets."""
    program = os.memfd_create("program")
    os.write(program, b"program")
    kernel("execveat", program, b"", None, None, 0x1000)


_SIGNAL = {"namespaces": "ESRCH", "landlock": "EPERM", "seccomp": "SIGSYS"}
_LOOK_INSIDE = {"namespaces": "ESRCH", "landlock": "EPERM", "capabilities": "EPERM", "seccomp": "SIGSYS"}

ROWS = (
    Attack("fork", _fork, {"seccomp": "SIGSYS"}),
    Attack("start a thread", _thread, {"seccomp": "SIGSYS"}),
    Attack("clone", _clone, {"seccomp": "SIGSYS"}),
    Attack(
        "clone with new namespaces",
        lambda w: kernel("clone", 0x1000_0000 | 0x0001_0000, 0, 0, 0, 0),
        {"seccomp": "SIGSYS"},
    ),
    Attack("clone3", lambda w: kernel("clone3", None, 0), {"seccomp": "ENOSYS"}),
    Attack(
        "execute a program",
        lambda w: os.execv("/bin/true", ["true"]),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "SIGSYS"},
    ),
    Attack(
        "execute an open file",
        lambda w: kernel("execveat", w.file, b"", None, None, 0x1000),
        {"descriptors": "EBADF", "seccomp": "SIGSYS"},
    ),
    Attack("execute a memory file", _execute_memory, {"seccomp": "SIGSYS"}),
    Attack("signal the server", lambda w: os.kill(w.server, 0), _SIGNAL),
    Attack("signal another worker", lambda w: os.kill(w.sibling, 0), _SIGNAL),
    Attack("signal everyone", lambda w: os.kill(-1, 0), {"namespaces": "ESRCH", "seccomp": "SIGSYS"}),
    Attack(
        "signal a thread of another worker",
        lambda w: kernel("tgkill", w.sibling, w.sibling, 0),
        {"namespaces": "ESRCH", "landlock": "EPERM", "seccomp": "EPERM"},
    ),
    Attack(
        "signal any thread",
        lambda w: kernel("tkill", w.sibling, 0),
        {"namespaces": "ESRCH", "landlock": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "queue a signal",
        lambda w: kernel(
            "rt_sigqueueinfo", w.sibling, 10, b"\n" + bytes(7) + b"\xff\xff\xff\xff" + bytes(116)
        ),
        {"namespaces": "ESRCH", "landlock": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "open another worker",
        lambda w: os.pidfd_open(w.sibling),
        {"namespaces": "ESRCH", "seccomp": "SIGSYS"},
    ),
    Attack("signal by a descriptor", _signal_by_descriptor, _SIGNAL),
    Attack("steal a descriptor", _steal_descriptor, _LOOK_INSIDE),
    Attack("trace another worker", lambda w: kernel("ptrace", PTRACE_SEIZE, w.sibling, 0, 0), _LOOK_INSIDE),
    Attack("trace the server", lambda w: kernel("ptrace", PTRACE_SEIZE, w.server, 0, 0), _LOOK_INSIDE),
    Attack("let itself be traced", lambda w: kernel("ptrace", 0, 0, 0, 0), {"seccomp": "SIGSYS"}),
    Attack("read the memory of another worker", lambda w: _read_memory(w.sibling), _LOOK_INSIDE),
    Attack("read the memory of the server", lambda w: _read_memory(w.server), _LOOK_INSIDE),
    Attack("write the memory of another worker", lambda w: _write_memory(w.sibling), _LOOK_INSIDE),
    Attack(
        "compare with another worker", lambda w: kernel("kcmp", os.getpid(), w.sibling, 1, 0, 0), _LOOK_INSIDE
    ),
    Attack(
        "limit another worker",
        lambda w: kernel("prlimit64", w.sibling, 4, None, bytes(16)),
        {"namespaces": "ESRCH", "seccomp": "EPERM"},
    ),
    Attack(
        "slow another worker down",
        lambda w: kernel("setpriority", 0, w.sibling, 19),
        {"namespaces": "ESRCH", "seccomp": "EPERM"},
    ),
    Attack(
        "read another worker's clock",
        lambda w: time.clock_gettime((~w.sibling << 3) | CPU_CLOCK),
        {"namespaces": "EINVAL", "seccomp": "EPERM"},
    ),
    Attack(
        "ask which processors another worker has",
        lambda w: os.sched_getaffinity(w.sibling),
        {"namespaces": "ESRCH", "seccomp": "EPERM"},
    ),
    Attack(
        "ask for another worker's group",
        lambda w: os.getpgid(w.sibling),
        {"namespaces": "ESRCH", "seccomp": "EPERM"},
    ),
    Attack(
        "become dumpable again", lambda w: kernel("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0), {"seccomp": "EPERM"}
    ),
    Attack(
        "outlive the zygote", lambda w: kernel("prctl", PR_SET_PDEATHSIG, 0, 0, 0, 0), {"seccomp": "EPERM"}
    ),
    Attack("take another name", lambda w: kernel("prctl", PR_SET_NAME, b"init"), {"seccomp": "EPERM"}),
    Attack(
        "enter a namespace",
        lambda w: kernel("setns", w.pipe, 0),
        {"descriptors": "EBADF", "seccomp": "SIGSYS"},
    ),
    Attack("make a user namespace", lambda w: kernel("unshare", 0x1000_0000), {"seccomp": "SIGSYS"}),
    Attack(
        "make a network namespace",
        lambda w: kernel("unshare", 0x4000_0000),
        {"capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
)
