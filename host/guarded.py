"""Strangers' kernels on the device: compiled as the guard left them, run slice by slice, and asked how they ended.

Owns the host's bind group (`shaders/guard/names.py` says what is in it) and what the device's own fuel is. Must not
know handles: it is given what a pipeline is bound to, and gives back time.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from host.buffers import Block, Pool, bindable
from host.engine import NO_CONSTANTS, Ahead, Stop
from host.errors import KernelCompileError
from host.fuel import Budget, budget, ran_out
from host.kernels import groups_of, guard_of
from host.lease import Lease
from host.native import Command, Gpu, Pipeline, Program, Range, Slot
from host.pipelines import Pipelines
from host.slices import Grid, Pace, Size, Tally
from host.tensors import DEVICE_OWNER
from host.transfers import Transfers
from shaders.errors import caret
from shaders.guard import names
from shaders.guard.budget import MOST_FUEL, Kind, priced
from shaders.guard.edits import original_column
from shaders.reflect import reflect
from shaders.reflection import BindingInfo, EntryPoint, Guard, Reflection

_HOST_SLOTS = (Slot(0, "uniform"), Slot(1, "read_write"))
_PROBE = """@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    loop { x = x * 1664525u + 1013904223u; if (x == 7u) { break; } }
    out[id.x % 4u] = x;
}
"""
"""Burns its whole budget with plain arithmetic."""
_TRIAL = 10_000
"""The budget of a kernel that is only tried: compiling is what takes the time."""
_PROBE_FUEL = 1 << 20
"""What the probe burns while it is timed: enough to outweigh the cost of a dispatch."""
_LEAST_FUEL = 1 << 22
"""A device's own fuel at least, however slow it seems to be."""
_FUEL_MS = {"cpu": 1000.0}
_FUEL_MS_OF_GPU = 25.0
"""For how long the probe's loop burns a device's own fuel, by kind of adapter. While a kernel runs a GPU is deaf to all
others, and a turn that waits for memory costs up to ten times what its fuel says."""


class HostGroup(NamedTuple):
    """The blocks of the host's bind group: the parameters of a slice, and its report."""

    parameters: Block
    report: Block

    @classmethod
    def take(cls, lease: Lease) -> HostGroup:
        """Those of one dispatch."""
        return cls(lease.take_uniform(names.PARAMETERS_BYTES), lease.take(names.REPORT_BYTES, zero=True))


class Launch(NamedTuple):
    """A dispatch of a kernel that is ready: its pipeline, the ranges of each of its groups, and the host's group."""

    kernel: Reflection
    pipeline: Pipeline
    groups: Sequence[Sequence[Range]]
    host: HostGroup


