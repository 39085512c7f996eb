"""Notebooks: a worker whose variables last from cell to cell, under the same walls and limits."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandbox.errors import WorkerCrashedError
from sandbox.limits import Limits
from sandbox.pool import Notebook, Outcome, PoolSettings, WorkerPool
from tests.sandbox.support import LIMITS, Sandbox, Services, until


class Cells:
    """A notebook, driven from a test without `async`."""

    def __init__(self, sandbox: Sandbox, notebook: Notebook) -> None:
        self.sandbox, self.notebook = sandbox, notebook
        self.services = Services()

    def run(self, source: str, limits: Limits = LIMITS, **inputs: Any) -> Outcome:
        return self.sandbox.runner.run(self.notebook.run(source, inputs, limits, self.services))

    def value(self, source: str, **inputs: Any) -> Any:
        outcome = self.run(source, **inputs)
        assert outcome.error is None, outcome.error
        return outcome.result

    def code(self, source: str, limits: Limits = LIMITS, **inputs: Any) -> str:
        outcome = self.run(source, limits, **inputs)
        assert outcome.error is not None
        return outcome.error.code


@pytest.fixture
def cells(sandbox: Sandbox) -> Iterator[Cells]:
    notebook = sandbox.runner.run(sandbox.pool.open_notebook(LIMITS.memory_mb))
    yield Cells(sandbox, notebook)
    notebook.close()


def test_variables_functions_and_imports_last_and_the_last_expression_is_the_value(cells: Cells) -> None:
    assert cells.value("import math\nx = 20\ndef double(a):\n    return a * 2") is None
    assert cells.value("y = double(x) + 1\n[x, y, math.floor(2.5)]") == [20, 41, 2]
    assert cells.value("x += 1") is None
    assert cells.value("x") == 21
    assert cells.value("'text'") == "text"
    assert cells.value("") is None
    assert cells.value("async def later():\n    return 5\nlater()") == 5


def test_a_cell_may_await(cells: Cells) -> None:
    cells.value("import asyncio\nasync def later(n):\n    await asyncio.sleep(0)\n    return n")
    assert cells.value("x = await later(3)") is None
    assert cells.value("await later(x) + (await asyncio.gather(later(1), later(2)))[1]") == 5
    assert cells.value("def f():\n    return x\nf()") == 3, "what a cell binds after it awaited is a variable"
    error = cells.run("y = 1\nawait later(1 / 0)").error
    assert error is not None
    assert (error.code, error.line) == ("script_error", 2)
    assert cells.code("await asyncio.sleep") == "script_error"
    assert cells.code("await later.__globals__") == "script_denied"


def test_inputs_become_variables_and_tensors_stay_on_the_device(cells: Cells) -> None:
    ref = cells.services.keep(np.array([1, 2, 3], np.float32))
    assert cells.value("a.sum().item() + n", a=ref, n=0.5) == 6.5
    assert cells.value("b = a * 10\nn") == 0.5
    assert cells.value("b.sum().item()") == 60
    for name in ("_x", "class", "a b", "__builtins__", "\u01c0getattr", ""):
        assert cells.code("1", **{name: 1}) == "script_error"
    assert cells.value("n") == 0.5, "a refused input ends nothing"


def test_an_error_says_its_cell_and_line_and_ends_nothing(cells: Cells) -> None:
    cells.value("def fail():\n    raise ValueError('no')\nkept = 1")
    outcome = cells.run("kept\n\nfail()")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.line) == ("script_error", 2)
    assert "cell 1" in outcome.error.message
    assert "cell 2, line 3" in (outcome.error.hint or "")
    assert cells.code("1 +") == "script_syntax"
    assert cells.code("().__class__.__mro__") == "script_denied"
    assert cells.code("import sys\nexit(3)") in ("script_error", "script_denied")
    assert cells.value("kept") == 1


def test_each_cell_has_its_own_output_time_and_random_numbers_go_on(cells: Cells) -> None:
    small = Limits(wall_s=20, cpu_s=0.5, memory_mb=256, output_bytes=10)
    spin = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\nprint('12345678')"
    for _ in range(3):
        outcome = cells.run(spin, small)
        assert outcome.error is None, outcome.error
        assert 200 < cells.services.cpu_ms < 500
    assert cells.services.printed() == "12345678\n" * 3
    cells.value("import random\nrandom.seed(5)\nfirst = random.random()")
    again = "second = random.random()\nrandom.seed(5)\n[random.random() == first, random.random() == second]"
    assert cells.value(again) == [True, True]


@pytest.mark.parametrize(
    ("source", "limits", "code"),
    [
        ("while True: pass", Limits(0.3, 10, 256, 100), "wall_limit"),
        ("while True: pass", Limits(20, 0.3, 256, 100), "cpu_limit"),
        ("x = 'a' * (1 << 30)", LIMITS, "memory_limit"),
    ],
)
def test_a_cell_that_reaches_a_limit_ends_the_notebook(
    cells: Cells, source: str, limits: Limits, code: str
) -> None:
    cells.value("x = 1")
    assert cells.code(source, limits) == code
    assert not cells.notebook.is_alive
    with pytest.raises(WorkerCrashedError):
        cells.run("x")


def test_a_cancelled_cell_ends_the_notebook(cells: Cells) -> None:
    source = "print('begun')\nwhile True: pass"

    async def cancelled() -> None:
        task = asyncio.create_task(cells.notebook.run(source, {}, LIMITS, cells.services))
        await until(cells.services.printed)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    cells.sandbox.runner.run(cancelled())
    assert not cells.notebook.is_alive


def test_memory_is_limited_for_all_cells_together(cells: Cells) -> None:
    codes = []
    for n in range(10):
        outcome = cells.run(f"x{n} = bytearray(40 << 20)\n1")
        codes.append(outcome.error.code if outcome.error else "")
        if outcome.error:
            break
    assert codes[-1] == "memory_limit"
    assert codes[:-1] == [""] * (len(codes) - 1)
    assert len(codes) > 3


def test_between_cells_a_worker_does_nothing() -> None:
    """A native script might have left something behind that goes on by itself: the process is stopped."""
    with asyncio.Runner() as runner:
        pool = WorkerPool(PoolSettings(size=1, allow_native=True))
        runner.run(pool.start())
        try:
            notebook = runner.run(pool.open_notebook(512, native=True))
            cells = Cells(Sandbox(runner, pool), notebook)
            assert cells.value("import numpy\nx = numpy.arange(3)\nx.tolist()") == [0, 1, 2]
            stat = Path(f"/proc/{notebook._worker._handle.pid}/stat")
            end = time.monotonic() + 60
            while (state := stat.read_text().rpartition(")")[2].split()[0]) != "T":
                assert time.monotonic() < end, state
            assert cells.value("import asyncio\nawait asyncio.sleep(0, x + 1)") == [1, 2, 3]
            notebook.close()
        finally:
            runner.run(pool.close())


def test_the_processor_time_of_all_cells_together_is_limited(
    cells: Cells, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.notebook.CPU_S", 0.5)
    spin = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass"
    assert cells.run(spin).error is None
    assert cells.code(spin) == "cpu_limit"
    assert not cells.notebook.is_alive


def test_a_kept_worker_is_as_sealed_as_any_other(cells: Cells) -> None:
    for source in (
        "open('/etc/passwd').read()",
        "import socket",
        "import subprocess",
        "().__class__.__base__",
    ):
        assert cells.code(source) in ("permission_denied", "script_denied", "script_error", "file_not_found")
    assert cells.value("1") == 1
