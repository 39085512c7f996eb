"""Graphs on the real engine: planned once, run again, cancelled between slices, and right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host.engine import finish
from host.engines.wgpu import WgpuEngine
from host.errors import Cancelled
from host.frames import RunGraph
from ops.graph import Graph, Node
from ops.reference import evaluate
from ops.table import TABLE
from shaders.errors import KernelgateError
from tests.host.engines import get, put, run_graph, source

pytestmark = pytest.mark.usefixtures("everything_is_given_back")


@pytest.mark.parametrize("count", [0, 1, 5, 70_000, 1 << 20])
def test_bools_are_a_byte_outside_and_a_word_inside(gpu: WgpuEngine, count: int) -> None:
    wire = np.random.default_rng(count).integers(0, 2, count, np.uint8)
    put(gpu, 1, wire * 7, dtype="bool")
    assert get(gpu, 1, np.uint8).tolist() == wire.tolist()
    nodes = [source(1, count, dtype="bool"), Node("cast", (0,), {"dtype": "u32"})]
    run_graph(gpu, Graph(nodes, [1]), [2])
    assert get(gpu, 2).tolist() == wire.tolist()


def test_the_second_run_of_a_structure_plans_nothing_and_takes_new_values(gpu: WgpuEngine) -> None:
    nodes = [
        source(1, 6),
        Node("constant", (), {"index": 0, "shape": [6], "dtype": "u32"}),
        Node("mul", (0, 1)),
        Node("sum", (2,)),
    ]
    for turn in range(1, 5):
        values = np.arange(6, dtype=np.uint32) * turn
        put(gpu, 1, values)
        usage = run_graph(gpu, Graph(nodes, [2, 3], [np.full(6, turn + 1, np.uint32).tobytes()]), [2, 3])
        assert get(gpu, 2).tolist() == (values * (turn + 1)).tolist()
        assert get(gpu, 3).tolist() == [int(values.sum()) * (turn + 1)]
        assert usage.dispatches >= 2
        pipelines = gpu.memory().pipelines if turn == 1 else pipelines  # noqa: F821
        assert gpu.memory().pipelines == pipelines
        gpu.free([1, 2, 3])


def test_a_plan_whose_outputs_are_freed_and_made_again_is_not_encoded_anew(
    gpu: WgpuEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(gpu, 1, np.arange(6, dtype=np.uint32))
    nodes = [source(1, 6), *(Node(op, (0,)) for op in ("neg", "sign", "relu"))]
    encoded: list[object] = []
    encode = gpu._gpu.run
    monkeypatch.setattr(gpu._gpu, "run", lambda *given: encoded.append(given) or encode(*given))
    for turn in range(8):
        if turn == 4:
            encoded.clear()
        run_graph(gpu, Graph(nodes, [1, 2, 3]), [2, 3, 4])
        gpu.free([2, 3, 4])
    assert encoded == []


def test_outputs_that_share_memory_live_as_long_as_the_last(gpu: WgpuEngine) -> None:
    put(gpu, 1, np.arange(6, dtype=np.uint32))
    nodes = [source(1, 6), Node("reshape", (0,), {"shape": [2, 3]}), Node("neg", (0,)), Node("neg", (2,))]
    run_graph(gpu, Graph(nodes, [1, 3, 3]), [2, 3, 4])
    gpu.free([1, 3])
    put(gpu, 5, np.full(6, 9, np.uint32))
    assert get(gpu, 2).tolist() == list(range(6))
    assert get(gpu, 4).tolist() == list(range(6))


def test_a_graph_is_cancelled_between_slices(gpu: WgpuEngine) -> None:
    turns = 0

    def stop() -> None:
        nonlocal turns
        turns += 1
        if turns == 3:
            raise Cancelled("stopped")

    put(gpu, 1, np.ones((8, 8), np.float32), dtype="f32")
    nodes = [source(1, 8, 8, dtype="f32")]
    nodes += [Node("matmul", (number, 0)) for number in range(400)]
    with pytest.raises(Cancelled):
        finish(gpu.run_graph(RunGraph(1, 1, "me", Graph(nodes, [400]), [2]), stop))
    assert gpu.memory().tensors == 1


OPS: list[tuple[str, int]] = [
    (row.name, len(row.inputs))
    for row in TABLE.values()
    if row.kind == "elementwise"
    and row.result == "promote"
    and "i32" in row.dtypes
    and row.namespace == "tensor"
    and not any(isinstance(attribute.default, float) for attribute in row.attributes)  # these make f32 of i32
]
VIEWS: list[Callable[[Any], Node]] = [
    lambda index: Node("transpose", (index,), {"axis0": 0, "axis1": 1}),
    lambda index: Node("reshape", (index,), {"shape": [4, 6]}),
    lambda index: Node("reshape", (index,), {"shape": [24]}),
    lambda index: Node("slice", (index,), {"starts": [1], "stops": [4]}),
    lambda index: Node("sum", (index,), {"axes": [0]}),
    lambda index: Node("sum", (index,), {}),
    lambda index: Node("slice", (index,), {"starts": [-1], "stops": [-9], "steps": [-1], "axes": [-1]}),
    lambda index: Node("diagonal", (index,), {"offset": 1}),
    lambda index: Node("slice_scatter", (index, 2), {"starts": [1], "stops": [3]}),
    lambda index: Node("pad", (index,), {"before": [1, 0], "after": [0, 2], "mode": "circular"}),
    lambda index: Node("gather", (index, 4), {"axis": 1}),
    lambda index: Node("scatter", (index, 4, 0), {"axis": 1, "reduce": "add"}),
    lambda index: Node("cumsum", (index,), {"axis": 0}),
    lambda index: Node("sort", (index,), {"axis": -1, "descending": True}),
    lambda index: Node("concat", (index, index), {"axis": 0}),
    lambda index: Node("max", (index,), {"axes": [-1], "keepdim": True}),
]


@st.composite
def programs(draw: st.DrawFn) -> Graph:
    """Integer programs, so that results are exact: ops of every kind with broadcasts, in any order."""
    nodes = [source(1, 4, 6, dtype="i32"), source(2, 6, dtype="i32"), source(3, 1, dtype="i32")]
    nodes.append(Node("full", (), {"shape": [4, 6], "value": 3, "dtype": "i32"}))
    nodes.append(source(4, 4, 3, dtype="i32"))
    for _ in range(draw(st.integers(1, 14))):
        pick = st.integers(0, len(nodes) - 1)
        if draw(st.booleans()) or draw(st.booleans()):
            op, arity = draw(st.sampled_from(OPS))
            node = Node(op, tuple(draw(pick) for _ in range(arity)))
        else:
            node = draw(st.sampled_from(VIEWS))(draw(pick))
        if _is_valid([*nodes, node]):
            nodes.append(node)
    outputs = draw(st.lists(st.integers(0, len(nodes) - 1), min_size=1, max_size=4))
    return Graph(nodes, outputs)


def _is_valid(nodes: list[Node]) -> bool:
    try:
        evaluate(Graph(nodes, [len(nodes) - 1]), INPUTS)
    except (KernelgateError, ValueError):
        return False
    return True


INPUTS = {
    1: np.arange(24, dtype=np.int32).reshape(4, 6) - 11,
    2: np.array([5, -3, 0, 7, 100, -8], np.int32),
    3: np.array([-2], np.int32),
    4: np.array([[0, 5, -1], [2, 2, 2], [9, 0, -6], [3, -7, 1]], np.int32),
}


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(programs())
def test_planned_programs_equal_the_reference(gpu: WgpuEngine, program: Graph) -> None:
    for handle, array in INPUTS.items():
        put(gpu, handle, array, dtype="i32")
    handles = [10 + number for number in range(len(program.outputs))]
    for _ in range(2):
        run_graph(gpu, program, handles)
        for handle, expected in zip(handles, evaluate(program, INPUTS), strict=True):
            assert get(gpu, handle, np.int32).tolist() == expected.reshape(-1).tolist()
        gpu.free(handles)
    gpu.free(list(INPUTS))
    assert gpu.memory().live_bytes == 0
