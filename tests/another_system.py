"""Runs a program as if on a system that is not Linux: `python -I another_system.py NAME -m MODULE ARGUMENT…`.

What only Linux has is taken away before anything of ours is imported: functions and constants of the library, the C
library's `prctl` and `syscall`, and `/proc`. Limits that macOS refuses to set are refused. `NAME` becomes
`sys.executable`, so that children live there too. As with `python`, `-c PROGRAM` may stand for `-m MODULE`, and `-I`
and `-P` before them.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import runpy
import signal
import socket
import sys
import sysconfig
import urllib.request  # noqa: F401  this and the next look for modules of macOS's own
from collections.abc import Callable
from pathlib import Path
from typing import Any

sysconfig.get_config_vars()
ROOT = str(Path(__file__).resolve().parents[1])
_GONE: dict[Any, str] = {
    os: """
        pidfd_open memfd_create pipe2 eventfd O_PATH MFD_CLOEXEC MFD_ALLOW_SEALING P_PIDFD getresuid
        setresuid setresgid copy_file_range splice posix_fadvise unshare setns
    """,
    signal: "pidfd_send_signal sigtimedwait",
    socket: "SOCK_SEQPACKET SOCK_CLOEXEC SOCK_NONBLOCK MSG_CMSG_CLOEXEC SO_PEERCRED SO_PASSCRED",
    resource: "prlimit RLIMIT_MSGQUEUE RLIMIT_RTPRIO RLIMIT_NICE",
    fcntl: "F_ADD_SEALS F_GET_SEALS F_SEAL_SEAL F_SEAL_SHRINK F_SEAL_GROW",
}
_GONE_FROM_C = ("prctl", "syscall", "memfd_create", "pidfd_open", "prlimit", "unshare", "setns")


def interpreter(folder: Path) -> str:
    """A program in `folder` that does what this Python does, on the other system."""
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{__file__}" "$0" "$@"\n')
    program.chmod(0o755)
    return str(program)


def _leave_linux() -> None:
    for module, names in _GONE.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    find = ctypes.CDLL.__getattr__

    def find_what_is_there(library: ctypes.CDLL, name: str) -> Any:
        if name in _GONE_FROM_C:
            raise AttributeError(f"symbol not found: {name}")
        return find(library, name)

    ctypes.CDLL.__getattr__ = find_what_is_there  # type: ignore[method-assign]
    resource.setrlimit = _refusing(resource.setrlimit)
    sys.addaudithook(_hide_proc)
    sys.platform = "darwin"


def _refusing(set_limit: Callable[..., None]) -> Callable[..., None]:
    def setrlimit(kind: int, limits: tuple[int, int]) -> None:
        if kind in (resource.RLIMIT_STACK, resource.RLIMIT_AS):
            raise ValueError("current limit exceeds maximum limit")
        set_limit(kind, limits)

    return setrlimit


def _hide_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str | bytes):
        path = os.fsdecode(arguments[0])
        if path == "/proc" or path.startswith("/proc/"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _run(arguments: list[str]) -> None:
    while arguments[0] in ("-I", "-P"):
        arguments.pop(0)
    kind, program, *rest = arguments
    sys.argv = [kind, *rest]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    sys.executable = sys.argv[1]
    sys.path[:0] = [ROOT]
    _leave_linux()
    _run(sys.argv[2:])
