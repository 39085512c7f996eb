"""Sums and sorting by workgroups, as GPUs do them, against NumPy: on whatever adapter there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.dtypes import BY_NAME
from ops.graph import TensorType
from ops.layout import Layout
from ops.lower import GPU, lower
from ops.lowering import matmul_tiles
from tests.ops.test_data import draw, same_bits

SIZES = [1, 2, 255, 257, 3839, 3840, 3841, 4095, 4096, 4097, 20_000]


@pytest.fixture
def gpu(device: Any) -> Iterator[Any]:
    """The device, lowered for as if it were a GPU."""
    own, device.device_class = device.device_class, GPU
    yield device
    device.device_class = own


@pytest.mark.parametrize("dtype", ["u32", "i32", "f32"])
@pytest.mark.parametrize("size", SIZES)
def test_sorting_by_tiles_is_stable_and_keeps_every_bit(gpu: Any, dtype: str, size: int) -> None:
    x = draw(dtype, size)
    same_bits(gpu.run("sort", {}, [x]), x[np.argsort(x, kind="stable")])
    same_bits(gpu.run("argsort", {}, [x]), np.argsort(x, kind="stable").astype(np.uint32))


@pytest.mark.parametrize("value", [0, 1, 0xFFFFFFFF])
def test_equal_elements_stay_in_order(gpu: Any, value: int) -> None:
    x = np.full(9000, value, np.uint32)
    x[4321] = 0x7FFFFFFF
    same_bits(gpu.run("argsort", {}, [x]), np.argsort(x, kind="stable").astype(np.uint32))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_running_sums_by_tiles(gpu: Any, check: Any, size: int, exclusive: bool) -> None:
    for dtype in ("u32", "i32"):
        check("cumsum", {"exclusive": exclusive}, [draw(dtype, size)])
    x = np.random.default_rng(size).normal(0, 1, size).astype(np.float32)
    check("cumsum", {"exclusive": exclusive}, [x], scale=np.cumsum(np.abs(x), dtype=np.float64))


def test_sums_of_tiles_are_summed_by_tiles_again(gpu: Any, check: Any) -> None:
    check("cumsum", {}, [np.arange(4096 * 4096 + 5000, dtype=np.uint32)])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((32, 32), (32, 32)),
        ((65, 33), (33, 67)),
        ((130, 100), (100, 129)),
        ((64, 64), (3, 64, 66)),
        ((2, 1, 70, 40), (3, 40, 64)),
        ((200, 37), (37, 40)),
    ],
)
def test_products_by_tiles(gpu: Any, check: Any, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    random = np.random.default_rng(sum(left))
    a, b = (random.normal(0, 1, shape).astype(np.float32) for shape in (left, right))
    check("matmul", {}, [a, b], scale=np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))


@pytest.mark.parametrize("turned", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize(("rows", "inner", "columns"), [(68, 44, 72), (136, 100, 132), (65, 33, 67)])
def test_products_by_tiles_of_transposed_operands(
    gpu: Any, check: Any, turned: tuple[int, ...], rows: int, inner: int, columns: int
) -> None:
    random = np.random.default_rng(rows)
    a, b = (random.normal(0, 1, shape).astype(np.float32) for shape in ((2, rows, inner), (inner, columns)))
    lying = [
        np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2) if number in turned else array
        for number, array in enumerate((a, b))
    ]
    check("matmul", {}, lying, scale=np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    check("matmul", {}, [lying[0], lying[1][::-1]], scale=np.full((rows, columns), 4.0 * inner))


def test_a_product_by_tiles_reads_transposed_operands_as_they_lie() -> None:
    turned = (Layout((64, 64), (1, 64), 0), BY_NAME["f32"])
    lowering = lower("matmul", {}, [turned, turned], TensorType((64, 64), "f32"), GPU)
    assert (len(lowering.dispatches), lowering.temps) == (1, ())


@pytest.mark.parametrize("workgroup_bytes", [16 << 10, 32 << 10])
@pytest.mark.parametrize("wanted", [1, 4, 1000])
def test_large_tiles_and_several_dispatches(
    gpu: Any, check: Any, monkeypatch: pytest.MonkeyPatch, wanted: int, workgroup_bytes: int
) -> None:
    monkeypatch.setattr(matmul_tiles, "_WANTED", wanted)
    gpu.device_class = replace(GPU, work=1 << 21, workgroup_bytes=workgroup_bytes)
    random = np.random.default_rng(3)
    a, b = (random.normal(0, 1, shape).astype(np.float32) for shape in ((300, 150), (150, 260)))
    check("matmul", {}, [a, b], scale=np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))


@pytest.mark.parametrize("shape", [(70, 260, 66), (33, 128, 130), (2, 40, 1000, 47)])
def test_long_sums_of_few_tiles_are_split(gpu: Any, check: Any, shape: tuple[int, ...]) -> None:
    *batch, rows, inner, columns = shape
    random = np.random.default_rng(inner)
    a = random.normal(0, 1, (*batch, rows, inner)).astype(np.float32)
    b = random.normal(0, 1, (inner, columns)).astype(np.float32)
    check("matmul", {}, [a, b], scale=np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))


def test_products_by_tiles_keep_nan_and_infinity_where_they_belong(gpu: Any) -> None:
    a, b = np.ones((40, 41), np.float32), np.ones((41, 42), np.float32)
    a[3, 40], b[0, 7] = np.nan, np.inf
    found = gpu.run("matmul", {}, [a, b])
    assert np.isnan(found[3]).all()
    assert np.isinf(np.delete(found, 3, 0)[:, 7]).all()
    assert np.isfinite(np.delete(np.delete(found, 3, 0), 7, 1)).all()


def test_what_is_built_on_sums_is_right(gpu: Any) -> None:
    x = draw("f32", 10_000)
    keep = np.random.default_rng(5).random(x.size) < 0.4
    for op, arrays in (("compact", [x, keep]), ("nonzero", [keep]), ("run_starts", [draw("u32", 9000) & 1])):
        same_bits(gpu.run(op, {}, arrays), reference.apply(op, {}, arrays))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(3, 5000), (130, 200), (700, 3)])
def test_rows_are_sorted_and_summed_apart(gpu: Any, check: Any, shape: tuple[int, int], axis: int) -> None:
    for dtype in ("u32", "f32"):
        x = draw(dtype, shape[0] * shape[1]).reshape(shape)
        for descending in (False, True):
            attributes = {"axis": axis, "descending": descending}
            for op in ("sort", "argsort"):
                expected = np.ascontiguousarray(reference.apply(op, attributes, [x]))
                same_bits(gpu.run(op, attributes, [x]), expected)
    check("cumsum", {"axis": axis}, [draw("i32", shape[0] * shape[1]).reshape(shape)])


def test_values_for_one_place_are_folded_in_order(gpu: Any, check: Any) -> None:
    index = np.random.default_rng(1).integers(-9, 9, 6000).astype(np.int32)
    value = np.random.default_rng(2).normal(size=6000).astype(np.float32)
    for reduce in ("none", "add", "max"):
        x = np.zeros(9, np.float32)
        check("scatter", {"reduce": reduce}, [x, index, value], scale=np.full(9, 700.0))


@pytest.mark.parametrize(("shape", "keys", "values"), [((2, 3, 37, 8), 41, 4), ((3, 64, 32), 100, 20)])
def test_attention_by_tiles(gpu: Any, check: Any, shape: tuple[int, ...], keys: int, values: int) -> None:
    random = np.random.default_rng(keys)
    *batch, _, size = shape
    sizes = (shape, (*batch, keys, size), (*batch, keys, values), (1, keys))
    arrays = [random.normal(0, 1, each).astype(np.float32) for each in sizes]
    arrays[3][0, 1::3] = -np.inf
    scale = np.full((*shape[:-1], values), 2.0)
    check("attention", {"is_causal": True}, arrays, scale=scale)
    check("attention", {"scale": 0.3}, arrays[:3], scale=scale)


@pytest.mark.parametrize("columns", [128, 130, 1000, 8192, 33_000])
def test_rows_that_lanes_keep_and_longer_ones(gpu: Any, check: Any, columns: int) -> None:
    x = np.random.default_rng(columns).normal(1, 2, (3, columns)).astype(np.float32)
    check("standardize", {"axes": [-1]}, [x], scale=np.full(x.shape, 8.0))
    x[0, 3], x[1, 5] = -np.inf, np.nan
    for op in ("softmax", "log_softmax"):
        check(op, {}, [x])
