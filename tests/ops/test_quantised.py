"""Bytes with a scale: quantisation against NumPy's formula, and products that read weights as they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from host.planner import make_plan
from ops.composites import expand
from ops.dtypes import DTypeError, dtype
from ops.errors import ShapeError
from ops.graph import Graph, Node, TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, GPU, DeviceClass, lower
from ops.reference import DTYPES, dtype_name
from ops.validate import validate
from tests.ops.device import place

DRAW = np.random.default_rng(0)
X = DRAW.normal(0, 2, (5, 12)).astype(np.float32)
SCALE = DRAW.uniform(0.01, 0.05, 5).astype(np.float32)
ZERO = DRAW.integers(-9, 9, 5).astype(np.int32)


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(0, 1, shape).astype(np.float32)


def byte(name: str, *shape: int) -> np.ndarray:
    ends = np.iinfo(DTYPES[name])
    draw = np.random.default_rng(sum(shape) + ends.max)
    return draw.integers(ends.min, ends.max, shape, DTYPES[name], endpoint=True)


def quantised(x: np.ndarray, scale: Any, zero: Any, name: str) -> np.ndarray:
    """The formula, in f32 as PyTorch has it."""
    ends = np.iinfo(DTYPES[name])
    steps = np.round(x / np.asarray(scale, np.float32)) + np.asarray(zero, np.float32)
    return np.clip(steps, ends.min, ends.max).astype(DTYPES[name])


@pytest.mark.parametrize("name", ["i8", "u8", "i16", "i32"])
def test_numbers_become_bytes_by_the_scale_of_their_channel(device: Any, name: str) -> None:
    by_row = device.run("quantize_per_channel", {"axis": 0, "dtype": name}, [X, SCALE, ZERO])
    assert np.array_equal(by_row, quantised(X, SCALE[:, None], ZERO[:, None], name))
    by_column = device.run("quantize_per_channel", {"axis": -1, "dtype": name}, [X.T, SCALE, ZERO])
    assert np.array_equal(by_column, quantised(X.T, SCALE, ZERO, name))
    one = device.run("quantize_per_tensor", {"dtype": name}, [X, np.float32(0.02), np.int32(3)])
    assert np.array_equal(one, quantised(X, 0.02, 3, name))


def test_what_was_quantised_comes_back_to_within_half_a_step(device: Any) -> None:
    scale = device.run("channel_scales", {"axis": 0}, [X])
    np.testing.assert_allclose(scale, np.abs(X).max(1) / 127, rtol=2e-7)
    codes = device.run("quantize_per_channel", {"axis": 0}, [X, scale, np.zeros(5, np.int32)])
    assert codes.dtype == np.int8
    assert np.abs(codes).max(1).tolist() == [127] * 5
    back = device.run("dequantize_per_channel", {"axis": 0}, [codes, scale, np.zeros(5, np.int32)])
    assert (np.abs(back - X) <= scale[:, None] * 0.5001).all()
    np.testing.assert_allclose(back, codes * scale[:, None], rtol=2e-7)
    shifted = device.run("dequantize_per_tensor", {}, [codes, np.float32(0.5), np.int8(-7)])
    assert np.array_equal(shifted, (codes + np.float32(7)) * np.float32(0.5))


PRODUCTS: dict[str, Any] = {
    "one row": lambda a, b: (byte(a, 1, 64), byte(b, 33, 64).T),
    "a vector": lambda a, b: (byte(a, 64), byte(b, 33, 64).T),
    "eight rows": lambda a, b: (byte(a, 8, 1020), byte(b, 10, 1020).T),
    "many rows": lambda a, b: (byte(a, 70, 36), byte(b, 10, 36).T),
    "an odd inner size": lambda a, b: (byte(a, 3, 33), byte(b, 10, 33).T),
    "rows and columns as they come": lambda a, b: (byte(a, 3, 32), byte(b, 32, 10)),
    "batches of rows": lambda a, b: (byte(a, 2, 3, 32), byte(b, 10, 32).T),
    "batches of both": lambda a, b: (byte(a, 2, 3, 32), byte(b, 2, 32, 10)),
    "a part of a weight": lambda a, b: (byte(a, 2, 32), byte(b, 20, 48)[4:15, 8:40].T),
    "a part that begins within a word": lambda a, b: (byte(a, 2, 32), byte(b, 20, 48)[4:15, 6:38].T),
    "rows that lie across": lambda a, b: (byte(a, 32, 3).T, byte(b, 10, 32).T),
    "spread rows": lambda a, b: (np.broadcast_to(byte(a, 1, 32), (4, 32)), byte(b, 10, 32).T),
    "no inner size": lambda a, b: (byte(a, 2, 0), byte(b, 3, 0).T),
    "no columns": lambda a, b: (byte(a, 2, 8), byte(b, 0, 8).T),
}


@pytest.mark.parametrize("device_class", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("names", ["i8 i8", "u8 i8", "u8 u8"])
@pytest.mark.parametrize("case", PRODUCTS)
def test_products_of_bytes_are_exact(device: Any, case: str, names: str, device_class: DeviceClass) -> None:
    left, right = PRODUCTS[case](*names.split())
    actual = run_as(device, "int_matmul", [left, right], device_class)
    assert actual.dtype == np.int32
    assert np.array_equal(actual, left.astype(np.int64) @ right.astype(np.int64))


@pytest.mark.parametrize("device_class", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("case", PRODUCTS)
def test_products_of_floats_with_bytes_are_as_good_as_those_of_floats(
    device: Any, case: str, device_class: DeviceClass
) -> None:
    codes, right = PRODUCTS[case]("i8", "i8")
    left = codes.astype(np.float32) / 7
    left = np.lib.stride_tricks.as_strided(left, left.shape, [4 * step for step in codes.strides])
    actual = run_as(device, "matmul", [left, right], device_class)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    bound = np.abs(left.astype(np.float64)) @ np.abs(right.astype(np.float64))
    assert (np.abs(actual - exact) <= 1e-6 * bound).all()


def run_as(device: Any, op: str, arrays: list[np.ndarray], device_class: DeviceClass) -> np.ndarray:
    """The value of `op` by the kernels of a class of devices."""
    types = [TensorType(array.shape, dtype_name(array.dtype)) for array in arrays]
    (output,) = infer(op, {}, types)
    placed = [place(array) for array in arrays]
    layouts = [(layout, dtype(type.dtype)) for (_, layout), type in zip(placed, types, strict=True)]
    made = device.compute(lower(op, {}, layouts, output, device_class), [base for base, _ in placed], output)
    return np.asarray(made)


@pytest.mark.parametrize("rows", [1, 4, 40])
def test_a_linear_layer_with_weights_of_bytes(device: Any, rows: int) -> None:
    x, weight, scale = floats(rows, 256), byte("i8", 70, 256), DRAW.uniform(0.001, 0.1, 70).astype(np.float32)
    exact = x.astype(np.float64) @ (weight * scale[:, None].astype(np.float64)).T
    bound = np.abs(x).astype(np.float64) @ np.abs(weight * scale[:, None].astype(np.float64)).T
    actual = device.run("linear_int8", {}, [x, weight, scale])
    assert (np.abs(actual - exact) <= 1e-6 * bound).all()
    halves = device.run("linear_int8", {}, [x.astype(np.float16), weight, scale])
    assert halves.dtype == np.float16
    assert (np.abs(halves - exact) <= 2e-3 * bound).all()


@pytest.mark.parametrize("shape", [(256,), (4, 256), (2, 20, 256)])
def test_dynamic_bytes_of_the_rows_sum_exactly(device: Any, shape: tuple[int, ...]) -> None:
    x, weight, scale = floats(*shape), byte("i8", 70, 256), DRAW.uniform(0.001, 0.1, 70).astype(np.float32)
    own = np.abs(x).max(-1, keepdims=True) / np.float32(127)
    codes = np.round(x / own).astype(np.int64)
    expected = (codes @ weight.T.astype(np.int64)) * own * scale
    actual = device.run("linear_int8", {"dynamic": True}, [x, weight, scale])
    step = (
        own * np.abs(weight).astype(np.float64).sum(1) * scale * 0.01
    )  # a code may round the other way at a tie
    assert (np.abs(actual - expected) <= 1e-5 * np.abs(expected) + step).all()
    assert device.run("linear_int8", {"dynamic": True}, [0 * x, weight, scale]).any() == np.False_


CONVOLUTIONS: dict[str, Any] = {
    "two axes": ((2, 4, 9, 7), (6, 4, 3, 3), {"padding": 1, "stride": 2}),
    "groups": ((2, 4, 9, 7), (6, 2, 3, 2), {"groups": 2, "dilation": 2}),
    "each channel alone": ((1, 6, 8, 8), (6, 1, 3, 3), {"groups": 6, "padding": "same"}),
    "one axis": ((3, 5, 20), (4, 5, 4), {"padding": [2, 1]}),
    "three axes": ((1, 2, 4, 5, 6), (3, 2, 2, 1, 3), {}),
    "no batch": ((4, 9, 7), (6, 4, 1, 1), {}),
    "channels last": ((2, 9, 7, 4), (6, 4, 3, 3), {"channels_last": True}),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions_by_weights_of_bytes(device: Any, case: str) -> None:
    shape, taps, attributes = CONVOLUTIONS[case]
    x, weight, bias = floats(*shape), byte("i8", *taps), floats(taps[0])
    scale = DRAW.uniform(0.001, 0.1, taps[0]).astype(np.float32)
    told = {"groups": 1, **attributes}
    real = (weight * scale.astype(np.float64).reshape(-1, *[1] * (weight.ndim - 1))).astype(np.float32)
    exact = device.run("conv", told, [x, real])
    bound = device.run("conv", told, [np.abs(x), np.abs(real)])
    beside = bias if told.get("channels_last") else bias.reshape(-1, *[1] * (weight.ndim - 2))
    actual = device.run("conv_int8", told, [x, weight, scale, bias])
    assert (np.abs(actual - exact - beside) <= 4e-6 * bound + 1e-6).all()

    axes = tuple(range(-weight.ndim + 1, 0))
    own = np.abs(x).max(axes, keepdims=True) / np.float32(127)
    codes = np.round(x / own).astype(np.float32)
    sums = device.run("conv", told, [codes, weight.astype(np.float32)])  # whole numbers, below 2^24
    spread = scale if told.get("channels_last") else scale.reshape(-1, *[1] * (weight.ndim - 2))
    expected = np.round(sums).astype(np.float64) * own * spread
    step = own * 128 * spread  # a code may round the other way at a tie
    actual = device.run("conv_int8", {**told, "dynamic": True}, [x, weight, scale])
    assert (np.abs(actual - expected) <= 1e-5 * np.abs(expected) + step).all()
    assert np.mean(np.abs(actual - expected) <= 1e-5 * np.abs(expected) + 1e-6) > 0.98


def test_scale_bias_and_activation_are_done_with_the_sums_of_a_convolution() -> None:
    """And what lays the weights out reads the bytes as they lie."""
    types = [
        TensorType((1, 8, 16, 16), "f32"),
        TensorType((8, 8, 3, 3), "i8"),
        *[TensorType((8,), "f32")] * 2,
    ]
    plain = kernels_after("conv", [types[0], TensorType((8, 8, 3, 3), "f32"), types[2]], CPU)
    mine = kernels_after("conv_int8", types, CPU)
    assert mine == plain


def kernels_after(op: str, types: list[TensorType], device_class: DeviceClass) -> list[str]:
    """The kernels of `relu(op(…))`."""
    parts, made = expand(op, {}, types)
    leaves = [
        Node("input", (), {"handle": number, "shape": list(type.shape), "dtype": type.dtype})
        for number, type in enumerate(types)
    ]
    graph = Graph([*leaves, *parts, Node("relu", (made,), {})], [len(leaves) + len(parts)])
    return [step.spec.name for step in make_plan(graph, validate(graph), device_class).steps]


def plan_of(rows: int, device_class: DeviceClass) -> list[tuple[str, list[int]]]:
    """The kernels of `relu(linear_int8(x, weight, scale) + bias)`, and the bytes that each is given."""
    types = [TensorType((rows, 256), "f32"), TensorType((64, 256), "i8"), *[TensorType((64,), "f32")] * 2]
    parts, made = expand("linear_int8", {}, types[:3])
    leaves = [
        Node("input", (), {"handle": number, "shape": list(type.shape), "dtype": type.dtype})
        for number, type in enumerate(types)
    ]
    moved = [Node(node.op, tuple(n + (n > 2) for n in node.inputs), node.attributes) for node in parts]
    sum_ = Node("add", (made + 1, 3), {})
    graph = Graph([*leaves, *moved, sum_, Node("relu", (len(leaves) + len(moved),), {})], [])
    graph.outputs.append(len(graph.nodes) - 1)
    steps = make_plan(graph, validate(graph), device_class).steps
    return [(step.spec.name, [part.nbytes for part in step.buffers]) for step in steps]


@pytest.mark.parametrize("device_class", [CPU, GPU], ids=["cpu", "gpu"])
def test_scale_bias_and_activation_are_done_by_the_kernel_that_reads_the_bytes(
    device_class: DeviceClass,
) -> None:
    assert plan_of(4, device_class) == [("byte_product", [4096, 64 * 256, 256, 256, 4 * 64 * 4])]


def test_for_many_rows_the_bytes_are_unpacked_once() -> None:
    names = [name for name, _ in plan_of(100, CPU)]
    assert len(names) == 2
    assert "byte_product" not in names


def test_scripts_quantise_as_in_pytorch(torch: Any) -> None:
    weight = torch.tensor([[1.0, -2.0, 0.5, 0.25], [4.0, 1.0, 0.0, -1.0]])
    scales, zeros = weight.channel_scales(), torch.zeros(2, dtype=torch.int32)
    codes = torch.quantize_per_channel(weight, scales, zeros, 0, torch.int8)
    assert codes.tolist() == [[64, -127, 32, 16], [127, 32, 0, -32]]
    named = torch.quantize_per_channel(
        input=weight, scales=scales, zero_points=zeros, axis=0, dtype=torch.int8
    )
    assert named.tolist() == codes.tolist()
    assert torch.quantize_per_tensor(weight, 0.5, 10, torch.uint8).tolist() == [
        [12, 6, 11, 10],
        [18, 12, 10, 8],
    ]
    x = torch.ones(3, 4)
    product = torch.linear_int8(x, codes, scales)
    assert product.shape == (3, 2)
    assert abs(product[0, 1].item() - 4.0) < 0.05
    assert torch.int_matmul(codes, codes.T).dtype is torch.int32


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(ShapeError, match=r"axis 0 of \[5, 12\] has 5 channels"):
        expand("quantize_per_channel", {}, [TensorType((5, 12), "f32"), *[TensorType((4,), "f32")] * 2])
    with pytest.raises(ShapeError, match="a scale for each of its rows"):
        expand(
            "linear_int8",
            {},
            [TensorType((5, 12), "f32"), TensorType((3, 12), "i8"), TensorType((4,), "f32")],
        )
    with pytest.raises(DTypeError, match="int_matmul does not take i32"):
        infer("int_matmul", {}, [TensorType((2, 2), "i32")] * 2)
    with pytest.raises(DTypeError, match="linear_int8 does not take f32 as weight"):
        expand("linear_int8", {}, [TensorType((5, 12), "f32")] * 3)


def test_layouts_of_weights_that_are_no_words_are_copied() -> None:
    """The kernel reads whole words, so what lies otherwise goes another way."""
    x, odd = (
        (Layout.contiguous((2, 6)), dtype("f32")),
        (Layout.contiguous((5, 6)).permute((1, 0)), dtype("i8")),
    )
    made = lower("matmul", {}, [x, odd], TensorType((2, 5), "f32"), CPU)
    assert "byte_product" not in [step.spec.name for step in made.dispatches if hasattr(step, "spec")]


@pytest.mark.parametrize("device_class", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("columns", [slice(None, None, -1), slice(1, 33), slice(0, 64, 2)], ids=str)
def test_a_part_of_floats_by_bytes(device: Any, columns: slice, device_class: DeviceClass) -> None:
    left = floats(3, 64)[:, columns]
    right = byte("i8", 10, left.shape[1]).T
    exact = left.astype(np.float64) @ right
    bound = np.abs(left) @ np.abs(right.astype(np.float64))
    assert (np.abs(run_as(device, "matmul", [left, right], device_class) - exact) <= 1e-6 * bound).all()
