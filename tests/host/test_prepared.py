"""Slices of a plan end where they must, however that is found, and a plan is warm when all of it has run."""

from __future__ import annotations

import random

import pytest

from host.native import Pipeline
from host.plans import HostStep, Output, Part, Plan, Ref, Stage, Step
from host.prepared import Prepared
from ops.graph import TensorType
from ops.layout import Layout
from ops.lower import HostProduct
from ops.lowering.operands import Source, Target
from shaders.spec import Binding, KernelSpec, Operand

SPEC = KernelSpec("none", (), (Binding("out", "f32", "read_write"),), "")
LAYOUT = Layout.contiguous((2, 2))
PARTS = (Part(Ref("output", 0), 16),)


def dispatch(work: int) -> Step:
    return Step(SPEC, (1, 1, 1), b"", (), PARTS, work, ("relu",))


def product(work: int) -> HostStep:
    source = Source(Operand("input", 0), LAYOUT, "f32")
    return HostStep(HostProduct(source, source, Target(Operand("output", 0), LAYOUT, "f32"), work), PARTS)


def prepared(steps: list[Step | HostStep], ends: list[int], slice_work: int = 100) -> Prepared:
    stages = tuple(Stage(end, (), ()) for end in ends)
    pipelines = [None if isinstance(step, HostStep) else Pipeline(None, (), ()) for step in steps]
    return Prepared(Plan((), (), (), (), stages, tuple(steps), slice_work), (), (), pipelines)


def end_by_hand(made: Prepared, begin: int) -> int:
    """Step by step until one does not belong to the slice any more."""
    steps, end, work = made.plan.steps, begin, 0
    last = next(stage.end for stage in made.plan.stages if stage.end > begin)
    while end < min(begin + made.slice, last):
        work += steps[end].work
        is_alone = isinstance(steps[end], HostStep) or isinstance(steps[begin], HostStep)
        if end > begin and (work > made.plan.slice_work or is_alone):
            break
        end += 1
    return end


@pytest.mark.parametrize("seed", range(20))
def test_a_slice_ends_after_its_number_or_work_with_its_stage_and_beside_what_the_host_does(
    seed: int,
) -> None:
    draw = random.Random(seed)
    steps = [
        draw.choice((dispatch, dispatch, dispatch, product))(draw.choice((0, 9, 60, 900))) for _ in range(60)
    ]
    made = prepared(steps, sorted({*draw.sample(range(1, 60), 4), 60}))
    made.have_run(0, 60)
    assert not made.is_cold()
    for made.slice in (1, 3, 16, 1000):
        assert [made.slice_end(begin) for begin in range(60)] == [end_by_hand(made, at) for at in range(60)]


def test_an_empty_plan_has_an_empty_slice_which_is_not_cold() -> None:
    made = prepared([], [0])
    assert made.slice_end(0) == 0
    assert not made.is_cold()


def test_a_slice_is_cold_until_all_its_pipelines_have_run() -> None:
    made = prepared([dispatch(60), dispatch(60), product(1)], [3])
    first, second, _ = made.pipelines
    assert first is not None
    assert second is not None
    assert made.is_cold(0)
    first.ran = True
    assert [made.is_cold(begin) for begin in range(3)] == [False, True, False]
    second.ran = True
    assert not any(made.is_cold(begin) for begin in range(3))


def test_a_slice_has_one_pipeline_that_never_ran_however_often_and_any_number_of_others() -> None:
    one, two, ran, host = Pipeline(None, (), ()), Pipeline(None, (), ()), Pipeline(None, (), ()), None
    ran.ran = True
    pipelines = [ran, one, ran, one, two, two, ran, host, ran]
    steps = [product(1) if pipeline is host else dispatch(1) for pipeline in pipelines]
    made = Prepared(Plan((), (), (), (), (Stage(9, (), ()),), tuple(steps), 100), (), (), pipelines)
    assert [made.slice_end(begin) for begin in (0, 4, 7, 8)] == [4, 7, 8, 9]
    made.have_run(0, 4)
    assert made.is_cold(0)
    assert made.slice_end(0) == 7
    made.have_run(4, 7)
    assert not made.is_cold(0)


def test_results_lie_in_buffers_of_their_own_or_in_those_that_exist_anyway() -> None:
    given, types = Ref("input", 0), [TensorType((2,), "f32"), TensorType((3,), "i32")]
    plan = Plan((0,), (), (Output(8), Output(12, same_as=given)), (), (Stage(0, (), ()),), (), 1)
    assert Prepared(plan, [(0, types[1])], types, ()).results == [Ref("output", 0), given]
