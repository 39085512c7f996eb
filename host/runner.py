"""Plans on a device: compiled, kept by structure, and run in slices.

Owns the cache of plans, and how much is submitted at once. Between slices it asks whether the job was cancelled. Must
not know handles: it is given blocks.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache
from typing import cast

from host.buffers import Block, Pool
from host.elapsed import since_ms
from host.engine import Ahead, Stop
from host.errors import DeviceOutOfMemory
from host.graphs import Input
from host.hands import Hands, Tiles
from host.lease import Blocks, Holding
from host.native import Access, Buffer, Command, Gpu, Pipeline, Program, Run, Slot
from host.pauses import Pausing
from host.pipelines import Pipelines
from host.plans import HostStep, Plan, Step
from host.prepared import Prepared
from host.structure import Scalars
from host.transfers import Transfers
from ops.graph import TensorType
from shaders.generator import WgslGenerator
from shaders.spec import KernelSpec

_MOST_PLANS = 256
_MOST_STEPS = 1 << 17
"""Plans that are kept, and the steps that they have together."""
_FIRST_PART = {"cpu": 64}
_FIRST_PART_OF_GPU, _SHARE, _MOST_PART = 8, 16, 64
"""So many dispatches are submitted first, by kind of adapter, on a GPU at least one in `_SHARE`, and then twice as many
each time up to the most: few calls, the device begins soon, and little is left for it when the last are encoded. To
encode a dispatch takes about as long as a GPU takes for a small one."""
_MOST_GROWTH, _FILLED = 4, 0.75
"""A slice may have so many times the dispatches of the last one, and shall take this part of the time for a slice."""


class Runner:
    """Prepares plans and runs them."""

    def __init__(
        self, gpu: Gpu, pool: Pool, pipelines: Pipelines, transfers: Transfers, slice_ms: float
    ) -> None:
        self._gpu, self._pool, self._pipelines, self._transfers = gpu, pool, pipelines, transfers
        self._slice_ms = slice_ms
        self._first_part = _FIRST_PART.get(gpu.info.kind, _FIRST_PART_OF_GPU)
        self._hands = Hands()
        self._plans: OrderedDict[bytes, Prepared] = OrderedDict()
        self._steps = 0

    def find(self, key: bytes) -> Prepared | None:
        """The plan that was added under `key`."""
        prepared = self._plans.get(key)
        if prepared is not None:
            self._plans.move_to_end(key)
        return prepared

    def add(
        self, key: bytes, plan: Plan, inputs: Sequence[Input], outputs: Sequence[TensorType]
    ) -> Pausing[Prepared]:
        """Compile the kernels of a plan (see `Prepared`), and keep it, unless another of this `key` came meanwhile.

        Raises `DeviceOutOfMemory`.
        """
        self._check_sizes(plan)
        pipelines = []
        for step in plan.steps:
            pipelines.append(self._pipeline(step.spec) if isinstance(step, Step) else None)
            yield
        made = Prepared(plan, inputs, outputs, pipelines)
        prepared = self.find(key)
        if prepared is not None:
            return prepared
        prepared = self._plans[key] = made
        self._steps += len(plan.steps)
        while len(self._plans) > 1 and (len(self._plans) > _MOST_PLANS or self._steps > _MOST_STEPS):
            self._drop(self._plans.popitem(last=False)[1])
        return prepared

    def parameters(self, prepared: Prepared, scalars: Scalars, bits: bytes) -> Block | None:
        """The block of a plan's parameters with these scalars (`Parameters.block`)."""
        return prepared.parameters.block(self._pool, self._transfers, scalars, bits)

    def forget(self, buffer: Buffer) -> None:
        """`buffer` is about to be destroyed."""
        self._hands.forget()
        for prepared in self._plans.values():
            prepared.encoded.forget()

    def run(
        self, prepared: Prepared, holding: Holding, stop: Stop, keep: Callable[[], None]
    ) -> Generator[Ahead, None, tuple[int, float]]:
        """Run a prepared plan over the blocks that `holding` takes for it to its end; dispatches and milliseconds.

        Yields between slices. `keep` is called when only the loss of the device can still make the plan fail: then
        the device works while outputs become tensors. Raises `DeviceOutOfMemory`.
        """
        stop()
        count, spent = len(prepared.plan.steps), 0.0
        last = prepared.plan.stages[-1]
        for number, stage in enumerate(prepared.plan.stages):
            holding.begin(stage)
            done = keep if stage is last else _nothing
            spent += yield from self._stage(prepared, number, holding.blocks, stop, done)
            holding.end(stage)
        return count, spent

    def _stage(
        self, prepared: Prepared, number: int, blocks: Blocks, stop: Stop, keep: Callable[[], None]
    ) -> Generator[Ahead, None, float]:
        """Run a stage; milliseconds."""
        begin, end = prepared.plan.span(number)
        runs = prepared.encoded.stage(self._gpu, blocks, number)
        position, spent = begin, 0.0
        while position < end:
            if position:
                yield Ahead(cold=prepared.is_cold(position))
            stop()
            step = runs[position - begin]
            if isinstance(step, HostStep):
                spent += yield from self._on_host(step, blocks, stop)
                position += 1
                continue
            is_cold, over = prepared.is_cold(position), prepared.slice_end(position)
            began = time.perf_counter()
            self._submit(cast(Sequence[Run], runs[position - begin : over - begin]))
            if over == end:
                keep()
            self._gpu.wait()
            elapsed = since_ms(began)
            prepared.have_run(position, over)
            if not is_cold:
                self._adapt(prepared, over - position, elapsed)
            position, spent = over, spent + elapsed
        if begin == end or isinstance(runs[-1], HostStep):
            keep()
        return spent

    def close(self) -> None:
        """End the threads."""
        self._hands.close()

    def _submit(self, runs: Sequence[Run]) -> None:
        """Start `runs`: the device begins with the first while the last are encoded."""
        commands: list[Command] = [*self._pool.take_clears(), *runs]
        begin, count = 0, max(self._first_part, min(len(commands) // _SHARE, _MOST_PART))
        while begin < len(commands):
            self._gpu.submit(commands[begin : begin + count])
            begin, count = begin + count, min(2 * count, _MOST_PART)

    def _on_host(self, step: HostStep, blocks: Blocks, stop: Stop) -> Generator[Ahead, None, float]:
        """Do a step of the host's to its end, yielding between slices; milliseconds."""
        places = [(blocks[part.ref][0].buffer, blocks[part.ref][1] + part.begin) for part in step.buffers]
        tiles, spent = Tiles(step.task), 0.0
        while True:
            began = time.perf_counter()
            self._pool.flush()
            self._hands.work(self._gpu, step.task, places, tiles, began + self._slice_ms / 1e3)
            spent += since_ms(began)
            if tiles.are_over:
                return spent
            yield Ahead()
            stop()

    def _adapt(self, prepared: Prepared, count: int, elapsed_ms: float) -> None:
        """Half as many dispatches a slice when this one was long, so many that it is nearly full when it was short."""
        room = self._slice_ms / max(elapsed_ms, 1e-3)
        if room < 1:
            prepared.slice = max(1, count // 2)
        elif count == prepared.slice:
            prepared.slice = int(count * max(min(room * _FILLED, _MOST_GROWTH), 1))

    def _pipeline(self, spec: KernelSpec) -> Pipeline:
        return self._pipelines.get(Program(_source(spec), "main", (_slots(spec),), trusted=True))

    def _check_sizes(self, plan: Plan) -> None:
        most = self._gpu.limits["max_storage_buffer_binding_size"]
        for step in plan.steps:
            largest = max((part.nbytes for part in step.buffers), default=0)
            if isinstance(step, Step) and largest > most:
                raise DeviceOutOfMemory(
                    f"{step.ops[-1]} of a tensor of {largest:,} bytes: one kernel of it has to reach all of them,"
                    f" and can reach {most:,} on this device",
                    hint="Give it the tensor split or sliced, and join the results; and tell us, as ops take tensors of"
                    " any size.",
                )

    def _drop(self, prepared: Prepared) -> None:
        self._steps -= len(prepared.plan.steps)
        prepared.encoded.forget()
        prepared.parameters.give(self._pool)


def _nothing() -> None:
    """A stage that is not the last has nothing to keep."""


@lru_cache(maxsize=1024)
def _source(spec: KernelSpec) -> str:
    return WgslGenerator().render(spec)


def _slots(spec: KernelSpec) -> tuple[Slot, ...]:
    accesses: list[Access] = [binding.access for binding in spec.bindings]
    if spec.params:
        accesses.append("uniform")
    return tuple(Slot(number, access) for number, access in enumerate(accesses))
