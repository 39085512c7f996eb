"""The pool: limits and what they say, crashes, cancellation, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ops.graph import Graph, TensorRef
from sandbox.errors import SandboxWeakError, ValueFormError
from sandbox.frames import MAX_MESSAGE
from sandbox.limits import Limits
from sandbox.pool import Outcome, PoolSettings, WorkerPool
from sandbox.values import MAX_BYTES
from shaders.errors import KernelgateError, caret
from tests.sandbox.support import LIMITS, ManualClock, Sandbox, Services, nothing_left_open, until

SMALL = Limits(wall_s=10, cpu_s=0.3, memory_mb=64, output_bytes=10_000)
BRIEF = Limits(wall_s=0.05, cpu_s=5, memory_mb=64, output_bytes=1 << 30)


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script out of time has long to say at which line it is."""
    monkeypatch.setattr("sandbox.session.LAST_WORDS_S", 20.0)


@pytest.fixture
def end_of(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, _patient: None
) -> Callable[[str, Services], Outcome]:
    """How a script ends that is out of time once it has printed something, however long that takes it."""
    clock = ManualClock()
    monkeypatch.setattr(sandbox.pool, "_settings", replace(sandbox.pool._settings, clock=clock))

    async def scenario(source: str, services: Services) -> Outcome:
        running = asyncio.create_task(sandbox.pool.run_script(source, {}, BRIEF, services))
        await until(services.printed)
        clock.now += BRIEF.wall_s
        return await running

    return lambda source, services: sandbox.runner.run(scenario(source, services))


def test_main_is_called_with_the_inputs_by_name(sandbox: Sandbox) -> None:
    assert sandbox.result("def main(x, y=2, *, z):\n    return [x, y, z]", x=1, z="three") == [1, 2, "three"]


def test_a_script_may_assign_its_result(sandbox: Sandbox) -> None:
    assert sandbox.result("result = {'answer': 42}") == {"answer": 42}


def test_an_async_main_is_awaited(sandbox: Sandbox) -> None:
    source = "import asyncio\nasync def main(n):\n    await asyncio.sleep(0)\n    return n * 2"
    assert sandbox.result(source, n=21) == 42


def test_a_script_that_calls_its_own_main_is_not_called_again(sandbox: Sandbox) -> None:
    source = "def main():\n    print('once')\n\nif __name__ == '__main__':\n    main()"
    assert sandbox.printed(source) == "once\n"


def test_missing_and_unexpected_inputs_name_the_parameters_of_main(sandbox: Sandbox) -> None:
    missing = sandbox.error("\ndef main(a, b, c=1):\n    return a", a=1)
    assert missing.code == "script_error"
    assert "main(a, b, c) needs the inputs b" in missing.message
    assert missing.line == 2
    assert missing.snippet.startswith("def main")
    unexpected = sandbox.error("def main(a):\n    return a", a=1, d=2)
    assert "takes no inputs d" in unexpected.message
    assert unexpected.hint.startswith("Leave them out of the inputs, ")


def test_inputs_for_a_script_without_main_are_an_error(sandbox: Sandbox) -> None:
    assert "defines no main" in sandbox.error("result = 1", x=1).message
    assert sandbox.error("x = 1", x=1).hint == "Define main(x)."
    assert sandbox.error("def f(x): return x", x=1).hint == "Call f main, or define main(x)."
    assert "takes x by position" in sandbox.error("def main(x, /): return x", x=1).message


@pytest.mark.parametrize("inputs", [{}, {"x": 1}])
@pytest.mark.parametrize("name", ["mian", "Main", "mai", "main_", "maun"])
def test_a_misspelt_main_is_told_with_its_line(sandbox: Sandbox, name: str, inputs: dict[str, int]) -> None:
    error = sandbox.error(f"import math\n\ndef {name}(x=0):\n    return x", **inputs)
    assert error.message == f"the script defines {name}, which nothing calls, and no main"
    assert (error.code, error.line, error.hint) == ("script_error", 3, "Did you mean main?")
    assert error.snippet.startswith(f"def {name}")


@pytest.mark.parametrize(
    "source",
    [
        "print(1)",
        "def gain(x):\n    return 2 * x\nprint(gain(1))",
        "def mean():\n    pass\ndef other():\n    return mean\n",
        "def solve():\n    return 1",
        "def mian():\n    return 1\nresult = None",
        "import math as mian",
        "def mean(x):\n    return x\ndef gain(x):\n    return x\nprint('a library')",
        "def min_(x):\n    return x",
        "class Main:\n    pass",
        "known = {}\ndef known_as(f):\n    known[1] = f\n@known_as\ndef main_(): pass\nknown[1]()",
    ],
)
def test_statements_alone_are_a_script(sandbox: Sandbox, source: str) -> None:
    assert sandbox.result(source) is None


