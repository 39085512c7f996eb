"""The small integer constants that size arrays and workgroups.

Owns the evaluation of literals, module-scope constants and the operators of integers. Every value on the way must
lie in 0 up to 2^31, where `u32`, `i32` and abstract integers agree, so that no compiler can make another number of
the same text. What is beyond that (negative numbers, calls, floats) is refused, not guessed. Recurses only from a
constant into the constants that it names, to a stated depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from shaders.errors import KernelgateError
from shaders.limits import Limits
from shaders.source import KernelLimitError, KernelUnsupportedError
from shaders.tree import Module, Span, aliased

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]{1,8}|0|[1-9][0-9]{0,9})[iu]?")
_END = 1 << 31
_CASTS = frozenset(["u32", "i32"])
_OPERATORS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "|": (1, lambda x, y: x | y),
    "^": (2, lambda x, y: x ^ y),
    "&": (3, lambda x, y: x & y),
    "<<": (4, lambda x, y: x << y if y < 32 else -1),
    ">>": (4, lambda x, y: x >> y if y < 32 else -1),
    "+": (5, lambda x, y: x + y),
    "-": (5, lambda x, y: x - y),
    "*": (6, lambda x, y: x * y),
    "/": (6, lambda x, y: x // y if y else -1),
    "%": (6, lambda x, y: x % y if y else -1),
}
"""Of each operator, how tightly it binds and what it does; -1 for what has no value."""


class Constants:
    """Evaluates integer constant expressions of one module, each named constant once."""

    def __init__(self, module: Module, limits: Limits) -> None:
        self._module = module
        self._limits = limits
        self._known: dict[str, int] = {}

    def value(self, span: Span, depth: int = 0) -> int:
        """The integer that the tokens of `span` make, in 0 up to 2^31.

        Raises `KernelUnsupportedError` at the token that is in the way, `KernelLimitError` on constants that are
        defined by constants too often.
        """
        if depth > self._limits.type_depth:
            message = f"constants refer to constants more than {self._limits.type_depth} deep"
            raise self._module.error(KernelLimitError, span[0], message)
        return _Expression(self, self._module, span, depth).run()

    def named(self, token: int, depth: int) -> int:
        """The value of the constant that the token at `token` names."""
        name = self._module.tokens[token].text
        declaration = self._module.declarations.get(name)
        if declaration is not None and declaration.keyword == "override":
            raise self._module.error(
                KernelUnsupportedError,
                token,
                f"'{name}' is an override; sizes must be constants",
                "Use `const` instead of `override`.",
            )
        if declaration is None or declaration.keyword != "const" or declaration.value is None:
            raise self.refuse(token)
        if declaration.type is not None and aliased(self._module, declaration.type) not in _CASTS:
            raise self.refuse(token)
        if name not in self._known:
            self._known[name] = self.value(declaration.value, depth + 1)
        return self._known[name]

    def refuse(self, token: int) -> KernelgateError:
        """The error for what is not evaluated here."""
        return self._module.error(
            KernelUnsupportedError,
            token,
            "this is not a plain integer constant",
            "Sizes and numbers of bindings may use integer literals, module-scope constants and the operators"
            " + - * / % << >> & | ^, with values from 0 to 2147483647.",
        )


class _Expression:
    """One expression, by operator precedence with two stacks."""

    def __init__(self, constants: Constants, module: Module, span: Span, depth: int) -> None:
        self.constants = constants
        self.tokens = module.tokens
        self.begin, self.end = span
        self.depth = depth
        self.values: list[int] = []
        self.waiting: list[tuple[str, int]] = []
        """Operators and brackets whose right side is not read, with their tokens."""

    def run(self) -> int:
        index, operand = self.begin, True
        while index < self.end:
            operand, index = self.operand(index) if operand else self.operator(index)
        if operand:
            raise self.constants.refuse(index)
        self.apply(0)
        if self.waiting:
            raise self.constants.refuse(self.waiting[-1][1])
        return self.values[0]

    def operand(self, index: int) -> tuple[bool, int]:
        """Take in the token at `index`; whether an operand is still due, and the next index."""
        token = self.tokens[index]
        if token.text in _CASTS and self.tokens[index + 1].text == "(":
            return True, index + 1
        if token.text == "(":
            self.waiting.append(("(", index))
            return True, index + 1
        if token.kind == "number":
            match = _INTEGER.fullmatch(token.text)
            if match is None:
                raise self.constants.refuse(index)
            self.push(int(match[1], 0), index)
        elif token.kind == "name":
            self.push(self.constants.named(index, self.depth), index)
        else:
            raise self.constants.refuse(index)
        return False, index + 1

    def operator(self, index: int) -> tuple[bool, int]:
        """Take in the operator at `index`; whether an operand is due, and the next index."""
        text, after = self.tokens[index].text, index + 1
        if text == ")":
            self.apply(0)
            if not self.waiting:
                raise self.constants.refuse(index)
            self.waiting.pop()
            return False, after
        if text == ">" and self.tokens[after].text == ">":
            text, after = ">>", after + 1
        if text not in _OPERATORS:
            raise self.constants.refuse(index)
        self.apply(_OPERATORS[text][0])
        self.waiting.append((text, index))
        return True, after

    def apply(self, rank: int) -> None:
        """Apply the waiting operators that bind at least as tightly as `rank`, back to the last bracket."""
        while self.waiting and self.waiting[-1][0] != "(" and _OPERATORS[self.waiting[-1][0]][0] >= rank:
            text, token = self.waiting.pop()
            right, left = self.values.pop(), self.values.pop()
            self.push(_OPERATORS[text][1](left, right), token)

    def push(self, value: int, token: int) -> None:
        if not 0 <= value < _END:
            raise self.constants.refuse(token)
        self.values.append(value)
