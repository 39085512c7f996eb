"""Where values lie: never two at one place at once, and never on more memory than a fifth above the least."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host import planner
from host.pauses import at_once
from host.placement import Storage, least, place
from host.planner import make_plan
from host.plans import Plan, Ref, Stage
from ops.errors import GraphError
from ops.graph import Graph, Node
from ops.lower import GPU, MAPPED, DeviceClass
from ops.validate import validate
from shaders.errors import KernelgateError

Program = tuple[list[list[Storage]], list[Storage]]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Steps that read some living values and write one or two of any size; some are outputs, one is never written."""
    chance = draw(st.randoms(use_true_random=False))
    stays, dies, widest = (
        chance.choice([0, 0.02, 0.2]),
        chance.choice([0.02, 0.2, 0.6]),
        chance.randint(1, 16),
    )
    living, outputs = [Storage(4096, Ref("input", 0))], [Storage(4, Ref("output", 0))]
    moments = []
    for _ in range(draw(st.integers(0, 60))):
        made = [Storage(4 * round(2 ** chance.uniform(0, widest))) for _ in range(chance.choice([1, 1, 2]))]
        if chance.random() < stays:
            made[0].ref = Ref("output", len(outputs))
            outputs.append(made[0])
        moments.append([*chance.sample(living, min(len(living), chance.randint(0, 3))), *made])
        living = [value for value in living if chance.random() > dies] + made
    return moments, outputs


def held(sizes: tuple[int, ...], stages: tuple[Stage, ...], outputs: list[Storage]) -> list[dict[Ref, int]]:
    """The sizes of the buffers that are there in each stage."""
    known = {Ref("temp", number): size for number, size in enumerate(sizes)}
    known |= {output.ref: output.nbytes for output in outputs if output.ref is not None}
    now: dict[Ref, int] = {}
    found = []
    for stage in stages:
        assert not now.keys() & set(stage.takes)
        now |= {ref: known.pop(ref) for ref in stage.takes}
        found.append(dict(now))
        for ref in stage.gives:
            del now[ref]
    assert not known, "every buffer is taken once"
    assert {output.ref for output in outputs} <= now.keys(), "outputs stay"
    return found


@given(programs())
def test_values_that_are_needed_at_once_lie_in_buffers_of_their_own_that_are_there(program: Program) -> None:
    moments, outputs = program
    sizes, stages = at_once(place(moments, outputs, small=0))
    there = held(sizes, stages, outputs)
    spans: dict[Storage, range] = {}
    for moment, storages in enumerate(moments):
        for storage in storages:
            spans[storage] = range(spans[storage].start if storage in spans else moment, moment + 1)
    spans |= {output: range(spans.get(output, range(1)).start, len(moments) + 1) for output in outputs}
    users: dict[Ref, list[Storage]] = {}
    for storage in spans:
        assert storage.ref is not None
        if storage.ref.kind != "input":
            users.setdefault(storage.ref, []).append(storage)
    for values in users.values():
        for number, one in enumerate(values):
            assert all(not set(spans[one]) & set(spans[other]) for other in values[number + 1 :])
    begin = 0
    for stage, buffers in zip(stages, there, strict=True):
        for storage in (each for moment in moments[begin : stage.end] for each in moment):
            assert storage.ref is not None
            assert storage.ref.kind == "input" or storage.nbytes <= buffers[storage.ref]
        begin = stage.end
    assert begin == len(moments)


@given(programs(), st.integers(0, 1 << 20))
def test_no_stage_takes_more_than_a_fifth_above_the_least_or_what_is_small(
    program: Program, small: int
) -> None:
    moments, outputs = program
    bound = least(moments, outputs)
    sizes, stages = at_once(place(moments, outputs, small))
    assert max(sum(buffers.values()) for buffers in held(sizes, stages, outputs)) <= max(1.2 * bound, small)


