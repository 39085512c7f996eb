"""Plans on the device give what the reference gives, however their ops are fused, and whatever numbers they get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host import planner
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.frames import RunGraph
from ops import reference
from ops.graph import Graph, Node
from ops.lower import GPU
from ops.reference import dtype_name, evaluate
from shaders.errors import KernelgateError
from tests.host.engines import ADAPTER, put, run_graph, take


@pytest.fixture(scope="module", params=[True, False], ids=["with the host", "kernels alone, in stages"])
def engine(request: pytest.FixtureRequest) -> Iterator[WgpuEngine]:
    with pytest.MonkeyPatch.context() as patch:
        if not request.param:
            patch.setattr(planner, "place", partial(planner.place, small=0))
        yield from _engine(request.param)


def _engine(host_steps: bool) -> Iterator[WgpuEngine]:
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=1 << 28, host_steps=host_steps))
    for handle, array in (INPUTS | PACKED).items():
        put(opened, handle, array)
    yield opened
    opened.close()


def matrix(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).uniform(-1, 1, shape).astype(np.float32)


INPUTS = {1: matrix(16, 16), 2: matrix(16), 3: matrix(16, 1), 4: matrix(2, 16, 16)}
PACKED = {5: (4 * matrix(16, 16)).astype(np.int8), 6: matrix(16, 16).astype(np.float16)}
UNARY = ["neg", "abs", "tanh", "relu", "sigmoid"]
BINARY = ["add", "sub", "mul", "maximum", "minimum", "scale_gradient"]
WITH_AXES: list[Callable[[int, int], Node]] = [
    lambda index, axis: Node("sum", (index,), {"axes": [axis], "keepdim": True}),
    lambda index, axis: Node("mean", (index,), {"axes": [axis]}),
    lambda index, axis: Node("max", (index,), {"axes": [axis], "keepdim": True}),
    lambda index, axis: Node("softmax", (index,), {"axis": axis}),
    lambda index, axis: Node("standardize", (index,), {"axes": [axis], "eps": 0.5}),
    lambda index, axis: Node("log_softmax", (index,), {"axis": axis}),
    lambda index, axis: Node("transpose", (index,), {"axis0": axis, "axis1": -1}),
    lambda index, axis: Node("slice", (index,), {"starts": [1], "stops": [13], "axes": [axis]}),
    lambda index, axis: Node("reshape", (index,), {"shape": [-1, 4]}),
]


def inputs() -> list[Node]:
    return [
        Node("input", (), {"handle": handle, "shape": list(array.shape), "dtype": "f32"})
        for handle, array in INPUTS.items()
    ]


@st.composite
def programs(draw: st.DrawFn) -> Graph:
    """Programs of bounded values: products are followed by `tanh`, what is packed is made f32 at once."""
    nodes = inputs()
    for _ in range(draw(st.integers(1, 12))):
        pick = st.sampled_from(floats(nodes))
        kind = draw(st.integers(0, 5))
        if kind == 0:
            made = [Node(draw(st.sampled_from(UNARY)), (draw(pick),))]
        elif kind == 1:
            made = [Node(draw(st.sampled_from(BINARY)), (draw(pick), draw(pick)))]
        elif kind == 2:
            made = [draw(st.sampled_from(WITH_AXES))(draw(pick), draw(st.integers(-2, 1)))]
        elif kind == 3:
            made = [Node("matmul", (draw(pick), draw(pick))), Node("tanh", (len(nodes),))]
        elif kind == 4:
            handle = draw(st.sampled_from(sorted(PACKED)))
            given = Node(
                "input", (), {"handle": handle, "shape": [16, 16], "dtype": dtype_name(PACKED[handle].dtype)}
            )
            wide = Node("cast", (len(nodes),), {"dtype": "f32"})
            made = [given, wide, Node(draw(st.sampled_from(BINARY)), (len(nodes) + 1, draw(pick)))]
        else:
            value = draw(st.floats(-2, 2, width=32))
            full = Node("full", (), {"shape": [], "value": value, "dtype": "f32"})
            made = [full, Node(draw(st.sampled_from(BINARY)), (draw(pick), len(nodes)))]
        if is_valid([*nodes, *made]):
            nodes += made
    outputs = draw(st.lists(st.sampled_from(floats(nodes)), min_size=1, max_size=3))
    return Graph(nodes, [len(nodes) - 1, *outputs])


def floats(nodes: list[Node]) -> list[int]:
    """The nodes of f32: all but inputs that are packed."""
    return [number for number, node in enumerate(nodes) if node.attributes.get("handle") not in PACKED]


def is_valid(nodes: list[Node]) -> bool:
    try:
        evaluate(Graph(nodes, [len(nodes) - 1]), INPUTS | PACKED)
    except (KernelgateError, ValueError):
        return False
    return True


def compute(engine: WgpuEngine, program: Graph) -> list[np.ndarray]:
    handles = list(range(100, 100 + len(program.outputs)))
    run_graph(engine, program, handles)
    return taken(engine, handles)


def taken(engine: WgpuEngine, handles: list[int]) -> list[np.ndarray]:
    found = []
    for handle in handles:
        data = take(engine, handle)
        found.append(np.frombuffer(data, np.float32))
    engine.free(handles)
    return found


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(programs())
def test_fused_programs_equal_the_reference(engine: WgpuEngine, program: Graph) -> None:
    wanted = evaluate(program, INPUTS | PACKED)
    for _ in range(2):
        for found, expected in zip(compute(engine, program), wanted, strict=True):
            np.testing.assert_allclose(found, expected.reshape(-1), rtol=2e-4, atol=2e-4)
    assert engine.memory().tensors == len(INPUTS | PACKED)


def scaled(value: Any) -> Graph:
    nodes = [*inputs()[:1], Node("full", (), {"shape": [], "value": value, "dtype": "f32"})]
    return Graph([*nodes, Node("mul", (0, 1)), Node("sum", (2,), {"axes": [1]})], [2, 3])


def test_other_numbers_need_no_other_plan_or_kernel(engine: WgpuEngine) -> None:
    compute(engine, scaled(1.0))
    plans, pipelines = len(engine._runner._plans), engine.memory().pipelines
    for value in (2.5, -0.0, 1e-30, float("inf"), 1e300, 2.5):
        product, total = compute(engine, scaled(value))
        with np.errstate(all="ignore"):
            expected = INPUTS[1] * np.float32(value)
            folded = expected.sum(1)
        assert product.tobytes() == expected.tobytes()
        np.testing.assert_allclose(total, folded, rtol=1e-5)
    assert (len(engine._runner._plans), engine.memory().pipelines) == (plans, pipelines)


def drawn(key: list[int], first: int) -> Graph:
    """Two draws that follow each other, as a layer and its dropout make."""
    nodes: list[Node] = []
    for counter in (first, first + 9):
        attributes = {"count": 33, "key": key, "counter": [counter, 0, 0, 0]}
        nodes += [Node("philox", (), attributes), Node("cast", (len(nodes),), {"dtype": "f32"})]
    return Graph([*nodes, Node("add", (1, 3))], [1, 4])


def test_other_draws_need_no_other_plan_or_kernel(engine: WgpuEngine) -> None:
    compute(engine, drawn([1, 2], 3))
    plans, pipelines = len(engine._runner._plans), engine.memory().pipelines
    for key, first in (([0, 0], 0), ([7, 7], 7), ([2**32 - 1, 5], 2**32 - 10), ([1, 2], 3)):
        for found, expected in zip(
            compute(engine, drawn(key, first)), evaluate(drawn(key, first), {}), strict=True
        ):
            assert found.tobytes() == expected.tobytes()
    assert (len(engine._runner._plans), engine.memory().pipelines) == (plans, pipelines)


def test_runs_of_one_plan_that_are_under_way_together_keep_their_own_numbers(engine: WgpuEngine) -> None:
    def begin(value: float, handle: int) -> Any:
        request = RunGraph(handle, handle, "me", scaled(value), [handle, handle + 1])
        work = engine.run_graph(request, lambda: None)
        next(work)
        return work

    works = [begin(value, handle) for value, handle in ((3.0, 200), (5.0, 210), (3.0, 220))]
    for work in works:
        finish(work)
    for value, handle in ((3.0, 200), (5.0, 210), (3.0, 220)):
        product, _ = taken(engine, [handle, handle + 1])
        assert product.tobytes() == (INPUTS[1] * np.float32(value)).tobytes()


BIAS = Node("input", (), {"handle": 2, "shape": [16], "dtype": "f32"})


@pytest.mark.parametrize("columns", [16, 15, 13])
@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_a_product_with_its_epilogue_is_right_at_every_edge(
    engine: WgpuEngine, columns: int, dtype: str
) -> None:
    nodes = [
        *inputs()[:1],
        BIAS,
        Node("slice", (0,), {"starts": [0], "stops": [columns], "axes": [1]}),
        Node("slice", (1,), {"starts": [0], "stops": [columns]}),
        Node("cast", (0,), {"dtype": dtype}),
        Node("cast", (2,), {"dtype": dtype}),
        Node("cast", (3,), {"dtype": dtype}),
        Node("matmul", (4, 5)),
        Node("add", (7, 6)),
        Node("relu" if dtype == "f32" else "abs", (8,)),
        Node("cast", (9,), {"dtype": "f32"}),
    ]
    program = Graph(nodes, [10])
    (found,) = compute(engine, program)
    np.testing.assert_allclose(found, evaluate(program, INPUTS)[0].reshape(-1), rtol=1e-5, atol=1e-5)


def test_a_product_in_parts_is_finished_once() -> None:
    engine = WgpuEngine(EngineSettings(ADAPTER, host_steps=False))
    rows, inner = 24, 1 << 18
    x = np.random.default_rng(5).integers(-2, 3, (rows, inner)).astype(np.float32)
    put(engine, 1, x)
    nodes = [
        Node("input", (), {"handle": 1, "shape": [rows, inner], "dtype": "f32"}),
        Node("transpose", (0,), {"axis0": 0, "axis1": 1}),
        Node("matmul", (0, 1)),
        Node("neg", (2,)),
        Node("relu", (3,)),
    ]
    engine._class = replace(engine._class, work=1 << 22)
    (found,) = compute(engine, Graph(nodes, [4]))
    exact = np.maximum(-(x.astype(np.float64) @ x.T.astype(np.float64)), 0)
    assert found.tolist() == exact.reshape(-1).tolist()
    (prepared,) = engine._runner._plans.values()
    assert sum(step.ops[-1] == "relu" for step in prepared.plan.steps) > 1
    engine.close()


@pytest.mark.parametrize(("inner", "dispatches"), [(260, 2), (2100, 3)])
def test_what_is_done_with_a_product_is_done_while_the_parts_of_its_sums_are_added_up(
    engine: WgpuEngine, monkeypatch: pytest.MonkeyPatch, inner: int, dispatches: int
) -> None:
    monkeypatch.setattr(engine, "_class", GPU)
    random = np.random.default_rng(4)
    arrays = [random.uniform(-1, 1, shape).astype(np.float32) for shape in ((40, inner), (inner, 72), (72,))]
    nodes = []
    for handle, array in enumerate(arrays, 500):
        put(engine, handle, array)
        nodes.append(Node("input", (), {"handle": handle, "shape": list(array.shape), "dtype": "f32"}))
    nodes += [Node("matmul", (0, 1)), Node("add", (3, 2)), Node("relu", (4,))]
    usage = run_graph(engine, Graph(nodes, [5]), [510])
    found = take(engine, 510)
    engine.free([500, 501, 502, 510])
    a, b, bias = (array.astype(np.float64) for array in arrays)
    np.testing.assert_allclose(
        np.frombuffer(found, np.float32).reshape(40, 72), np.maximum(a @ b + bias, 0), atol=1e-4
    )
    assert usage.dispatches == dispatches


@pytest.mark.parametrize("width", [10, 12])
def test_what_is_done_with_a_convolution_of_a_gpu_is_done_in_its_kernel(
    width: int, engine: WgpuEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_class", GPU)
    random = np.random.default_rng(width)
    shapes = ((2, 8, 9, width), (20, 8, 3, 3), (20, 1, 1), (2, 20, 9, width))
    arrays = [random.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]
    nodes = []
    for handle, array in enumerate(arrays, 520):
        put(engine, handle, array)
        nodes.append(Node("input", (), {"handle": handle, "shape": list(array.shape), "dtype": "f32"}))
    ones = {"stride": [1, 1], "dilation": [1, 1], "before": [1, 1], "after": [1, 1], "groups": 1}
    nodes += [Node("convolution", (0, 1), ones), Node("add", (4, 2)), Node("relu", (5,)), Node("mul", (6, 3))]
    usage = run_graph(engine, Graph(nodes, [7]), [530])
    found = take(engine, 530)
    engine.free([*range(520, 524), 530])
    made = reference.apply("convolution", ones, arrays[:2]).astype(np.float64)
    expected = np.maximum(made + arrays[2], 0) * arrays[3]
    np.testing.assert_allclose(np.frombuffer(found, np.float32).reshape(expected.shape), expected, atol=1e-4)
    assert usage.dispatches == 2  # the weights are laid anew first


@pytest.mark.parametrize(
    ("shapes", "after"),
    [
        ([(70, 40), (40, 72), (72,), (70, 72)], "relu"),
        ([(3, 70, 40), (40, 67), (70, 1), (3, 70, 67)], "relu"),
        ([(70, 40), (40, 72), (72,), (70, 72)], "gelu"),
        ([(3, 70, 40), (40, 67), (70, 1), (3, 70, 67)], "tanh"),
        ([(2, 1, 40, 33), (3, 33, 66), (3, 1, 66), (2, 3, 40, 66)], "abs"),
    ],
    ids=["by fours", "at edges", "long by fours", "long at edges", "batches"],
)
def test_bias_activation_and_residual_are_part_of_a_product_by_tiles(
    engine: WgpuEngine,
    monkeypatch: pytest.MonkeyPatch,
    shapes: list[tuple[int, ...]],
    after: str,
) -> None:
    monkeypatch.setattr(engine, "_class", GPU)
    random = np.random.default_rng(6)
    arrays = [random.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]
    nodes = []
    for handle, array in enumerate(arrays, 500):
        put(engine, handle, array)
        nodes.append(Node("input", (), {"handle": handle, "shape": list(array.shape), "dtype": "f32"}))
    nodes += [Node("matmul", (0, 1)), Node("add", (4, 2)), Node(after, (5,)), Node("sub", (6, 3))]
    program = Graph(nodes, [7])
    usage = run_graph(engine, program, [510])
    (found,) = taken(engine, [510])
    engine.free(list(range(500, 504)))
    expected = evaluate(program, dict(enumerate(arrays, 500)))[0]
    np.testing.assert_allclose(found, expected.reshape(-1), atol=1e-4)
    copies = sum(shape[-1] % 4 != 0 for shape in shapes[:2])
    assert usage.dispatches == 1 + copies


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("then", ["neg", "softmax", "standardize", "sum", None])
@pytest.mark.parametrize("before", ["matmul", "sum", "standardize", "tanh"])
def test_an_op_that_reads_one_of_its_two_inputs_is_fused_like_any_other(
    engine: WgpuEngine, before: str, then: str | None, is_first: bool
) -> None:
    given = (0, 0) if before == "matmul" else (0,)
    attributes: dict[str, Any] = {"axes": [1]} if before in ("sum", "standardize") else {}
    nodes = [*inputs(), Node(before, given, attributes), Node("abs", (1 if before == "sum" else 0,))]
    nodes.append(Node("scale_gradient", (4, 5) if is_first else (5, 4)))
    if then is not None:
        after: dict[str, Any] = {"axes": [-1]} if then in ("sum", "standardize") else {}
        nodes.append(Node(then, (6,), after))
    program = Graph(nodes, [len(nodes) - 1])
    (found,) = compute(engine, program)
    np.testing.assert_allclose(found, evaluate(program, INPUTS)[0].reshape(-1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_formulas_that_are_written_alike_read_what_they_need_whether_they_wait_or_not(
    engine: WgpuEngine, order: tuple[int, int]
) -> None:
    nodes = [*inputs(), Node("standardize", (0,), {"axes": [1]})]
    results = []
    for read in [(4, 0)[number] for number in order]:
        nodes += [Node("scale_gradient", (1, read)), Node("neg", (len(nodes),))]
        results.append(len(nodes) - 1)
    program = Graph(nodes, results)
    for found, expected in zip(compute(engine, program), evaluate(program, INPUTS), strict=True):
        np.testing.assert_allclose(found, expected.reshape(-1), rtol=1e-5)


@pytest.mark.parametrize(("op", "expected"), [("sum", np.nan), ("prod", np.inf)])
def test_what_a_fold_of_nothing_gives_is_divided_like_any_number(
    op: str, expected: float, engine: Any
) -> None:
    nodes = [
        Node("full", (), {"shape": [0, 3], "value": 1.0, "dtype": "f32"}),
        Node(op, (0,), {"axes": [0]}),
        Node("full", (), {"shape": [], "value": 0.0, "dtype": "f32"}),
        Node("div", (1, 2)),
    ]
    run_graph(engine, Graph(nodes, [3]), [90])
    found = take(engine, 90)
    engine.free([90])
    np.testing.assert_array_equal(np.frombuffer(found, np.float32), [expected] * 3)
