"""Matrix products, views, joins, new tensors and digests on the device."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import pytest

from ops.dtypes import DTypeError, dtype
from ops.errors import AttributeValueError, ShapeError
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, DeviceClass, lower
from ops.reference import DTYPES

FORMS = [
    ((5,), (5,)),
    ((5,), (5, 7)),
    ((7, 5), (5,)),
    ((3, 4), (4, 5)),
    ((1, 9), (9, 1)),
    ((1, 9), (9, 30)),
    ((70, 64), (64, 10)),
    ((13, 77), (77, 131)),
    ((64, 64), (64, 64)),
    ((9, 300), (300, 260)),
    ((2, 3, 4, 6), (3, 6, 5)),
    ((2, 1, 4, 6), (3, 6, 5)),
    ((4, 6), (2, 3, 6, 5)),
    ((6,), (2, 3, 6, 5)),
    ((2, 3, 4, 6), (6,)),
    ((2, 1, 2, 1, 2, 1, 3, 4), (2, 1, 2, 1, 2, 4, 3)),
    ((3, 0), (0, 4)),
    ((0, 3), (3, 4)),
    ((2, 0, 3), (3, 4)),
    ((0,), (0,)),
    ((3, 2000), (2000, 3)),
]


def product(check: Any, left: np.ndarray, right: np.ndarray) -> None:
    """Check a product against NumPy's in f64, with errors relative to the product of absolute values."""
    x, y = left.astype(np.float64), right.astype(np.float64)
    check("matmul", {}, [left, right], np.asarray(x @ y, np.float32), scale=np.abs(x) @ np.abs(y))


def normal(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Random f32 values."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("left", "right"), FORMS)
def test_a_product_of_any_form_is_right(left: tuple[int, ...], right: tuple[int, ...], check: Any) -> None:
    product(check, normal(left), normal(right, 1))


@pytest.mark.parametrize("name", ["i32", "u32"])
@pytest.mark.parametrize(
    ("left", "right"),
    [((5, 6), (6, 9)), ((7, 5), (5,)), ((2, 9, 130), (130, 256)), ((2, 37, 130), (130, 62))],
)
def test_integer_products_wrap(left: tuple[int, ...], right: tuple[int, ...], name: str, check: Any) -> None:
    draw = np.random.default_rng(0)
    arrays = [draw.integers(0, 1 << 32, shape).astype(DTYPES[name]) for shape in (left, right)]
    check("matmul", {}, arrays)


def test_a_product_reads_any_layout(check: Any) -> None:
    left, right = normal((40, 24)), normal((24, 36), 1)
    product(check, left.T, normal((40, 8), 2))
    product(check, left, normal((36, 24), 3).T)
    product(check, left[::-1, ::2], right[5:17, 3:])
    product(check, left[3:9, 4:12], right[:8, 4:24])
    product(check, np.broadcast_to(left[:1], (40, 24)), np.broadcast_to(right[:, :1], (24, 12)))
    product(check, normal((4, 5, 6)).transpose(1, 0, 2), normal((4, 6, 7)).transpose(0, 1, 2)[:1])


def test_a_product_of_different_dtypes_meets_in_the_higher(check: Any) -> None:
    left, right = np.arange(6, dtype=np.int32).reshape(2, 3), normal((3, 4))
    check("matmul", {}, [left, right], (left @ right.astype(np.float64)).astype(np.float32))
    with pytest.raises(DTypeError, match="does not take bool"):
        check("matmul", {}, [left > 2, right])


def test_a_long_inner_axis_is_summed_in_parts(device: Any, check: Any) -> None:
    short = DeviceClass("cpu", CPU.lanes, 100)
    left, right = normal((6, 1000)), normal((1000, 8), 1)
    layouts = [(Layout.contiguous(array.shape), dtype("f32")) for array in (left, right)]
    output = TensorType((6, 8), "f32")
    lowering = lower("matmul", {}, layouts, output, short)
    assert len(lowering.dispatches) == 5
    actual = device.compute(lowering, [array.view(np.uint32).reshape(-1) for array in (left, right)], output)
    np.testing.assert_allclose(actual, left.astype(np.float64) @ right, atol=1e-3)
    product(check, normal((2, 70_000)), normal((70_000, 3), 1))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3, 50, 40), (3, 40, 70)),
        ((70, 33), (33, 300)),
        ((30, 50), (8, 50, 1)),
        ((4, 1, 30, 5), (1, 6, 5, 9)),
    ],
)
def test_a_large_product_is_made_in_parts(left: tuple[int, ...], right: tuple[int, ...], device: Any) -> None:
    arrays = [normal(left), normal(right, 1)]
    deaf = DeviceClass("cpu", CPU.lanes, CPU.loop_turns, work=1 << 12)
    layouts = [(Layout.contiguous(array.shape), dtype("f32")) for array in arrays]
    expected = np.matmul(arrays[0].astype(np.float64), arrays[1])
    output = TensorType(expected.shape, "f32")
    parts = lower("matmul", {}, layouts, output, deaf)
    assert len(parts.dispatches) > len(lower("matmul", {}, layouts, output, CPU).dispatches)
    actual = device.compute(parts, [array.view(np.uint32).reshape(-1) for array in arrays], output)
    np.testing.assert_allclose(actual, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("reshape", {"shape": [6, -1]}),
        ("reshape", {"shape": [2, 2, 2, 3, 5]}),
        ("permute", {"axes": [2, 0, 1]}),
        ("permute", {"axes": [-1, -2, -3]}),
        ("transpose", {}),
        ("transpose", {"axis0": 0, "axis1": 2}),
        ("slice", {"starts": [1], "stops": [3]}),
        ("slice", {"starts": [-1, 0], "stops": [-100, 5], "steps": [-1, 2]}),
        ("slice", {"starts": [4], "stops": [0], "steps": [-3], "axes": [-1]}),
        ("slice", {"starts": [3], "stops": [1]}),
        ("expand", {"shape": [3, -1, 6, 5]}),
    ],
)
def test_a_view_shows_the_right_elements(op: str, attributes: dict[str, Any], check: Any) -> None:
    for name in DTYPES:
        check(op, attributes, [(np.arange(120).reshape(4, 6, 5) % 7).astype(DTYPES[name])])
    check(op, attributes, [normal((5, 6, 4)).T])


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        (np.int32, -2.7, -2),
        (np.uint8, 255.9, 255),
        (np.uint8, -0.5, 0),
        (np.int64, (1 << 62) + 1, (1 << 62) + 1),
        (np.bool_, 7, True),
        (np.bool_, -math.inf, True),
        (np.float16, math.inf, math.inf),
    ],
)
def test_what_is_put_around_is_one_of_the_dtype(device: Any, type: Any, value: float, expected: Any) -> None:
    for count in (0, 2):
        padded = device.run("pad", {"before": [1], "after": [0], "value": value}, [np.zeros(count, type)])
        assert padded.tolist() == [expected] + [0] * count


