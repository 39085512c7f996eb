"""Runs attacks behind chosen walls, in children of one prepared zygote: `python -I runner.py` with JSON on stdin.

A process of its own because a zygote has one thread and cannot come back. In: {"machine": one of `MACHINES`,
"namespaces": bool, "folder": an empty one, "cases": [[name of an attack or of an ordinary action, [walls]]]}. Out: the
report of the walls, and what each case met: the name of an errno, an exception or a signal, or `nothing`.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import pty
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from sandbox.walls.preparation import Prepared, prepare_zygote
from sandbox.walls.rlimits import WorkerLimits
from tests.sandbox.walls.attacks import ATTACKS
from tests.sandbox.walls.attacks.base import X86, World, kernel
from tests.sandbox.walls.machines import MACHINES
from tests.sandbox.walls.ordinary import ORDINARY

LIMITS = WorkerLimits(memory_bytes=64 << 20, cpu_s=0, nofile=32)
DEADLINE_S = 20
GETPID_32 = 20


def _abstract(kind: socket.SocketKind) -> bytes:
    listener = socket.socket(socket.AF_UNIX, kind)
    name = f"\0kernelgate-test-{os.getpid()}-{kind}".encode()
    listener.bind(name)
    if kind == socket.SOCK_STREAM:
        listener.listen()
    listener.detach()
    return name


def _port(kind: socket.SocketKind) -> int:
    listener = socket.socket(socket.AF_INET, kind)
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    if kind == socket.SOCK_STREAM:
        listener.listen()
    listener.detach()
    return int(port)


def _thirty_two_bit_door() -> Callable[[], int] | None:
    """`mov eax, 20; int 0x80; ret` in memory that is executable from before the walls."""
    if not X86:
        return None
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8" + GETPID_32.to_bytes(4, "little") + b"\xcd\x80\xc3")
    _KEPT.append(page)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))


_KEPT: list[object] = []  # mappings and functions that must live as long as the process


def _shared_memory() -> int:
    """A segment that is freed with the last process that has it: this one and its forks."""
    segment = kernel("shmget", 0, 4096, 0o1666)
    kernel("shmat", segment, None, 0)
    kernel("shmctl", segment, 0, None)
    return segment


def surroundings_of(folder: str) -> dict[str, object]:
    """What an attack finds outside, `folder` included; it lives as long as this process."""
    Path(folder).chmod(0o777)
    for name in ("secret", "file"):
        Path(folder, name).write_text("secret")
        Path(folder, name).chmod(0o755)
    return {
        "server": os.getpid(),
        "secret": f"{folder}/secret",
        "folder": folder,
        "tcp_port": _port(socket.SOCK_STREAM),
        "udp_port": _port(socket.SOCK_DGRAM),
        "stream": _abstract(socket.SOCK_STREAM),
        "datagram": _abstract(socket.SOCK_DGRAM),
        "file": os.open(f"{folder}/file", os.O_RDWR),
        "pipe": os.pipe()[0],
        "shared": _shared_memory(),
        "terminal": pty.openpty()[1],
        "int80": _thirty_two_bit_door(),
    }


def _sibling(prepared: Prepared) -> int:
    """Another worker, which waits; SIGUSR1 does nothing to it."""
    prepared.before_fork()
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.alarm(5 * DEADLINE_S)
        while True:
            signal.pause()
    return pid


def attempt(act: Callable[[], object]) -> str:
    """What `act` meets: the name of an errno or an exception, or `nothing`."""
    try:
        act()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, repr(error))
    except Exception as error:
        return type(error).__name__
    return "nothing"


def _outcome(prepared: Prepared, world: World, name: str, walls: list[str]) -> str:
    read, write = os.pipe()
    prepared.before_fork()
    pid = os.fork()
    if pid == 0:
        signal.alarm(DEADLINE_S)
        try:
            prepared.seal(LIMITS, {write}, walls)
            os.write(write, attempt(ORDINARY.get(name) or partial(ATTACKS[name].act, world)).encode())
        finally:
            os._exit(0)
    os.close(write)
    text = os.read(read, 200).decode()
    os.close(read)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return signal.Signals(-code).name if code < 0 else text or "no answer"


def main() -> None:
    """Run the cases. The folder is the caller's: from behind the walls it cannot be removed."""
    job = json.load(sys.stdin)
    surroundings = surroundings_of(job["folder"])
    MACHINES[job["machine"]]()
    prepared = prepare_zygote(use_namespaces=job["namespaces"])
    world = World(sibling=_sibling(prepared), **surroundings)  # type: ignore[arg-type]
    outcomes = [_outcome(prepared, world, name, walls) for name, walls in job["cases"]]
    os.kill(world.sibling, signal.SIGKILL)
    os.waitpid(world.sibling, 0)
    print(json.dumps({"report": prepared.report.to_dict(), "outcomes": outcomes}))


if __name__ == "__main__":
    main()
