"""The vocabulary of expressions: each function's arity, typing and WGSL text, one row each.

Owns what a function takes and gives and how WGSL writes it for a dtype. Must not know ops, tensors or NumPy
(`ops/reference/` holds the NumPy meaning of each name). Text that is longer than a call lives in
`ops/numerics/`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ops.dtypes import BY_NAME, register

Takes = Literal["number", "float", "bool", "any", "choice"]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of expressions.

    `takes` says to what the arguments are converted first: `number` to their common dtype, at least i32;
    `float` to f32; `bool` to bool; `any` to their common dtype; `choice` takes a bool and two values of their
    common dtype. `gives` is `same` (as the arguments) or `bool`. `wgsl` maps a dtype, or `*` for those not
    named, to a template of the arguments.
    """

    name: str
    arity: int
    takes: Takes
    wgsl: dict[str, str]
    gives: Literal["same", "bool"] = "same"

    def text(self, dtype: str) -> str:
        """The template for arguments of `dtype`."""
        return self.wgsl.get(dtype) or self.wgsl["*"]


def _plain(name: str, arity: int, takes: Takes, template: str, **special: str) -> Function:
    return Function(name, arity, takes, {"*": template, **special})


def _test(name: str, template: str, **special: str) -> Function:
    return Function(name, 2, "any", {"*": template, "f32": f"{name}_f32({{0}}, {{1}})", **special}, "bool")


ROWS = (
    _plain("add", 2, "number", "({0} + {1})"),
    _plain("sub", 2, "number", "({0} - {1})"),
    _plain("mul", 2, "number", "({0} * {1})"),
    _plain("div", 2, "float", "div_f32({0}, {1})"),
    _plain("pow", 2, "number", "pow_f32({0}, {1})", i32="pow_i32({0}, {1})", u32="pow_u32({0}, {1})"),
    _plain("neg", 1, "number", "(-{0})", u32="(0u - {0})"),
    _plain("abs", 1, "number", "abs({0})", u32="{0}"),
    _plain("maximum", 2, "any", "max({0}, {1})", f32="maximum_f32({0}, {1})", bool="({0} || {1})"),
    _plain("minimum", 2, "any", "min({0}, {1})", f32="minimum_f32({0}, {1})", bool="({0} && {1})"),
    _plain(
        "floor_divide",
        2,
        "number",
        "floor_div_f32({0}, {1})",
        i32="floor_div_i32({0}, {1})",
        u32="div_u32({0}, {1})",
    ),
    _plain(
        "trunc_divide",
        2,
        "number",
        "trunc_div_f32({0}, {1})",
        i32="div_i32({0}, {1})",
        u32="div_u32({0}, {1})",
    ),
    _plain(
        "remainder",
        2,
        "number",
        "remainder_f32({0}, {1})",
        i32="remainder_i32({0}, {1})",
        u32="mod_u32({0}, {1})",
    ),
    _plain("fmod", 2, "number", "fmod_f32({0}, {1})", i32="fmod_i32({0}, {1})", u32="mod_u32({0}, {1})"),
    *(
        _plain(name, 1, "number", "{0}", f32=f"{name}_f32({{0}})")
        for name in ("floor", "ceil", "round", "trunc")
    ),
    _plain("sign", 1, "number", "sign({0})", f32="sign_f32({0})", u32="min({0}, 1u)"),
    *(
        _plain(name, 1, "float", f"{name}_f32({{0}})")
        for name in (
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "tanh",
            "sinh",
            "cosh",
            "asinh",
            "acosh",
            "atanh",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinpi",
            "erf",
            "erfc",
            "erfinv",
            "lgamma",
            "digamma",
            "trigamma",
            "tetragamma",
        )
    ),
    _plain("sqrt", 1, "float", "sqrt({0})"),
    _plain("sigmoid", 1, "float", "(1.0f / (1.0f + exp_f32(-{0})))"),
    _plain("softplus", 1, "float", "(max({0}, 0.0f) + log1p_f32(exp_f32(-abs({0}))))"),
    *(_plain(name, 2, "float", f"{name}_f32({{0}}, {{1}})") for name in ("atan2", "copysign", "hypot")),
    *(
        Function(name, 1, "float", {"*": f"{name}({{0}})"}, "bool")
        for name in ("is_nan", "is_inf", "is_finite")
    ),
    Function(
        "signbit",
        1,
        "number",
        {"f32": "(bitcast<u32>({0}) >> 31u != 0u)", "i32": "({0} < 0i)", "u32": "({0} != {0})"},
        "bool",
    ),
    _test("eq", "({0} == {1})"),
    _test("ne", "({0} != {1})"),
    _test("lt", "({0} < {1})", bool="(!{0} && {1})"),
    _test("le", "({0} <= {1})", bool="(!{0} || {1})"),
    _test("gt", "({0} > {1})", bool="({0} && !{1})"),
    _test("ge", "({0} >= {1})", bool="({0} || !{1})"),
    Function("and", 2, "bool", {"*": "({0} && {1})"}, "bool"),
    Function("or", 2, "bool", {"*": "({0} || {1})"}, "bool"),
    Function("not", 1, "bool", {"*": "(!{0})"}, "bool"),
    _plain("bit_and", 2, "any", "({0} & {1})"),
    _plain("bit_or", 2, "any", "({0} | {1})"),
    _plain("bit_xor", 2, "any", "({0} ^ {1})", bool="({0} != {1})"),
    _plain("bit_not", 1, "any", "(~{0})", bool="(!{0})"),
    _plain(
        "shl",
        2,
        "number",
        "shl_u32({0}, {1})",
        i32="bitcast<i32>(shl_u32(bitcast<u32>({0}), bitcast<u32>({1})))",
    ),
    _plain("shr", 2, "number", "shr_u32({0}, {1})", i32="shr_i32({0}, {1})"),
    _plain("popcount", 1, "number", "countOneBits({0})"),
    _plain("reverse_bits", 1, "number", "reverseBits({0})"),
    _plain("clz", 1, "number", "countLeadingZeros({0})"),
    _plain("ctz", 1, "number", "countTrailingZeros({0})"),
    *(
        _plain(name, 1, "number", f"{name}({{0}})")
        for name in ("gray_decode", "spread2", "spread3", "gather2", "gather3")
    ),
    _plain("where", 3, "choice", "select({2}, {1}, {0})"),
)
_LONG = {
    **{name: f"{name}_i64({{0}}, {{1}})" for name in ("add", "sub", "mul", "pow", "shl", "shr")},
    **{name: f"{name}_i64({{0}})" for name in ("neg", "abs", "sign")},
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), "{0}"),
    "maximum": "maximum_i64({0}, {1})",
    "minimum": "minimum_i64({0}, {1})",
    "floor_divide": "floor_div_i64({0}, {1})",
    "trunc_divide": "trunc_div_i64({0}, {1})",
    "remainder": "remainder_i64({0}, {1})",
    "fmod": "fmod_i64({0}, {1})",
    "signbit": "is_negative({0})",
    "eq": "all({0} == {1})",
    "ne": "any({0} != {1})",
    "lt": "lt_i64({0}, {1})",
    "le": "(!lt_i64({1}, {0}))",
    "gt": "lt_i64({1}, {0})",
    "ge": "(!lt_i64({0}, {1}))",
}
"""How WGSL writes functions of i64, pairs of u32, where that differs from other dtypes."""
FUNCTIONS = {
    row.name: replace(row, wgsl={**row.wgsl, "i64": _LONG[row.name]}) if row.name in _LONG else row
    for row in ROWS
}

