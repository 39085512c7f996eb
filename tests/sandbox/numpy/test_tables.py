"""Functions of elements and reductions, for every kind of input: edge values, empty, rank 0, gaps, all types."""

from __future__ import annotations

import pytest

from tests.sandbox.numpy.twin import check

INPUTS = [
    "np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 1e300, -1e300, 1e-300, np.inf, -np.inf, np.nan])",
    "np.array([[1.5, -2.5, 3.25], [0.1, 100.0, -7.0]])",
    "np.array([0, 1, -1, 2, 7, -8, 1000])",
    "np.array([[True, False], [True, True]])",
    "np.array([])",
    "np.zeros((0, 3))",
    "np.array(2.5)",
    "np.float64(0.25)",
    "3",
    "0.75",
    "[1, 2, 3]",
    "np.arange(24.0).reshape(2, 3, 4)[::-1, ::2, 1::2] / 7",
    "np.arange(12.0).reshape(3, 4).T - 5",
    "np.array([1.5, -0.25, 0.1], dtype=np.float32)",
    "np.array([1, -2, 100], dtype=np.int8)",
    "np.array([1, 2, 200], dtype=np.uint8)",
]
UNARY = """
    absolute negative positive sign square sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos
    arctan sinh cosh tanh arcsinh arccosh arctanh floor ceil trunc rint reciprocal isnan isinf isfinite signbit
    logical_not deg2rad rad2deg fabs nan_to_num round
"""
NARROW = """
    sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
    arctanh deg2rad rad2deg rint reciprocal fabs
"""  # of small integers NumPy makes floats of 16 or 32 bits, the façade of 64
BINARY = """
    add subtract multiply divide floor_divide remainder fmod power maximum minimum fmax fmin arctan2 hypot copysign
    logaddexp equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
"""
PAIRS = [
    ("np.array([0.0, -0.0, 1.5, -2.5, np.inf, np.nan])", "np.array([0.0, 1.0, -2.0, 3.0, 2.0, 1.0])"),
    ("np.array([7.5, -7.5, 7.5, -7.5, 0.0])", "np.array([2.0, 2.0, -2.0, -2.0, -3.0])"),
    ("np.array([7, -7, 7, -7, 0, 5])", "np.array([2, 2, -2, -2, 3, 1])"),
    ("np.array([7, -7, 0])", "0"),
    ("np.array([1.0, -1.0, 0.0])", "0.0"),
    ("np.arange(6).reshape(2, 3)", "np.array([1.5, 2.5, 3.5])"),
    ("np.arange(3)[:, None]", "np.arange(1, 5)"),
    ("np.array([True, False])", "np.array([True, True])"),
    ("np.array([1, 2], dtype=np.float32)", "np.array([3.0, 4.0])"),
    ("np.array([1, 2], dtype=np.float32)", "3"),
    ("np.array([1, 2], dtype=np.int32)", "np.array([3, 4], dtype=np.int32)"),
    ("np.array([1, 2], dtype=np.int32)", "2.5"),
    ("np.array([[1.0, 2.0]])", "np.zeros((0, 2))"),
    ("2", "3"),
    ("2.5", "np.array(2)"),
    ("[1, 2]", "(3, 4)"),
    ("np.zeros(3)", "np.zeros(4)"),
    ("np.int64(7)", "np.float64(2.5)"),
]
REDUCTIONS = (
    "sum prod mean std var max min any all argmax argmin ptp median cumsum cumprod count_nonzero sort argsort"
)
SHAPED = [
    "np.arange(24.0).reshape(2, 3, 4) / 7",
    "np.arange(24).reshape(2, 3, 4)[:, ::-1, ::2]",
    "(np.arange(24.0).reshape(2, 3, 4) * 1.7).T",
    "np.array([[1.0, np.nan], [np.inf, -2.0]])",
    "np.arange(6).reshape(2, 3) % 2 == 0",
    "np.zeros((0, 3))",
    "np.zeros((2, 0))",
    "np.array([5.0])",
    "np.array([2, 1, 2, 1, 0])",
    "np.array([0.1] * 300)",
    "(np.arange(2600.0) * 0.1).reshape(13, 200)",
]
AXES = ["", "axis=0", "axis=1", "axis=-1", "axis=0, keepdims=True", "axis=None", "axis=(0, 1)", "axis=7"]


@pytest.mark.parametrize("name", UNARY.split())
def test_a_function_of_elements_comes_out_alike(name: str) -> None:
    for source in INPUTS:
        if "int8" in source and name in NARROW.split():
            continue
        if "True" in source and name in [*NARROW.split(), "round"]:
            continue
        check(f"np.{name}({source})")


@pytest.mark.parametrize("name", BINARY.split())
def test_a_function_of_two_comes_out_alike(name: str) -> None:
    for first, second in PAIRS:
        if "True" in first and name in ("floor_divide", "remainder", "fmod", "power", *NARROW_PAIRS):
            continue
        check(f"np.{name}({first}, {second})")


NARROW_PAIRS = ("arctan2", "hypot", "copysign", "logaddexp")


@pytest.mark.parametrize("name", REDUCTIONS.split())
def test_a_reduction_comes_out_alike(name: str) -> None:
    exact = name in ("sum", "max", "min", "argmax", "cumsum", "mean", "median")
    for source in SHAPED:
        for axis in AXES:
            if name.startswith(("sort", "arg", "cum")) and ("keepdims" in axis or "(0" in axis):
                continue
            check(f"np.{name}({source}, {axis})", exact=exact)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**", "==", "<", "&", "@"])
def test_an_operator_of_scalars_comes_out_alike(operator: str) -> None:
    values = [
        "np.float64(7.5)",
        "np.int64(-3)",
        "np.True_",
        "np.float32(0.1)",
        "np.int8(5)",
        "np.uint8(200)",
        "2",
        "0",
        "2.5",
    ]
    for first in values:
        for second in values:
            if not ("np" in first or "np" in second) or (
                operator in ("//", "%", "**") and "True" in first + second
            ):
                continue
            if operator == "/" and "int8" in first + second:
                continue
            check(f"{first} {operator} {second}")
