"""Machines that do not allow every wall, played by this one: each function makes this process live on such a one.

Owns what the degradation is tested against. Standard library and `sandbox.walls` only.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable

from sandbox.walls import capabilities, linux, seccomp
from sandbox.walls.numbers import architecture
from sandbox.walls.syscalls import Condition, Policy

_NEVER = (Condition(0, 0, (1,)),)
_NAMESPACES = 0x7E02_0000
_DOCKER_CAPABILITIES = 0xA804_25FB
_NOBODY = 65_534

# What matters here of Docker's default profile, for a container without CAP_SYS_ADMIN
_DOCKER = Policy(
    allow={
        "clone": (Condition(0, _NAMESPACES, (0,)),),
        **dict.fromkeys(
            (
                "unshare",
                "setns",
                "mount",
                "umount2",
                "pivot_root",
                "fsopen",
                "open_tree",
                "move_mount",
                "bpf",
                "keyctl",
            ),
            _NEVER,
        ),
    },
    absent=("clone3",),
    default=None,
)


def _filtered(policy: Policy) -> None:
    machine = architecture()
    assert machine is not None
    capabilities.forbid_new()
    seccomp.enforce(seccomp.assemble(policy, machine))


def _absent(*names: str) -> Callable[[], None]:
    return lambda: _filtered(Policy(allow={}, absent=names, default=None))


def _docker() -> None:
    _filtered(_DOCKER)
    if os.geteuid() == 0:
        linux.call(
            "capset",
            struct.pack("=Ii", 0x2008_0522, 0),
            struct.pack("=6I", _DOCKER_CAPABILITIES, _DOCKER_CAPABILITIES, 0, 0, 0, 0),
        )


def _at_most(kind: str, count: int) -> None:
    """`user.max_…_namespaces` are limits of each user namespace: in one of our own we may set them."""
    uid, gid = os.geteuid(), os.getegid()
    linux.unshare(linux.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    with open(f"/proc/sys/user/max_{kind}_namespaces", "w", encoding="ascii") as file:
        file.write(str(count))


def _ordinary_user() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        linux.prctl(linux.PR_SET_DUMPABLE, 1)  # as after an exec


MACHINES: dict[str, Callable[[], None]] = {
    "this": lambda: None,
    "ordinary user": _ordinary_user,
    "no user namespaces": lambda: _at_most("user", 0),
    "three pid namespaces": lambda: _at_most("pid", 3),  # the zygote's and those of two workers
    "docker": _docker,
    "no landlock": _absent("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"),
    "no seccomp": _absent("seccomp"),
}
