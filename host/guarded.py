"""Strangers' kernels on the device: compiled as the guard left them, run slice by slice, and asked how they ended.

Owns the host's bind group (`shaders/guard/names.py` says what is in it), the budget, and the two errors of a kernel
that would not end. Must not know handles: it is given a pipeline's bindings and gives back time.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from host.buffers import Block, Pool
from host.engine import NO_CONSTANTS, Ahead, Stop
from host.errors import DriverLoopLimit, FuelExhausted, KernelCompileError
from host.kernels import groups_of
from host.native import Command, Gpu, Pipeline, Program, Range, Slot
from host.pipelines import Pipelines
from host.slices import Grid, Pace, Size, Tally
from host.transfers import Transfers
from ops.wire import FrameError
from shaders.errors import KernelgateError, caret
from shaders.guard import names
from shaders.guard.budget import MOST_FUEL, Kind, fuel_budget, priced, turns_budget
from shaders.guard.edits import original_column
from shaders.reflect import reflect
from shaders.reflection import EntryPoint, Guard, Reflection

_HOST_SLOTS = (Slot(0, "uniform"), Slot(1, "read_write"))
_PROBE = """@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    loop { x = x * 1664525u + 1013904223u; if (x == 7u) { break; } }
    out[id.x % 4u] = x;
}
"""
_TRIAL = 10_000
_PROBE_FUEL = 1 << 20
_LEAST_FUEL = 1 << 22
_FUEL_MS = {"cpu": 1000.0}
_FUEL_MS_OF_GPU = 25.0
"""For how long the probe's loop burns a device's own fuel, by kind of adapter. While a kernel runs a GPU is deaf to all
others, and a turn that waits for memory costs up to ten times what its fuel says."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What an invocation may use, and whose bound that is; `driver`: it is the driver's.

    `left` is what each of its counters starts with: what stands outside counted loops is paid before.
    """

    value: int
    whose: str
    driver: bool = False
    left: int = 0


@dataclass(frozen=True, slots=True)
class Launch:
    """A dispatch that is ready: its pipeline, the ranges of each group, and the two blocks of the host's group."""

    pipeline: Pipeline
    groups: Sequence[Sequence[Range]]
    parameters: Block
    report: Block


class GuardedKernels:
    """Compiles and runs guarded kernels on one device. `fuel` is the budget of a dispatch that names none."""

    def __init__(
        self, gpu: Gpu, pool: Pool, pipelines: Pipelines, transfers: Transfers, slice_ms: float
    ) -> None:
        self._gpu, self._pool, self._pipelines, self._transfers = gpu, pool, pipelines, transfers
        self._slice_ms = slice_ms
        self.kind: Kind = "turns" if "llvmpipe" in gpu.info.name.lower() else "fuel"
        self.fuel = MOST_FUEL

    def try_once(self, launch: Launch) -> None:
        """Run one workgroup on a small budget; how it ends is of no account."""
        self._slice(launch, Grid((1, 1, 1), 1), 1, _TRIAL, [])

    def calibrate(self, launch: Launch) -> None:
        """Set `fuel` to what one invocation of `probe()`, on bindings of its own, may burn on such a device."""
        for _ in range(2):  # the first time compiles
            *_, elapsed = self._slice(launch, Grid((1, 1, 1), 1), 1, _PROBE_FUEL, [])
        wanted = _FUEL_MS.get(self._gpu.info.kind, _FUEL_MS_OF_GPU)
        self.fuel = int(min(max(wanted * _PROBE_FUEL / elapsed, _LEAST_FUEL), MOST_FUEL))

    def compile(
        self, reflection: Reflection, entry: EntryPoint, constants: Mapping[str, float] = NO_CONSTANTS
    ) -> Pipeline:
        """The pipeline of an entry point, with `constants` as `constant_values.keyed` gives them.

        Raises `KernelCompileError`, its place in the kernel's own text.
        """
        program = self._program(reflection, entry, constants)
        try:
            return self._pipelines.get(program)
        except KernelCompileError as error:
            raise _placed(error, reflection, guard_of(reflection)) from None

    def has_run(self, reflection: Reflection, entry: EntryPoint, constants: Mapping[str, float]) -> bool:
        """Whether a dispatch of an entry point has ended, so that nothing is left to compile."""
        pipeline = self._pipelines.find(self._program(reflection, entry, constants))
        return pipeline is not None and pipeline.ran

    def _program(self, reflection: Reflection, entry: EntryPoint, constants: Mapping[str, float]) -> Program:
        """An entry point behind its guard. Raises `FrameError` on a kernel without one."""
        text = priced(guard_of(reflection), self.kind)
        return Program(text, entry.name, _slots(reflection, entry), True, tuple(sorted(constants.items())))

    def budget(
        self, reflection: Reflection, entry: EntryPoint, asked: int | None, most: Mapping[str, int]
    ) -> Budget:
        """The least of what is asked (None: the device's own), what `most` allows by whose it is, and what the driver
        can do. Raises `DriverLoopLimit` or `FuelExhausted` if what is outside counted loops takes all of it.
        """
        guard = guard_of(reflection)
        own = (
            []
            if asked is not None or self.kind == "turns"
            else [Budget(self.fuel, "the device's own budget")]
        )
        bounds = [*own, *(Budget(value, whose) for whose, value in most.items())]
        if asked is not None:
            bounds.append(Budget(asked, "what the request asks for"))
        if self.kind == "turns":
            turns = turns_budget(guard, entry.name)
            if turns <= 0:
                raise _driver_limit(f"the loops of {entry.name!r} turn too often before any is counted")
            bounds.insert(0, Budget(turns, "the driver's limit", driver=True))
        least = min([*bounds, Budget(MOST_FUEL, "the most there is")], key=lambda budget: budget.value)
        left = least.value if self.kind == "turns" else fuel_budget(guard, entry.name, least.value)
        if left <= 0:
            raise FuelExhausted(
                f"{entry.name!r} takes {least.value - left:,} fuel before any loop is counted, and has"
                f" {least.value:,}, {least.whose}",
                hint="Do less in each invocation, or ask for more fuel.",
            )
        return replace(least, left=left)

    def run(
        self, launch: Launch, size: Size, budget: int, before: Sequence[Command], stop: Stop, tally: Tally
    ) -> Generator[Ahead, None, tuple[float, int]]:
        """Run `before`, then the workgroups of `size` slice by slice, yielding between slices what `tally` makes of it.

        Gives milliseconds, and the loop that drew the last of a budget (0: none). Nothing runs after a slice in which
        one did.
        """
        grid = Grid(size, self._gpu.limits["max_compute_workgroups_per_dimension"])
        pace = self._pace(launch.pipeline)
        count, spent, loop = pace.begin(), 0.0, 0
        while not (grid.is_done or loop):
            if spent:
                yield Ahead(tally.fraction)
            stop()
            loop, taken, elapsed = self._slice(launch, grid, count, budget, before)
            count = pace.next(taken, elapsed)
            before, spent = (), spent + elapsed
            tally.add(taken)
        return spent, loop

    def _slice(
        self, launch: Launch, grid: Grid, count: int, budget: int, before: Sequence[Command]
    ) -> tuple[int, int, float]:
        """Run the next slice to its end; the loop that ran out, how many workgroups the slice had, and milliseconds.

        The time is the device's own where it has a clock, as far as that can be true; else until its end was seen.
        """
        began = time.perf_counter()
        first, sides = grid.take(count)
        self._transfers.put(launch.parameters, struct.pack("<8I", *first, budget, *grid.size, 0))
        host = [
            (launch.parameters.buffer, 0, names.PARAMETERS_BYTES),
            (launch.report.buffer, 0, names.REPORT_BYTES),
        ]
        padding: list[Sequence[Range]] = [()] * (names.GROUP - len(launch.groups))
        run = self._gpu.run(launch.pipeline, [*launch.groups, *padding, host], sides)
        commands = [*self._pool.take_clears(), *before, run]
        report, stamped = self._transfers.submit_and_read(commands, launch.report, names.REPORT_BYTES)
        launch.pipeline.ran = True
        seen = (time.perf_counter() - began) * 1e3
        (loop,) = struct.unpack_from("<I", report)
        elapsed = seen if stamped is None or stamped <= 0 else min(stamped, seen)
        return loop, sides[0] * sides[1] * sides[2], elapsed

    def _pace(self, pipeline: Pipeline) -> Pace:
        """What is known of a pipeline's speed; it lives as long as the pipeline is remembered."""
        if pipeline.pace is None:
            pipeline.pace = Pace(self._gpu.info.kind, self._slice_ms)
        assert isinstance(pipeline.pace, Pace)
        return pipeline.pace


