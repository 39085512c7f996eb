"""The three engines behind the frames: alike in their checks, and right where they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host.engine import Engine, EngineSettings, finish, open_engine
from host.engines.wgpu import WgpuEngine
from host.errors import (
    BindingMismatch,
    Cancelled,
    DeviceOutOfMemory,
    DispatchSizeError,
    KernelCompileError,
    UnknownHandle,
    UnknownKernel,
)
from host.frames import Argument, Bound, DispatchKernel, Fresh, RunGraph, Step, Uniform
from host.shared import Source
from ops.graph import Graph, Node, TensorType
from ops.reference import evaluate
from ops.table import TABLE
from ops.wire import FrameError
from shaders.errors import KernelgateError
from tests.host.engines import ADAPTER, go, run_graph, take

MEMORY = 1 << 28


@pytest.fixture(scope="module", params=["null", "numpy", ADAPTER])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    opened = open_engine(EngineSettings(request.param, memory_bytes=MEMORY))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def gpu() -> Iterator[WgpuEngine]:
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=MEMORY))
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _everything_is_given_back(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for name in {"engine", "gpu"} & set(request.fixturenames):
        engine = request.getfixturevalue(name)
        engine.free(list(range(100)))
        assert (engine.memory().live_bytes, engine.memory().tensors) == (0, 0)


def put(engine: Engine, handle: int, array: np.ndarray, dtype: str = "u32", owner: str = "me") -> None:
    data = array.tobytes()
    engine.upload(handle, owner, TensorType(array.shape, dtype), Source(len(data), data))


def get(engine: Engine, handle: int, dtype: Any = np.uint32) -> np.ndarray:
    return np.frombuffer(take(engine, handle), dtype)


def graph(
    engine: Engine, nodes: list[Node], outputs: list[int], handles: list[int], *constants: bytes
) -> Any:
    return run_graph(engine, Graph(nodes, outputs, list(constants)), handles)


def dispatch(
    engine: Engine,
    *arguments: Argument,
    fresh: Fresh | None = None,
    workgroups: tuple[int, int, int] = (1, 1, 1),
    owner: str = "me",
    kernel: str = "k",
) -> Any:
    """One step; `fresh` is what its binding `b` writes."""
    given = [*arguments, *([] if fresh is None else [Bound("b", fresh.handle)])]
    request = DispatchKernel(
        1, 1, owner, kernel, [Step("main", workgroups, given)], [] if fresh is None else [fresh]
    )
    return finish(engine.dispatch(request, go))


def source(handle: int, *shape: int, dtype: str = "u32") -> Node:
    return Node("input", (), {"handle": handle, "shape": list(shape), "dtype": dtype})


def test_tensors_come_and_go(engine: Engine) -> None:
    put(engine, 1, np.arange(10, dtype=np.uint32))
    assert engine.type(1) == TensorType((10,), "u32")
    assert engine.memory().tensors == 1
    assert engine.memory().live_bytes >= 40
    assert get(engine, 1).size == 10
    engine.free([1, 1, 2])
    for use in [lambda: engine.type(1), lambda: get(engine, 1)]:
        with pytest.raises(UnknownHandle):
            use()


def test_a_handle_is_made_once(engine: Engine) -> None:
    put(engine, 1, np.arange(10, dtype=np.uint32))
    for make in [
        lambda: put(engine, 1, np.arange(10, dtype=np.uint32)),
        lambda: graph(engine, [source(1, 10)], [0], [1]),
        lambda: graph(engine, [source(1, 10)], [0, 0], [2, 2]),
    ]:
        with pytest.raises(FrameError, match="exist already"):
            make()


def test_a_tensor_over_the_budget_is_refused(engine: Engine) -> None:
    with pytest.raises(DeviceOutOfMemory, match=r"\d"):
        graph(engine, [Node("full", (), {"shape": [MEMORY // 4 + 1], "value": 1})], [0], [1])


def test_a_graph_that_lies_about_its_inputs_is_refused(engine: Engine) -> None:
    put(engine, 1, np.arange(10, dtype=np.uint32))
    graph(engine, [source(1, 10), Node("neg", (0,))], [1], [2])
    put(engine, 3, np.arange(5, dtype=np.uint32))
    for wrong in [source(3, 10), source(1, 5), source(1, 10, dtype="f32")]:
        with pytest.raises(KernelgateError, match="takes tensor"):
            graph(engine, [wrong, Node("neg", (0,))], [1], [4])
    with pytest.raises(UnknownHandle):
        graph(engine, [source(9, 10), Node("neg", (0,))], [1], [4])


def test_a_graph_is_explained_or_refused_and_nothing_is_made(engine: Engine) -> None:
    nodes = [source(1, 10), Node("neg", (0,)), Node("sum", (1,))]
    text = finish(engine.explain(Graph(nodes, [2]), False, go))
    assert "neg, sum" in text or f"{engine.info.name} computes 3 nodes" in text
    with pytest.raises(KernelgateError, match="no op"):
        finish(engine.explain(Graph([Node("nothing")], [0]), True, go))
    assert engine.memory().tensors == 0


def test_a_cancelled_job_makes_nothing(engine: Engine, kernels: Any) -> None:
    def stop() -> None:
        raise Cancelled("stopped")

    engine.add_kernel("k", kernels.double, False)
    put(engine, 1, np.arange(10, dtype=np.uint32))
    nodes = [source(1, 10), Node("neg", (0,))]
    with pytest.raises(Cancelled):
        finish(engine.run_graph(RunGraph(1, 1, "me", Graph(nodes, [1]), [2]), stop))
    step = Step("main", (1, 1, 1), [Bound("a", 1), Bound("b", 2)])
    with pytest.raises(Cancelled):
        finish(engine.dispatch(DispatchKernel(1, 1, "me", "k", [step], [Fresh(2, "u32", (10,))]), stop))
    assert engine.memory().tensors == 1


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (UnknownKernel, {"kernel": "other"}),
        (DispatchSizeError, {"workgroups": (1 << 26, 1, 1)}),
        (DispatchSizeError, {"workgroups": (65535, 65535, 65535)}),
    ],
)
def test_a_wrong_dispatch_is_refused_alike(
    engine: Engine, kernels: Any, error: type[Exception], change: dict[str, Any]
) -> None:
    engine.add_kernel("k", kernels.double, False)
    put(engine, 1, np.arange(10, dtype=np.uint32))
    with pytest.raises(error):
        dispatch(engine, Bound("a", 1), fresh=Fresh(2, "u32", (10,)), **change)
    with pytest.raises(BindingMismatch, match="'b'"):
        dispatch(engine, Bound("a", 1))


def test_a_reflection_that_lies_is_refused_alike(engine: Engine, kernels: Any) -> None:
    with pytest.raises(FrameError):
        engine.add_kernel("k", kernels.reflection("", kernels.binding("a", 0, group=9)), False)


def test_a_kernel_computes_on_fresh_zeros_and_on_initial_values(gpu: WgpuEngine, kernels: Any) -> None:
    gpu.add_kernel("k", kernels.double, True)
    put(gpu, 1, np.arange(10, dtype=np.uint32))
    usage = dispatch(gpu, Bound("a", 1), fresh=Fresh(2, "u32", (10,)))
    assert get(gpu, 2).tolist() == [2 * n for n in range(10)]
    assert usage.dispatches == 1
    assert usage.device_ms > 0
    assert usage.peak_bytes >= 40
    dispatch(gpu, Bound("a", 1), fresh=Fresh(3, "u32", (10,), initial=2))
    assert get(gpu, 3).tolist() == [4 * n for n in range(10)]
    assert get(gpu, 2).tolist() == [2 * n for n in range(10)], "the initial tensor is not written"


def test_no_workgroups_leave_zeros_and_initial_values(gpu: WgpuEngine, kernels: Any) -> None:
    gpu.add_kernel("k", kernels.double, False)
    put(gpu, 1, np.arange(10, dtype=np.uint32))
    usage = dispatch(gpu, Bound("a", 1), fresh=Fresh(2, "u32", (10,), initial=1), workgroups=(0, 1, 1))
    assert get(gpu, 2).tolist() == list(range(10))
    assert usage.dispatches == 0


def test_a_kernel_sees_exactly_the_elements_of_its_tensors(gpu: WgpuEngine, kernels: Any) -> None:
    text = (
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@compute @workgroup_size(1) fn main() { b[0] = arrayLength(&a); b[1] = arrayLength(&b); }\n"
    )
    gpu.add_kernel("k", kernels.reflection(text, *kernels.double.bindings), False)
    put(gpu, 1, np.arange(7, dtype=np.uint32))
    dispatch(gpu, Bound("a", 1), fresh=Fresh(2, "u32", (3,)))
    assert get(gpu, 2).tolist() == [7, 3, 0]


def test_groups_uniforms_and_unreached_bindings(gpu: WgpuEngine, kernels: Any) -> None:
    text = (
        "struct P { scale: u32, shift: u32 }\n"
        "@group(2) @binding(5) var<uniform> p: P;\n"
        "@group(0) @binding(3) var<storage, read> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@group(1) @binding(0) var<storage, read_write> unused: array<u32>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {\n"
        "  b[id.x] = a[id.x] * p.scale + p.shift;\n}\n"
    )
    more = {"kind": "uniform", "element": "u32", "min_size": 8, "stride": 0}
    found = kernels.reflection(
        text,
        kernels.binding("p", 5, type="P", group=2, **more),
        kernels.binding("a", 3),
        kernels.binding("b", 1, "read_write"),
    )
    gpu.add_kernel("k", found, True)
    put(gpu, 1, np.arange(4, dtype=np.uint32))
    for scale in (3, 5):
        data = np.array([scale, 7], np.uint32).tobytes()
        dispatch(gpu, Bound("a", 1), Uniform("p", data), fresh=Fresh(2, "u32", (4,)), workgroups=(4, 1, 1))
        assert get(gpu, 2).tolist() == [scale * n + 7 for n in range(4)]
        gpu.free([2])


def test_a_kernel_of_another_tenant_never_sees_old_words(gpu: WgpuEngine, kernels: Any) -> None:
    """The thief reads past its input through the largest index and takes all fresh memory that there is."""
    text = (
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  if (id.x < arrayLength(&b)) { b[id.x] = max(b[id.x], a[id.x]); }\n}\n"
    )
    gpu.add_kernel("thief", kernels.reflection(text, *kernels.double.bindings), False)
    secret = np.full(1000, 0xDEADBEEF, np.uint32)
    for handle in range(1, 9):
        put(gpu, handle, secret, owner="victim")
    gpu.free(list(range(1, 9)))
    put(gpu, 20, np.zeros(600, np.uint32), owner="thief")
    for handle in range(21, 29):
        fresh = Fresh(handle, "u32", (1000,))
        dispatch(gpu, Bound("a", 20), fresh=fresh, workgroups=(16, 1, 1), owner="thief", kernel="thief")
        assert not get(gpu, handle).any()
    for handle in range(30, 34):
        put(gpu, handle, np.zeros(600, np.uint32), owner="thief")
    gpu.free(list(range(20, 40)))
    for handle in range(40, 56):
        nodes = [Node("full", (), {"shape": [1000], "value": 0, "dtype": "u32"})]
        finish(gpu.run_graph(RunGraph(1, 1, "thief", Graph(nodes, [0]), [handle]), go))
        assert not get(gpu, handle).any()


def test_an_upload_over_anothers_block_clears_what_it_does_not_fill(gpu: WgpuEngine, kernels: Any) -> None:
    put(gpu, 1, np.full(1000, 0xDEADBEEF, np.uint32), owner="victim")
    gpu.free([1])
    put(gpu, 2, np.ones(600, np.uint32), owner="thief")
    block = gpu._table.get(2).storage
    data = bytearray()
    gpu._transfers.download(block, "u32", block.size, data.extend)
    words = np.frombuffer(data, np.uint32)
    assert words[:600].tolist() == [1] * 600
    assert not words[600:].any()


def test_an_upload_that_fails_leaves_its_owner_nothing_of_another_s(gpu: WgpuEngine, tmp_path: Path) -> None:
    others = np.full(1 << 16, 7, np.uint32)
    put(gpu, 1, others, owner="other")
    gpu.free([1])
    path = tmp_path / "elements"
    path.write_bytes(bytes(others.nbytes))
    with path.open("r+b") as file:
        source = Source(others.nbytes, fd=file.fileno())
        file.truncate(100)
        with pytest.raises(FrameError, match="cut short"):
            gpu.upload(2, "me", TensorType(others.shape, "u32"), source)
    block = gpu._pool.take("me", others.nbytes)
    gpu._pool.flush()
    seen = bytearray()
    gpu._transfers.download(block, "u32", others.nbytes, seen.extend)
    gpu._pool.give([block])
    assert len(seen) == others.nbytes
    assert not any(seen)


def test_compile_errors_point_into_the_kernel(gpu: WgpuEngine, kernels: Any) -> None:
    with pytest.raises(KernelCompileError, match="expected expression") as error:
        gpu.add_kernel(
            "bad", kernels.reflection("@compute @workgroup_size(1) fn main() {\n  let x = ;\n}\n"), False
        )
    assert (error.value.line, error.value.column) == (2, 11)
    with pytest.raises(UnknownKernel):
        dispatch(gpu, kernel="bad")


@pytest.mark.parametrize("count", [0, 1, 5, 70_000, 1 << 20])
def test_bools_are_a_byte_outside_and_a_word_inside(gpu: WgpuEngine, count: int) -> None:
    wire = np.random.default_rng(count).integers(0, 2, count, np.uint8)
    put(gpu, 1, wire * 7, dtype="bool")
    assert get(gpu, 1, np.uint8).tolist() == wire.tolist()
    nodes = [source(1, count, dtype="bool"), Node("cast", (0,), {"dtype": "u32"})]
    graph(gpu, nodes, [1], [2])
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
        usage = graph(gpu, nodes, [2, 3], [2, 3], np.full(6, turn + 1, np.uint32).tobytes())
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
        graph(gpu, nodes, [1, 2, 3], [2, 3, 4])
        gpu.free([2, 3, 4])
    assert encoded == []


def test_outputs_that_share_memory_live_as_long_as_the_last(gpu: WgpuEngine) -> None:
    put(gpu, 1, np.arange(6, dtype=np.uint32))
    nodes = [source(1, 6), Node("reshape", (0,), {"shape": [2, 3]}), Node("neg", (0,)), Node("neg", (2,))]
    graph(gpu, nodes, [1, 3, 3], [2, 3, 4])
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
