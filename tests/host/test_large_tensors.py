"""Tensors larger than a kernel can be given, through the engine: right, whatever they are views of, or refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from host.engine import EngineSettings
from host.engines.wgpu import WgpuEngine
from host.errors import DeviceOutOfMemory
from host.shared import Source
from ops.graph import Graph, Node, TensorType
from ops.reference import DTYPES, evaluate
from ops.validate import validate
from tests.host.engines import ADAPTER, run_graph, take

SMALL = 1 << 16
COUNT = 50_000


@pytest.fixture(scope="module", params=[True, False], ids=["host steps", "kernels"])
def engine(request: pytest.FixtureRequest) -> Iterator[WgpuEngine]:
    """An engine whose kernels can be given 64 KiB of a buffer."""
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=1 << 28, host_steps=request.param))
    opened._gpu.limits["max_storage_buffer_binding_size"] = SMALL
    opened._class = replace(opened._class, binding=SMALL)
    yield opened
    opened.close()


def compute(engine: WgpuEngine, arrays: list[np.ndarray], *nodes: Node) -> np.ndarray:
    """The value of the last node; `arrays` are what the nodes before `nodes` hold."""
    inputs = []
    for handle, array in enumerate(arrays):
        type = TensorType(array.shape, "f32")
        engine.upload(handle, "me", type, Source(array.nbytes, array.tobytes()))
        inputs.append(Node("input", (), {"handle": handle, "shape": list(array.shape), "dtype": "f32"}))
    graph = Graph([*inputs, *nodes], [len(inputs) + len(nodes) - 1])
    (*_, type) = validate(graph)
    try:
        run_graph(engine, graph, [99])
        data = take(engine, 99)
    finally:
        engine.free([*range(len(arrays)), 99])
    actual = np.frombuffer(data, DTYPES[type.dtype]).reshape(type.shape)
    (expected,) = evaluate(graph, dict(enumerate(arrays)))
    np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-4)
    return actual


def ramp(*shape: int) -> np.ndarray:
    return np.linspace(-2, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def op(name: str, *inputs: int, **attributes: Any) -> Node:
    return Node(name, inputs, attributes)


def test_a_chain_and_its_sum(engine: WgpuEngine) -> None:
    compute(
        engine,
        [ramp(COUNT), ramp(COUNT)],
        op("mul", 0, 1),
        op("tanh", 2),
        op("add", 3, 1),
        op("sum", 4),
        op("sub", 4, 5),
    )


def test_rows_of_a_fused_reduction(engine: WgpuEngine) -> None:
    compute(engine, [ramp(250, 200), ramp(200)], op("sub", 0, 1), op("mul", 2, 2), op("mean", 3, axes=[1]))


@pytest.mark.parametrize("start", [0, 17, 30_000, 49_000])
def test_any_op_takes_a_small_part_of_a_large_tensor(engine: WgpuEngine, start: int) -> None:
    compute(
        engine, [ramp(COUNT)], op("slice", 0, starts=[start], stops=[start + 999], steps=[1]), op("sort", 1)
    )


def test_a_large_part_of_a_larger_tensor(engine: WgpuEngine) -> None:
    part = op("slice", 0, starts=[111], stops=[30_111], steps=[1])
    compute(engine, [ramp(COUNT)], part, op("exp", 1), op("reshape", 2, shape=[300, 100]), op("transpose", 3))


def test_products(engine: WgpuEngine) -> None:
    compute(engine, [ramp(200, 150), ramp(150, 180)], op("matmul", 0, 1), op("relu", 2))
    part = op("slice", 0, starts=[900, 0], stops=[910, 50], steps=[1, 1])
    compute(engine, [ramp(1000, 50), ramp(50, 3)], part, op("matmul", 2, 1))
    compute(engine, [ramp(4, 140, 140), ramp(140, 140)], op("matmul", 0, 1), op("softmax", 2))


def test_convolutions_by_large_weights(engine: WgpuEngine) -> None:
    lists = {name: [1] for name in ("stride", "dilation", "before", "after")}
    layer = op("convolution", 0, 1, groups=1, **lists), op("add", 3, 2), op("relu", 4), op("mul", 5, 0)
    compute(engine, [ramp(1, 90, 7), ramp(90, 90, 3) / 8, ramp(90, 1)], *layer)


def test_a_ramp_that_is_fused(engine: WgpuEngine) -> None:
    compute(engine, [ramp(COUNT)], op("arange", count=COUNT, dtype="f32"), op("mul", 0, 1))


def test_texts_and_rows(engine: WgpuEngine) -> None:
    text, offsets = op("cast", 0, dtype="u32"), op("arange", count=2500, dtype="u32", step=9)
    compute(engine, [ramp(COUNT)], text, offsets, op("levenshtein", 1, 2, 1, 2, max_bytes=10))
    rows = op("reshape", 1, shape=[2, COUNT // 2])
    compute(engine, [ramp(COUNT)], text, rows, op("digest_rows", 2, algorithm="md5"))


def test_what_reaches_further_than_the_device_allows_is_refused_by_name(
    engine: WgpuEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(engine._gpu.limits, "max_storage_buffer_binding_size", SMALL // 2)
    match = r"neg of a tensor of 40,000 bytes.* can reach 32,768 on"
    with pytest.raises(DeviceOutOfMemory, match=match) as caught:
        compute(engine, [ramp(10_000)], op("neg", 0))
    assert "split or sliced" in str(caught.value.hint)


def test_what_is_kept_and_counted_and_found(engine: WgpuEngine) -> None:
    flags, numbers = op("cast", 0, dtype="bool"), op("cast", 0, dtype="u32")
    compute(engine, [ramp(COUNT)], flags, op("nonzero", 1))
    compute(engine, [ramp(COUNT)], flags, op("compact", 0, 1), op("run_starts", 2))
    compute(engine, [ramp(COUNT)], numbers, op("histogram", 1, bins=COUNT), op("take", 0, 2))


def test_what_is_at_positions_and_in_order(engine: WgpuEngine) -> None:
    compute(
        engine, [ramp(COUNT)], op("cumsum", 0), op("argsort", 1), op("gather", 0, 2, axis=0), op("argmax", 3)
    )


def test_a_tensor_above_the_limit_of_the_adapter() -> None:
    engine = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=2 << 30))
    count = (engine._gpu.limits["max_storage_buffer_binding_size"] >> 2) + 5
    if count > 1 << 28:
        pytest.skip("the adapter binds more than a tensor of 2^28 elements")
    nodes = [
        op("arange", count=count, dtype="i32"),
        op("full", shape=[], value=31, dtype="i32"),
        op("bitwise_and", 0, 1),
        op("sum", 2),
    ]
    try:
        run_graph(engine, Graph(nodes, [0, 3]), [1, 2])
        ramp, total = take(engine, 1), take(engine, 2)
    finally:
        engine.close()
    expected = np.arange(count, dtype=np.int32)
    assert np.array_equal(np.frombuffer(ramp, np.int32), expected)
    assert np.frombuffer(total, np.int32)[0] == (expected & 31).sum()


@pytest.mark.full
def test_what_is_kept_and_hashed_of_the_largest_tensors() -> None:
    count, row = 1 << 28, 16
    engine = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=6 << 30))
    nodes = [
        op("arange", count=count, dtype="u32"),
        op("full", shape=[], value=1023, dtype="u32"),
        op("bitwise_and", 0, 1),
        op("eq", 2, 1),
        op("nonzero", 3),
        op("slice", 4, starts=[0], stops=[(count >> 10) + 1], steps=[1]),
        op("reshape", 0, shape=[count // row, row]),
        op("digest_rows", 6),
        op("slice", 7, starts=[0, 0], stops=[count // row, 8], steps=[9_999, 1]),
    ]
    try:
        run_graph(engine, Graph(nodes, [5, 8]), [1, 2])
        kept, digests = take(engine, 1), take(engine, 2)
    finally:
        engine.close()
    expected = np.arange(1023, count + 1024, 1024).clip(max=count)
    assert np.array_equal(np.frombuffer(kept, np.uint32), expected)
    rows = np.arange(0, count // row, 9_999)[:, None] * row + np.arange(row)
    hashes = [hashlib.sha256(each.tobytes()).digest() for each in rows.astype(np.uint32)]
    assert [
        each.astype(">u4").tobytes() for each in np.frombuffer(digests, np.uint32).reshape(-1, 8)
    ] == hashes
