"""Products that the host computes in the device's memory: right in every form, in slices, and nowhere else."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import numpy as np
import pytest

from host import products
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.errors import Cancelled
from host.frames import RunGraph
from host.hand import SHARED_WORK
from host.hands import Hands, Tiles
from host.native import Gpu
from host.plans import HostStep
from host.shared import Source as Elements
from ops.dtypes import dtype as dtype_of
from ops.graph import Graph, Node, TensorType
from ops.layout import Layout
from ops.lower import CPU, MAPPED, HostProduct, lower
from ops.lowering.operands import Source, Target
from ops.reference import dtype_name
from shaders.spec import Operand

ADAPTER = os.environ.get("KERNELGATE_TEST_ADAPTER", "cpu")
Put = Callable[..., Node]
NEVER = float("inf")


@pytest.fixture(scope="module")
def engine() -> Iterator[WgpuEngine]:
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=1 << 30, slice_ms=1e-3))
    if not opened._gpu.mappable:
        pytest.skip("the adapter's memory is not the host's")
    yield opened
    opened.close()


@pytest.fixture
def put(engine: WgpuEngine) -> Iterator[Put]:
    """Uploads an array and gives the node that reads it; all are freed in the end."""
    used: list[int] = []

    def put(array: np.ndarray) -> Node:
        used.append(len(used) + 1)
        type = TensorType(array.shape, dtype_name(array.dtype))
        engine.upload(used[-1], "me", type, Elements(array.nbytes, array.tobytes()))
        return Node("input", (), {"handle": used[-1], "shape": list(type.shape), "dtype": type.dtype})

    yield put
    engine.free([*used, 99])
    assert engine.memory().live_bytes == 0


def compute(engine: WgpuEngine, *nodes: Node, stop: Callable[[], None] = lambda: None) -> np.ndarray:
    request = RunGraph(1, 1, "me", Graph(list(nodes), [len(nodes) - 1]), [99])
    usage = finish(engine.run_graph(request, stop))
    assert usage.device_ms > 0
    assert usage.threads > 0
    data = bytearray()
    engine.download(99, data.extend)
    return np.frombuffer(data, np.float32)


def matrix(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape, dtype=np.float32)


SHAPES = [
    ((700, 300), (300, 600)),
    ((1100, 64), (64, 1025)),
    ((1, 2000), (2000, 1000)),
    ((5, 4100), (4100, 1100)),
    ((2, 3, 1, 500), (500, 900)),
    ((1500, 1000), (1000,)),
    ((1 << 21,), (1 << 21,)),
    ((3, 5, 64, 64), (5, 64, 64)),
    ((40, 1, 100, 50), (7, 50, 100)),
    ((33, 9000), (9000, 33)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_products_of_every_form_equal_numpy_in_double(
    engine: WgpuEngine, put: Put, left: tuple[int, ...], right: tuple[int, ...]
) -> None:
    a, b = matrix(*left), matrix(*right)
    found = compute(engine, put(a), put(b), Node("matmul", (0, 1)))
    exact = np.matmul(a.astype(np.float64), b.astype(np.float64)).reshape(-1)
    size = np.matmul(np.abs(a).astype(np.float64), np.abs(b).astype(np.float64)).reshape(-1)
    assert np.all(np.abs(found - exact) <= 1e-5 * size)


@pytest.mark.parametrize("left", [(1, 700), (8, 700), (4, 3, 700), (600, 700), (700,)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("is_turned", [True, False], ids=["turned", "as it lies"])
def test_a_matrix_of_bytes_is_multiplied_as_it_lies(
    engine: WgpuEngine, put: Put, left: tuple[int, ...], dtype: type, is_turned: bool
) -> None:
    codes = np.random.default_rng(0).integers(np.iinfo(dtype).min, 128, (1501, 700)).astype(dtype)
    x, stored = matrix(*left), codes if is_turned else np.ascontiguousarray(codes.T)
    turned = [Node("transpose", (1,), {"axis0": 0, "axis1": 1})] * is_turned
    nodes = [put(x), put(stored), *turned, Node("matmul", (0, 1 + is_turned))]
    expected = x.astype(np.float64) @ codes.T
    assert np.allclose(
        compute(engine, *nodes), expected.reshape(-1), rtol=1e-5, atol=1e-5 * abs(expected).max()
    )
    plan = next(reversed(engine._runner._plans.values())).plan
    assert [type(step) for step in plan.steps] == [HostStep]


@pytest.mark.parametrize("left", [(1000, 1, 4), (3000, 1), (40_000, 2, 1)])
def test_many_small_matrices_by_one_of_bytes_are_one_product(
    engine: WgpuEngine, put: Put, left: tuple[int, ...]
) -> None:
    x, codes = matrix(*left), np.random.default_rng(0).integers(-127, 128, (left[-1], 512), np.int8)
    found = compute(engine, put(x), put(codes), Node("matmul", (0, 1)))
    assert np.allclose(found, (x.astype(np.float64) @ codes).reshape(-1), rtol=1e-5, atol=1e-3)


def test_a_part_of_bytes_is_multiplied_and_then_scaled(engine: WgpuEngine, put: Put) -> None:
    codes = np.random.default_rng(0).integers(-127, 128, (512, 1024), np.int8)
    x, scale = matrix(6, 1, 511), matrix(1024)
    part = Node("slice", (1,), {"starts": [1, 0], "stops": [512, 1024], "steps": [1, 1]})
    nodes = [put(x), put(codes), part, Node("matmul", (0, 2)), put(scale), Node("mul", (3, 4))]
    expected = x.astype(np.float64) @ codes[1:] * scale
    assert np.allclose(compute(engine, *nodes), expected.reshape(-1), atol=1e-5 * abs(expected).max())


VIEWS: dict[str, tuple[Node, Callable[[np.ndarray], np.ndarray]]] = {
    "transposed": (Node("transpose", (0,), {"axis0": 0, "axis1": 1}), lambda x: x.T),
    "reversed": (
        Node("slice", (0,), {"starts": [-1], "stops": [-200], "steps": [-1]}),
        lambda x: x[-1:-200:-1],
    ),
    "every other column": (
        Node("slice", (0,), {"starts": [0, 0], "stops": [200, 200], "steps": [1, 2]}),
        lambda x: x[:, ::2],
    ),
    "a part": (Node("slice", (0,), {"starts": [3, 5], "stops": [190, 160]}), lambda x: x[3:190, 5:160]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_multiplied_as_they_lie_or_copied(engine: WgpuEngine, put: Put, name: str) -> None:
    node, view = VIEWS[name]
    x = matrix(200, 200)
    seen = view(x)
    other = matrix(seen.shape[1], 300)
    nodes = [put(x), put(other), node, Node("matmul", (2, 1))]
    expected = seen.astype(np.float64) @ other
    assert np.allclose(compute(engine, *nodes).reshape(expected.shape), expected, atol=1e-3)


def test_steps_before_and_after_a_product_see_each_other(engine: WgpuEngine, put: Put) -> None:
    x = matrix(150, 150)
    nodes = [put(x), Node("neg", (0,)), Node("matmul", (1, 0)), Node("relu", (2,)), Node("matmul", (3, 3))]
    middle = np.maximum(-x.astype(np.float64) @ x, 0)
    assert np.allclose(compute(engine, *nodes).reshape(x.shape), middle @ middle, rtol=1e-3, atol=1e-3)


def test_infinities_and_nan_pass_without_a_warning(engine: WgpuEngine, put: Put) -> None:
    x = matrix(128, 128)
    x[0, 0], x[1, 0], x[2] = np.inf, np.nan, 1e38
    with np.errstate(all="ignore"):
        expected = x @ x
    found = compute(engine, put(x), Node("matmul", (0, 0))).reshape(x.shape)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.array_equal(np.isposinf(found), np.isposinf(expected))


def test_a_long_product_looks_up_between_tiles_and_can_be_cancelled(engine: WgpuEngine, put: Put) -> None:
    looks = 0

    def stop() -> None:
        nonlocal looks
        looks += 1
        if looks == 4:
            raise Cancelled("stopped")

    x = matrix(100, 256, 512)  # each a tile, and more than there are cores
    nodes = [put(x), Node("transpose", (0,), {"axis0": 1, "axis1": 2}), Node("matmul", (0, 1))]
    with pytest.raises(Cancelled):
        compute(engine, *nodes, stop=stop)
    assert engine.memory().tensors == 1
    assert compute(engine, *nodes).reshape(100, 256, 256)[99, 7, 9] == pytest.approx(
        float(x[99, 7].astype(np.float64) @ x[99, 9]), rel=1e-3, abs=1e-3
    )


def test_equal_products_have_equal_bits_however_they_are_sliced(engine: WgpuEngine, put: Put) -> None:
    x = matrix(600, 5000)
    nodes = [put(x), Node("transpose", (0,), {"axis0": 0, "axis1": 1}), Node("matmul", (0, 1))]
    first = compute(engine, *nodes)
    engine.free([99])
    engine._runner._slice_ms = 1e4
    try:
        assert np.array_equal(compute(engine, *nodes), first)
    finally:
        engine._runner._slice_ms = 1e-3


def _product(left: Layout, right: Layout, target: Layout, dtype: str = "f32", work: int = 1) -> HostProduct:
    operands = [Operand("input", 0), Operand("input", 1), Operand("output", 0)]
    sources = (Source(operands[0], left, "f32"), Source(operands[1], right, dtype))
    return HostProduct(*sources, Target(operands[2], target, "f32"), work)


@pytest.mark.parametrize("work", [1, SHARED_WORK], ids=["of one hand", "shared"])
@pytest.mark.parametrize("is_turned", [True, False], ids=["turned", "as it lies"])
@pytest.mark.parametrize("dtype", ["f32", "i8"])
@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("rows", [1, 2, 8, 32, 33])
def test_few_rows_are_multiplied_by_blocks_of_any_number_of_columns(
    rows: int, batch: tuple[int, ...], dtype: str, is_turned: bool, work: int
) -> None:
    inner, columns = products.SPAN + 9, 301
    x = matrix(*batch, rows, inner)
    y = np.random.default_rng(0).integers(-127, 128, (*batch, columns, inner), np.int8)
    y = np.swapaxes(y, -1, -2) if is_turned else np.ascontiguousarray(np.swapaxes(y, -1, -2))
    y = y.astype(np.float32) if dtype == "f32" else y
    made = np.full((*batch, rows, columns), np.nan, np.float32)
    layouts = [Layout.contiguous(each.shape) for each in (x, y, made)]
    task = _product(*layouts, dtype, work)
    tiles, job = Tiles(task), products.Product(task, (x, y, made))
    while (tile := tiles.take()) is not None:
        job.compute(tile)
    exact = x.astype(np.float64) @ y.astype(np.float64)
    size = np.abs(x).astype(np.float64) @ np.abs(y.astype(np.float64))
    assert np.all(np.abs(made - exact) <= 1e-6 * size)


def test_a_layout_that_leaves_its_buffer_is_refused_before_a_byte_is_touched(engine: WgpuEngine) -> None:
    gpu: Gpu = engine._gpu
    buffers = [gpu.create_buffer(4 * 64, "storage") for _ in range(3)]
    right = Layout.contiguous((8, 8))
    hands = Hands(2)
    for wrong in (Layout((8, 8), (8, 1), 1), Layout((8, 8), (-8, 1), 8), Layout((8, 9), (8, 1))):
        work = _product(wrong, right, right)
        with pytest.raises(ValueError, match=r"stride|buffer|offset"):
            hands.work(gpu, work, [(buffer, 0) for buffer in buffers], Tiles(work), NEVER)
    with gpu.map(buffers[2], 256) as view:
        assert not any(view)
    hands.close()
    for buffer in buffers:
        gpu.destroy(buffer)


def test_a_hand_that_has_not_begun_is_not_waited_for(engine: WgpuEngine) -> None:
    gpu, layout, hands = engine._gpu, Layout.contiguous((8, 8)), Hands(2)
    begun, free, done = Event(), Event(), Event()
    buffers = [gpu.create_buffer(4 * 64, "storage") for _ in range(3)]
    hands._others[0].ask(lambda: (begun.set(), free.wait(30), done.set()))
    assert begun.wait(30)
    work = _product(layout, layout, layout, work=SHARED_WORK)
    tiles = Tiles(work)
    hands.work(gpu, work, [(buffer, 0) for buffer in buffers], tiles, NEVER)
    assert tiles.are_over
    assert not done.is_set()
    free.set()
    hands.close()
    for buffer in buffers:
        gpu.destroy(buffer)


@pytest.mark.parametrize("batch", [(), (5,), (3, 1000), (2, 3, 4), (70_000,)])
@pytest.mark.parametrize(
    "sizes", [(1, 1, 1), (700, 1300, 10), (513, 3, 9), (8, 8, 5000), (900, 1100, 50_000)]
)
def test_tiles_cover_a_product_once_and_are_bounded(
    batch: tuple[int, ...], sizes: tuple[int, int, int]
) -> None:
    rows, columns, inner = sizes
    if np.prod(batch, initial=1) * rows * columns > 1 << 22:
        batch = batch[:1] if batch and batch[0] < 10 else ()
    left, right = Layout.contiguous((*batch, rows, inner)), Layout.contiguous((*batch, inner, columns))
    target = Layout.contiguous((*batch, rows, columns))
    tiles, seen = Tiles(_product(left, right, target)), np.zeros(target.shape, np.int8)
    while not tiles.are_over:
        taken = tiles.take()
        assert taken is not None
        where, row, column = taken
        part = seen[where][..., row, column]
        part += 1
        height, width = part.shape[-2:]
        count = part.size // (height * width)
        assert (
            max(height, width) <= products.LEAST_SIDE
            or count * products.cost(height, width, inner) <= products.MOST_WORK
        )
    assert tiles.take() is None
    assert np.all(seen == 1)


def test_of_millions_of_tiles_none_is_made_before_it_is_asked_for() -> None:
    left, right = Layout((1 << 22, 1, 1 << 22), (0, 0, 1), 0), Layout((1 << 22, 1 << 22, 1), (0, 1, 0), 0)
    product = _product(left, right, Layout.contiguous((1 << 22, 1, 1)), work=1 << 40)
    tracemalloc.start()
    try:
        where, *_ = next(products.tiles(product))
        assert where == (slice(0, 3),)
        assert tracemalloc.get_traced_memory()[1] < 1 << 16
    finally:
        tracemalloc.stop()


def test_only_large_products_of_floats_are_the_hosts() -> None:
    def steps(rows: int, dtype: str, device: Any) -> list[bool]:
        operand = (Layout.contiguous((rows, rows)), dtype_of(dtype))
        lowering = lower("matmul", {}, [operand, operand], TensorType((rows, rows), dtype), device)
        return [isinstance(step, HostProduct) for step in lowering.dispatches]

    assert steps(128, "f32", MAPPED) == [True]
    for rows, dtype, device in ((16, "f32", MAPPED), (128, "i32", MAPPED), (128, "f32", CPU)):
        assert not any(steps(rows, dtype, device))


def test_a_setting_keeps_the_host_out() -> None:
    engine = WgpuEngine(EngineSettings(ADAPTER, host_steps=False))
    x = np.ones((128, 128), np.float32)
    engine.upload(1, "me", TensorType(x.shape, "f32"), Elements(x.nbytes, x.tobytes()))
    nodes = [
        Node("input", (), {"handle": 1, "shape": [128, 128], "dtype": "f32"}),
        Node("matmul", (0, 0)),
    ]
    assert np.all(compute(engine, *nodes) == 128)
    plans = [prepared.plan for prepared in engine._runner._plans.values()]
    assert not any(isinstance(step, HostStep) for plan in plans for step in plan.steps)
    engine.close()
