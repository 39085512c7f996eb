"""Elementwise rows on the device: values at the edges, and every dtype."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.reference import DTYPES
from ops.reference.bfloat import rounded
from ops.spec import OpSpec
from ops.table import TABLE

EDGES: dict[str, np.ndarray] = {
    "f32": np.concatenate(
        [
            np.array(
                [0.0, -0.0, 1, -1, 0.5, -0.5, 2, 3, -3, 7, -7, 1e-40, -1e-40, 1e-30, -1e-30], np.float32
            ),
            np.array([1e30, -1e30, 3.4e38, -3.4e38, np.inf, -np.inf, np.nan, 88, 89, -87, -104], np.float32),
            np.array([100, 1.5, -1.5, 10, 0.1, 0.9, 1.1, 16777217, 2147483648, 4294967296], np.float32),
        ]
    ),
    "f16": np.array(
        [
            0.0,
            -0.0,
            1,
            -1,
            0.5,
            3,
            -7,
            6e-8,
            -6e-5,
            65504,
            -65504,
            np.inf,
            -np.inf,
            np.nan,
            11,
            -10,
            1.5,
            0.1,
            2049,
        ],
        np.float16,
    ),
    "i32": np.array(
        [
            0,
            1,
            -1,
            2,
            -2,
            3,
            7,
            -7,
            31,
            32,
            -33,
            65536,
            (1 << 24) + 1,
            (1 << 31) - 1,
            -(1 << 31),
            1 - (1 << 31),
        ],
        np.int32,
    ),
    "u32": np.array(
        [0, 1, 2, 3, 7, 31, 32, 65536, (1 << 24) + 1, 1 << 31, (1 << 31) - 1, (1 << 32) - 1], np.uint32
    ),
    "i64": np.array(
        [0, 1, -1, 3, -7, 31, 32, 64, -(1 << 31), (1 << 32) - 1, (1 << 40) + 1, (1 << 63) - 1, -(1 << 63)],
        np.int64,
    ),
    "u8": np.array([0, 1, 2, 7, 8, 31, 127, 128, 255], np.uint8),
    "i8": np.array([0, 1, -1, 2, 7, -8, 31, 127, -128], np.int8),
    "u16": np.array([0, 1, 2, 7, 31, 100, 32768, 65535], np.uint16),
    "i16": np.array([0, 1, -1, 2, 7, -31, 100, 32767, -32768], np.int16),
    "bf16": rounded(
        np.array([0.0, -0.0, 1, -1, 0.5, 3, -7, 1e-30, 3.3e38, np.inf, -np.inf, np.nan, 257, 0.1])
    ),
    "bool": np.array([False, True]),
}
CORE = ("f32", "f16", "i32", "u32", "i64", "bool")
PACKED = ("i8", "bf16", "u8", "i16", "u16")
"""Dtypes of which a row is checked with one: kernels read and write them apart from what they compute."""
ROWS = [row for row in TABLE.values() if row.kind == "elementwise"]


def attribute_choices(row: OpSpec) -> list[dict[str, Any]]:
    """Every combination of the values that a row's attributes may take; of numbers a few, or none."""
    options: dict[str, tuple[Any, ...]] = {}
    for attribute in row.attributes:
        if attribute.type == "text":
            options[attribute.name] = attribute.choices
        elif attribute.type == "dtype":
            options[attribute.name] = tuple(DTYPES)
        elif attribute.type == "flag":
            options[attribute.name] = (False, True)
        else:
            options[attribute.name] = (attribute.default, 0.25 if "f32" in row.dtypes else 2)
    return [dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())]


