"""Elementwise rows: arithmetic, quotients and remainders, rounding, extremes."""

from __future__ import annotations

from ops.rows.elementwise import activation, binary, number, smooth, unary
from ops.spec import ALL, FLOATS, OpSpec

_ALPHA = (number("alpha", None, "`y` is multiplied by it first."),)
_VALUE = (number("value", 1),)
_LARGER = "0.5 * grad if x == y else 0.0 if {0} < {1} else grad"


def _first_of_equal(is_first: str) -> tuple[str, str]:
    """The gradients of an extreme that skips NaN: of equal ones `x` has it all, as in PyTorch."""
    return f"grad if {is_first} or is_nan(y) else 0.0", f"0.0 if {is_first} or is_nan(y) else grad"


ROWS = (
    binary(
        "add", "x + y if alpha is None else x + alpha * y", "Sum; on bools, or.", dtypes=ALL, operator="__add__",
        attributes=_ALPHA,
    ),
    binary(
        "sub", "x - y if alpha is None else x - alpha * y", "Difference.", "subtract", operator="__sub__",
        attributes=_ALPHA,
    ),
    binary("rsub", "y - x if alpha is None else y - alpha * x", "`y - x`.", attributes=_ALPHA),
    binary("mul", "x * y", "Product; on bools, and.", "multiply", dtypes=ALL, operator="__mul__"),
    binary(
        "div", "x / y", "Quotient, always a float.", "divide", "true_divide", dtypes=ALL, result="float",
        operator="__truediv__", tolerance=3e-7,
    ),
    binary(
        "floor_divide", "x // y", "Quotient, rounded down; of integers by 0: 0.", dtypes=ALL, operator="__floordiv__",
        tolerance=3e-7,
    ),
    binary("trunc_divide", "trunc_divide(x, y)", "Quotient, rounded towards 0; of integers by 0: 0.", dtypes=ALL,
           tolerance=3e-7),
    binary(
        "remainder", "x % y", "What `floor_divide` leaves, with the sign of `y`; of integers by 0: `x`.", "mod",
        dtypes=ALL, operator="__mod__", tolerance=1e-7,
    ),
    binary(
        "fmod", "fmod(x, y)", "What `trunc_divide` leaves, with the sign of `x`; of integers by 0: `x`.", dtypes=ALL,
    ),
    binary(
        "pow", "x ** y", "`x` to the power `y`. Of integers with a negative `y`: 0, but for `x` of 1 and -1.", "power",
        dtypes=ALL, operator="__pow__", tolerance=2e-5,
    ),
    binary("maximum", "maximum(x, y)", "The larger; NaN where either is NaN.", dtypes=ALL,
           gradients=(_LARGER.format("x", "y"), _LARGER.format("y", "x"))),
    binary("minimum", "minimum(x, y)", "The smaller; NaN where either is NaN.", dtypes=ALL,
           gradients=(_LARGER.format("y", "x"), _LARGER.format("x", "y"))),
    binary("fmax", "y if is_nan(x) else x if is_nan(y) else maximum(x, y)", "The larger; the other where one is NaN.",
           dtypes=ALL, gradients=_first_of_equal("x >= y")),
    binary("fmin", "y if is_nan(x) else x if is_nan(y) else minimum(x, y)", "The smaller; the other where one is NaN.",
           dtypes=ALL, gradients=_first_of_equal("x <= y")),
    unary("neg", "-x", "`-x`.", "negative", operator="__neg__"),
    unary("positive", "x", "`x` as it is.", operator="__pos__"),
    unary("abs", "abs(x)", "Absolute value.", "absolute", operator="__abs__"),
    unary("square", "x * x", "`x` times itself."),
    unary("sign", "sign(x)", "-1, 0 or 1, as `x` is below, at or above 0; 0 of NaN.", "sgn", dtypes=ALL),
    unary("floor", "floor(x)", "The next integer below."),
    unary("ceil", "ceil(x)", "The next integer above."),
    unary("round", "round(x)", "The nearest integer; of two, the even one."),
    unary("trunc", "trunc(x)", "The next integer towards 0.", "fix"),
    activation("frac", "x - trunc(x)", "What `trunc` takes away."),
    smooth("reciprocal", "1 / x", "`1 / x`.", tolerance=3e-7),
    smooth("sqrt", "sqrt(x)", "Square root; NaN below 0.", tolerance=3e-7),
    smooth("rsqrt", "1 / sqrt(x)", "`1 / sqrt(x)`.", tolerance=6e-7),
    smooth("deg2rad", "x * 0.017453292519943295", "Degrees as radians.", "radians", tolerance=3e-7),
    smooth("rad2deg", "x * 57.29577951308232", "Radians as degrees.", "degrees", tolerance=3e-7),
    OpSpec(
        "clamp", "elementwise", ("x",), "`x`, but at least `min` and at most `max`; NaN stays.",
        "(x if min is None else maximum(x, min)) if max is None else"
        " minimum(x if min is None else maximum(x, min), max)",
        ("clip",), (number("min", None), number("max", None)),
        gradients=(
            "grad if (True if min is None else x >= min) and (True if max is None else x <= max) else 0.0",
        ),
    ),
    OpSpec(
        "lerp", "elementwise", ("x", "y", "weight"), "From `x` to `y` as `weight` goes from 0 to 1.",
        "x + weight * (y - x) if abs(weight) < 0.5 else y - (y - x) * (1 - weight)", dtypes=FLOATS, tolerance=4e-7,
        relative="abs(x) + abs(y) + abs(weight * (y - x))",
    ),
    OpSpec(
        "addcmul", "elementwise", ("x", "y", "z"), "`x + value * y * z`.", "x + y * z * value", (), _VALUE,
        tolerance=4e-7, relative="abs(x) + abs(y * z)",
    ),
    OpSpec(
        "addcdiv", "elementwise", ("x", "y", "z"), "`x + value * y / z`.", "x + y / z * value", (), _VALUE, FLOATS,
        tolerance=6e-7, relative="abs(x) + abs(y / z)",
    ),
)  # fmt: skip