def test_values_survive_the_way_in_and_out(sandbox: Sandbox) -> None:
    value = {"i": 2**200, "f": float("inf"), "b": b"\0\1", "n": None, "l": [1, -1.5, "é", [True, {}]]}
    assert sandbox.result("def main(value):\n    return value", value=value) == value


def test_a_result_that_can_not_leave_is_an_error_with_its_path(sandbox: Sandbox) -> None:
    error = sandbox.error("def main():\n    return {'a': [1, {2, 3}]}")
    assert error.code == "value_unsupported"
    assert "result['a'][1] is of type set" in error.message


def test_inputs_that_can_not_enter_are_refused_before_a_worker_is_taken(sandbox: Sandbox) -> None:
    with pytest.raises(ValueFormError):
        sandbox.run("def main(x):\n    return x", x=object())


def test_the_exit_status_decides_over_success(sandbox: Sandbox) -> None:
    assert sandbox.result("import sys\nresult = 3\nsys.exit(0)") == 3
    assert "status 4" in sandbox.error("import sys\nsys.exit(4)").message


# ---------------------------------------------------------------------- limits
@pytest.mark.usefixtures("_patient")
def test_a_busy_loop_ends_at_the_processor_limit_named_with_its_use(sandbox: Sandbox) -> None:
    outcome = sandbox.run("while True: pass", SMALL)
    assert outcome.status == "timed_out"
    assert outcome.error.code == "cpu_limit"
    assert "limit of 0.3 s" in outcome.error.message
    assert outcome.error.line == 1
    assert 300 <= sandbox.services.cpu_ms < 2000, "before the kernel ends it"


def test_a_loop_that_swallows_everything_ends_too(sandbox: Sandbox) -> None:
    source = "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass"
    assert sandbox.run(source, SMALL).error.code == "cpu_limit"


def test_native_code_that_never_returns_ends_at_the_processor_limit(sandbox: Sandbox) -> None:
    assert sandbox.run("sum(range(10**12))", SMALL).error.code == "cpu_limit"


