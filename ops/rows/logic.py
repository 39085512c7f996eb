"""Elementwise rows: comparisons, tests, logic, and choices between values."""

from __future__ import annotations

from ops.rows.elementwise import binary, number, test, unary
from ops.spec import ALL, Attribute, OpSpec

_PAIR = ("x", "y")


def _comparison(name: str, symbol: str, *aliases: str) -> OpSpec:
    nan = "true" if name == "ne" else "false"
    doc = f"`x {symbol} y` as a bool; {nan} where either is NaN."
    return test(name, _PAIR, f"x {symbol} y", doc, *aliases, operator=f"__{name}__")


ROWS = (
    _comparison("eq", "=="),
    _comparison("ne", "!=", "not_equal"),
    _comparison("lt", "<", "less"),
    _comparison("le", "<=", "less_equal", "less_or_equal"),
    _comparison("gt", ">", "greater"),
    _comparison("ge", ">=", "greater_equal", "greater_or_equal"),
    test(
        "isclose", _PAIR,
        "x == y or (atol + rtol > 0 and abs(1.0 * x - y) <= atol + rtol * abs(1.0 * y)"
        " if is_finite(x) and is_finite(y) else (is_nan(x) and is_nan(y)) and equal_nan)",
        "Whether `abs(x - y) <= atol + rtol * abs(y)`; whether they are equal where both are 0.",
        attributes=(number("rtol", 1e-5), number("atol", 1e-8), Attribute("equal_nan", "flag", False)),
    ),
    test("logical_and", _PAIR, "x and y", "Whether both are true (not 0)."),
    test("logical_or", _PAIR, "x or y", "Whether either is true."),
    test("logical_xor", _PAIR, "(not x) != (not y)", "Whether one of the two is true."),
    test("logical_not", ("x",), "not x", "Whether `x` is false (0)."),
    test("isnan", ("x",), "is_nan(x)", "Whether `x` is not a number.", whole="False"),
    test("isinf", ("x",), "is_inf(x)", "Whether `x` is infinite.", whole="False"),
    test("isfinite", ("x",), "is_finite(x)", "Whether `x` is neither infinite nor NaN.", whole="True"),
    test("isposinf", ("x",), "is_inf(x) and x > 0", "Whether `x` is infinity.", whole="False"),
    test("isneginf", ("x",), "is_inf(x) and x < 0", "Whether `x` is minus infinity.", whole="False"),
    test("signbit", ("x",), "signbit(x)", "Whether the sign of `x` is minus, that of -0 too."),
    OpSpec(
        "where", "elementwise", ("condition", "x", "y"), "`x` where `condition` is true (not 0), else `y`.",
        "x if condition else y", result="choice",
    ),
    OpSpec(
        "masked_fill", "elementwise", ("x", "mask"),
        "`value` (as the dtype of `x`) where `mask` is true (not 0), else `x`.",
        "value if mask else x", attributes=(number("value", 0),), result="first",
    ),
    binary("heaviside", "y if x == 0 else 0 if x < 0 or is_nan(x) else 1", "0 below 0, `y` at 0, 1 above; 0 of NaN.",
           dtypes=ALL, gradients=("0.0", "0.0")),
    unary(
        "nan_to_num",
        "nan if is_nan(x) else x if is_finite(x) else"
        " (largest if posinf is None else posinf) if x > 0 else (-largest if neginf is None else neginf)",
        "`x`, and numbers in place of NaN and infinities, by default 0 and the largest.", whole="x",
        dtypes=ALL,
        attributes=(number("nan", 0), number("posinf", None), number("neginf", None)),
        gradients=("grad if is_finite(x) else 0.0",),
    ),
    OpSpec(
        "cast", "elementwise", ("x",),
        "`x` as `dtype`. To integers: towards zero, saturating, NaN to 0; between i32 and u32 bits are kept.", "x",
        attributes=(Attribute("dtype", "dtype"),), result="attribute",
    ),
)  # fmt: skip