MIXED = [("f32", "i32"), ("i32", "f32"), ("u32", "i32"), ("bool", "f32"), ("i32", "bool"), ("u32", "f32")]
MIXED += [("f16", "f32"), ("f16", "i32"), ("u32", "f16"), ("i64", "u32"), ("f32", "i64"), ("u8", "i8")]
MIXED += [
    ("u8", "u32"),
    ("u32", "i16"),
    ("u16", "i16"),
    ("i8", "i64"),
    ("bf16", "f16"),
    ("bf16", "i64"),
    ("i8", "bool"),
]
EVERY_PAIR = {"add", "div", "lt", "pow"}
"""Rows that are checked with every mixed pair of dtypes; promotion is the same for the others."""


def dtype_choices(row: OpSpec, number: int) -> list[tuple[str, ...]]:
    """Combinations of dtypes that a row takes: all of one, and mixed ones that differ from row to row."""
    count = len(row.inputs)
    dtypes = [name for name in (*CORE, PACKED[number % len(PACKED)]) if name in row.dtypes]
    same = [(name,) * count for name in dtypes]
    if count == 1:
        return same
    if count == 2 and row.name in EVERY_PAIR:
        pairs = itertools.product([name for name in CORE if name in row.dtypes], repeat=2)
        return [*pairs, *(pair for pair in MIXED if {*pair} & {*PACKED} and {*pair} <= {*row.dtypes})]
    mixed = [pair for pair in MIXED if {*pair} <= {*row.dtypes}]
    turned = mixed[number % len(mixed) :][:1] if mixed else []
    if count == 3 and row.inputs[0] == "condition":
        return [("bool", *pair) for pair in itertools.product(dtypes, repeat=2)]
    return same + [(*pair, pair[0])[:count] for pair in turned]


def cases() -> Iterator[Any]:
    """Every row with combinations of dtypes and attributes that it takes."""
    for number, row in enumerate(ROWS):
        for dtypes in dtype_choices(row, number):
            for attributes in attribute_choices(row):
                name = "-".join([row.name, *dtypes, *map(str, attributes.values())])
                yield pytest.param(row, dtypes, attributes, id=name)


@pytest.mark.parametrize(("row", "dtypes", "attributes"), list(cases()))
def test_a_row_is_right_at_every_pair_of_edge_values(
    row: OpSpec, dtypes: tuple[str, ...], attributes: dict[str, Any], check: Any
) -> None:
    count = len(dtypes)
    lines = [
        EDGES[name].reshape([-1 if axis == number else 1 for axis in range(count)])
        for number, name in enumerate(dtypes)
    ]
    check(row.name, attributes, lines)
    whole = [np.ascontiguousarray(line).reshape(-1) for line in np.broadcast_arrays(*lines)]
    quads = whole[0].size // 4 * 4
    check(row.name, attributes, [line[:quads] for line in whole])


def test_a_row_is_right_at_many_ordinary_values(check: Any) -> None:
    values = np.random.default_rng(0)
    inputs = [values.normal(0, 3, 4096).astype(np.float32) for _ in range(3)]
    for row in ROWS:
        for attributes in attribute_choices(row):
            arrays = inputs[: len(row.inputs)]
            if "f32" not in row.dtypes:
                arrays = [array.view(np.uint32) for array in arrays]
            check(row.name, attributes, arrays)


