"""Plans of graphs: what is computed, fused, viewed, and how memory is used again. No device."""

from __future__ import annotations

from typing import Any

import pytest

from host.planner import MAX_FUSED_INPUTS, make_plan
from host.plans import Plan, Ref
from host.structure import structure
from ops.errors import GraphError
from ops.graph import Graph, Node
from ops.lower import CPU
from ops.validate import validate


def _input(handle: int, *shape: int, dtype: str = "f32") -> Node:
    return Node("input", (), {"handle": handle, "shape": list(shape), "dtype": dtype})


def _op(op: str, *inputs: int, **attributes: Any) -> Node:
    return Node(op, inputs, attributes)


def _plan(nodes: list[Node], outputs: list[int], constants: list[bytes] | None = None) -> Plan:
    graph = Graph(nodes, outputs, constants or [])
    return make_plan(graph, validate(graph), CPU)


def _refs(plan: Plan) -> list[list[tuple[str, int]]]:
    return [[(ref.kind, ref.number) for ref, _ in step.buffers] for step in plan.steps]


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
    assert {ref.number for step in plan.steps for ref, _ in step.buffers if ref.kind == "input"} == set(
        range(20)
    )
    assert len(plan.steps) <= 5


def test_a_long_chain_is_cut_and_uses_two_temporaries() -> None:
    nodes = [_input(5, 1024)]
    nodes += [_op("tanh", number) for number in range(500)]
    plan = _plan(nodes, [500])
    assert 10 <= len(plan.steps) <= 50
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
        refs = [ref for ref, _ in step.buffers]
        assert len(set(refs)) == len(refs) or refs.count(refs[-1]) == 1


def test_a_large_product_is_many_dispatches() -> None:
    plan = _plan([_input(5, 4000, 4000), _op("matmul", 0, 0)], [1])
    assert 200 <= len(plan.steps) <= 600


def test_a_graph_of_too_many_dispatches_is_refused() -> None:
    nodes = [_input(5, 16384, 16384), *(_op("matmul", number, 0) for number in range(8))]
    with pytest.raises(GraphError, match="65,536 dispatches"):
        _plan(nodes, [8])


def test_memory_is_used_again_once_a_value_is_past() -> None:
    nodes = [_input(5, 64, 64), *(_op("matmul", number, 0) for number in range(20))]
    plan = _plan(nodes, [20])
    assert sum(plan.temps) <= 2.4 * 64 * 64 * 4


def test_structure_ignores_handles_and_values_but_nothing_else() -> None:
    def key(handle: int = 1, value: bytes = bytes(4), size: int = 4, op: str = "exp") -> bytes:
        constant = Node("constant", (), {"index": 0, "shape": [len(value) // 4], "dtype": "f32"})
        return structure(Graph([_input(handle, size), _op(op, 0), constant], [1], [value])).key

    assert key() == key(handle=2, value=b"abcd")
    assert len({key(), key(size=5), key(op="neg"), key(value=bytes(8))}) == 4