@pytest.mark.parametrize(
    ("name", "value"), [("i32", math.inf), ("i64", math.nan), ("u8", 256), ("u32", -1), ("i8", -129)]
)
def test_padding_by_what_a_dtype_does_not_hold_is_refused(name: str, value: float) -> None:
    given = {"before": [1], "after": [0], "value": value}
    with pytest.raises(AttributeValueError, match=f"which {name} does not hold"):
        infer("pad", given, [TensorType((2,), name)])
    infer("pad", given | {"mode": "replicate"}, [TensorType((2,), name)])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_tensors_are_joined_along_any_axis(axis: int, check: Any) -> None:
    parts = []
    for number, size in enumerate((4, 1, 0, 3)):
        shape = [3, 4, 5]
        shape[axis] = size
        parts.append(normal(tuple(shape), number))
    check("concat", {"axis": axis}, parts)
    check(
        "concat",
        {"axis": axis},
        [part.astype(np.int32) if number % 2 else part for number, part in enumerate(parts)],
    )
    check("concat", {"axis": axis}, [parts[0][::-1], parts[0].transpose(0, 1, 2)])


def test_new_tensors_hold_their_value(check: Any) -> None:
    for name, values in {
        "f32": (0, 2.5, True, float("inf"), float("nan"), 1e39, -7),
        "i32": (0, -(1 << 31), 2.7, True),
        "u32": (0, (1 << 32) - 1, 7.9),
        "bool": (0, 0.5, True),
    }.items():
        for value in values:
            for shape in ([], [5], [3, 4], [0, 2]):
                check("full", {"shape": shape, "value": value, "dtype": name}, [])
    check(
        "arange",
        {"count": 11, "start": 5, "step": -3, "dtype": "i32"},
        [],
        np.arange(5, -28, -3, dtype=np.int32),
    )
    check("arange", {"count": 1000, "start": 0.5, "step": 0.1}, [])
    check("arange", {"count": 1 << 20, "start": 1 << 24, "dtype": "i32"}, [])
    check("arange", {"count": 0}, [])


