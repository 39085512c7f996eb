"""What the walls are worth on this machine: each is put up alone in a child, and an attack on it is tried.

Owns the proofs that `kernelgate doctor` shows. Must not know how a wall is built. All of it happens in a fresh
interpreter, as a process cannot come back from behind a wall.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ops.processes import signal_name
from sandbox.walls import linux
from sandbox.walls.level import (
    LANDLOCK,
    NETWORK,
    PID,
    ROOT,
    SECCOMP,
    Level,
    Step,
    WallReport,
    level_of,
)
from sandbox.walls.preparation import WALLS, Prepared, prepare_zygote, walls_here
from sandbox.walls.rlimits import WorkerLimits

_LIMITS = WorkerLimits(memory_bytes=64 << 20, cpu_s=5)
_TIMEOUT_S = 30
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from sandbox.walls.probe import main; main()"


class _Proof(NamedTuple):
    """Behind `walls` alone, `attack` must meet `refusal`: the name of an errno, an exception or a signal.

    `needs`: the step without which there is nothing to prove; empty where every machine has the wall.
    """

    name: str
    needs: str
    walls: tuple[str, ...]
    attack: Callable[[], object]
    refusal: str


def _read_root() -> None:
    if not os.listdir("/"):
        raise OSError(errno.ENOENT, "nothing there")


def _see_interfaces() -> None:
    if [name for _, name in socket.if_nameindex()] == ["lo"]:
        raise OSError(errno.ENETUNREACH, "no network")


def _see_others() -> None:
    if os.getpid() != 1:
        return
    os.kill(2, 0)


def _open_root() -> None:
    os.open("/", os.O_RDONLY)


def _open_many() -> None:
    for _ in range(_LIMITS.nofile):
        os.pipe()


_FILTER = ("no_new_privs", "seccomp")

_PROOFS = (
    _Proof("list the root folder", ROOT, (), _read_root, "ENOENT"),
    _Proof("see a network", NETWORK, (), _see_interfaces, "ENETUNREACH"),
    _Proof("see a process", PID, (), _see_others, "ESRCH"),
    _Proof("open a file", LANDLOCK, ("no_new_privs", "landlock"), _open_root, "EACCES"),
    _Proof("use an inherited descriptor", "", ("descriptors",), lambda: os.fstat(0), "EBADF"),
    _Proof("use privilege", "", ("capabilities",), lambda: linux.unshare(linux.CLONE_NEWUTS), "EPERM"),
    _Proof("take memory", "", ("rlimits",), lambda: bytearray(2 * _LIMITS.memory_bytes), "MemoryError"),
    _Proof("take descriptors", "", ("rlimits",), _open_many, "EMFILE"),
    _Proof("open a file", SECCOMP, _FILTER, _open_root, "EPERM"),
    _Proof("make a socket", SECCOMP, _FILTER, socket.socket, "SIGSYS"),
    _Proof("start a process", SECCOMP, WALLS, os.fork, "SIGSYS"),
)


def _outcome(prepared: Prepared, proof: _Proof) -> str:
    """What the attack met: the name of an errno, an exception or a signal, or `nothing`."""
    read, write = os.pipe()
    prepared.before_fork()
    pid = os.fork()
    if pid == 0:
        try:
            prepared.seal(_LIMITS, {write}, proof.walls)
            os.write(write, _attempt(proof.attack).encode())
        finally:
            os._exit(0)
    os.close(write)
    text = os.read(read, 200).decode()
    os.close(read)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return signal_name(-code) if code < 0 else text or "no answer"


def _attempt(attack: Callable[[], object]) -> str:
    try:
        attack()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "OSError")
    except Exception as error:
        return type(error).__name__
    return "nothing"


def _prove(prepared: Prepared, proof: _Proof) -> Step:
    try:
        met = _outcome(prepared, proof)
    except OSError as error:
        met = str(error)
    behind = "every wall" if proof.walls == WALLS else ", ".join(proof.walls) or proof.needs
    return Step(f"attack: {proof.name}", met == proof.refusal, f"met {met} behind {behind}")


def _report() -> WallReport:
    """Prepare this process, and prove what it got. A wall whose proof fails counts as missing."""
    prepared = prepare_zygote()
    got = {step.name for step in prepared.report.steps if step.ok}
    proofs = {
        proof: _prove(prepared, proof)
        for proof in _PROOFS
        if (proof.needs in got or not proof.needs) and set(proof.walls).issubset(walls_here())
    }
    broken = {proof.needs for proof, step in proofs.items() if not step.ok}
    held = tuple(
        Step(step.name, False, "does not hold when attacked") if step.name in broken else step
        for step in prepared.report.steps
    )
    level = level_of(held)
    return WallReport(level.level, (*held, *proofs.values()), level.reason)


def main() -> None:
    """Print the report as JSON: for the child that `probe` starts."""
    text = json.dumps(_report().to_dict())
    sys.stdout.write(text)


def probe(python: str = sys.executable) -> WallReport:
    """Try every wall of this machine in a child process; takes about half a second. Never raises."""
    root = str(Path(__file__).resolve().parents[2])
    try:
        done = subprocess.run(
            [python, "-I", "-c", _PROGRAM, root],
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
            text=True,
        )
        return WallReport.from_dict(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        return WallReport(Level.PROCESS, (), f"the probe failed: {error}")
