"""Plans on a device: compiled, kept by structure, and run in slices.

Owns the cache of plans, their parameters on the device and their encoded dispatches. Between slices it asks whether
the job was cancelled. Must not know handles: it is given blocks and gives blocks.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Generator, Sequence
from functools import lru_cache
from typing import overload

from host.buffers import Block, Pool
from host.engine import Stop
from host.errors import DeviceOutOfMemory
from host.native import Access, Buffer, Gpu, Pipeline, Range, Run, Slot
from host.pipelines import Pipelines
from host.planner import HostStep, Plan, Ref, Step
from host.products import Hands, Tiles
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
        self,
        plan: Plan,
        types: Sequence[TensorType],
        pipelines: Sequence[Pipeline | None],
        params: Block | None,
    ) -> None:
        self.plan, self.types, self.pipelines, self.params = plan, types, pipelines, params
        self.threads = sum(step.threads for step in plan.steps)
        self.nbytes = sum(nbytes for step in plan.steps for _, nbytes in step.buffers)
        self.slice = _FIRST_SLICE
        self._offsets = _offsets(_params(plan))
        self._runs: list[OrderedDict[tuple[Range, ...], Run]] = [OrderedDict() for _ in plan.steps]
        self._last: tuple[Blocks, list[Run | HostStep]] = ({}, [])

    def runs(self, gpu: Gpu, blocks: Blocks) -> Sequence[Run | HostStep]:
        """All steps over `blocks`, those of the host as they are.

        What was encoded for the same buffers before is taken as it is. Those of a long plan are encoded when they are
        asked for, and not kept.
        """
        if len(self.plan.steps) > _MOST_KEPT:
            return _Encoded(self, gpu, blocks)
        if self._last[0] != blocks or not self._last[1]:
            steps = enumerate(self.plan.steps)
            self._last = (blocks, [self._run(gpu, number, step, blocks) for number, step in steps])
        return self._last[1]

    def encode(self, gpu: Gpu, blocks: Blocks, number: int) -> Run | HostStep:
        """A step over `blocks`."""
        step = self.plan.steps[number]
        return step if isinstance(step, HostStep) else self._encode(gpu, number, step, _ranges(step, blocks))

    def slice_end(self, begin: int) -> int:
        """Where the slice of dispatches ends that begins with step `begin`.

        It ends after `slice` steps, or what they may cost together, or where the host's turn is.
        """
        end, work = begin, 0
        for step in self.plan.steps[begin : begin + self.slice]:
            work += step.work
            if end > begin and (work > self.plan.slice_work or isinstance(step, HostStep)):
                break
            end += 1
        return end

    def forget(self) -> None:
        """Drop the encoded runs, since a buffer goes."""
        self._last = ({}, [])
        for known in self._runs:
            known.clear()

    def _run(self, gpu: Gpu, number: int, step: Step | HostStep, blocks: Blocks) -> Run | HostStep:
        if isinstance(step, HostStep):
            return step
        known, ranges = self._runs[number], _ranges(step, blocks)
        run = known.get(ranges)
        if run is None:
            run = known[ranges] = self._encode(gpu, number, step, ranges)
            if len(known) > _MOST_RUNS:
                known.popitem(last=False)
        known.move_to_end(ranges)
        return run

    def _encode(self, gpu: Gpu, number: int, step: Step, ranges: tuple[Range, ...]) -> Run:
        bound, pipeline = list(ranges), self.pipelines[number]
        if step.params and self.params is not None:
            bound.append((self.params.buffer, self._offsets[number], len(step.params)))
        assert pipeline is not None
        return gpu.run(pipeline, [bound], step.workgroups)


class _Encoded(Sequence[Run | HostStep]):
    """The steps of a plan over `blocks`, each encoded when it is taken."""

    def __init__(self, prepared: Prepared, gpu: Gpu, blocks: Blocks) -> None:
        self._prepared, self._gpu, self._blocks = prepared, gpu, blocks

    def __len__(self) -> int:
        return len(self._prepared.plan.steps)

    @overload
    def __getitem__(self, place: int) -> Run | HostStep: ...

    @overload
    def __getitem__(self, place: slice) -> list[Run | HostStep]: ...

    def __getitem__(self, place: int | slice) -> Run | HostStep | list[Run | HostStep]:
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
        self._hands = Hands()
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
        pipelines = [self._pipeline(step.spec) if isinstance(step, Step) else None for step in plan.steps]
        blob = _packed(_params(plan))
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

    def run(self, prepared: Prepared, blocks: Blocks, stop: Stop) -> Generator[None, None, tuple[int, float]]:
        """Run a prepared plan over `blocks` to its end, yielding between slices; dispatches and milliseconds."""
        stop()
        runs = prepared.runs(self._gpu, blocks)
        position, spent = 0, 0.0
        while position < len(runs):
            if position:
                yield
            stop()
            step = runs[position]
            if isinstance(step, HostStep):
                spent += yield from self._on_host(step, blocks, stop)
                position += 1
                continue
            slice = [run for run in runs[position : prepared.slice_end(position)] if isinstance(run, Run)]
            began = time.perf_counter()
            self._gpu.submit([*self._pool.take_clears(), *slice])
            self._gpu.wait()
            elapsed = _since(began)
            self._adapt(prepared, len(slice), elapsed)
            position, spent = position + len(slice), spent + elapsed
        return len(runs), spent

    def close(self) -> None:
        """End the threads."""
        self._hands.close()

    def _on_host(self, step: HostStep, blocks: Blocks, stop: Stop) -> Generator[None, None, float]:
        """Do a step of the host's to its end, yielding between slices; milliseconds."""
        places = [(blocks[ref][0].buffer, blocks[ref][1]) for ref, _ in step.buffers]
        tiles, spent = Tiles(step.product), 0.0
        while True:
            began = time.perf_counter()
            self._pool.flush()
            self._hands.multiply(self._gpu, step.product, places, tiles, began + self._slice_ms / 1e3)
            spent += _since(began)
            if tiles.are_over:
                return spent
            yield
            stop()

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
        bound = [step.buffers for step in plan.steps if isinstance(step, Step)]
        largest = max((size for buffers in bound for _, size in buffers), default=0)
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


def _params(plan: Plan) -> list[bytes]:
    """The uniform struct of each step."""
    return [step.params if isinstance(step, Step) else b"" for step in plan.steps]


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1e3


def _offsets(pieces: Sequence[bytes]) -> list[int]:
    offsets, end = [], 0
    for piece in pieces:
        offsets.append(end)
        end += -(-len(piece) // _PARAM_ALIGNMENT) * _PARAM_ALIGNMENT
    return offsets


def _packed(pieces: Sequence[bytes]) -> bytes:
    return b"".join(piece + bytes(-len(piece) % _PARAM_ALIGNMENT) for piece in pieces)
