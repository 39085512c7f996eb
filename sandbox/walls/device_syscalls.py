"""Which system calls a process that computes on a device may make, once its device is open: the policy, as data.

Owns the two lists, for software drivers and for those of GPUs. Must not know when they come into force (`device.py`).
A software driver compiles into memory and runs threads: it needs no file, no device and nobody else. A GPU's driver
speaks to its kernel module all the time, and opens its device again for each mapping, so it may open what landlock
leaves. Neither gets a socket, a program, another process, or the rarely used parts of the kernel.
"""

from __future__ import annotations

from typing import Literal

from sandbox.walls.linux import PR_GET_NAME, PR_SET_NAME
from sandbox.walls.syscalls import (
    FIONBIO,
    FUTEX_OPTIONS,
    MAP_HUGETLB,
    OWN_CLOCK,
    POINTER,
    WORD,
    WORKER,
    Condition,
    Policy,
    names,
)

Driver = Literal["software", "gpu"]

CLONE_VM, CLONE_SIGHAND, CLONE_THREAD = 0x100, 0x800, 0x1_0000
_CLONE_PTRACE, _CLONE_NAMESPACES = 0x2000, 0x7E02_0080
_THREAD = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD
TCGETS = 0x5401

# why: which
_EVERY_DRIVER = {
    "frames and memory files": """
        read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close dup
        sendmsg recvmsg recvfrom memfd_create ftruncate fallocate fstat newfstatat statx
    """,
    "waiting for frames": "poll ppoll select pselect6 epoll_ctl epoll_wait epoll_pwait",
    "buffers, and code that the driver compiles": "munmap mprotect mremap brk msync membarrier",
    "time": "nanosleep gettimeofday time times",
    "threads, of which drivers and BLAS start some": """
        set_robust_list rseq sched_yield sched_getaffinity getcpu
        rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall exit exit_group
    """,
    "what it is": "getpid gettid getppid getuid geteuid getgid getegid getrusage uname sysinfo getrandom",
}

_GPU_DRIVER = {
    "its devices, and what the kernel says of them; landlock bounds where": """
        open openat stat lstat readlink readlinkat access faccessat faccessat2 getdents64
    """,
    "waiting for the device": "eventfd2 pipe2 timerfd_create timerfd_settime dup2 dup3 epoll_create1",
    "memory that the device sees": "mlock munlock mbind get_mempolicy set_mempolicy",
    "threads of its own": "sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min",
}

_CONDITIONAL: dict[str, tuple[Condition, ...]] = {
    # never from the host's pool of huge pages
    "mmap": (Condition(3, MAP_HUGETLB, (0,)),),
    # how it will be used, give back, fork, huge pages, core files; not MADV_MERGEABLE, whose timing shows others' pages
    "madvise": (Condition(2, WORD, (0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17)),),
    # threads of this process, never a process
    "clone": (Condition(0, _THREAD | _CLONE_PTRACE | _CLONE_NAMESPACES, (_THREAD,)),),
    # no address: a datagram could be sent to any abstract socket
    "sendto": (Condition(4, POINTER, (0,)),),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS; not F_SETOWN: it signals
    "fcntl": (Condition(1, WORD, (0, 1, 2, 3, 4, 1030, 1033, 1034)),),
    # wait, requeue, wake, and with a bit set; not the priority-inheriting ones, a classic way into the kernel
    "futex": (Condition(1, WORD & ~FUTEX_OPTIONS, (0, 1, 3, 4, 5, 9, 10)),),
    "clock_gettime": (OWN_CLOCK,),
    "clock_getres": (OWN_CLOCK,),
    "clock_nanosleep": (OWN_CLOCK,),
    "prctl": (Condition(0, WORD, (PR_SET_NAME, PR_GET_NAME)),),
    # only to ask, and only for itself
    "prlimit64": (Condition(0, WORD, (0,)), Condition(2, POINTER, (0,))),
}

_IOCTL: dict[Driver, tuple[Condition, ...]] = {
    "software": (Condition(1, WORD, (FIONBIO, TCGETS)),),
    "gpu": (),  # the kernel module's own calls: hundreds, and the device they go to is all that bounds them
}

# Hostile in a worker, but what a driver may try, or its program would die of for no reason; they are just refused.
_TRIED = names(
    """
    fork vfork kill tkill pidfd_open kcmp perf_event_open mknod mknodat
    socket connect bind listen accept accept4 sendmmsg recvmmsg shmget msgget semget mq_open
    """
)


def device(driver: Driver, pid: int) -> Policy:
    """What process `pid`, which computes through a `driver` of this class, may do.

    Most of what is hostile in a worker ends the process here too.
    """
    groups = [*_EVERY_DRIVER.values(), *(_GPU_DRIVER.values() if driver == "gpu" else ())]
    free = names(" ".join(groups))
    conditional = _CONDITIONAL | {
        "ioctl": _IOCTL[driver],
        # `abort`, by which native panics end the process
        "tgkill": (Condition(0, WORD, (pid,)),),
    }
    allow = dict.fromkeys(free, ()) | conditional
    kill = tuple(name for name in WORKER.kill if name not in allow and name not in _TRIED)
    return Policy(allow=allow, kill=kill, absent=WORKER.absent)
