"""The types that a signed operand is made of, and what becomes of them in expressions.

Owns the rules of types that WGSL's operators and built-in functions keep, as far as `i32` needs them: a type that is
not certain is None. Must not know tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shaders import layout
from shaders.layout import Type

I32 = layout.scalar("i32")
LITERAL = Type("scalar", "integer", 4, 4)
"""The type of `5`: that of what it meets, and where it meets nothing `i32`."""
_DECIMAL_OR_HEX = re.compile(r"(?:0[xX][0-9a-fA-F]+|[0-9]+)(i?)")
_LIKE_FIRST = {
    **dict.fromkeys(["abs", "sign", "countOneBits", "reverseBits", "workgroupUniformLoad"], 1),
    **dict.fromkeys(["countLeadingZeros", "countTrailingZeros", "firstLeadingBit", "firstTrailingBit"], 1),
    **dict.fromkeys(["atomicLoad", "atomicAdd", "atomicSub", "atomicMax", "atomicMin"], 1),
    **dict.fromkeys(["atomicAnd", "atomicOr", "atomicXor", "atomicExchange", "extractBits"], 1),
    **dict.fromkeys(["min", "max", "select", "insertBits"], 2),
    "clamp": 3,
}
"""Of each built-in function that gives a value of its first arguments' type, how many these are."""
_VECTORS = {f"vec{count}": count for count in (2, 3, 4)}
CALLS = frozenset([*_LIKE_FIRST, *_VECTORS, "array", "dot"])
"""What `called` knows."""


def is_signed(type_: Type | None) -> bool:
    """Whether it is sure that `type_` is `i32` or a vector of it."""
    return type_ is not None and type_.kind in ("scalar", "vector") and type_.scalar == "i32"


def signed(count: int) -> Type:
    """`i32`, or the vector of `count` of them."""
    return I32 if count == 1 else layout.vector(count, "i32", f"vec{count}<i32>")


def number(text: str) -> Type | None:
    """The type of a literal."""
    match = _DECIMAL_OR_HEX.fullmatch(text)
    return None if match is None else I32 if match[1] else LITERAL


def concrete(type_: Type | None) -> Type | None:
    """The type of a variable whose value has the type `type_`."""
    return I32 if type_ is LITERAL else type_


def joined(left: Type | None, right: Type | None) -> Type | None:
    """The type of `left + right`: a vector and a number give a vector, and what is unknown may be one."""
    if left is LITERAL or right is LITERAL:
        return right if left is LITERAL else left
    if left is None or right is None:
        known = left or right
        return known if is_signed(known) and known != I32 else None
    if is_signed(left) and is_signed(right):
        wide, narrow = (left, right) if left.count >= right.count else (right, left)
        return wide if narrow.count in (wide.count, I32.count) else None
    return left if left == right else None


def part(type_: Type | None, name: str) -> Type | None:
    """The type of `.name`."""
    if type_ is not None and type_.kind == "struct":
        return next((member.type for member in type_.members if member.name == name), None)
    return signed(len(name)) if is_signed(type_) else None


def element(type_: Type | None) -> Type | None:
    """The type of `[…]`."""
    return I32 if is_signed(type_) else None if type_ is None else type_.element


def called(name: str, arguments: Sequence[Type | None]) -> Type | None:
    """The type that the built-in function `name`, one of `CALLS`, gives for arguments of these types."""
    like = arguments[: _LIKE_FIRST.get(name, len(arguments))]
    held = I32 if any(each is not None and each.scalar == "i32" for each in like) else None
    if name in _VECTORS:
        return signed(_VECTORS[name]) if held else None
    if name == "array":
        return layout.array(held, len(arguments)) if held in arguments and held else None
    if name == "dot" or name.startswith("atomic"):
        return held
    certain = next((each for each in like if is_signed(each)), None)
    return certain or (LITERAL if like and all(each is LITERAL for each in like) else None)
