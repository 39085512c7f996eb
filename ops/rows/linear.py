"""Rows of linear algebra."""

from __future__ import annotations

from typing import Any

from ops.spec import ALL, FLOATS, NUMBERS, SUM, Attribute, OpSpec

_SCALES = (Attribute("beta", "number", 1), Attribute("alpha", "number", 1))


def _product(name: str, inputs: tuple[str, ...], doc: str, *attributes: Attribute, **more: Any) -> OpSpec:
    given: dict[str, Any] = {
        "dtypes": NUMBERS,
        "tolerance": 1e-6,
        "relative": SUM,
        "section": "matmul",
    } | more
    return OpSpec(name, "composite", inputs, doc, attributes=attributes, **given)


_PAIR, _THREE = ("x", "y"), ("x", "y", "z")

ROWS = (
    OpSpec(
        "matmul", "matmul", _PAIR,
        "Matrix product in all of NumPy's forms: vectors, matrices, broadcast batches of them.",
        dtypes=NUMBERS, shape="matmul", operator="__matmul__", tolerance=1e-6, relative=SUM,
    ),
    _product("mm", _PAIR, "The product of two matrices."),
    _product("bmm", _PAIR, "The products of two batches of matrices."),
    _product("mv", _PAIR, "The product of a matrix and a vector."),
    _product("dot", _PAIR, "The inner product of two vectors.", aliases=("vdot",)),
    _product("outer", _PAIR, "The outer product of two vectors.", aliases=("ger",), dtypes=ALL),
    _product("addmm", _THREE, "`beta * x + alpha * (y @ z)` of matrices; where `beta` is 0, `x` has no say.", *_SCALES),
    _product("addmv", _THREE, "`beta * x + alpha * (y @ z)` of a matrix `y` and a vector `z`.", *_SCALES),
    _product("baddbmm", _THREE, "`beta * x + alpha * (y @ z)` of batches of matrices.", *_SCALES),
    _product("gemm", _THREE, "`alpha * (x @ y) + beta * z` of matrices, each of the two transposed first if asked for.",
             Attribute("alpha", "number", 1), Attribute("beta", "number", 1), Attribute("trans_a", "flag", False),
             Attribute("trans_b", "flag", False), optional=1),
    _product("linear", ("x", "weight", "bias"), "`x @ weight.T + bias`."),
    _product("bilinear", ("x", "y", "weight", "bias"), "`sum(x[i] * weight[:, i, j] * y[j]) + bias` along the last"
             " axes.", optional=1, dtypes=FLOATS, tolerance=2e-6),
    _product("einsum", ("x",), "The sum of products that an equation says, as `bij,bjk->bik`; `...` is any axes.",
             Attribute("equation", "string"), variadic=True),
)  # fmt: skip