@pytest.mark.parametrize(
    ("attributes", "value"),
    [
        ({"starts": [1], "stops": [3]}, (2, 6, 5)),
        ({"starts": [-1, 0], "stops": [-100, 5], "steps": [-1, 2]}, (3, 1)),
        ({"starts": [3], "stops": [0], "steps": [-2], "axes": [2]}, ()),
        ({"starts": [2], "stops": [2]}, (1, 1, 5)),
        ({"starts": [], "stops": []}, (4, 6, 5)),
    ],
)
def test_a_slice_is_written_over(attributes: dict[str, Any], value: tuple[int, ...], check: Any) -> None:
    for base in (normal((4, 6, 5)), normal((5, 6, 4)).T):
        check("slice_scatter", attributes, [base, normal(value, 1)])
    check("slice_scatter", attributes, [base.astype(np.int32), 9 * normal(value, 1)])
    for shape in ((2, 7), (2, 4, 6, 5)):
        with pytest.raises(ShapeError, match=r"do not broadcast|does not fit"):
            check("slice_scatter", attributes, [base, normal(shape)])


def test_digests_are_those_of_hashlib(device: Any) -> None:
    messages = [bytes(range(n % 256)) * (1 + n // 256) + b"x" * (n % 5) for n in [*range(130), 1000, 5000]]
    text = b"".join(messages)
    data = np.frombuffer(text + bytes(-len(text) % 4), np.uint32)
    offsets = np.cumsum([0, *map(len, messages)]).astype(np.uint32)
    for attributes in ({}, {"max_bytes": max(map(len, messages))}):
        words = device.run("sha256", attributes, [data, offsets])
        digests = [row.astype(">u4").tobytes() for row in words]
        assert digests == [hashlib.sha256(message).digest() for message in messages]
    short = device.run("sha256", {"max_bytes": 55}, [data, offsets[:40]])
    assert short[20].astype(">u4").tobytes() == hashlib.sha256(messages[20]).digest()
    np.testing.assert_array_equal(
        device.run("sha256", {}, [data[:0], np.zeros(1, np.uint32)]), np.zeros((0, 8))
    )
    none = device.run("sha256", {}, [data[:0], np.zeros(3, np.uint32)])
    assert none[1].astype(">u4").tobytes() == hashlib.sha256(b"").digest()


@pytest.mark.parametrize(
    ("op", "attributes", "shapes", "message"),
    [
        ("matmul", {}, [(3, 4), (3, 4)], "4 columns against 3 rows"),
        ("matmul", {}, [(), (3,)], "at least one axis"),
        ("matmul", {}, [(2, 3, 4), (3, 4, 5)], "do not broadcast"),
        ("add", {}, [(3,), (4,)], r"shapes \[3\] and \[4\] do not broadcast"),
        ("reshape", {"shape": [5, -1]}, [(3, 4)], "cannot be reshaped"),
        ("reshape", {"shape": [-1, -1]}, [(3, 4)], "cannot be reshaped"),
        ("reshape", {"shape": [0, -1]}, [(0, 4)], "cannot be reshaped"),
        ("expand", {"shape": [4, 4]}, [(3, 4)], "cannot be expanded"),
        ("expand", {"shape": [4]}, [(3, 4)], "cannot be expanded"),
        ("permute", {"axes": [0, 0]}, [(3, 4)], "not an order"),
        ("transpose", {"axis0": 2}, [(3, 4)], "out of range"),
        ("slice", {"starts": [0], "stops": [1], "steps": [0]}, [(3,)], "step 0"),
        ("slice", {"starts": [0, 0], "stops": [1]}, [(3,)], "differ in length"),
        ("concat", {"axis": 0}, [(3, 4), (3, 5)], "differ beyond axis 0"),
        ("concat", {}, [(), ()], "scalars cannot"),
        ("sum", {"axes": [0, -2]}, [(3, 4)], "named twice"),
        ("softmax", {"axis": 2}, [(3, 4)], "out of range"),
        ("sha256", {}, [(3, 4), (3,)], "takes data"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_by_name(
    op: str, attributes: dict[str, Any], shapes: list[tuple[int, ...]], message: str, check: Any
) -> None:
    with pytest.raises(ShapeError, match=message):
        check(
            op,
            attributes,
            [
                np.zeros(shape, np.uint32) if op == "sha256" else np.zeros(shape, np.float32)
                for shape in shapes
            ],
        )
