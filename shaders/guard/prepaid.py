"""Counting loops that can be paid for before they begin, so that their bodies hold no check.

Owns one proof: that `B - A` is how often `for (var i = A; i < B; i++)` turns, whenever A and B are integers that are
worked out without side effects and do not change on the way. Nothing but its condition may leave the loop.
"""

from __future__ import annotations

from shaders.guard.counting import Counting, is_written
from shaders.pointers import is_pointer
from shaders.tree import Function, Loop, Module, Span

_OPERATORS = frozenset(["+", "-", "*", "/", "%", "|", "^", "~", "<<", "(", ")", ",", ".", "[", "]"])
_PURE = frozenset(["u32", "i32", "min", "max", "clamp", "abs", "arrayLength"])
_ONE = frozenset(["1u", "1i"])


def is_prepaid(module: Module, function: Function, loop: Loop, count: Counting | None, is_left: bool) -> bool:
    """Whether `count`, the form of `loop`, says how often it turns; `is_left`: by `break` or `return` too."""
    if count is None or count.is_inclusive or is_left:
        return False
    if module.tokens[loop.keyword - 1].text not in (";", "{", "}"):  # an attribute belongs to the loop
        return False
    if count.step is not None and module.text(count.step) not in _ONE:  # a literal 1 may be a float
        return False
    around = (loop.keyword, loop.close)
    return _is_fixed(module, function, count.first, around) and _is_fixed(
        module, function, count.last, around
    )


def _is_fixed(module: Module, function: Function, span: Span, around: Span) -> bool:
    """Whether an expression has no side effects, and the same value before and anywhere in the loop `around`."""
    tokens = module.tokens
    for index in range(*span):
        token, before = tokens[index], tokens[index - 1]
        is_length = tokens[index - 2 - (token.kind == "name")].text == "arrayLength"
        if token.text == "&" or (token.kind == "name" and before.text == "&"):
            if not is_length:
                return False
        elif token.kind == "name":
            if before.text != "." and not _is_fixed_name(module, function, index, around):
                return False
        elif token.text == "*" and before.kind not in ("name", "number") and before.text not in (")", "]"):
            return False  # what a pointer leads to
        elif token.kind != "number" and token.text not in _OPERATORS:
            return False
    return span[0] < span[1]


def _is_fixed_name(module: Module, function: Function, index: int, around: Span) -> bool:
    """Whether the name at `index` stays the same, whichever of the things that bear it in `function` is meant."""
    name, after = module.tokens[index].text, module.tokens[index + 1].text
    local = [each for each in function.locals if each.name == name]
    parameter = next((each for each in function.parameters if each.name == name), None)
    declaration = module.declarations.get(name)
    if local:
        is_part = after in (".", "[")  # which a pointer has too, and no `let` tells whether it is one
        hides = any(each.keyword == "let" for each in local) and is_part
        if hides or is_written(module, around, name) or _is_lent(module, function, name):
            return False
    if parameter is not None and is_pointer(module, parameter.type):
        return False
    if declaration is not None:
        return declaration.keyword in ("const", "override") or declaration.space == "uniform"
    is_value = bool(local) or parameter is not None
    return is_value or (name in _PURE and after == "(" and not module.declares(name))


def _is_lent(module: Module, function: Function, name: str) -> bool:
    """Whether the address of local `name` may be taken somewhere in `function`."""
    tokens = module.tokens
    for index in range(*function.braces):
        if tokens[index].text in ("&", "&&"):
            index += 1
            while tokens[index].text == "(":
                index += 1
            if tokens[index].text == name:
                return True
    return False