LATE = {
    "a loop": ("def main():\n    x = 0\n    print(x)\n    while True:\n        x += 1", (3, 4, 5)),
    "a sleep": ("import time\ndef main():\n    print(1)\n    time.sleep(60)", (3, 4)),
    "a flood of output": ("while True:\n    print('x' * 60)", (1, 2)),
    "a loop in a library": (
        "import json\ntext = '[' + '1,' * 9999 + '1]'\nprint(1)\nwhile True:\n    json.loads(text)",
        (3, 4, 5),
    ),
    "a coroutine": (
        "import asyncio\nasync def main():\n    print(1)\n    while True:\n        await asyncio.sleep(0)",
        (3, 4, 5),
    ),
    "a task": (
        "import asyncio\nasync def wait():\n    print(1)\n    await asyncio.sleep(60)\n"
        "async def main():\n    await asyncio.gather(wait(), wait())",
        (3, 4),
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_a_script_out_of_time_is_told_the_line_that_it_was_at(end_of: Any, name: str) -> None:
    source, lines = LATE[name]
    error = end_of(source, Services()).error
    assert error.code == "wall_limit"
    assert error.line in lines
    assert error.snippet == caret(source, error.line, error.column)


def test_a_script_that_waits_for_the_device_is_told_where(end_of: Any) -> None:
    class Stuck(Services):
        async def compute(self, graph: Graph) -> list[TensorRef]:
            await self.output("stdout", "it is asked", False)
            await asyncio.Event().wait()
            raise AssertionError

    source = "import torch\nx = torch.ones(3)\nprint(x.sum().item())"
    error = end_of(source, Stuck()).error
    assert (error.code, error.line) == ("wall_limit", 3)


def test_an_imported_script_out_of_time_is_named(end_of: Any) -> None:
    services = Services()
    services.scripts = {"slow": "def f():\n    print(1)\n    while True: pass"}
    error = end_of("import slow\nslow.f()", services).error
    assert error.code == "wall_limit"
    assert error.line in (2, 3)
    assert error.message.endswith("(in script slow)")


def test_a_script_that_is_cancelled_tells_what_it_spent(sandbox: Sandbox) -> None:
    async def scenario(services: Services) -> None:
        running = asyncio.create_task(sandbox.pool.run_script(source, {}, LIMITS, services))
        await until(lambda: services.texts)
        running.cancel()
        await asyncio.wait((running,))

    services = Services()
    source = "import time\nwhile time.process_time() < 0.1: pass\nprint('busy')\nwhile True: pass"
    sandbox.runner.run(scenario(services))
    assert 10 < services.cpu_ms < 10_000
    assert services.peak_bytes > 0


def test_a_script_that_is_cancelled_at_once_has_spent_something_each_time(sandbox: Sandbox) -> None:
    """The kernel counts the time of a running process at its ticks: within the first, it seems to have used none."""

    async def cancelled() -> float:
        services = Services()
        running = asyncio.create_task(sandbox.pool.run_script(source, {}, LIMITS, services))
        await until(lambda: services.texts)
        running.cancel()
        await asyncio.wait((running,))
        return services.cpu_ms

    source = "print('begun')\nwhile True: pass"
    spent = [sandbox.runner.run(cancelled()) for _ in range(30)]
    assert min(spent) > 0


def test_a_sleeper_ends_at_the_wall_clock(sandbox: Sandbox) -> None:
    limits = Limits(wall_s=0.2, cpu_s=5, memory_mb=64, output_bytes=100)
    outcome = sandbox.run("import time\ntime.sleep(60)", limits)
    assert outcome.status == "timed_out"
    assert outcome.error.code == "wall_limit"
    assert "0.2 s" in outcome.error.message


def test_a_huge_allocation_ends_at_the_memory_limit(sandbox: Sandbox) -> None:
    for source in ("x = 'a' * 10**10", "x = []\nwhile True: x.append('y' * 10**6)"):
        outcome = sandbox.run(source, Limits(20, 10, 64, 100))
        assert outcome.status == "failed"
        assert outcome.error.code == "memory_limit"
        assert "64 MB" in outcome.error.message
        assert sandbox.services.peak_bytes < 80 << 20


def test_what_is_refused_memory_is_told_by_its_line(sandbox: Sandbox) -> None:
    source = "def grow(n):\n    return 'x' * n\n\ndef main():\n    return grow(10**10)"
    error = sandbox.run(source, SMALL).error
    assert (error.code, error.line, error.snippet) == ("memory_limit", 2, caret(source, 2, 12))


def test_what_an_imported_script_is_refused_is_told_with_its_name(sandbox: Sandbox) -> None:
    services = Services()
    services.scripts = {"large": "def f():\n    return 'x' * 10**10"}
    error = sandbox.run_with(services, "import large\nlarge.f()", SMALL).error
    assert (error.code, error.line) == ("memory_limit", 2)
    assert error.message.endswith("(in script large)")


def test_memory_errors_swallowed_in_a_loop_end_at_the_processor_limit(sandbox: Sandbox) -> None:
    source = (
        "l = []\nwhile True:\n    try:\n        l.append('x' * 10**6)\n    except MemoryError:\n        pass"
    )
    assert sandbox.run(source, SMALL).error.code == "cpu_limit"


def test_a_memory_error_that_the_script_raises_itself_is_the_scripts(sandbox: Sandbox) -> None:
    assert sandbox.error("raise MemoryError('mine')").code == "script_error"


def test_output_is_cut_at_its_limit_and_says_so(sandbox: Sandbox) -> None:
    limits = replace(LIMITS, output_bytes=10_000)
    outcome = sandbox.run("for i in range(10000): print('x' * 99)\nresult = 'done'", limits)
    assert outcome.result == "done"
    assert len(sandbox.services.printed()) == 10_000
    assert [cut for _, _, cut in sandbox.services.texts].count(True) == 1


def test_output_streams_before_the_script_ends(sandbox: Sandbox) -> None:
    async def scenario(services: Services) -> None:
        running = asyncio.create_task(sandbox.pool.run_script(source, {}, LIMITS, services))
        await until(lambda: services.printed() == "first\nsecond\n")
        assert not running.done()
        running.cancel()
        await asyncio.wait((running,))

    source = "import time\nprint('first')\nprint('second')\ntime.sleep(60)"
    sandbox.runner.run(scenario(Services()))


def test_both_streams_keep_their_order(sandbox: Sandbox) -> None:
    sandbox.run("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')")
    assert [(stream, text) for stream, text, _ in sandbox.services.texts] == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c\n"),
    ]


def test_deep_recursion_is_the_scripts_error_with_its_line(sandbox: Sandbox) -> None:
    error = sandbox.error("def f(n):\n    return f(n + 1)\nf(0)")
    assert error.code == "script_error"
    assert error.message.startswith("RecursionError")
    assert error.line == 2


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 5000 + "1" + ")" * 5000,
        "x = " + "-" * 100_000 + "1",
        "x = 1" + ".real" * 50_000,
        "x = " + "+".join(["1"] * 50_000),
        "x = []\nfor i in range(10**5): x = [x]\nprint(len(repr(x)))",
        "import re\nre.match('(' * 5000 + ')' * 5000, '')",
        "import itertools\nx = iter([1])\nfor i in range(200000): x = itertools.chain(x)\nprint(next(x))",
        "x = None\nfor i in range(10**6): x = (x,)\ndel x",
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E()",
        "raise ValueError('x' * 50_000_000)",
        "print(str(10 ** 100_000))",
    ],
    ids=lambda source: source[:24],
)
def test_a_bomb_costs_its_author_an_answer_and_nobody_else_anything(sandbox: Sandbox, source: str) -> None:
    outcome = sandbox.run(source, Limits(wall_s=10, cpu_s=2, memory_mb=128, output_bytes=1000))
    assert outcome.status in ("succeeded", "failed", "timed_out")
    assert outcome.error is None or len(outcome.error.message) < 10_000
    assert sandbox.result("result = 'alive'") == "alive"


