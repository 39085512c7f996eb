"""The life of keeper, zygote and workers: who dies takes all below along; a seal is whole or the worker ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sandbox.walls import linux
from tests.sandbox.walls.behind import run_python, start_python

pytestmark = pytest.mark.skipif(not linux.supported(), reason="this system has no walls")

DEADLINE_S = 20

ZYGOTE = """
import os, time
from sandbox.walls import linux
from sandbox.walls.preparation import prepare_zygote
from sandbox.walls.rlimits import WorkerLimits
if sys.argv[1] == "elsewhere":
    linux.supported = lambda: False
prepared = prepare_zygote(use_namespaces=sys.argv[1] == "namespaces")
for _ in range(3):
    read, write = os.pipe()
    prepared.before_fork()
    if os.fork() == 0:
        prepared.seal(WorkerLimits(64 << 20, 5), {write})
        os.write(write, b"!")
        while True:
            time.sleep(60)
    assert os.read(read, 1) == b"!"
print(prepared.report.level, flush=True)
sys.stdin.read()
"""


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in listed.split()]


def descendants(pid: int) -> list[int]:
    found = children(pid)
    return found + [below for child in found for below in descendants(child)]


def wait_for_end(pidfds: list[int]) -> None:
    """Wait, bounded, until every process behind `pidfds` has ended."""
    for pidfd in pidfds:
        ended, _, _ = select.select([pidfd], [], [], DEADLINE_S)
        assert ended, "a process outlived its parent"


@contextmanager
def family(kind: str) -> Iterator[tuple[subprocess.Popen[str], list[int], list[int]]]:
    """A zygote with three sealed workers: the process started, all pids below it, and their pidfds."""
    with ExitStack() as stack:
        process = stack.enter_context(start_python(ZYGOTE, kind))
        stack.callback(process.kill)
        assert process.stdout is not None
        level = process.stdout.readline().strip()
        if kind == "namespaces" and level != "full":
            pytest.skip(f"this machine gives level {level or 'none'}")
        below = descendants(process.pid)
        pidfds = [os.pidfd_open(pid) for pid in below]
        for pidfd in pidfds:
            stack.callback(os.close, pidfd)
        yield process, below, pidfds


def test_the_zygote_is_below_a_keeper_and_its_workers_below_it() -> None:
    with family("namespaces") as (process, below, _):
        (zygote,) = children(process.pid)
        assert len(children(zygote)) == 3
        assert len(below) == 4


def test_a_keeper_holds_no_descriptor() -> None:
    with family("namespaces") as (process, _, _):
        assert os.listdir(f"/proc/{process.pid}/fd") == []


@pytest.mark.parametrize("kind", ["namespaces", "none", "elsewhere"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_all_end_with_the_process_that_the_server_started(kind: str, number: signal.Signals) -> None:
    with family(kind) as (process, _, pidfds):
        process.send_signal(number)
        process.wait(DEADLINE_S)
        wait_for_end(pidfds)


def test_a_keeper_that_is_asked_to_end_reaps_the_zygote_first() -> None:
    with family("namespaces") as (process, below, pidfds):
        process.terminate()
        assert process.wait(DEADLINE_S) == 128 + signal.SIGKILL
        wait_for_end(pidfds)
        assert not Path(f"/proc/{below[0]}").exists()


def test_a_killed_zygote_takes_its_workers_and_its_keeper_along() -> None:
    with family("namespaces") as (process, below, pidfds):
        os.kill(below[0], signal.SIGKILL)
        assert process.wait(DEADLINE_S) == 128 + signal.SIGKILL
        wait_for_end(pidfds)


@pytest.mark.parametrize("kind", ["namespaces", "none"])
def test_all_end_when_the_zygote_returns(kind: str) -> None:
    with family(kind) as (process, _, pidfds):
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(DEADLINE_S) == 0
        wait_for_end(pidfds)


def test_a_keeper_ignores_what_a_terminal_sends_to_all() -> None:
    with family("namespaces") as (process, _, _):
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(DEADLINE_S) == 0


SEALED = """
import os
from sandbox.walls import linux
from sandbox.walls.preparation import WALLS, prepare_zygote
from sandbox.walls.rlimits import WorkerLimits
def status(name):
    return next(line.split(":")[1].strip() for line in open("/proc/self/status") if line.startswith(name + ":"))
prepared = prepare_zygote(use_namespaces=False)
spare = os.open("/dev/null", os.O_RDONLY)
if os.fork() == 0:
    prepared.seal(WorkerLimits(64 << 20, 5), {0, 1, 2}, set(WALLS) - {"landlock", "seccomp"})
    print(status("NoNewPrivs"), linux.prctl(3), status("CapEff"), status("CapPrm"), status("CapBnd"), status("CapAmb"))
    print(os.listdir("/proc/self/fd"))
    sys.stdout.flush()
    os._exit(0)
os.wait()
"""


def test_a_sealed_worker_has_no_privilege_no_core_and_only_the_descriptors_that_it_keeps() -> None:
    flags, descriptors = run_python(SEALED).splitlines()
    no_new_privs, dumpable, effective, permitted, bounding, ambient = flags.split()
    assert (no_new_privs, dumpable) == ("1", "0")
    assert {int(effective, 16), int(permitted, 16), int(ambient, 16)} == {0}
    if os.geteuid() == 0:
        assert int(bounding, 16) == 0
    assert descriptors == "['0', '1', '2', '3']"  # 3: the listing itself


ORPHAN = """
import os
from sandbox.walls.preparation import prepare_zygote
from sandbox.walls.rlimits import WorkerLimits
prepared = prepare_zygote(use_namespaces=False)
read, write = os.pipe()
if os.fork() == 0:                       # between zygote and worker, so that the worker's parent is not the zygote
    if os.fork() == 0:
        try:
            prepared.seal(WorkerLimits(64 << 20, 5), {write})
            os.write(write, b"sealed")
        finally:
            os._exit(0)
    os._exit(0)
os.close(write)
print(os.read(read, 10))
"""


def test_a_worker_whose_zygote_is_gone_before_the_seal_ends() -> None:
    assert run_python(ORPHAN) == "b''\n"


BROKEN_SEAL = """
import errno, os
from sandbox.walls.preparation import prepare_zygote
from sandbox.walls.rlimits import WorkerLimits
prepared = prepare_zygote(use_namespaces=False)
os.close(prepared.ruleset)
if os.fork() == 0:
    try:
        prepared.seal(WorkerLimits(64 << 20, 5), {1})
    except OSError as error:
        print(errno.errorcode[error.errno], flush=True)
    os._exit(0)
os.wait()
"""


def test_a_wall_that_fails_in_the_worker_is_an_error_and_not_left_out() -> None:
    assert run_python(BROKEN_SEAL) == "EBADF\n"
