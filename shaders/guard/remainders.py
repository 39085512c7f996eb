"""Signed `%` by division: drivers give what they like for it where an operand is negative.

Owns what is written in its place. naga makes `OpSRem` of it, and Vulkan leaves the result open there (NVIDIA computes
without signs: gfx-rs/wgpu#8191); `a / b` is right everywhere.
"""

from __future__ import annotations

from shaders.guard import names
from shaders.guard.edits import Edits
from shaders.guard.expressions import Remainder
from shaders.layout import Type
from shaders.tree import Module


def write(module: Module, remainders: list[Remainder], edits: Edits) -> None:
    """Make calls of `remainders`."""
    tokens = module.tokens
    for each in remainders:
        operator, name = tokens[each.operator], _name(each.type)
        convert, close = ("", ")") if each.type.kind == "scalar" else (f"{_text(each.type)}(", "))")
        call, between = f"{name}({convert}", f"{close[1:]}, {convert}" if convert else ","
        start, end = tokens[each.begin].start, tokens[each.end - 1].end
        if operator.text == "%":
            edits.replace(operator.start, operator.end, between)
            edits.wrap(start, end, call, close)
        else:
            left = module.text((each.begin, each.operator))
            edits.replace(operator.start, operator.end, f"= {call}{left}{between}")
            edits.wrap(operator.end, end, "", close)


def functions(remainders: list[Remainder]) -> str:
    """The functions that `remainders` call."""
    types = {_text(each.type): each.type for each in remainders}
    return "".join(_function(types[text]) for text in sorted(types))


def _function(type_: Type) -> str:
    """`a % b` as WGSL has it: 0 for `b == 0`; the smallest number by -1 is 0 too, since division gives it back."""
    text = _text(type_)
    return (
        f"fn {_name(type_)}(a: {text}, b: {text}) -> {text}"
        f" {{ return select(a - a / b * b, {text}(), b == {text}()); }}\n"
    )


def _text(type_: Type) -> str:
    return "i32" if type_.kind == "scalar" else f"vec{type_.count}<i32>"


def _name(type_: Type) -> str:
    return names.REMAINDER if type_.kind == "scalar" else f"{names.REMAINDER}{type_.count}"
