"""Rows whose result at a position depends only on the inputs at that position.

Adding an op here is one row: its kernel, reference, method, function, route and documentation follow from it.
"""

from __future__ import annotations

from ops.spec import ALL, NUMBERS, Attribute, OpSpec, ResultRule


def _arithmetic(
    name: str, expression: str, doc: str, *aliases: str, operator: str = "", dtypes: tuple[str, ...] = ALL
) -> OpSpec:
    return OpSpec(name, "elementwise", ("x", "y"), doc, expression, aliases, dtypes=dtypes, operator=operator)


def _comparison(name: str, symbol: str, *aliases: str) -> OpSpec:
    doc = (
        f"`x {symbol} y` as a bool; false where either is NaN."
        if name != "ne"
        else "`x != y`; true where either is NaN."
    )
    return OpSpec(
        name, "elementwise", ("x", "y"), doc, f"x {symbol} y", aliases, result="bool", operator=f"__{name}__"
    )


def _smooth(
    name: str,
    expression: str,
    doc: str,
    *attributes: Attribute,
    tolerance: float,
    aliases: tuple[str, ...] = (),
) -> OpSpec:
    result: ResultRule = "f32"
    return OpSpec(
        name, "elementwise", ("x",), doc, expression, aliases, attributes, result=result, tolerance=tolerance
    )


_APPROXIMATE = Attribute(
    "approximate", "text", "none", ("none", "tanh"), "`none` is exact by erf, `tanh` the approximation."
)

ROWS = (
    _arithmetic("add", "x + y", "Sum; on bools, or.", operator="__add__"),
    _arithmetic("sub", "x - y", "Difference.", "subtract", operator="__sub__", dtypes=NUMBERS),
    _arithmetic("mul", "x * y", "Product; on bools, and.", "multiply", operator="__mul__"),
    OpSpec(
        "div",
        "elementwise",
        ("x", "y"),
        "Quotient, always f32.",
        "x / y",
        ("divide", "true_divide"),
        result="f32",
        operator="__truediv__",
        tolerance=3e-7,
    ),
    OpSpec(
        "pow",
        "elementwise",
        ("x", "y"),
        "`x` to the power `y`. Of integers with a negative `y`: 0, but for `x` of 1 and -1.",
        "x ** y",
        ("power",),
        dtypes=NUMBERS,
        operator="__pow__",
        tolerance=2e-5,
    ),
    _arithmetic("maximum", "maximum(x, y)", "The larger; NaN where either is NaN."),
    _arithmetic("minimum", "minimum(x, y)", "The smaller; NaN where either is NaN."),
    OpSpec("neg", "elementwise", ("x",), "`-x`.", "-x", ("negative",), dtypes=NUMBERS, operator="__neg__"),
    OpSpec(
        "abs",
        "elementwise",
        ("x",),
        "Absolute value.",
        "abs(x)",
        ("absolute",),
        dtypes=NUMBERS,
        operator="__abs__",
    ),
    _smooth("exp", "exp(x)", "e to the power `x`.", tolerance=3e-7),
    _smooth("log", "log(x)", "Natural logarithm; -inf at 0, NaN below.", tolerance=3e-7),
    _smooth("sqrt", "sqrt(x)", "Square root; NaN below 0.", tolerance=3e-7),
    _smooth("tanh", "tanh(x)", "Hyperbolic tangent.", tolerance=4e-7),
    _smooth("sigmoid", "1 / (1 + exp(-x))", "`1 / (1 + exp(-x))`.", tolerance=6e-7),
    OpSpec("relu", "elementwise", ("x",), "`maximum(x, 0)`.", "maximum(x, 0)", dtypes=NUMBERS),
    _smooth(
        "gelu",
        "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) if approximate == 'tanh'"
        " else 0.5 * x * (1 + erf(x * 0.7071067811865476))",
        "Gaussian error linear unit; the error is relative to `x`, as in PyTorch.",
        _APPROXIMATE,
        tolerance=1e-6,
    ),
    _comparison("eq", "=="),
    _comparison("ne", "!=", "not_equal"),
    _comparison("lt", "<", "less"),
    _comparison("le", "<=", "less_equal"),
    _comparison("gt", ">", "greater"),
    _comparison("ge", ">=", "greater_equal"),
    OpSpec(
        "logical_and", "elementwise", ("x", "y"), "Whether both are true (not 0).", "x and y", result="bool"
    ),
    OpSpec("logical_or", "elementwise", ("x", "y"), "Whether either is true.", "x or y", result="bool"),
    OpSpec("logical_not", "elementwise", ("x",), "Whether `x` is false (0).", "not x", result="bool"),
    OpSpec(
        "where",
        "elementwise",
        ("condition", "x", "y"),
        "`x` where `condition` is true, else `y`.",
        "x if condition else y",
    ),
    OpSpec(
        "cast",
        "elementwise",
        ("x",),
        "`x` as `dtype`. To integers: towards zero, saturating, NaN to 0; between i32 and u32 bits are kept.",
        "x",
        attributes=(Attribute("dtype", "dtype"),),
        result="attribute",
    ),
)