# ---------------------------------------------------------------------- endings
def test_cancelling_kills_the_worker_at_once(sandbox: Sandbox) -> None:
    async def scenario() -> float:
        services = Services()
        task = asyncio.create_task(
            sandbox.pool.run_script("print('here')\nwhile True: pass", {}, LIMITS, services)
        )
        await until(services.printed)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert sandbox.runner.run(scenario()) < LIMITS.cpu_s / 2, "far from where it would have ended by itself"


def test_nothing_is_left_after_many_runs_and_the_end() -> None:
    async def scenario() -> None:
        pool = WorkerPool(PoolSettings(size=2))
        await pool.start()
        for source in ("result = 1", "1 / 0", "while True: pass", "import os\nraise SystemExit(3)"):
            await pool.run_script(source, {}, SMALL, Services())
        await pool.close()

    with nothing_left_open(), asyncio.Runner() as runner:
        runner.run(scenario())


def test_the_next_run_works_after_the_zygote_was_killed() -> None:
    async def scenario() -> tuple[Any, Any]:
        pool = WorkerPool(PoolSettings(size=1))
        await pool.start()
        try:
            services = Services()
            source = "import time\nprint('here')\ntime.sleep(60)"
            running = asyncio.create_task(pool.run_script(source, {}, LIMITS, services))
            await until(services.printed)
            os.kill(pool.zygote_pid, signal.SIGKILL)
            first = await asyncio.wait_for(running, 20)
            second = await asyncio.wait_for(pool.run_script("result = 2", {}, LIMITS, Services()), 20)
            return first, second
        finally:
            await pool.close()

    with asyncio.Runner() as runner:
        first, second = runner.run(scenario())
    assert first.error.code == "worker_crashed"
    assert second.result == 2


def test_a_run_takes_no_worker_that_died_waiting() -> None:
    async def scenario() -> Any:
        pool = WorkerPool(PoolSettings(size=2))
        await pool.start()
        try:
            waiting = list(pool._stock._ready)
            assert all(worker.is_alive for worker in waiting)
            for worker in waiting:
                worker.kill()
            end = time.monotonic() + 60
            while any(
                worker.is_alive for worker in waiting
            ):  # the loop, and so the pool, learns nothing meanwhile
                assert time.monotonic() < end
            return await asyncio.wait_for(pool.run_script("result = 2", {}, LIMITS, Services()), 20)
        finally:
            await pool.close()

    with asyncio.Runner() as runner:
        assert runner.run(scenario()).result == 2


def test_a_zygote_is_replaced_after_its_share_of_workers() -> None:
    async def scenario() -> list[int]:
        pool = WorkerPool(PoolSettings(size=1, recycle_after=3))
        await pool.start()
        pids = []
        for _ in range(8):
            outcome = await pool.run_script("result = 1", {}, LIMITS, Services())
            assert outcome.result == 1
            pids.append(pool.zygote_pid)
        await pool.close()
        return pids

    with asyncio.Runner() as runner:
        assert len(set(runner.run(scenario()))) >= 2


def test_a_worker_that_comes_when_the_pool_is_closed_is_closed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> bool:
        pool = WorkerPool(PoolSettings(size=1))
        await pool.start()
        zygote, delivered = pool._stock._zygote, asyncio.Event()
        assert zygote is not None
        spawn = zygote.spawn
        workers = []

        async def late() -> Any:
            workers.append(await spawn())
            delivered.set()
            await closed.wait()
            return workers[0]

        monkeypatch.setattr(zygote, "spawn", late)
        closed = asyncio.Event()
        adding = asyncio.create_task(pool._stock._add())
        await delivered.wait()
        await pool.close()
        closed.set()
        await adding
        return workers[0].connection.fileno() < 0 and not pool._stock._ready

    assert asyncio.run(scenario())