class GuardedKernels:
    """Compiles and runs guarded kernels on one device. `fuel` is the budget of a dispatch that names none."""

    def __init__(
        self, gpu: Gpu, pool: Pool, pipelines: Pipelines, transfers: Transfers, slice_ms: float
    ) -> None:
        self._gpu, self._pool, self._pipelines, self._transfers = gpu, pool, pipelines, transfers
        self._slice_ms = slice_ms
        self.kind: Kind = "turns" if "llvmpipe" in gpu.info.name.lower() else "fuel"
        self.fuel = MOST_FUEL

    def prove(self) -> None:
        """Dispatch once: a device that is ready is known to work, and a driver has done what it does once."""
        probe = reflect(_PROBE)
        (entry,) = probe.entry_points
        self.try_once(probe, entry, self.compile(probe, entry))

    def set_fuel(self, fuel: int | None) -> None:
        """`fuel` is the device's own from now on; None: what is measured, where fuel is what counts."""
        if fuel is not None:
            self.fuel = fuel
        elif self.kind == "fuel":
            self.fuel = self._measured_fuel()

    def try_once(self, reflection: Reflection, entry: EntryPoint, pipeline: Pipeline) -> None:
        """Run one workgroup over zeros on a small budget: how it ends is of no account."""
        with Lease(self._pool, DEVICE_OWNER) as lease:
            self._one(_over_zeros(lease, reflection, entry, pipeline), _TRIAL)

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
        """What an invocation of a dispatch may use (`host/fuel.py`). Raises `DriverLoopLimit` or `FuelExhausted`."""
        return budget(reflection, entry, self.kind, self.fuel, asked, most)

    def run(
        self, launch: Launch, size: Size, budget: Budget, before: Sequence[Command], stop: Stop, tally: Tally
    ) -> Generator[Ahead, None, float]:
        """Run `before`, then the workgroups of `size` slice by slice, yielding between slices what `tally` makes of it;
        milliseconds.

        Raises `FuelExhausted` or `DriverLoopLimit` after a slice in which a loop drew the last of a budget.
        """
        grid = Grid(size, self._gpu.limits["max_compute_workgroups_per_dimension"])
        pace = self._pace(launch.pipeline)
        count, spent = pace.begin(), 0.0
        while not grid.is_done:
            if spent:
                yield Ahead(tally.fraction)
            stop()
            loop, taken, elapsed = self._slice(launch, grid, count, budget.left, before)
            count = pace.next(taken, elapsed)
            before, spent = (), spent + elapsed
            tally.add(taken)
            if loop:
                raise ran_out(launch.kernel, loop, budget)
        return spent

    def _measured_fuel(self) -> int:
        """What one invocation of the probe may burn on this device."""
        probe = reflect(_PROBE)
        (entry,) = probe.entry_points
        with Lease(self._pool, DEVICE_OWNER) as lease:
            launch = _over_zeros(lease, probe, entry, self.compile(probe, entry))
            for _ in range(2):  # the first time compiles
                elapsed = self._one(launch, _PROBE_FUEL)
        wanted = _FUEL_MS.get(self._gpu.info.kind, _FUEL_MS_OF_GPU)
        return int(min(max(wanted * _PROBE_FUEL / elapsed, _LEAST_FUEL), MOST_FUEL))

    def _one(self, launch: Launch, budget: int) -> float:
        """Run one workgroup; milliseconds."""
        *_, elapsed = self._slice(launch, Grid((1, 1, 1), 1), 1, budget, [])
        return elapsed

    def _slice(
        self, launch: Launch, grid: Grid, count: int, budget: int, before: Sequence[Command]
    ) -> tuple[int, int, float]:
        """Run the next slice to its end; the loop that ran out, how many workgroups the slice had, and milliseconds.

        The time is the device's own where it has a clock, as far as that can be true; else until its end was seen.
        """
        began = time.perf_counter()
        first, sides = grid.take(count)
        parameters, report = launch.host
        self._transfers.put(parameters, struct.pack("<8I", *first, budget, *grid.size, 0))
        host = [(parameters.buffer, 0, names.PARAMETERS_BYTES), (report.buffer, 0, names.REPORT_BYTES)]
        padding: list[Sequence[Range]] = [()] * (names.GROUP - len(launch.groups))
        run = self._gpu.run(launch.pipeline, [*launch.groups, *padding, host], sides)
        commands = [*self._pool.take_clears(), *before, run]
        said, stamped = self._transfers.submit_and_read(commands, report, names.REPORT_BYTES)
        launch.pipeline.ran = True
        seen = (time.perf_counter() - began) * 1e3
        (loop,) = struct.unpack_from("<I", said)
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


def _over_zeros(lease: Lease, reflection: Reflection, entry: EntryPoint, pipeline: Pipeline) -> Launch:
    """A launch over zeros, in as little as each binding takes."""

    def zeros(info: BindingInfo) -> Range:
        size = bindable(info.min_size)
        block = lease.take_uniform(size) if info.kind == "uniform" else lease.take(size, zero=True)
        return block.buffer, 0, size

    groups = [list(map(zeros, group)) for group in groups_of(reflection, entry)]
    return Launch(reflection, pipeline, groups, HostGroup.take(lease))


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
