"""Attacks on the host's memory, time and limits, and memory that could carry code or messages."""

from __future__ import annotations

import mmap
import os
import resource
import socket

from tests.sandbox.walls.attacks.base import Attack, World, kernel

READ_WRITE_EXECUTE = 7
PRIVATE_ANONYMOUS = 0x22


def _many_descriptors(_: World) -> None:
    held: list[tuple[socket.socket, socket.socket]] = []
    while len(held) < 100:
        held.append(socket.socketpair())


def _spin(_: World) -> None:
    while True:
        pass


def _raise_limit(_: World) -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard if hard == resource.RLIM_INFINITY else hard + 1))


def _make_executable(_: World) -> None:
    page = kernel("mmap", 0, 4096, 3, PRIVATE_ANONYMOUS, -1, 0)
    kernel("mprotect", page, 4096, READ_WRITE_EXECUTE)


def _message_queue(_: World) -> None:
    kernel("mq_open", b"kernelgate-test", os.O_CREAT | os.O_RDWR, 0o600, None)
    kernel("mq_unlink", b"kernelgate-test")


def _map_file(world: World) -> None:
    kernel("mmap", 0, 4096, 1, 2, world.file, 0)


ROWS = (
    Attack("take much memory", lambda w: bytearray(400 << 20), {"rlimits": "MemoryError"}),
    Attack("map much memory", lambda w: mmap.mmap(-1, 400 << 20), {"rlimits": "ENOMEM"}),
    Attack("take many descriptors", _many_descriptors, {"rlimits": "EMFILE"}),
    Attack("run for ever", _spin, {"rlimits": "SIGKILL"}),
    Attack("raise a limit", _raise_limit, {"rlimits": "ValueError", "seccomp": "EPERM"}),
    Attack("lock memory", lambda w: kernel("mlock", 4096 * (id(w) // 4096), 4096), {"seccomp": "EPERM"}),
    Attack(
        "run in real time",
        lambda w: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        {"capabilities": "EPERM", "seccomp": "EPERM"},
        machine_refuses=True,
    ),
    Attack("take a better priority", lambda w: os.nice(-20), {"capabilities": "EPERM", "seccomp": "EPERM"}),
    Attack(
        "map executable memory",
        lambda w: kernel("mmap", 0, 4096, READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS, -1, 0),
        {"seccomp": "EPERM"},
    ),
    Attack("make memory executable", _make_executable, {"seccomp": "EPERM"}),
    Attack(
        "make memory executable by a key",
        lambda w: kernel("pkey_mprotect", 0, 4096, READ_WRITE_EXECUTE, -1),
        {"seccomp": "EPERM"},
    ),
    Attack("map a file", _map_file, {"descriptors": "EBADF", "seccomp": "EPERM"}),
    Attack(
        "map huge pages",
        lambda w: kernel("mmap", 0, 1 << 21, 3, PRIVATE_ANONYMOUS | 0x4_0000, -1, 0),
        {"seccomp": "EPERM"},
        machine_refuses=True,
    ),
    Attack(
        "share equal pages with others",
        lambda w: kernel("madvise", 0, 0, 12),
        {"seccomp": "EPERM"},
        machine_refuses=True,
    ),
    Attack("ask which pages are in memory", lambda w: kernel("mincore", 0, 0, None), {"seccomp": "EPERM"}),
    Attack("make a memory file", lambda w: os.memfd_create("x"), {"seccomp": "SIGSYS"}),
    Attack(
        "make secret memory", lambda w: kernel("memfd_secret", 0), {"seccomp": "SIGSYS"}, machine_refuses=True
    ),
    Attack("share memory by System V", lambda w: kernel("shmget", 0, 4096, 0o1600), {"seccomp": "SIGSYS"}),
    Attack(
        "attach the host's shared memory",
        lambda w: kernel("shmat", w.shared, None, 0x1000),
        {"namespaces": "EINVAL", "seccomp": "EPERM"},
    ),
    Attack("queue messages by System V", lambda w: kernel("msgget", 0, 0o1600), {"seccomp": "SIGSYS"}),
    Attack("make semaphores", lambda w: kernel("semget", 0, 1, 0o1600), {"seccomp": "SIGSYS"}),
    Attack(
        "queue messages by POSIX",
        _message_queue,
        {"rlimits": "EMFILE", "seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack("make a pipe", lambda w: os.pipe(), {"seccomp": "EPERM"}),
    Attack("make an event", lambda w: kernel("eventfd2", 0, 0), {"seccomp": "EPERM"}),
    Attack("duplicate a descriptor", lambda w: os.dup(w.pipe), {"descriptors": "EBADF", "seccomp": "EPERM"}),
    Attack("make a timer", lambda w: kernel("timer_create", 0, None, bytes(8)), {"seccomp": "EPERM"}),
    Attack(
        "set the time",
        lambda w: kernel("settimeofday", None, None),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "EPERM"},
    ),
)
