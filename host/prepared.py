"""A plan on a device: its pipelines, its parameters, and its encoded steps.

Owns what is kept between runs of a plan. Must not know handles: it is given blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import overload

from host.buffers import Block
from host.graphs import Input
from host.native import Gpu, Pipeline, Range, Run
from host.plans import PARAMS, HostStep, Plan, Ref, Step
from host.structure import Scalars
from ops.graph import TensorType
from ops.wgsl import scalar
from shaders.pack import pack_scalar

_MOST_KEPT = 4096
_MOST_RUNS = 4
_FIRST_SLICE = 16
_PARAM_ALIGNMENT = 256


Place = tuple[Block, int]
Blocks = dict[Ref, Place]
"""The block of each buffer of a plan, and where in it its bytes begin."""


class Prepared:
    """A plan, with the pipelines of its dispatches, and what was encoded for it.

    `inputs` are all of the graph, `reads` the buffers of those that the plan takes, with their places among all,
    `results` those of its outputs, which are of the types `outputs`. It keeps runs for the last few sets of buffers:
    freed ones come back in another order. `params` has the uniform structs of all steps, filled with the scalars whose
    bits are `bits`.
    """

    def __init__(
        self,
        plan: Plan,
        inputs: Sequence[Input],
        outputs: Sequence[TensorType],
        pipelines: Sequence[Pipeline | None],
    ) -> None:
        self.plan, self.inputs, self.pipelines = plan, inputs, pipelines
        places = {index: place for place, (index, _) in enumerate(inputs)}
        self.reads = [(Ref("input", number), places[index]) for number, index in enumerate(plan.inputs)]
        self.results = [output.same_as or Ref("output", number) for number, output in enumerate(plan.outputs)]
        self.outputs = outputs
        self.params: Block | None = None
        self.bits = b""
        self.threads = sum(step.threads for step in plan.steps)
        self.nbytes = sum(part.nbytes for step in plan.steps for part in step.buffers)
        self.slice = _FIRST_SLICE
        self._structs, self._offsets = _packed(plan)
        self._places = [_places(step) for step in plan.steps]
        self._runs: list[OrderedDict[tuple[Place, ...], Run]] = [OrderedDict() for _ in plan.steps]
        self._ends = [stage.end for stage in plan.stages]
        self._bounds = _bounds(plan)
        self._work = [0, *accumulate(step.work for step in plan.steps)]
        self._is_warm = False
        self._recent: list[list[tuple[tuple[Place, ...], list[Run | HostStep]]]] = [[] for _ in plan.stages]

    def filled(self, scalars: Scalars) -> bytes:
        """The uniform structs of all steps."""
        structs = bytearray(self._structs)
        for step, offset in zip(self.plan.steps, self._offsets, strict=True):
            for start, number, type in step.gaps if isinstance(step, Step) else ():
                value = pack_scalar(scalar(scalars[number], type), type)
                structs[offset + start : offset + start + len(value)] = value
        return bytes(structs)

    def steps(self, stage: int) -> tuple[int, int]:
        """The first step of a stage, and the first after it."""
        return self._ends[stage - 1] if stage else 0, self._ends[stage]

    def runs(self, gpu: Gpu, blocks: Blocks, stage: int) -> Sequence[Run | HostStep]:
        """All steps of a stage over `blocks`, those of the host as they are.

        What was encoded for the same buffers before is taken as it is. Those of a long plan are encoded when they are
        asked for, and not kept.
        """
        begin, end = self.steps(stage)
        if len(self.plan.steps) > _MOST_KEPT:
            return _Encoded(self, gpu, blocks, range(begin, end))
        recent, places = self._recent[stage], tuple(blocks.values())  # whose order is the plan's
        for known, runs in reversed(recent):
            if known == places:
                return runs
        made = [self._run(gpu, number, self.plan.steps[number], blocks) for number in range(begin, end)]
        self._recent[stage] = [*recent[1 - _MOST_RUNS :], (places, made)]
        return made

    def encode(self, gpu: Gpu, blocks: Blocks, number: int) -> Run | HostStep:
        """A step over `blocks`."""
        step = self.plan.steps[number]
        if isinstance(step, HostStep):
            return step
        return self._encode(gpu, number, step, self._places[number](blocks))

    def slice_end(self, begin: int) -> int:
        """Where the slice of dispatches ends that begins with step `begin`.

        It ends after `slice` steps, or what they may cost together, or with its stage, or where the host's turn is.
        """
        bound = self._bounds[bisect_right(self._bounds, begin, hi=len(self._bounds) - 1)]
        paid = bisect_right(self._work, self._work[begin] + self.plan.slice_work) - 1
        return min(max(paid, begin + 1), begin + self.slice, bound)

    def is_cold(self, begin: int = 0) -> bool:
        """Whether the slice that begins at step `begin` has a pipeline that never ran."""
        if self._is_warm:
            return False
        self._is_warm = _have_run(self.pipelines)
        return not _have_run(self.pipelines[begin : self.slice_end(begin)])

    def have_run(self, begin: int, end: int) -> None:
        """The steps from `begin` to `end` have ended once."""
        if not self._is_warm:
            for pipeline in self.pipelines[begin:end]:
                if pipeline is not None:
                    pipeline.ran = True

    def forget(self) -> None:
        """Drop the encoded runs, since a buffer goes."""
        self._recent = [[] for _ in self.plan.stages]
        for known in self._runs:
            known.clear()

    def _run(self, gpu: Gpu, number: int, step: Step | HostStep, blocks: Blocks) -> Run | HostStep:
        if isinstance(step, HostStep):
            return step
        known, places = self._runs[number], self._places[number](blocks)
        run = known.get(places)
        if run is None:
            run = known[places] = self._encode(gpu, number, step, places)
            if len(known) > _MOST_RUNS:
                known.popitem(last=False)
        known.move_to_end(places)
        return run

    def _encode(self, gpu: Gpu, number: int, step: Step, places: Sequence[Place]) -> Run:
        """Bind each binding's bytes; vectors of four elements may reach a little beyond the last element."""
        pipeline = self.pipelines[number]
        assert pipeline is not None
        ranges: list[Range] = []
        for part, (block, first) in zip(step.buffers, places, strict=False):
            buffer, offset, size = block.buffer, first + part.begin, (max(part.nbytes, 4) + 15) & ~15
            ranges.append((buffer, offset, size if offset + size <= buffer.size else buffer.size - offset))
        if step.params:
            ranges.append((places[-1][0].buffer, self._offsets[number], len(step.params)))
        return gpu.run(pipeline, [ranges], step.workgroups)


