"""A plan on a device: its pipelines, its parameters, and its encoded steps.

Owns how a plan is cut into slices, and whether its pipelines have run. Must not know handles.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from host.encoded import Encoded
from host.graphs import Input
from host.native import Pipeline
from host.parameters import Parameters
from host.plans import HostStep, Plan, Ref
from ops.graph import TensorType

_FIRST_SLICE = 16
"""Dispatches of a plan's first slice; how long they take is not known then."""


class Prepared:
    """A plan, with the pipelines of its dispatches, and what was encoded for it.

    `inputs` are all of the graph, `reads` the buffers of those that the plan takes, with their places among all,
    `results` those of its outputs, which are of the types `outputs`. A slice has `slice` dispatches at most: whoever
    runs them learns how many take how long. `threads` and `nbytes` are what all steps have together: invocations, and
    the bytes of what they are bound to.
    """

    def __init__(
        self,
        plan: Plan,
        inputs: Sequence[Input],
        outputs: Sequence[TensorType],
        pipelines: Sequence[Pipeline | None],
    ) -> None:
        self.plan, self.inputs, self.outputs, self.pipelines = plan, inputs, outputs, pipelines
        places = {index: place for place, (index, _) in enumerate(inputs)}
        self.reads = [(Ref("input", number), places[index]) for number, index in enumerate(plan.inputs)]
        self.results = [output.same_as or Ref("output", number) for number, output in enumerate(plan.outputs)]
        self.threads = sum(step.threads for step in plan.steps)
        self.nbytes = sum(part.nbytes for step in plan.steps for part in step.buffers)
        self.parameters = Parameters(plan)
        self.encoded = Encoded(plan, pipelines, self.parameters.offsets)
        self.slice = _FIRST_SLICE
        self._bounds = _bounds(plan)
        self._work = [0, *accumulate(step.work for step in plan.steps)]
        self._cold = {pipeline for pipeline in pipelines if pipeline is not None and not pipeline.ran}

    def slice_end(self, begin: int) -> int:
        """Where the slice of dispatches ends that begins with step `begin`.

        It ends after `slice` steps, or what they may cost together, or with its stage, or where the host's turn is, or
        before a second pipeline that never ran: some drivers compile them one after the other then.
        """
        bound = self._bounds[bisect_right(self._bounds, begin, hi=len(self._bounds) - 1)]
        paid = bisect_right(self._work, self._work[begin] + self.plan.slice_work) - 1
        end = min(max(paid, begin + 1), begin + self.slice, bound)
        return self._second_cold(begin, end) if self._cold else end

    def is_cold(self, begin: int = 0) -> bool:
        """Whether the slice that begins at step `begin` has a pipeline that never ran."""
        self._cold = {pipeline for pipeline in self._cold if not pipeline.ran}
        return not self._cold.isdisjoint(self.pipelines[begin : self.slice_end(begin)])

    def have_run(self, begin: int, end: int) -> None:
        """The steps from `begin` to `end` have ended once."""
        for pipeline in self._cold.intersection(self.pipelines[begin:end]):
            pipeline.ran = True

    def _second_cold(self, begin: int, end: int) -> int:
        """The first step from `begin` on that brings a second pipeline that never ran; `end` if that comes first."""
        found = set()
        for number, pipeline in enumerate(self.pipelines[begin:end], begin):
            if pipeline in self._cold:
                found.add(pipeline)
                if len(found) > 1:
                    return number
        return end


def _bounds(plan: Plan) -> list[int]:
    """Where slices end whatever they cost: with stages, and before and after what the host does."""
    hosts = [number for number, step in enumerate(plan.steps) if isinstance(step, HostStep)]
    return sorted({*hosts, *(number + 1 for number in hosts), *(stage.end for stage in plan.stages)})