def _slots(reflection: Reflection, entry: EntryPoint) -> tuple[tuple[Slot, ...], ...]:
    """The layout of each group, the host's last."""
    groups = [
        tuple(Slot(info.binding, "uniform" if info.kind == "uniform" else info.access) for info in group)
        for group in groups_of(reflection, entry)
    ]
    return (*groups, *[()] * (names.GROUP - len(groups)), _HOST_SLOTS)


def probe() -> Reflection:
    """A kernel that burns its whole budget with plain arithmetic."""
    return reflect(_PROBE)


def guard_of(reflection: Reflection) -> Guard:
    """The guard of a kernel. Raises `FrameError` on a kernel without one: nothing unguarded is compiled."""
    if reflection.guard is None:
        raise FrameError("a kernel came without its guard")
    return reflection.guard


def ran_out(reflection: Reflection, loop: int, budget: Budget) -> KernelgateError:
    """The error for a kernel whose loop number `loop` drew the last of `budget`."""
    loops = guard_of(reflection).loops
    if not 0 < loop <= len(loops):
        raise FrameError(f"a kernel reports loop {loop} of {len(loops)}")
    line, column = loops[loop - 1].line, loops[loop - 1].column
    snippet = caret(reflection.source, line, column)
    if budget.driver:
        return _driver_limit(f"the loop at line {line} turns too often", line, column, snippet)
    return FuelExhausted(
        f"the loop at line {line} drew the last of the kernel's fuel: {budget.value:,}, {budget.whose}",
        hint="Check that the loop ends; else do less in each invocation, or ask for more fuel. No output was kept.",
        line=line,
        column=column,
        snippet=snippet,
    )


def _driver_limit(
    what: str, line: int | None = None, column: int | None = None, snippet: str | None = None
) -> DriverLoopLimit:
    return DriverLoopLimit(
        f"{what}: this software driver stops all loops of an invocation together after 65,535 turns, "
        "and would go on with wrong numbers",
        hint="Check that the loop ends; else split the work over more invocations or several dispatches. "
        "No output was kept.",
        line=line,
        column=column,
        snippet=snippet,
    )


def _placed(error: KernelCompileError, reflection: Reflection, guard: Guard) -> KernelCompileError:
    """`error` with its place in the text that the kernel's author knows."""
    line, lines = error.line, reflection.source.split("\n")
    message = error.message.replace(names.ENTRY, "")
    if line is None or error.column is None or line > len(lines):
        return KernelCompileError(message, hint=error.hint)
    written = guard.source.split("\n")[line - 1]
    column = original_column(guard.shifts, line, error.column, written, lines[line - 1])
    snippet = caret(reflection.source, line, column)
    return KernelCompileError(message, hint=error.hint, line=line, column=column, snippet=snippet)