def _bounds(plan: Plan) -> list[int]:
    """Where slices end whatever they cost: with stages, and before and after what the host does."""
    hosts = [number for number, step in enumerate(plan.steps) if isinstance(step, HostStep)]
    return sorted({*hosts, *(number + 1 for number in hosts), *(stage.end for stage in plan.stages)})


def _have_run(pipelines: Sequence[Pipeline | None]) -> bool:
    return all(pipeline is None or pipeline.ran for pipeline in pipelines)


class _Encoded(Sequence[Run | HostStep]):
    """The steps `numbers` of a plan over `blocks`, each encoded when it is taken."""

    def __init__(self, prepared: Prepared, gpu: Gpu, blocks: Blocks, numbers: range) -> None:
        self._prepared, self._gpu, self._blocks, self._numbers = prepared, gpu, blocks, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Run | HostStep: ...

    @overload
    def __getitem__(self, place: slice) -> list[Run | HostStep]: ...

    def __getitem__(self, place: int | slice) -> Run | HostStep | list[Run | HostStep]:
        if isinstance(place, int):
            return self._prepared.encode(self._gpu, self._blocks, self._numbers[place])
        return [self[number] for number in range(len(self))[place]]


def _places(step: Step | HostStep) -> Callable[[Blocks], tuple[Place, ...]]:
    """Finds the blocks of a step's buffers, that of its parameters last."""
    refs = [part.ref for part in step.buffers]
    if isinstance(step, Step) and step.params:
        refs.append(PARAMS)
    pick = itemgetter(*refs)
    return pick if len(refs) > 1 else lambda blocks: (pick(blocks),)


def _packed(plan: Plan) -> tuple[bytes, list[int]]:
    """The uniform structs of all steps, and where each begins."""
    structs, offsets = bytearray(), []
    for step in plan.steps:
        offsets.append(len(structs))
        if isinstance(step, Step):
            structs += step.params + bytes(-len(step.params) % _PARAM_ALIGNMENT)
    return bytes(structs), offsets
