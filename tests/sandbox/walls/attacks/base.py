"""The row of the table, and what an attack knows of its surroundings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.walls import linux
from sandbox.walls.numbers import architecture

X86 = architecture() == "x86_64"

_OTHER_NUMBERS = {
    # calls that no policy names: (x86_64, aarch64)
    "mincore": (27, 232),
    "vmsplice": (278, 75),
    "splice": (275, 76),
    "eventfd2": (290, 19),
    "pipe2": (293, 59),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "timer_create": (222, 107),
    "settimeofday": (164, 170),
    "syslog": (103, 116),
    "prlimit64": (302, 261),
    "prctl": (157, 167),
    "tgkill": (234, 131),
    "mq_unlink": (241, 181),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "mlock": (149, 228),
    "pkey_mprotect": (329, 288),
    "remap_file_pages": (216, 234),
    "statx": (332, 291),
    "setpriority": (140, 141),
    "sethostname": (170, 161),
    "getppid": (110, 173),
    "sysinfo": (99, 179),
    "sched_getscheduler": (145, 120),
    "ioprio_get": (252, 31),
    "get_robust_list": (274, 100),
    "move_pages": (279, 239),
}


@dataclass(frozen=True)
class World:
    """What exists outside the worker, told to the attacker: the worst case."""

    server: int  # pid, outside of every namespace
    sibling: int  # pid of another worker, as the zygote sees it
    secret: str  # path of a file that everyone may read
    folder: str  # a folder that everyone may write in
    tcp_port: int
    udp_port: int
    stream: bytes  # name of an abstract socket that listens
    datagram: bytes  # name of an abstract socket that takes datagrams
    file: int  # descriptor of a file open for writing
    pipe: int  # descriptor of a pipe, inherited
    shared: int  # id of a segment of System V shared memory
    terminal: int  # descriptor of a terminal
    int80: Callable[[], int] | None  # code that enters the kernel by the 32-bit door


@dataclass(frozen=True)
class Attack:
    """`alone`: wall to what the attack meets when that wall stands alone; walls that do not stop it are not named.

    `machine_refuses`: a setting of some kernels stops it without any wall.
    """

    name: str
    act: Callable[[World], object]
    alone: dict[str, str] = field(default_factory=dict)
    only_x86: bool = False
    machine_refuses: bool = False


def kernel(name: str, *arguments: int | bytes | None) -> int:
    """System call `name`, whether a policy names it or not."""
    if name not in _OTHER_NUMBERS:
        return linux.call(name, *arguments)
    x86_64, aarch64 = _OTHER_NUMBERS[name]
    return linux.call_number(x86_64 if X86 else aarch64, *arguments)