_PLAIN = {
    ("bool", "u32"): "select(0u, 1u, {0})",
    ("bool", "i32"): "select(0i, 1i, {0})",
    ("bool", "i64"): "vec2<u32>(select(0u, 1u, {0}), 0u)",
    ("bool", "f32"): "select(0.0f, 1.0f, {0})",
    ("u32", "bool"): "({0} != 0u)",
    ("u32", "i32"): "bitcast<i32>({0})",
    ("u32", "i64"): "vec2<u32>({0}, 0u)",
    ("u32", "f32"): "f32({0})",
    ("i32", "bool"): "({0} != 0i)",
    ("i32", "u32"): "bitcast<u32>({0})",
    ("i32", "i64"): "i64_of_i32({0})",
    ("i32", "f32"): "f32({0})",
    ("i64", "bool"): "any({0} != vec2<u32>())",
    ("i64", "u32"): "{0}.x",
    ("i64", "i32"): "bitcast<i32>({0}.x)",
    ("i64", "f32"): "f32_of_i64({0})",
    ("f32", "bool"): "truth_f32({0})",
    ("f32", "u32"): "u32_of_f32({0})",
    ("f32", "i32"): "i32_of_f32({0})",
    ("f32", "i64"): "i64_of_f32({0})",
    **{(name, name): "{0}" for name in ("bool", "u32", "i32", "i64", "f32")},
}
_NARROWED = {
    "u8": "({0} & 0xffu)",
    "i8": "extractBits({0}, 0u, 8u)",
    "u16": "({0} & 0xffffu)",
    "i16": "extractBits({0}, 0u, 16u)",
    "f16": "to_f16({0})",
    "bf16": "to_bf16({0})",
}
"""The number of a packed dtype that another of its register's dtype becomes."""
_SATURATED = {
    "u8": "min({0}, 255u)",
    "i8": "clamp({0}, -128i, 127i)",
    "u16": "min({0}, 65535u)",
    "i16": "clamp({0}, -32768i, 32767i)",
}
"""The same of an integer that was a float."""


def _cast(start: str, to: str) -> str:
    """How WGSL converts what a kernel has read as `start` to `to`."""
    begin, end = register(start), register(to)
    narrowed = (_SATURATED if begin == "f32" else {}).get(to) or _NARROWED.get(to, "{0}")
    return narrowed.format(_PLAIN[begin, end])


CASTS = {(start, to): _cast(start, to) for start in BY_NAME for to in BY_NAME}
"""How WGSL converts from one dtype to another. Between integers bits are kept; floats saturate, NaN gives 0.

What a kernel has read is of its register's dtype, with a value that its own has.
"""
