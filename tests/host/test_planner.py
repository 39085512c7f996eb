"""Plans of graphs: what is computed, fused, viewed, and how memory is used again. No device."""

from __future__ import annotations

from typing import Any

import pytest

from host.planner import MAX_FUSED_INPUTS, MAX_FUSED_NODES, make_plan
from host.plans import HostStep, Plan, Ref, Step
from host.structure import Structure, structure
from ops.errors import GraphError
from ops.graph import Graph, Node
from ops.lower import CPU, MAPPED
from ops.validate import validate
from shaders.generator import WgslGenerator


def _input(handle: int, *shape: int, dtype: str = "f32") -> Node:
    return Node("input", (), {"handle": handle, "shape": list(shape), "dtype": dtype})


def _op(op: str, *inputs: int, **attributes: Any) -> Node:
    return Node(op, inputs, attributes)


def _plan(nodes: list[Node], outputs: list[int], constants: list[bytes] | None = None) -> Plan:
    graph = Graph(nodes, outputs, constants or [])
    return make_plan(graph, validate(graph), CPU)


def _refs(plan: Plan) -> list[list[tuple[str, int]]]:
    return [[(part.ref.kind, part.ref.number) for part in step.buffers] for step in plan.steps]


def test_a_chain_of_elementwise_ops_is_one_dispatch() -> None:
    plan = _plan([_input(5, 4), _op("exp", 0), _op("mul", 1, 0), _op("neg", 2)], [3])
    assert _refs(plan) == [[("input", 0), ("output", 0)]]
    assert plan.temps == ()


def test_a_value_that_two_ops_read_is_computed_once() -> None:
    nodes = [_input(5, 4), _op("exp", 0), _op("neg", 1), _op("tanh", 1), _op("add", 2, 3)]
    plan = _plan(nodes, [4])
    assert _refs(plan) == [[("input", 0), ("temp", 0)], [("temp", 0), ("output", 0)]]


def test_a_constant_filling_is_put_into_every_reader() -> None:
    full = _op("full", shape=[4], value=2.0)
    plan = _plan([_input(5, 4), full, _op("mul", 0, 1), _op("tanh", 2), _op("add", 0, 1)], [3, 4])
    assert _refs(plan) == [[("input", 0), ("output", 0)], [("input", 0), ("output", 1)]]


def test_no_kernel_computes_one_op_after_another_of_numbers_alone() -> None:
    """A software driver would take twenty times as long to compile it for each op more: minutes for six."""
    chain = [_op("full", shape=[4], value=0.5), *(_op("exp", number) for number in range(6))]
    plan = _plan([*chain, _input(5, 4), _op("cos", 6), _op("add", 7, 8)], [9])
    assert [step.ops for step in plan.steps] == [("full", "exp"), (*["exp"] * 5, "cos", "add")]


def test_a_small_value_is_not_computed_again_for_each_element_it_is_spread_over() -> None:
    plan = _plan([_input(5, 4), _op("exp", 0), _input(6, 1000, 4), _op("add", 2, 1)], [3])
    assert len(plan.steps) == 2


def test_a_fused_kernel_reads_a_bounded_number_of_tensors() -> None:
    nodes = [_input(number, 4) for number in range(20)]
    nodes.append(_op("add", 0, 1))
    for number in range(2, 20):
        nodes.append(_op("add", len(nodes) - 1, number))
    plan = _plan(nodes, [len(nodes) - 1])
    assert all(len(step.buffers) <= MAX_FUSED_INPUTS + 1 for step in plan.steps)
    assert {
        part.ref.number for step in plan.steps for part in step.buffers if part.ref.kind == "input"
    } == set(range(20))
    assert len(plan.steps) <= 5


def test_a_long_chain_is_cut_and_uses_two_temporaries() -> None:
    nodes = [_input(5, 1024)]
    nodes += [_op("tanh", number) for number in range(500)]
    plan = _plan(nodes, [500])
    assert 16 <= len(plan.steps) <= 100
    assert plan.temps == (4096, 4096)


def test_nodes_that_no_output_needs_are_left_out() -> None:
    plan = _plan([_input(5, 4), _input(6, 4), _op("exp", 1), _op("neg", 0)], [3])
    assert plan.inputs == (0,)
    assert len(plan.steps) == 1


def test_a_view_costs_no_dispatch() -> None:
    nodes = [
        _input(5, 2, 3),
        _op("transpose", 0, axis0=0, axis1=1),
        _op("reshape", 0, shape=[3, 2]),
        _op("add", 1, 2),
    ]
    assert len(_plan(nodes, [3]).steps) == 1


def test_a_view_that_no_layout_shows_is_copied_first() -> None:
    nodes = [_input(5, 2, 3), _op("transpose", 0, axis0=0, axis1=1), _op("reshape", 1, shape=[6])]
    plan = _plan(nodes, [2])
    assert _refs(plan) == [[("input", 0), ("output", 0)]]