SHAPES = [(512, 512), (512, 2048), (2048, 512), (512, 1)]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs of values of a few MiB, the last of which is an output, and perhaps others."""
    nodes = [
        Node("input", (), {"handle": handle, "shape": list(shape), "dtype": "f32"})
        for handle, shape in enumerate(SHAPES)
    ]
    for _ in range(draw(st.integers(1, 40))):
        one, other = (max(0, len(nodes) - 1 - draw(st.integers(0, 12))) for _ in range(2))
        node = draw(
            st.sampled_from(
                [
                    Node("tanh", (one,)),
                    Node("mul", (one, other)),
                    Node("matmul", (one, other)),
                    Node("softmax", (one,), {"axis": 1}),
                    Node("mean", (one,), {"axes": [0], "keepdim": True}),
                    Node("transpose", (one,), {"axis0": 0, "axis1": 1}),
                    Node("concat", (one, other), {"axis": 1}),
                ]
            )
        )
        if is_valid([*nodes, node]):
            nodes.append(node)
    others = draw(st.lists(st.integers(0, len(nodes) - 1), max_size=3))
    return Graph(nodes, [len(nodes) - 1, *others])


def is_valid(nodes: list[Node]) -> bool:
    try:
        types = validate(Graph(nodes, [len(nodes) - 1]))
    except KernelgateError:
        return False
    return types[-1].shape[-1] <= 4096


@settings(max_examples=40)
@given(graph=graphs(), device=st.sampled_from([GPU, MAPPED]))
def test_the_peak_of_any_graph_is_within_a_fifth_of_what_liveness_needs(
    graph: Graph, device: DeviceClass
) -> None:
    bounds = []

    def watched(moments: list[list[Storage]], outputs: list[Storage]) -> object:
        bounds.append(least(moments, outputs))
        return place(moments, outputs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "place", watched)
        try:
            plan = make_plan(graph, validate(graph), device)
        except GraphError:
            return  # too many dispatches
    assert plan.peak <= max(1.2 * bounds[0], 1 << 20)


def test_the_least_is_what_the_worst_moment_needs() -> None:
    given, first, second = Storage(4096, Ref("input", 0)), Storage(64), Storage(128)
    output = Storage(32, Ref("output", 0))
    assert least([[given, first], [first, output], [given, second]], [output]) == 160


def test_an_output_takes_a_buffer_that_fits_it_and_is_there_to_the_end() -> None:
    first, second, output = Storage(64), Storage(64), Storage(64, Ref("output", 0))
    given = Storage(64, Ref("input", 0))
    sizes, stages = at_once(
        place([[given, first], [first, second], [second, output], [output, given]], [output], 0)
    )
    assert sizes == (64,)
    assert stages == (Stage(4, (Ref("output", 0), Ref("temp", 0)), ()),)
    assert first.ref == output.ref


def test_what_is_dead_goes_before_more_is_taken_than_may_be() -> None:
    large, output = Storage(1000), Storage(900, Ref("output", 0))
    given = Storage(64, Ref("input", 0))
    moments = [[given, large], [given, output]]
    temp, made = Ref("temp", 0), Ref("output", 0)
    assert at_once(place(moments, [output], 0)) == (
        (1000,),
        (Stage(1, (temp,), (temp,)), Stage(2, (made,), ())),
    )
    again = [[given, Storage(1000)], [given, output]]
    assert at_once(place(again, [output], 1900)) == ((1000,), (Stage(2, (temp, made), ()),))


def test_what_repeats_is_cut_before_its_output_alone() -> None:
    """Scores, weights and a smaller result, as in attention: the results lie where scores are no more."""
    result = Storage(50, Ref("input", 0))
    output = Storage(50, Ref("output", 0))
    moments = []
    for turn in range(9):
        scores, weights = Storage(100), Storage(100)
        moments += [[result, scores], [scores, weights]]
        result = output if turn == 8 else Storage(50)
        moments += [[weights, result]]
    sizes, stages = at_once(place(moments, [output], 0))
    assert (sizes, [stage.end for stage in stages]) == ((100, 100), [len(moments) - 1, len(moments)])


def test_a_plan_without_steps_takes_its_outputs_at_once() -> None:
    output = Storage(4, Ref("output", 0))
    assert at_once(place([], [output])) == ((), (Stage(0, (output.ref,), ()),))


def test_the_peak_counts_what_is_there_in_the_worst_stage() -> None:
    first, second = Ref("temp", 0), Ref("temp", 1)
    stages = (Stage(1, (first,), (first,)), Stage(2, (second,), ()))
    assert Plan((), (), (), (300, 200), stages, (), 1).peak == 300


def test_a_thousand_values_alive_at_once_are_placed_in_linear_time() -> None:
    moments = [[Storage(4 * (number + 1))] for number in range(3000)]
    moments.append([storage for (storage,) in moments])
    sizes, _ = at_once(place(moments))
    assert len(sizes) == 3000
