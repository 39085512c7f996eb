"""f16 tensors on an engine: odd counts in and out, views at odd places, and chains that are fused as they are apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from host.engine import Engine, EngineSettings, open_engine
from host.planner import make_plan
from host.shared import Source
from ops.graph import Graph, Node, TensorType
from ops.lower import CPU
from ops.reference import DTYPES, dtype_name, evaluate
from ops.validate import validate
from tests.host.engines import ADAPTER, put, run_graph, take


@pytest.fixture(scope="module", params=["numpy", ADAPTER])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    opened = open_engine(EngineSettings(request.param, memory_bytes=1 << 28))
    yield opened
    opened.close()


def op(name: str, *inputs: int, **attributes: Any) -> Node:
    return Node(name, inputs, attributes)


def leaf(handle: int, array: np.ndarray) -> Node:
    return op("input", handle=handle, shape=list(array.shape), dtype=dtype_name(array.dtype))


def evaluated(engine: Engine, arrays: list[np.ndarray], *nodes: Node) -> tuple[np.ndarray, np.ndarray]:
    """The value of the last node on the engine, and what it should be."""
    for handle, array in enumerate(arrays):
        type = TensorType(array.shape, dtype_name(array.dtype))
        engine.upload(handle, "me", type, Source(array.nbytes, array.tobytes()))
    graph = Graph([*map(leaf, range(len(arrays)), arrays), *nodes], [len(arrays) + len(nodes) - 1])
    type = validate(graph)[-1]
    try:
        run_graph(engine, graph, [99])
        data = take(engine, 99)
    finally:
        engine.free([*range(len(arrays)), 99])
    (expected,) = evaluate(graph, dict(enumerate(arrays)))
    return np.frombuffer(data, DTYPES[type.dtype]).reshape(type.shape), expected


def halves(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(0, 2, shape).astype(np.float16)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 1023, 100_001])
def test_what_is_uploaded_comes_back_bit_for_bit(engine: Engine, count: int) -> None:
    x = np.random.default_rng(count).integers(0, 1 << 16, count, dtype=np.uint16).view(np.float16)
    put(engine, 1, x, "f16")
    data = take(engine, 1)
    engine.free([1])
    assert data == x.tobytes()


@pytest.mark.parametrize("count", [1, 5, 4096, 4099])
def test_a_chain_rounds_after_each_op(engine: Engine, count: int) -> None:
    chain = op("mul", 0, 1), op("add", 2, 0), op("div", 3, 1), op("sub", 4, 2)
    actual, expected = evaluated(engine, [halves(count), halves(count) + np.float16(9)], *chain)
    assert np.array_equal(actual, expected)
    assert actual.dtype == np.float16


def test_a_chain_is_one_kernel_that_moves_two_bytes_an_element() -> None:
    nodes = [leaf(1, halves(64)), op("exp", 0), op("add", 1, 0)]
    graph = Graph(nodes, [2])
    (step,) = make_plan(graph, validate(graph), CPU).steps
    assert [part.nbytes for part in step.buffers] == [128, 128]


@pytest.mark.parametrize(("start", "stop"), [(0, 3), (1, 4), (3, 100), (99, 101)])
def test_views_at_odd_places(engine: Engine, start: int, stop: int) -> None:
    actual, expected = evaluated(
        engine, [halves(101)], op("slice", 0, starts=[start], stops=[stop], steps=[1])
    )
    assert np.array_equal(actual, expected)


def test_what_is_fused_with_folds_and_products(engine: Engine) -> None:
    x, y = halves(33, 40), halves(40, 21)
    product = evaluated(engine, [x, y, halves(21)], op("matmul", 0, 1), op("add", 3, 2), op("relu", 4))
    rows = evaluated(engine, [x, halves(40)], op("mul", 0, 1), op("sum", 2, axes=[1]), op("exp2", 3))
    soft = evaluated(engine, [x], op("mul", 0, 0), op("softmax", 1, axis=1))
    for actual, expected in (product, soft):
        np.testing.assert_allclose(actual, expected, rtol=2e-3, atol=2e-2)
    np.testing.assert_allclose(rows[0], rows[1], rtol=0.1)


def test_constants_of_odd_count(engine: Engine) -> None:
    x = halves(3)
    constant = op("constant", index=0, shape=[3], dtype="f16")
    graph = Graph([constant, op("constant", index=1, shape=[], dtype="f16"), op("mul", 0, 1)], [2, 0])
    graph.constants.extend([x.tobytes(), np.float16(2).tobytes()])
    run_graph(engine, graph, [1, 2])
    doubled, same = take(engine, 1), take(engine, 2)
    engine.free([1, 2])
    assert bytes(doubled) == (x * 2).tobytes()
    assert bytes(same) == x.tobytes()
