"""Which system calls a sealed worker may make: the whole policy, as data.

Owns the lists. Must not know numbers (`numbers.py`) or how a filter is built (`seccomp.py`). A worker was forked from
a warm zygote, so it opens nothing, starts nothing, and talks to one socket; what is listed here is what CPython 3.11 to
3.13 use after that (seen with strace over the corpus of scripts), asyncio included.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

WORD = 0xFFFF_FFFF
POINTER = 0xFFFF_FFFF_FFFF_FFFF

PROT_EXEC = 4
MAP_ANONYMOUS = 0x20
MAP_HUGETLB = 0x4_0000
FIONBIO = 0x5421
FUTEX_OPTIONS = 128 | 256  # private, real-time clock


class Condition(NamedTuple):
    """Argument number `argument`, masked, must be one of `values`. A mask of 32 bits sees the low word alone."""

    argument: int
    mask: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Policy:
    """`allow`: calls to the conditions that must all hold (otherwise EPERM). `absent`: calls that answer ENOSYS.

    `kill`: calls that end the process with SIGSYS. Every other call answers `default` (an errno; None: is allowed).
    """

    allow: Mapping[str, tuple[Condition, ...]]
    kill: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    default: int | None = 1  # EPERM


def names(text: str) -> tuple[str, ...]:
    """The words of `text`."""
    return tuple(text.split())


# Clocks 0 to 15 are the system's and the caller's own; a negative number is the CPU clock of another process, which
# would tell that it exists and how busy it is.
OWN_CLOCK = Condition(0, WORD & ~15, (0,))

_FREE = names(
    """
    read write close lseek poll ppoll recvfrom epoll_create1 epoll_ctl epoll_wait epoll_pwait
    munmap mremap brk
    nanosleep gettimeofday time times
    getpid gettid getuid geteuid getgid getegid getrusage getrandom sched_yield
    rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall exit exit_group
    """
)

_CONDITIONAL: dict[str, tuple[Condition, ...]] = {
    # memory of its own, never executable, never a file, never from the host's pool of huge pages
    "mmap": (Condition(2, PROT_EXEC, (0,)), Condition(3, MAP_ANONYMOUS | MAP_HUGETLB, (MAP_ANONYMOUS,))),
    "mprotect": (Condition(2, PROT_EXEC, (0,)),),
    # MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE; not MADV_MERGEABLE, whose timing shows other processes' pages
    "madvise": (Condition(2, WORD, (4, 8, 14)),),
    # no address: a datagram could be sent to any abstract socket
    "sendto": (Condition(4, POINTER, (0,)),),
    # asyncio wakes itself through a pair; streams only, for the same reason
    "socketpair": (
        Condition(0, WORD, (socket.AF_UNIX,)),
        Condition(1, 0xF, (socket.SOCK_STREAM,)),
        Condition(2, WORD, (0,)),
    ),
    # F_GETFD, F_SETFD, F_GETFL, F_SETFL
    "fcntl": (Condition(1, WORD, (1, 2, 3, 4)),),
    "ioctl": (Condition(1, WORD, (FIONBIO,)),),
    # wait, wake, and both with a bit set; not the priority-inheriting ones, a classic way into the kernel
    "futex": (Condition(1, WORD & ~FUTEX_OPTIONS, (0, 1, 9, 10)),),
    # the console's timer, which sends SIGALRM to the process itself: ITIMER_REAL
    "setitimer": (Condition(0, WORD, (0,)),),
    "clock_gettime": (OWN_CLOCK,),
    "clock_getres": (OWN_CLOCK,),
    "clock_nanosleep": (OWN_CLOCK,),
    "sched_getaffinity": (Condition(0, WORD, (0,)),),
}

# A script that asks for one of these is hostile: honest Python behind the language policy has no way to them.
_HOSTILE = names(
    """
    clone fork vfork execve execveat ptrace kill tkill rt_sigqueueinfo rt_tgsigqueueinfo
    pidfd_open pidfd_getfd pidfd_send_signal process_vm_readv process_vm_writev process_madvise kcmp
    socket connect bind listen accept accept4 sendmsg recvmsg sendmmsg recvmmsg
    mount umount2 pivot_root chroot mknod mknodat open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
    open_by_handle_at name_to_handle_at unshare setns
    bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key
    init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff quotactl acct
    iopl ioperm modify_ldt personality
    memfd_create memfd_secret shmget msgget semget mq_open
    setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
    """
)

# clone3 is absent, not killed: its flags lie in memory, where a filter cannot look; the C library then tries clone.
WORKER = Policy(
    allow=dict.fromkeys(_FREE, ()) | _CONDITIONAL,
    kill=_HOSTILE,
    absent=("clone3",),
)
