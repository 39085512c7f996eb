"""What honest drivers and BLAS do behind the walls of a device process: each must work, as attacks must not."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import resource
import select
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from tests.sandbox.walls.attacks.base import X86, World, kernel

PR_SET_NAME = 15
_OURS, _THEIRS = socket.socketpair()  # from before the walls, as the server's socket is
RETURN_42 = b"\xb8\x2a\x00\x00\x00\xc3" if X86 else b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"


def _compile(_: World) -> None:
    """As LLVM does: write code into memory, make it executable, call it."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    page.write(RETURN_42)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    kernel("mprotect", address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC)
    assert ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 42
    kernel("mprotect", address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE)


def _threads(_: World) -> None:
    done = []

    def work() -> None:
        kernel("prctl", PR_SET_NAME, b"driver-0")
        done.append(len(os.sched_getaffinity(0)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == len(threads)


def _memory_files(_: World) -> None:
    """As downloads do."""
    file = os.memfd_create("carrier", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(file, 1 << 20)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
    os.pwrite(file, b"x" * 1000, 5)
    assert os.preadv(file, [bytearray(1000)], 5) == 1000
    assert mmap.mmap(file, 1 << 20, mmap.MAP_SHARED, mmap.PROT_READ)[5] == ord("x")


def _pass_descriptor(world: World) -> None:
    socket.send_fds(_OURS, [b"x"], [world.pipe])
    assert len(socket.recv_fds(_THEIRS, 1, 1)[1]) == 1
    assert not select.select([_THEIRS], [], [], 0)[0]


def _limits(_: World) -> None:
    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 4096


def _large_memory(_: World) -> None:
    block = mmap.mmap(-1, 256 << 20)
    block.madvise(mmap.MADV_DONTNEED)
    block.close()


DRIVERLIKE: dict[str, Callable[[World], object]] = {
    "compile code and run it": _compile,
    "start threads with names": _threads,
    "share memory files": _memory_files,
    "pass descriptors": _pass_descriptor,
    "ask for limits": _limits,
    "take memory and give it back": _large_memory,
}

DRIVERLIKE_OF_GPU: dict[str, Callable[[World], object]] = {
    "open a device of the system": lambda w: os.open("/dev/null", os.O_RDWR),
    "list the libraries": lambda w: os.listdir("/usr/lib"),
    "read its memory map": lambda w: Path("/proc/self/maps").read_text(),
    "wait for events": lambda w: kernel("eventfd2", 0, 0),
    "pin memory": lambda w: kernel("mlock", 4096 * (id(w) // 4096), 4096),
}
