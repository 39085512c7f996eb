"""Plans on a device: compiled, kept by structure, and run in slices.

Owns the cache of plans, their parameters on the device and their encoded dispatches. Between slices it asks whether
the job was cancelled. Must not know handles: it is given blocks and gives blocks.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache
from typing import overload

from host.buffers import Block, Pool
from host.engine import Ahead, Stop
from host.errors import DeviceOutOfMemory
from host.native import Access, Buffer, Gpu, Pipeline, Range, Run, Slot
from host.pipelines import Pipelines
from host.planner import Plan, Ref, Step
from host.tensors import DEVICE_OWNER
from host.transfers import Transfers
from ops.graph import TensorType
from shaders.generator import WgslGenerator
from shaders.spec import KernelSpec

_MOST_PLANS = 256
_MOST_STEPS = 1 << 17
_MOST_KEPT = 4096
_MOST_RUNS = 4
_FIRST_SLICE = 16
_PARAM_ALIGNMENT = 256


Blocks = dict[Ref, tuple[Block, int]]
"""The block of each buffer of a plan, and where in it its bytes begin."""


class Prepared:
    """A plan with its pipelines, its parameters in one uniform block, and the runs that were encoded last."""

    def __init__(
        self, plan: Plan, types: Sequence[TensorType], pipelines: Sequence[Pipeline], params: Block | None
    ) -> None:
        self.plan, self.types, self.pipelines, self.params = plan, types, pipelines, params
        self.threads = sum(math.prod((*step.workgroups, *step.spec.workgroup_size)) for step in plan.steps)
        self.nbytes = sum(nbytes for step in plan.steps for _, nbytes in step.buffers)
        self.slice = _FIRST_SLICE
        self._offsets = _offsets([step.params for step in plan.steps])
        self._runs: list[OrderedDict[tuple[Range, ...], Run]] = [OrderedDict() for _ in plan.steps]
        self._last: tuple[Blocks, list[Run]] = ({}, [])

    def runs(self, gpu: Gpu, blocks: Blocks) -> Sequence[Run]:
        """All steps over `blocks`. What was encoded for the same buffers before is taken as it is.

        Those of a long plan are encoded when they are asked for, and not kept.
        """
        if len(self.plan.steps) > _MOST_KEPT:
            return _Encoded(self, gpu, blocks)
        if self._last[0] != blocks or not self._last[1]:
            self._last = (blocks, [self._run(gpu, *step) for step in self._bound(blocks)])
        return self._last[1]

    def encode(self, gpu: Gpu, blocks: Blocks, number: int) -> Run:
        """A step over `blocks`."""
        return self._encode(gpu, number, _ranges(self.plan.steps[number], blocks))

    def slice_end(self, begin: int) -> int:
        """Where the slice ends that begins at step `begin`: after `slice` steps, or what they may cost together."""
        end, work = begin, 0
        steps = self.plan.steps[begin : begin + self.slice]
        while end - begin < len(steps) and (
            end == begin or work + steps[end - begin].work <= self.plan.slice_work
        ):
            work += steps[end - begin].work
            end += 1
        return end

    def is_cold(self, begin: int = 0) -> bool:
        """Whether the slice that begins at step `begin` has a pipeline that never ran."""
        return not all(pipeline.ran for pipeline in self.pipelines[begin : self.slice_end(begin)])

    def forget(self) -> None:
        """Drop the encoded runs, since a buffer goes."""
        self._last = ({}, [])
        for known in self._runs:
            known.clear()

    def _bound(self, blocks: Blocks) -> Iterator[tuple[int, tuple[Range, ...]]]:
        return ((number, _ranges(step, blocks)) for number, step in enumerate(self.plan.steps))

    def _run(self, gpu: Gpu, number: int, ranges: tuple[Range, ...]) -> Run:
        known = self._runs[number]
        run = known.get(ranges)
        if run is None:
            run = known[ranges] = self._encode(gpu, number, ranges)
            if len(known) > _MOST_RUNS:
                known.popitem(last=False)
        known.move_to_end(ranges)
        return run

    def _encode(self, gpu: Gpu, number: int, ranges: tuple[Range, ...]) -> Run:
        step = self.plan.steps[number]
        bound = list(ranges)
        if step.params and self.params is not None:
            bound.append((self.params.buffer, self._offsets[number], len(step.params)))
        return gpu.run(self.pipelines[number], [bound], step.workgroups)


class _Encoded(Sequence[Run]):
    """The steps of a plan over `blocks`, each encoded when it is taken."""

    def __init__(self, prepared: Prepared, gpu: Gpu, blocks: Blocks) -> None:
        self._prepared, self._gpu, self._blocks = prepared, gpu, blocks

    def __len__(self) -> int:
        return len(self._prepared.plan.steps)

    @overload
    def __getitem__(self, place: int) -> Run: ...

    @overload
    def __getitem__(self, place: slice) -> list[Run]: ...

    def __getitem__(self, place: int | slice) -> Run | list[Run]:
        if isinstance(place, int):
            return self._prepared.encode(self._gpu, self._blocks, place)
        return [self[number] for number in range(len(self))[place]]


class Runner:
    """Prepares plans and runs them."""

    def __init__(
        self, gpu: Gpu, pool: Pool, pipelines: Pipelines, transfers: Transfers, slice_ms: float
    ) -> None:
        self._gpu, self._pool, self._pipelines, self._transfers = gpu, pool, pipelines, transfers
        self._slice_ms = slice_ms
        self._plans: OrderedDict[bytes, Prepared] = OrderedDict()
        self._steps = 0

    def find(self, key: bytes) -> Prepared | None:
        """The plan that was added under `key`."""
        if key in self._plans:
            self._plans.move_to_end(key)
        return self._plans.get(key)

    def add(self, key: bytes, plan: Plan, types: Sequence[TensorType]) -> Prepared:
        """Compile the kernels of a plan of nodes of `types`, upload its parameters, and keep it.

        Raises `DeviceOutOfMemory`.
        """
        self._check_sizes(plan)
        pipelines = [self._pipeline(step.spec) for step in plan.steps]
        blob = _packed([step.params for step in plan.steps])
        params = None
        if blob:
            params = self._pool.take(DEVICE_OWNER, len(blob), "uniform")
            self._transfers.put(params, blob)
        prepared = self._plans[key] = Prepared(plan, types, pipelines, params)
        self._steps += len(plan.steps)
        while len(self._plans) > 1 and (len(self._plans) > _MOST_PLANS or self._steps > _MOST_STEPS):
            self._drop(self._plans.popitem(last=False)[1])
        return prepared

    def forget(self, buffer: Buffer) -> None:
        """`buffer` is about to be destroyed."""
        for prepared in self._plans.values():
            prepared.forget()

    def run(
        self, prepared: Prepared, blocks: Blocks, stop: Stop
    ) -> Generator[Ahead, None, tuple[int, float]]:
        """Run a prepared plan over `blocks` to its end; dispatches and milliseconds.

        Yields between slices.
        """
        stop()
        runs = prepared.runs(self._gpu, blocks)
        position, spent = 0, 0.0
        while position < len(runs):
            if position:
                yield Ahead(cold=prepared.is_cold(position))
            stop()
            slice = runs[position : prepared.slice_end(position)]
            began = time.perf_counter()
            self._gpu.submit([*self._pool.take_clears(), *slice])
            self._gpu.wait()
            for run in slice:
                run.pipeline.ran = True
            elapsed = (time.perf_counter() - began) * 1e3
            self._adapt(prepared, len(slice), elapsed)
            position, spent = position + len(slice), spent + elapsed
        return len(runs), spent

    def _adapt(self, prepared: Prepared, count: int, elapsed_ms: float) -> None:
        """More dispatches a slice when this one was short, fewer when it was long."""
        if elapsed_ms > self._slice_ms:
            prepared.slice = max(1, count // 2)
        elif elapsed_ms < self._slice_ms / 4 and count == prepared.slice:
            prepared.slice *= 4

    def _pipeline(self, spec: KernelSpec) -> Pipeline:
        return self._pipelines.get(_source(spec), "main", [_slots(spec)], trusted=True)

    def _check_sizes(self, plan: Plan) -> None:
        most = self._gpu.limits["max_storage_buffer_binding_size"]
        largest = max((size for step in plan.steps for _, size in step.buffers), default=0)
        if largest > most:
            raise DeviceOutOfMemory(
                f"a tensor of {largest:,} bytes is over the {most:,} that a kernel can reach on this device",
                hint="Work in smaller pieces.",
            )

    def _drop(self, prepared: Prepared) -> None:
        self._steps -= len(prepared.plan.steps)
        prepared.forget()
        if prepared.params is not None:
            self._pool.give(prepared.params)


@lru_cache(maxsize=1024)
def _source(spec: KernelSpec) -> str:
    return WgslGenerator().render(spec)


def _slots(spec: KernelSpec) -> tuple[Slot, ...]:
    accesses: list[Access] = [binding.access for binding in spec.bindings]
    if spec.params:
        accesses.append("uniform")
    return tuple(Slot(number, access) for number, access in enumerate(accesses))


def _ranges(step: Step, blocks: Blocks) -> tuple[Range, ...]:
    """Where each binding's bytes are; vectors of four elements may reach a little beyond the last element."""
    ranges = []
    for ref, nbytes in step.buffers:
        block, offset = blocks[ref]
        ranges.append((block.buffer, offset, min(-(-max(nbytes, 4) // 16) * 16, block.size - offset)))
    return tuple(ranges)


def _offsets(pieces: Sequence[bytes]) -> list[int]:
    offsets, end = [], 0
    for piece in pieces:
        offsets.append(end)
        end += -(-len(piece) // _PARAM_ALIGNMENT) * _PARAM_ALIGNMENT
    return offsets


def _packed(pieces: Sequence[bytes]) -> bytes:
    return b"".join(piece + bytes(-len(piece) % _PARAM_ALIGNMENT) for piece in pieces)
