"""Limits from inside, and from outside on a sealed worker: lower each time, never higher."""

from __future__ import annotations

import os
import resource

import pytest

from sandbox.walls import linux
from sandbox.walls.rlimits import WorkerLimits, address_space, apply, apply_from_outside
from tests.sandbox.walls.behind import run_python, start_python

pytestmark = pytest.mark.skipif(not linux.supported(), reason="this system has no walls")

MEGABYTE = 1 << 20

INSIDE = """
import os, resource
from sandbox.walls import rlimits
resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))
rlimits.apply(rlimits.WorkerLimits(64 << 20, 0.25), 1000 << 20)
names = "AS CPU NOFILE CORE FSIZE MEMLOCK MSGQUEUE STACK"
print({name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names.split()})
"""


def test_limits_are_hard_and_one_that_is_lower_already_stays() -> None:
    limits = eval(run_python(INSIDE))
    assert all(soft == hard for soft, hard in limits.values())
    assert {name: soft for name, (soft, _) in limits.items()} == {
        "AS": 1064 * MEGABYTE,
        "CPU": 2,
        "NOFILE": 10,
        "CORE": 0,
        "FSIZE": 0,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
        "STACK": 8 * MEGABYTE,
    }


WORKER = """
import os, resource, socket
from sandbox.walls import namespaces
from sandbox.walls.preparation import prepare_zygote
from sandbox.walls.rlimits import WorkerLimits
kind = sys.argv[1]
prepared = prepare_zygote(use_namespaces=kind == "namespaces")
server, ours = socket.socketpair()
prepared.before_fork()
if os.fork() == 0:
    prepared.seal(WorkerLimits(512 << 20, 60), {0, 1})
    sys.stdin.readline()
    try:
        bytearray(128 << 20)
        print("got it", flush=True)
    except MemoryError:
        print("MemoryError", flush=True)
    while True:
        pass
print(prepared.base, flush=True)
os.waitpid(-1, 0)
"""


@pytest.mark.parametrize("kind", ["namespaces", "none"])
def test_the_limits_of_a_run_reach_a_sealed_worker_from_outside(kind: str) -> None:
    limits = WorkerLimits(64 * MEGABYTE, 0)
    with start_python(WORKER, kind) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            base = int(process.stdout.readline())
            worker = _youngest(process.pid)
            apply_from_outside(worker, limits, base)
            apply_from_outside(worker, WorkerLimits(512 * MEGABYTE, 60), base)
            assert resource.prlimit(worker, resource.RLIMIT_AS) == (base + 64 * MEGABYTE,) * 2
            assert resource.prlimit(worker, resource.RLIMIT_CPU) == (1, 1)
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "MemoryError\n"
            process.wait(20)  # the limit of processor time ends the loop, and with it everyone
        finally:
            process.kill()


def _youngest(pid: int) -> int:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        below = file.read().split()
    return _youngest(int(below[-1])) if below else pid


def test_a_process_that_is_gone_has_no_limits_to_set() -> None:
    with start_python("") as process:
        process.wait(20)
    with pytest.raises(ProcessLookupError):
        apply_from_outside(process.pid, WorkerLimits(MEGABYTE, 1), 0)


def test_address_space_of_another_process_is_told() -> None:
    assert address_space(os.getpid()) == pytest.approx(address_space(), rel=0.1)


def test_a_limit_that_is_lowered_from_outside_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server limits a worker for its run as soon as it exists, which may be while it seals itself."""
    hard = dict.fromkeys(range(32), resource.RLIM_INFINITY)
    raced: list[int] = []

    def setrlimit(kind: int, limits: tuple[int, int]) -> None:
        if kind == resource.RLIMIT_AS and not raced:
            raced.append(kind)
            hard[kind] = 5 * MEGABYTE
        if hard[kind] != resource.RLIM_INFINITY and limits[1] > hard[kind]:
            raise ValueError("not allowed to raise maximum limit")
        hard[kind] = limits[1]

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (hard[kind], hard[kind]))
    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    apply(WorkerLimits(64 * MEGABYTE, 1), 1000 * MEGABYTE)
    assert raced
    assert hard[resource.RLIMIT_AS] == 5 * MEGABYTE
    assert hard[resource.RLIMIT_CORE] == 0


def test_a_limit_that_can_not_be_set_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(kind: int, limits: tuple[int, int]) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    with pytest.raises(ValueError, match="maximum limit"):
        apply(WorkerLimits(64 * MEGABYTE, 1), 1000 * MEGABYTE)


def test_a_stack_that_the_system_does_not_let_be_limited_costs_no_other_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As macOS does, even when nothing would change."""
    done: dict[int, tuple[int, int]] = {}

    def setrlimit(kind: int, limits: tuple[int, int]) -> None:
        if kind == resource.RLIMIT_STACK:
            raise ValueError("current limit exceeds maximum limit")
        done[kind] = limits

    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    apply(WorkerLimits(64 * MEGABYTE, 1), None)
    assert done[resource.RLIMIT_CORE] == (0, 0)
    assert done[resource.RLIMIT_NOFILE] == (16, 16)
