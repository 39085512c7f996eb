"""The dispatches of a plan as the device takes them, over the blocks of a run.

Owns what is kept of them between runs: to bind a dispatch takes about as long as a GPU takes for a small one. Must
not know when they run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import overload

from host.lease import Blocks, Place
from host.native import Gpu, Pipeline, Range, Run
from host.plans import PARAMS, HostStep, Plan, Step

_MOST_KEPT = 4096
"""Steps of a plan of which anything is kept."""
_MOST_RUNS = 4
"""Sets of buffers for which a step is kept: those that were freed come back in another order."""


class Encoded:
    """The steps of `plan`, whose dispatches have `pipelines` and their uniform structs at `offsets`."""

    def __init__(self, plan: Plan, pipelines: Sequence[Pipeline | None], offsets: Sequence[int]) -> None:
        self._plan, self._pipelines, self._offsets = plan, pipelines, offsets
        kept = plan.steps if len(plan.steps) <= _MOST_KEPT else ()
        self._places = [_places(step) for step in kept]
        self._runs: list[OrderedDict[tuple[Place, ...], Run]] = [OrderedDict() for _ in kept]
        self._recent: list[list[tuple[tuple[Place, ...], list[Run | HostStep]]]] = [[] for _ in plan.stages]

    def stage(self, gpu: Gpu, blocks: Blocks, stage: int) -> Sequence[Run | HostStep]:
        """All steps of a stage over `blocks`, those of the host as they are.

        What was encoded for the same buffers before is taken as it is. Those of a long plan are encoded when they are
        asked for, and not kept.
        """
        begin, end = self._plan.span(stage)
        if not self._runs:
            return _OnDemand(self, gpu, blocks, range(begin, end))
        recent, places = self._recent[stage], tuple(blocks.values())  # whose order is the plan's
        for known, runs in reversed(recent):
            if known == places:
                return runs
        made = [self._kept(gpu, blocks, number) for number in range(begin, end)]
        self._recent[stage] = [*recent[1 - _MOST_RUNS :], (places, made)]
        return made

    def step(self, gpu: Gpu, blocks: Blocks, number: int) -> Run | HostStep:
        """A step over `blocks`, encoded anew."""
        step = self._plan.steps[number]
        if isinstance(step, HostStep):
            return step
        return self._encode(gpu, number, step, _places(step)(blocks))

    def forget(self) -> None:
        """Drop what is kept, since a buffer goes."""
        self._recent = [[] for _ in self._plan.stages]
        for known in self._runs:
            known.clear()

    def _kept(self, gpu: Gpu, blocks: Blocks, number: int) -> Run | HostStep:
        step = self._plan.steps[number]
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
        pipeline = self._pipelines[number]
        assert pipeline is not None
        ranges: list[Range] = []
        for part, (block, first) in zip(step.buffers, places, strict=False):
            buffer, offset, size = block.buffer, first + part.begin, (max(part.nbytes, 4) + 15) & ~15
            ranges.append((buffer, offset, size if offset + size <= buffer.size else buffer.size - offset))
        if step.params:
            ranges.append((places[-1][0].buffer, self._offsets[number], len(step.params)))
        return gpu.run(pipeline, [ranges], step.workgroups)


class _OnDemand(Sequence[Run | HostStep]):
    """The steps `numbers` of a plan over `blocks`, each encoded when it is taken."""

    def __init__(self, encoded: Encoded, gpu: Gpu, blocks: Blocks, numbers: range) -> None:
        self._encoded, self._gpu, self._blocks, self._numbers = encoded, gpu, blocks, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Run | HostStep: ...

    @overload
    def __getitem__(self, place: slice) -> list[Run | HostStep]: ...

    def __getitem__(self, place: int | slice) -> Run | HostStep | list[Run | HostStep]:
        if isinstance(place, int):
            return self._encoded.step(self._gpu, self._blocks, self._numbers[place])
        return [self[number] for number in range(len(self))[place]]


def _places(step: Step | HostStep) -> Callable[[Blocks], tuple[Place, ...]]:
    """Finds the blocks of a step's buffers, that of its parameters last."""
    refs = [part.ref for part in step.buffers]
    if isinstance(step, Step) and step.params:
        refs.append(PARAMS)
    pick = itemgetter(*refs)
    return pick if len(refs) > 1 else lambda blocks: (pick(blocks),)