def test_a_zygote_whose_closing_is_cancelled_is_closed_with_the_pool() -> None:
    class Retired:
        living = 0
        died = asyncio.Event()

        def __init__(self) -> None:
            self.began, self.closed = 0, False

        async def close(self) -> None:
            self.began += 1
            if self.began == 1:
                await asyncio.Event().wait()
            self.closed = True

    async def scenario() -> list[bool]:
        pool = WorkerPool(PoolSettings())
        zygotes = [Retired(), Retired()]
        zygotes[1].began = 1
        pool._stock._retired = list(zygotes)  # type: ignore[arg-type]
        closing = asyncio.create_task(pool._stock._close_retired())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await pool.close()
        return [zygote.closed for zygote in zygotes]

    assert asyncio.run(scenario()) == [True, True]


def test_many_runs_at_once_share_a_small_pool(sandbox: Sandbox) -> None:
    async def scenario() -> list[Any]:
        runs = [
            sandbox.pool.run_script("def main(n):\n    return n", {"n": number}, LIMITS, Services())
            for number in range(40)
        ]
        return [outcome.result for outcome in await asyncio.gather(*runs)]

    assert sandbox.runner.run(scenario()) == list(range(40))


def test_workers_have_neither_numpy_nor_jinja2(sandbox: Sandbox) -> None:
    roots = {module.partition(".")[0] for module in sandbox.pool.modules}
    assert "sandbox" in roots
    assert not roots & {"numpy", "jinja2", "wgpu", "fastapi", "sqlalchemy"}


def test_two_runs_draw_different_random_numbers(sandbox: Sandbox) -> None:
    for source in ("import random\nresult = random.random()", "result = torch.rand(1).tolist()"):
        assert sandbox.result(source) != sandbox.result(source)


def test_the_level_and_its_reason_are_told(sandbox: Sandbox) -> None:
    assert sandbox.pool.level in ("full", "hardened", "seccomp", "process")
    assert sandbox.pool.reason or sandbox.pool.level == "full"
    assert sandbox.run("result = 1").level == sandbox.pool.level


def test_scripts_are_refused_without_walls_unless_the_owner_allows_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox.pool._stock, "level", "process")
    monkeypatch.setattr(sandbox.pool._stock, "reason", "no seccomp here")
    with pytest.raises(SandboxWeakError, match="no seccomp here"):
        sandbox.run("result = 1")
    monkeypatch.setattr(sandbox.pool, "_settings", replace(sandbox.pool._settings, allow_weak=True))
    assert sandbox.run("result = 1").level == "process"


# ---------------------------------------------------------------------- kernels
def test_a_kernel_is_reflected_in_a_worker(sandbox: Sandbox) -> None:
    source = (
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = id.x; }"
    )
    reflection = sandbox.runner.run(sandbox.pool.reflect(source))
    assert reflection.entry_points[0].workgroup_size == (64, 1, 1)
    assert reflection.bindings[0].name == "out"


def test_a_bad_kernel_is_refused_with_its_place(sandbox: Sandbox) -> None:
    with pytest.raises(KernelgateError) as caught:
        sandbox.runner.run(sandbox.pool.reflect("fn main( {"))
    assert caught.value.code == "kernel_syntax"
    assert caught.value.line == 1


@pytest.mark.parametrize(
    "script",
    [
        "result = b'x' * (33 << 20)",
        "result = 'x' * (33 << 20)",
        "import array\nresult = torch.tensor(array.array('f', bytes(34 << 20))).sum()",
    ],
    ids=["bytes", "text", "a constant of a graph"],
)
def test_what_is_too_long_for_a_message_is_the_scripts_own_error(sandbox: Sandbox, script: str) -> None:
    limits = replace(LIMITS, memory_mb=1000)
    error = sandbox.run(script, limits=limits).error
    assert error is not None
    assert error.code == "value_unsupported"
    assert str(MAX_MESSAGE) in error.message or str(MAX_BYTES) in error.message
    assert error.hint


def test_an_error_as_long_as_memory_is_told_in_short(sandbox: Sandbox) -> None:
    name = "f" * 3_000_000
    error = sandbox.error(f"def {name}(n):\n    return {name}(n - 1) if n else 1 / 0\n{name}(40)")
    assert (error.code, error.line) == ("script_error", 2)
    assert len(error.hint) <= 8000