ORACLE: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "pow": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "floor_divide": np.floor_divide,
    "remainder": np.mod,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "copysign": np.copysign,
    "atan2": np.arctan2,
    "ldexp": lambda x, y: x * 2**y,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "xlogy": lambda x, y: x * np.log(y),
    "xlog1py": lambda x, y: x * np.log1p(y),
    "fmax": np.fmax,
    "fmin": np.fmin,
    "heaviside": np.heaviside,
    "neg": np.negative,
    "abs": np.abs,
    "square": np.square,
    "frac": lambda x: np.modf(x)[0],
    "reciprocal": np.reciprocal,
    "rsqrt": lambda x: x**-0.5,
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    "sinc": np.sinc,
    "logit": lambda x: np.log(x) - np.log1p(-x),
    "lerp": lambda x, y, weight: (1 - weight) * x + weight * y,
    "addcmul": lambda x, y, z: x + y * z,
    "addcdiv": lambda x, y, z: x + y / z,
    "logsigmoid": lambda x: -np.log1p(np.exp(-x)),
    "relu6": lambda x: np.clip(x, 0, 6),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "leaky_relu": lambda x: np.where(x > 0, x, np.float32(0.01) * x),
    "prelu": lambda x, weight: np.where(x > 0, x, weight * x),
    "threshold": lambda x: np.maximum(x, 0),
    "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "celu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "softsign": lambda x: x / (1 + abs(x)),
    "tanhshrink": lambda x: x - np.tanh(x),
    "hardshrink": lambda x: x * (np.abs(x) > 0.5),
    "softshrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "isclose": np.isclose,
    "logical_xor": np.logical_xor,
    "nan_to_num": np.nan_to_num,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.where(x > 0, x, 0 * x),
    "gelu": lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_not": np.logical_not,
    "where": np.where,
}
"""What rows mean, written down apart from the table; those that are one function of NumPy need no other word."""


@pytest.mark.parametrize("name", ORACLE)
def test_a_row_agrees_with_a_formula_that_the_table_does_not_know(name: str, check: Any) -> None:
    row = TABLE[name]
    draw = np.random.default_rng(1)
    inputs = [draw.normal(0, 2, 1000).astype(np.float32) for _ in row.inputs]
    if name in ("log", "sqrt", "rsqrt", "pow", "xlogy", "xlog1py"):
        inputs = [np.abs(each) for each in inputs]
    if name == "logit":
        inputs = [np.abs(np.sin(each)) for each in inputs]
    expected = ORACLE[name](*(array.astype(np.float64) for array in inputs))
    expected = expected if expected.dtype == np.bool_ else expected.astype(np.float32)
    check(name, {}, inputs, expected)


def test_smooth_functions_hold_their_precision_over_their_whole_range(check: Any) -> None:
    draw = np.random.default_rng(2)
    wide = np.exp(draw.uniform(-87, 88, 50_000)).astype(np.float32)
    values = np.concatenate([wide, -wide, np.linspace(-90, 90, 100_000).astype(np.float32)])
    for row in ROWS:
        if row.tolerance and len(row.inputs) == 1:
            check(row.name, {}, [values])
    check("pow", {}, [np.abs(values[::7]), draw.uniform(-20, 20, values[::7].size).astype(np.float32)])


SIGNED_ZEROS = "sin tan asin atan sinh tanh asinh atanh expm1 log1p sqrt floor ceil round trunc neg fmod erf"


@pytest.mark.parametrize("name", SIGNED_ZEROS.split())
def test_the_sign_of_zero_and_the_bits_of_nan_are_pytorchs(name: str, device: Any) -> None:
    row = TABLE[name]
    x = EDGES["f32"][[0, 1, 4, 5, 23, 24, 25]]
    y = np.full(x.shape, 2, np.float32)
    arrays = [x, y][: len(row.inputs)]
    actual, expected = device.run(name, {}, arrays), reference.apply(name, {}, arrays)
    zero = expected == 0
    assert zero.any()
    np.testing.assert_array_equal(np.signbit(actual[zero]), np.signbit(expected[zero]))
    bits = actual.view(np.uint32)[np.isnan(expected)] & 0x7FFFFFFF
    assert (bits > 0x7F800000).all()


def test_integers_follow_pytorch_rules(check: Any) -> None:
    x, y = np.array([7, -7, 5], np.int32), np.array([2, 2, -1], np.int32)
    check("div", {}, [x, y], np.array([3.5, -3.5, -5], np.float32))
    check("pow", {}, [x, y], np.array([49, 49, 0], np.int32))
    check("add", {}, [x, np.array([True, False, True])], np.array([8, -7, 6], np.int32))
    both = np.array([True, True, False, False]), np.array([True, False, True, False])
    check("add", {}, both, np.array([True, True, True, False]))
    check("mul", {}, both, np.array([True, False, False, False]))
