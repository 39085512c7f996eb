"""The pool on machines that do not allow every wall: what runs, what is refused, and with which words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from sandbox.errors import NativeRefusedError, SandboxWeakError, WorkerCrashedError
from sandbox.pool import Outcome, PoolSettings, WorkerPool
from sandbox.walls import linux
from sandbox.walls.probe import probe
from tests.sandbox.machine import interpreter_on
from tests.sandbox.support import LIMITS, Services, until

T = TypeVar("T")
NATIVE = "import os, numpy\nresult = int(numpy.arange(4).sum())"


@pytest.fixture(scope="module", autouse=True)
def _has_every_wall() -> None:
    if not linux.supported() or probe().level != "full":
        pytest.skip("this machine has not every wall, so that it cannot play another one")


def on(
    machine: str, folder: Path, scenario: Callable[[WorkerPool], Awaitable[T]], **settings: bool | int
) -> T:
    """What `scenario` makes of a started pool on `machine`."""

    async def whole() -> T:
        python = interpreter_on(machine, folder)
        pool = WorkerPool(PoolSettings(**{"size": 1, "python": python, **settings}))  # type: ignore[arg-type]
        try:
            await pool.start()
            return await scenario(pool)
        finally:
            await pool.close()

    return asyncio.run(whole())


async def ordinary(pool: WorkerPool) -> Outcome:
    return await pool.run_script("result = 7", {}, LIMITS, Services())


async def native(pool: WorkerPool) -> Outcome:
    return await pool.run_script(NATIVE, {}, LIMITS, Services(), native=True)


def test_without_any_wall_scripts_are_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(SandboxWeakError, match="level process: seccomp: ENOSYS") as refusal:
        on("no seccomp", tmp_path, ordinary)
    assert "--allow-weak-sandbox" in (refusal.value.hint or "")


def test_without_any_wall_the_owner_may_allow_scripts_but_never_native_ones(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = on("no seccomp", tmp_path, ordinary, allow_weak=True)
    assert (outcome.result, outcome.level) == (7, "process")
    assert outcome.level_reason.startswith("seccomp: ENOSYS")
    assert "run all the same" in caplog.text
    with pytest.raises(NativeRefusedError, match="levels full and hardened only"):
        on("no seccomp", tmp_path, native, allow_weak=True, allow_native=True)


def test_without_landlock_scripts_run_and_native_ones_are_refused(tmp_path: Path) -> None:
    outcome = on("no landlock", tmp_path, ordinary)
    assert (outcome.result, outcome.level) == (7, "seccomp")
    with pytest.raises(NativeRefusedError, match="this server is at seccomp: landlock: ENOSYS"):
        on("no landlock", tmp_path, native, allow_native=True)


def test_in_a_container_native_scripts_run_at_the_level_hardened(tmp_path: Path) -> None:
    outcome = on("docker", tmp_path, native, allow_native=True)
    assert (outcome.result, outcome.level) == (6, "hardened")
    assert outcome.level_reason.startswith("user namespace: EPERM")


def test_running_out_of_namespaces_costs_the_new_runs_and_not_the_zygote(tmp_path: Path) -> None:
    """Three PID namespaces: the zygote's and two workers'."""

    async def scenario(pool: WorkerPool) -> tuple[str, list[object], bool]:
        zygote, services = pool.zygote_pid, [Services(), Services()]
        source = "import time\nprint('here')\ntime.sleep(60)"
        tasks = [asyncio.create_task(pool.run_script(source, {}, LIMITS, each)) for each in services]
        await until(lambda: all(each.printed() for each in services))
        with pytest.raises(WorkerCrashedError) as refusal:
            await ordinary(pool)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        results: list[object] = []

        async def attempt() -> None:  # the kernel frees a namespace some time after its last process
            try:
                results.append((await ordinary(pool)).result)
            except WorkerCrashedError:
                await asyncio.sleep(0.01)

        async with asyncio.timeout(20):
            while len(results) < 3:
                await attempt()
        return str(refusal.value), results, pool.zygote_pid == zygote

    text, results, same = on("three pid namespaces", tmp_path, scenario)
    assert "no worker can be made now: ENOSPC" in text
    assert results == [7, 7, 7]
    assert same
