"""Rows that compute with the bits of integers."""

from __future__ import annotations

from ops.spec import INTEGERS, Attribute, OpSpec

_WHOLE = (*INTEGERS, "bool")


def _bitwise(name: str, symbol: str, operator: str, doc: str, *aliases: str) -> OpSpec:
    dtypes = INTEGERS if "shift" in name else _WHOLE
    return OpSpec(
        name, "elementwise", ("x", "y"), doc, f"x {symbol} y", aliases, (), dtypes, operator=operator
    )


def _bits(name: str, inputs: tuple[str, ...], expression: str, doc: str, *attributes: Attribute) -> OpSpec:
    dtypes = ("u32", "i32") if name in ("popcount", "reverse_bits", "clz", "ctz") else ("u32",)
    return OpSpec(name, "elementwise", inputs, doc, expression, (), attributes, dtypes, namespace="bits")


ROWS = (
    _bitwise("bitwise_and", "&", "__and__", "The bits that both have; on bools, and."),
    _bitwise("bitwise_or", "|", "__or__", "The bits that either has; on bools, or."),
    _bitwise("bitwise_xor", "^", "__xor__", "The bits that one of the two has; on bools, whether they differ."),
    OpSpec(
        "bitwise_not",
        "elementwise",
        ("x",),
        "The bits that `x` lacks; on bools, not.",
        "~x",
        dtypes=_WHOLE,
        operator="__invert__",
    ),
    _bitwise(
        "left_shift", "<<", "__lshift__", "Bits moved up; by 32 or more (64 of i64), and by less than 0, gives 0.",
        "bitwise_left_shift",
    ),
    _bitwise(
        "right_shift", ">>", "__rshift__",
        "Bits moved down, signed numbers keep their sign; by 32 or more (64 of i64), and by less than 0, as by all.",
        "bitwise_right_shift",
    ),
    _bits("popcount", ("x",), "popcount(x)", "How many bits are 1."),
    _bits("reverse_bits", ("x",), "reverse_bits(x)", "The bits in the opposite order."),
    _bits("clz", ("x",), "clz(x)", "How many bits above the highest 1; 32 for 0."),
    _bits("ctz", ("x",), "ctz(x)", "How many bits below the lowest 1; 32 for 0."),
    _bits("gray_encode", ("x",), "x ^ (x >> 1)", "The Gray code of a number."),
    _bits("gray_decode", ("x",), "gray_decode(x)", "The number of a Gray code."),
    _bits(
        "morton2", ("x", "y"), "spread2(x) | (spread2(y) << 1)",
        "The Morton code of two coordinates: their lowest 16 bits interleaved, `x` first.",
    ),
    _bits(
        "morton3", ("x", "y", "z"), "spread3(x) | (spread3(y) << 1) | (spread3(z) << 2)",
        "The Morton code of three coordinates: their lowest 10 bits interleaved, `x` first.",
    ),
    _bits(
        "morton2_decode", ("x",), "gather2(x) if axis == 'x' else gather2(x >> 1)",
        "A coordinate of a Morton code of two.", Attribute("axis", "text", "x", ("x", "y")),
    ),
    _bits(
        "morton3_decode", ("x",),
        "gather3(x) if axis == 'x' else gather3(x >> 1) if axis == 'y' else gather3(x >> 2)",
        "A coordinate of a Morton code of three.", Attribute("axis", "text", "x", ("x", "y", "z")),
    ),
)  # fmt: skip