def test_an_output_that_is_its_input_shares_it() -> None:
    plan = _plan([_input(5, 2, 3), _op("reshape", 0, shape=[6])], [1, 0])
    assert plan.steps == ()
    assert [output.same_as for output in plan.outputs] == [Ref("input", 0), Ref("input", 0)]


def test_an_output_that_is_asked_for_twice_is_computed_once() -> None:
    plan = _plan([_input(5, 4), _op("exp", 0)], [1, 1])
    assert len(plan.steps) == 1
    assert [output.same_as for output in plan.outputs] == [None, Ref("output", 0)]


def test_an_output_that_is_a_part_or_a_constant_is_copied() -> None:
    nodes = [
        _input(5, 4),
        _op("slice", 0, starts=[1], stops=[3], steps=[1]),
        Node("constant", (), {"index": 0, "shape": [2], "dtype": "f32"}),
    ]
    plan = _plan(nodes, [1, 2], [bytes(8)])
    assert [output.same_as for output in plan.outputs] == [None, None]
    assert len(plan.steps) == 2


def test_an_op_never_writes_over_what_it_reads() -> None:
    nodes = [_input(5, 64, 64), *(_op("matmul", number, 0) for number in range(20))]
    plan = _plan(nodes, [20])
    for step in plan.steps:
        refs = [part.ref for part in step.buffers]
        assert len(set(refs)) == len(refs) or refs.count(refs[-1]) == 1


def test_a_large_product_is_many_dispatches() -> None:
    plan = _plan([_input(5, 4000, 4000), _op("matmul", 0, 0)], [1])
    assert 200 <= len(plan.steps) <= 600


def test_a_graph_of_too_many_dispatches_is_refused() -> None:
    nodes = [_input(5, 16384, 16384), *(_op("matmul", number, 0) for number in range(8))]
    with pytest.raises(GraphError, match="65,536 dispatches"):
        _plan(nodes, [8])


def test_memory_is_used_again_once_a_value_is_past() -> None:
    nodes = [_input(5, 1024, 1024), *(_op("matmul", number, 0) for number in range(20))]
    plan = _plan(nodes, [20])
    assert plan.peak <= 2.4 * 1024 * 1024 * 4
    assert len(plan.stages) == 1


def _ops(plan: Plan) -> list[tuple[str, ...]]:
    return [step.ops for step in plan.steps]


FUSED: list[tuple[str, list[Node], list[tuple[str, ...]]]] = [
    (
        "a reduction takes what it reads and what follows",
        [_input(5, 8, 64), _op("exp", 0), _op("sum", 1, axes=[1]), _op("log", 2)],
        [("exp", "sum", "log")],
    ),
    (
        "a producer of two operands is read by the reduction",
        [_input(5, 8, 64), _input(6, 64), _op("mul", 0, 1), _op("mean", 2, axes=[1])],
        [("mul", "mean")],
    ),
    (
        "softmax takes what it reads",
        [_input(5, 8, 64), _op("neg", 0), _op("softmax", 1, axis=1)],
        [("neg", "softmax")],
    ),
    (
        "a product takes bias and activation",
        [_input(5, 32, 32), _input(6, 32), _op("matmul", 0, 0), _op("add", 2, 1), _op("relu", 3)],
        [("matmul", "add", "relu")],
    ),
    (
        "a product takes a residual",
        [_input(5, 32, 32), _op("matmul", 0, 0), _op("add", 1, 0)],
        [("matmul", "add")],
    ),
    (
        "of two products that meet one waits",
        [_input(5, 32, 32), _op("matmul", 0, 0), _op("tanh", 0), _op("matmul", 2, 0), _op("add", 1, 3)],
        [("tanh",), ("matmul",), ("matmul", "add")],
    ),
    (
        "a product that two read is computed once",
        [_input(5, 32, 32), _op("matmul", 0, 0), _op("neg", 1), _op("exp", 1), _op("sum", 3)],
        [("matmul",), ("neg",), ("exp", "sum")],
    ),
    (
        "a formula of one value twice reads it once",
        [_input(5, 8), _op("exp", 0), _op("mul", 1, 1), _op("neg", 2)],
        [("exp", "mul", "neg")],
    ),
    (
        "a view between elementwise ops is no step",
        [_input(5, 4, 8), _op("exp", 0), _op("transpose", 1, axis0=0, axis1=1), _op("neg", 2)],
        [("exp", "neg")],
    ),
    (
        "a product reads a transposed formula as it lies",
        [_input(5, 32, 32), _op("exp", 0), _op("transpose", 1, axis0=0, axis1=1), _op("matmul", 2, 0)],
        [("exp",), ("matmul",)],
    ),
    (
        "equal nodes are one",
        [_input(5, 8), _op("exp", 0), _op("exp", 0), _op("add", 1, 2), _op("sum", 3)],
        [("exp", "add", "sum")],
    ),
    (
        "two inputs are two, whatever their types",
        [_input(5, 8), _input(5, 8), _op("exp", 0), _op("exp", 1), _op("add", 2, 3)],
        [("exp", "exp", "add")],
    ),
    (
        "the result of a reduction that meets another shape is computed first",
        [_input(5, 8, 64), _op("sum", 0, axes=[1], keepdim=True), _op("div", 0, 1)],
        [("sum",), ("div",)],
    ),
]


