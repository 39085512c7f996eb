"""Attacks on the kernel itself: the rarely used calls where its faults are found, and other doors into it."""

from __future__ import annotations

import os
import socket

from sandbox.walls import linux
from tests.sandbox.walls.attacks.base import Attack, World, kernel

X32_GETPID = 0x4000_0000 + 39
FUTEX_LOCK_PI, FUTEX_CMP_REQUEUE_PI = 6, 12
CAPABILITY_VERSION_3 = 0x2008_0522


def _int80(world: World) -> int:
    assert world.int80 is not None, "asked only on x86-64"
    return world.int80()


def _regain_capabilities(_: World) -> int:
    header = CAPABILITY_VERSION_3.to_bytes(4, "little") + bytes(4)
    return kernel("capset", header, b"\x01\0\0\0\x01\0\0\0" + bytes(16))


ROWS = (
    Attack(
        "x32 system call",
        lambda w: linux.call_number(X32_GETPID),
        {"seccomp": "SIGSYS"},
        only_x86=True,
        machine_refuses=True,
    ),
    Attack("32-bit system call", _int80, {"seccomp": "SIGSYS"}, only_x86=True, machine_refuses=True),
    Attack(
        "set up io_uring",
        lambda w: kernel("io_uring_setup", 1, bytes(120)),
        {"seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "load a BPF program",
        lambda w: kernel("bpf", 5, bytes(128), 128),
        {"seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "handle page faults", lambda w: kernel("userfaultfd", 0), {"seccomp": "SIGSYS"}, machine_refuses=True
    ),
    Attack(
        "open performance counters",
        lambda w: kernel("perf_event_open", bytes(128), 0, -1, -1, 0),
        {"seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "use the key ring", lambda w: kernel("keyctl", 0, -3, 0), {"seccomp": "SIGSYS"}, machine_refuses=True
    ),
    Attack(
        "add a key",
        lambda w: kernel("add_key", b"user", b"kernelgate", b"x", 1, -2),
        {"seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "request a key",
        lambda w: kernel("request_key", b"user", b"kernelgate-none", None, 0),
        {"seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack("change the personality", lambda w: kernel("personality", 0xFFFF_FFFF), {"seccomp": "SIGSYS"}),
    Attack(
        "load a module",
        lambda w: kernel("init_module", None, 0, None),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "unload a module",
        lambda w: kernel("delete_module", b"kernelgate-none", 0),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "load another kernel",
        lambda w: kernel("kexec_load", 0, 1 << 20, None, 0),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "reboot", lambda w: kernel("reboot", 0, 0, 0, None), {"capabilities": "EPERM", "seccomp": "SIGSYS"}
    ),
    Attack(
        "swap",
        lambda w: kernel("swapon", b"/", 0),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "account for processes",
        lambda w: kernel("acct", None),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "rename the host",
        lambda w: kernel("sethostname", os.fsencode(socket.gethostname()), len(socket.gethostname())),
        {"capabilities": "EPERM", "seccomp": "EPERM"},
    ),
    Attack(
        "use ports of the machine",
        lambda w: kernel("iopl", 3),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "SIGSYS"},
        only_x86=True,
        machine_refuses=True,
    ),
    Attack(
        "change the descriptor table",
        lambda w: kernel("modify_ldt", 0, None, 0),
        {"seccomp": "SIGSYS"},
        only_x86=True,
    ),
    Attack(
        "become another user",
        lambda w: kernel("setresuid", 12345, 12345, 12345),
        {"namespaces": "EINVAL", "capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack("take a capability back", _regain_capabilities, {"capabilities": "EPERM", "seccomp": "SIGSYS"}),
    Attack("put up another filter", lambda w: kernel("seccomp", 1, 0, None), {"seccomp": "EPERM"}),
    Attack(
        "make a rule set",
        lambda w: kernel("landlock_create_ruleset", None, 0, 1),
        {"seccomp": "EPERM"},
        machine_refuses=True,
    ),
    Attack(
        "lock a futex with inheritance",
        lambda w: kernel("futex", bytes(8), FUTEX_LOCK_PI, 0, None, None, 0),
        {"seccomp": "EPERM"},
    ),
    Attack(
        "requeue a futex with inheritance",
        lambda w: kernel("futex", bytes(8), FUTEX_CMP_REQUEUE_PI, 1, None, bytes(8), 0),
        {"seccomp": "EPERM"},
    ),
    Attack(
        "splice memory into a pipe",
        lambda w: kernel("vmsplice", w.pipe, None, 0, 0),
        {"descriptors": "EBADF", "seccomp": "EPERM"},
    ),
    Attack("rearrange a mapping", lambda w: kernel("remap_file_pages", 0, 0, 0, 0, 0), {"seccomp": "EPERM"}),
    Attack("read the kernel's log", lambda w: kernel("syslog", 10, None, 0), {"seccomp": "EPERM"}),
)
