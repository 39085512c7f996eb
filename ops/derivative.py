"""Derivatives of expressions, as expressions.

Owns the rule of each function and the algebra that keeps results short. Must not know rows: `ops/gradient.py` makes
rows of derivatives.
"""

from __future__ import annotations

from functools import cache

from ops.expression import ABSENT, Call, ExpressionError, Name, Number, Text, Tree, parse
from ops.functions import FUNCTIONS

_RULES: dict[str, tuple[str, ...]] = {
    "add": ("1", "1"),
    "sub": ("1", "-1"),
    "mul": ("b", "a"),
    "div": ("1 / b", "-(a / b) / b"),
    "pow": (
        "0.0 if b == 0 else b * a ** (b - 1)",
        "0.0 if a == 0 and b >= 0 else a ** b * log(a)",
    ),
    "neg": ("-1",),
    "abs": ("sign(a)",),
    "maximum": ("0.5 if a == b else 0.0 if a < b else 1.0", "0.5 if a == b else 0.0 if b < a else 1.0"),
    "minimum": ("0.5 if a == b else 0.0 if a > b else 1.0", "0.5 if a == b else 0.0 if b > a else 1.0"),
    "exp": ("exp(a)",),
    "exp2": ("exp2(a) * 0.6931471805599453",),
    "expm1": ("exp(a)",),
    "log": ("1 / a",),
    "log2": ("1.4426950408889634 / a",),
    "log10": ("0.4342944819032518 / a",),
    "log1p": ("1 / (1 + a)",),
    "sqrt": ("0.5 / sqrt(a)",),
    "tanh": ("1 - tanh(a) * tanh(a)",),
    "sinh": ("cosh(a)",),
    "cosh": ("sinh(a)",),
    "asinh": ("1 / sqrt(a * a + 1)",),
    "acosh": ("1 / sqrt(a * a - 1)",),
    "atanh": ("1 / (1 - a * a)",),
    "sin": ("cos(a)",),
    "cos": ("-sin(a)",),
    "tan": ("1 + tan(a) * tan(a)",),
    "asin": ("1 / sqrt(1 - a * a)",),
    "acos": ("-1 / sqrt(1 - a * a)",),
    "atan": ("1 / (1 + a * a)",),
    "sinpi": ("3.141592653589793 * cos(3.141592653589793 * a)",),
    "remainder": ("1", "-(a // b)"),
    "fmod": ("1", "-round((a - fmod(a, b)) / b)"),
    "copysign": ("copysign(1.0, a) * copysign(1.0, b)", "0"),
    "atan2": ("b / (a * a + b * b)", "-a / (a * a + b * b)"),
    "hypot": ("0.0 if hypot(a, b) == 0 else a / hypot(a, b)", "0.0 if hypot(a, b) == 0 else b / hypot(a, b)"),
    "erf": ("1.1283791670955126 * exp(-(a * a))",),
    "erfc": ("-1.1283791670955126 * exp(-(a * a))",),
    "erfinv": ("0.886226925452758 * exp(erfinv(a) * erfinv(a))",),
    "lgamma": ("digamma(a)",),
    "digamma": ("trigamma(a)",),
    "trigamma": ("tetragamma(a)",),
    "sigmoid": ("sigmoid(a) * sigmoid(-a)",),
    "softplus": ("sigmoid(a)",),
    **dict.fromkeys(("floor", "ceil", "round", "trunc", "sign", "signbit"), ("0",)),
    **dict.fromkeys(("floor_divide", "trunc_divide"), ("0", "0")),
}
"""The derivative of each function of floats by each of its arguments, which are called `a` and `b`."""
ZERO, ONE = Number(0), Number(1)


def derivative(tree: Tree, name: str) -> Tree:
    """The derivative of `tree` by the input `name`; ZERO where it does not depend on it.

    Raises `ExpressionError` for a function of floats that has no rule.
    """
    match tree:
        case Name(own):
            return ONE if own == name else ZERO
        case Call("where", (test, yes, no)):
            parts = derivative(yes, name), derivative(no, name)
            return ZERO if parts == (ZERO, ZERO) else Call("where", (test, *parts))
        case Call(function, args) if function in _RULES:
            total: Tree = ZERO
            for rule, arg in zip(_RULES[function], args, strict=True):
                inner = derivative(arg, name) if rule != "0" else ZERO
                if inner != ZERO:
                    total = add(total, multiply(_applied(rule, args), inner))
            return total
        case Call(function, args) if function != ABSENT and FUNCTIONS[function].gives == "same":
            if any(derivative(arg, name) != ZERO for arg in args):
                raise ExpressionError(f"the function {function}() has no derivative here")
    return ZERO


def add(left: Tree, right: Tree) -> Tree:
    """`left + right`, without a 0."""
    return right if left == ZERO else left if right == ZERO else Call("add", (left, right))


def multiply(left: Tree, right: Tree) -> Tree:
    """`left * right`, without a 1."""
    return right if left == ONE else left if right == ONE else Call("mul", (left, right))


def scaled(tree: Tree, factor: Tree) -> Tree:
    """`factor * tree`, inside its branches: an infinite factor makes nothing of the 0 of a branch."""
    match tree:
        case Call("where", (test, yes, no)) if not _is_asked_of_attributes(test):
            return Call("where", (test, scaled(yes, factor), scaled(no, factor)))
    return ZERO if tree == ZERO else multiply(factor, tree)


def _is_asked_of_attributes(test: Tree) -> bool:
    """Whether the test is decided when the tree is bound: what is left must not be the bare factor."""
    return isinstance(test, Call) and test.function == ABSENT


def _applied(rule: str, args: tuple[Tree, ...]) -> Tree:
    return substitute(_parsed(rule), dict(zip("ab", args, strict=False)))


@cache
def _parsed(rule: str) -> Tree:
    return parse(rule)


def substitute(tree: Tree, values: dict[str, Tree]) -> Tree:
    """`tree` with trees in place of names."""
    match tree:
        case Name(name):
            return values.get(name, tree)
        case Call(function, args):
            return Call(function, tuple(substitute(arg, values) for arg in args))
    return tree


_KEYWORDS = {"and": "({} and {})", "or": "({} or {})", "not": "(not {})", ABSENT: "({} is None)"}


def text(tree: Tree) -> str:
    """Python text that `parse` makes into `tree`."""
    match tree:
        case Name(name):
            return name
        case Number(value) | Text(value):
            return repr(value)
        case Call("where", (test, yes, no)):
            return f"({text(yes)} if {text(test)} else {text(no)})"
        case Call("eq", (Name(name), Text(value))):
            return f"({name} == {value!r})"
        case Call(function, args):
            parts = list(map(text, args))
            return _KEYWORDS.get(function, f"{function}({', '.join(['{}'] * len(args))})").format(*parts)
    raise AssertionError(tree)