@pytest.mark.parametrize(("nodes", "expected"), [case[1:] for case in FUSED], ids=[case[0] for case in FUSED])
def test_ops_are_fused(nodes: list[Node], expected: list[tuple[str, ...]]) -> None:
    read = {source for node in nodes for source in node.inputs}
    assert _ops(_plan(nodes, [index for index in range(len(nodes)) if index not in read])) == expected


def test_what_follows_a_product_of_the_host_is_one_kernel() -> None:
    nodes = [_input(5, 256, 256), _input(6, 256), _op("matmul", 0, 0), _op("add", 2, 1), _op("relu", 3)]
    graph = Graph(nodes, [4])
    product, rest = make_plan(graph, validate(graph), MAPPED).steps
    assert isinstance(product, HostStep)
    assert isinstance(rest, Step)


def test_a_chain_is_cut_by_its_text_too() -> None:
    nodes = [_input(5, 1024), *(_op("gelu", number) for number in range(60))]
    plan = _plan(nodes, [60])
    assert len(plan.steps) >= 2
    assert max(len(step.ops) for step in plan.steps) <= MAX_FUSED_NODES
    assert all(
        len(WgslGenerator().render(step.spec)) < 24_000 for step in plan.steps if isinstance(step, Step)
    )


def test_the_same_graph_gives_the_same_plan() -> None:
    ops = ("matmul", "add", "maximum")
    nodes = [_input(5, 64, 64), *(_op(ops[number % 3], number, number // 2) for number in range(40))]
    assert _plan(nodes, [40, 20]) == _plan(nodes, [40, 20])


def test_numbers_are_gaps_of_a_plan_and_not_part_of_it() -> None:
    def plan(*values: float) -> Plan:
        fills = [_op("full", shape=[], value=value, dtype="f32") for value in values]
        nodes = [_input(5, 8), *fills, _op("mul", 0, 1), _op("add", 3, 2), _op("exp", 4)]
        return _plan(nodes, [5])

    assert plan(2.0, 3.0) == plan(4.0, 5.5)
    (step,) = plan(2.0, 3.0).steps
    assert isinstance(step, Step)
    assert sorted(gap.scalar for gap in step.gaps) == [0, 1]
    assert {gap.type for gap in step.gaps} == {"f32"}


def test_structure_has_numbers_by_value_and_dtype() -> None:
    def form(*values: Any) -> Structure:
        nodes = [_op("full", shape=[4], value=value, dtype="f32") for value in values]
        return structure(Graph(nodes, [0]))

    assert form(1.5, 2.5).key == form(0.0, float("nan")).key
    assert form(1.5, 2.5).scalars == (1.5, 2.5)
    assert form(1.5, 1.5).scalars == (1.5,)
    assert len({form(1.5, 2.5).key, form(1.5, 1.5).key, form(1, 2.5).key, form(True, 2.5).key}) == 4
    assert form(0.0).bits != form(-0.0).bits
    for wrong in ("1", None, [1.0]):
        assert form(wrong).scalars == ()
        assert form(wrong).key != form(1.0).key


def test_structure_has_words_by_list() -> None:
    def form(*lists: Any) -> Structure:
        nodes = [_op("philox", count=4, key=key, counter=[0, 0, 0, 0]) for key in lists]
        return structure(Graph(nodes, [0]))

    assert form([1, 2]).key == form([0, 0]).key == form([2**32 - 1, 7]).key
    assert form([1, 2]).scalars == (1, 2, 0, 0, 0, 0)
    assert form([1, 2]).bits != form([2, 1]).bits
    assert form([1, 2], [3, 4]).key != form([1, 2], [1, 2]).key
    for wrong in ([], [1], [1, -1], [1, 2**32], [1.0, 2], [True, 2], "12", None, 12):
        assert form(wrong).key != form([1, 2]).key


def test_draws_of_the_same_words_are_one_and_others_are_not() -> None:
    def steps(*counters: int) -> int:
        nodes = [_op("philox", count=4, key=[1, 2], counter=[first, 0, 0, 0]) for first in counters]
        return len(_plan(nodes, list(range(len(nodes)))).steps)

    assert (steps(5), steps(5, 6), steps(5, 6, 5)) == (1, 2, 2)


def test_structure_ignores_handles_and_values_but_nothing_else() -> None:
    def key(handle: int = 1, value: bytes = bytes(4), size: int = 4, op: str = "exp") -> bytes:
        constant = Node("constant", (), {"index": 0, "shape": [len(value) // 4], "dtype": "f32"})
        return structure(Graph([_input(handle, size), _op(op, 0), constant], [1], [value])).key

    assert key() == key(handle=2, value=b"abcd")
    assert len({key(), key(size=5), key(op="neg"), key(value=bytes(8))}) == 4
