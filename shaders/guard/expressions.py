"""The remainders of signed integers in the functions of a kernel.

Owns one walk along the tokens of each body, which joins the types of operands on the way and keeps what is certain. It
builds no tree, and recurses only into brackets.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from shaders.cursor import TEMPLATED, Cursor
from shaders.guard.integers import element, is_signed, joined, number, part
from shaders.guard.scope import Scope
from shaders.layout import Type
from shaders.resolve import TYPE_NAMES, Resolver
from shaders.tokens import STATEMENT_WORDS
from shaders.tree import Module, Span

_PREFIXES = frozenset(["-", "~", "!", "&", "*"])
_FACTORS = frozenset(["*", "/", "%"])
_TERMS = frozenset(["+", "-", "&", "|", "^"])
_TESTS = frozenset(["<", ">", "<=", "==", "!=", "&&", "||"])


@dataclass(frozen=True, slots=True)
class Remainder:
    """`a % b` or `a %= b`, which has `type`: a is the tokens from `begin` up to `operator`, b those up to `end`."""

    begin: int
    operator: int
    end: int
    type: Type


def signed_remainders(module: Module, resolver: Resolver, sequence: list[str]) -> list[Remainder]:
    """The remainders that are certain to be of `i32` or of vectors of it, in the order of their ends.

    Those of constants alone are none of them: they must stay constants. `sequence` names each declaration after what it
    refers to.
    """
    if not any(token.text in ("%", "%=") for token in module.tokens):
        return []
    scope = Scope(module, resolver)
    found: list[Remainder] = []
    for name in sequence:
        function, declaration = module.functions.get(name), module.declarations.get(name)
        if function is not None:
            scope.enter(function)
            reader = _Reader(module, scope, resolver.limits.nesting)
            reader.read((function.braces[0] + 1, function.braces[1]))
            found += reader.remainders
            scope.leave()
        elif declaration is not None and declaration.keyword != "alias":
            reader = _Reader(module, scope, resolver.limits.nesting)
            value = reader.read(declaration.value).type if declaration.value else None
            scope.declare(declaration, value)
    return found


@dataclass(slots=True)
class _Value:
    """What was read: its type, and how deep brackets nest in it once its remainders are calls."""

    type: Type | None = None
    height: int = 0


@dataclass(slots=True)
class _Chain(_Value):
    """Operands with `*`, `/` and `%` between them, from the token `begin` on; `variables` were named before."""

    begin: int = 0
    variables: int = 0


class _Reader(Cursor):
    """Reads one body or one value. Remainders of a value at module scope do not count: no call may stand there."""

    def __init__(self, module: Module, scope: Scope, nesting: int) -> None:
        super().__init__(module)
        self.scope = scope
        self.remainders: list[Remainder] = []
        self._nesting = nesting
        self._depth = 1

    def read(self, span: Span) -> _Value:
        """What stands last in `span`, which may be one expression or many statements."""
        sums, index = _Sum(self), span[0]
        while index < span[1]:
            begin, variables = index, self.scope.variables
            operand, index = self._operand(begin)
            if operand is not None:
                sums.extend(operand, begin, index, variables)
                index = sums.operator(index) if index < span[1] else index
            else:
                sums.finish(begin)
                self._depth += {"{": 1, "}": -1}.get(self.text(begin), 0)
                index += 1
        return sums.finish(index)

    def note(self, begin: int, operator: int, end: int, value: _Value) -> int:
        """Keep a remainder if it is signed, and nests not too deep; how many brackets it adds around its operands."""
        if value.type is None or not is_signed(value.type):
            return 0
        added = 1 if value.type.kind == "scalar" else 2
        if self._depth + value.height + added > self._nesting:
            return 0
        self.remainders.append(Remainder(begin, operator, end, value.type))
        return added

    def _operand(self, index: int) -> tuple[_Value | None, int]:
        """The operand at `index` with what belongs to it, and the index after it; None where there is none."""
        begin, is_bool = index, False
        while self.text(index) in _PREFIXES:
            is_bool |= self.text(index) == "!"
            index += 1
        value, index = self._primary(index)
        if value is None:
            return None, begin
        while self.text(index) in (".", "["):
            if self.text(index) == ".":
                value = _Value(part(value.type, self.text(index + 1)), value.height)
                index += 2
            else:
                inner = self._bracket(index)
                value = _Value(element(value.type), max(value.height, inner.height))
                index = self.partner[index] + 1
        return (_Value(None, value.height) if is_bool else value), index

    def _primary(self, index: int) -> tuple[_Value | None, int]:
        token = self.tokens[index]
        if token.kind == "number":
            return _Value(number(token.text)), index + 1
        if token.text == "(":
            return self._bracket(index), self.partner[index] + 1
        if token.kind != "name" or token.text in STATEMENT_WORDS:
            return None, index
        is_template = token.text in TEMPLATED and self.text(index + 1) == "<"
        after = self.template_end(index + 1) if is_template else index + 1
        if self.text(after) == "(":
            return self._call(index, after), self.partner[after] + 1
        return _Value(self.scope.named(index)), after

    def _bracket(self, opener: int) -> _Value:
        """What stands between the brackets at `opener`."""
        self._depth += 1
        value = self.read((opener + 1, self.partner[opener]))
        self._depth -= 1
        return _Value(value.type, value.height + 1)

    def _call(self, index: int, opener: int) -> _Value:
        """The call at `index`, whose arguments are in the brackets at `opener`."""
        self._depth += 1
        arguments = [self.read(span) for span in self.parts((opener + 1, self.partner[opener]))]
        self._depth -= 1
        height = 1 + max((each.height for each in arguments), default=0)
        return _Value(self.scope.result(index, opener, [each.type for each in arguments]), height)


class _Sum:
    """What was read so far of an expression, on its own level of brackets."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.begin_anew()

    def begin_anew(self) -> None:
        self.total: _Value | None = None
        self.is_settled = False
        """Whether what follows does not tell the type: behind a shift or a comparison."""
        self.chain: _Chain | None = None
        self.factor = -1
        """The `*`, `/` or `%` before the operand at hand; -1 for none."""
        self.assigned: tuple[_Chain, int] | None = None
        """What a `%=` changes, and that `%=`."""

    def extend(self, operand: _Value, begin: int, end: int, variables: int) -> None:
        """Take in the operand from the token `begin` up to `end`; `variables` were named before it."""
        chain = self.chain
        if chain is None or self.factor < 0:
            self.add()
            self.chain = _Chain(operand.type, operand.height, begin, variables)
            return
        chain.type = joined(chain.type, operand.type)
        chain.height = max(chain.height, operand.height)
        is_variable = self.reader.scope.variables > chain.variables
        if self.reader.text(self.factor) == "%" and is_variable:
            chain.height += self.reader.note(chain.begin, self.factor, end, chain)

    def operator(self, index: int) -> int:
        """Take in the operator at `index`, behind an operand; the index after it, or `index` if it is none."""
        text, after = self.reader.text(index), self.reader.text(index + 1)
        is_shift = text == "<<" or text == after == ">"
        self.factor = index if text in _FACTORS else -1
        if text == "%=":
            self.assign(index)
        elif text in _TERMS or text in _TESTS or is_shift:
            self.add()
            if text not in _TERMS and not is_shift and self.total is not None:
                self.total.type = None
            self.is_settled |= text not in _TERMS
        elif text not in _FACTORS:
            return index
        return index + 1 + (text == ">" and after in (">", "="))

    def assign(self, index: int) -> None:
        """Remember what the `%=` at `index` changes, if it may be written twice: it calls only types."""
        chain, self.chain = self.chain, None
        if chain is not None:
            left = self.reader.tokens[chain.begin : index]
            called = {
                name.text for name, after in pairwise(left) if name.kind == "name" and after.text == "("
            }
            is_changed = any(each.end > chain.begin for each in self.reader.remainders[-1:])
            if called <= TYPE_NAMES and not is_changed:
                self.assigned = chain, index

    def add(self) -> None:
        """Take the chain into the sum."""
        chain, total = self.chain, self.total
        self.chain = None
        if chain is not None and total is None:
            self.total = _Value(chain.type, chain.height)
        elif chain is not None and total is not None:
            total.height = max(total.height, chain.height)
            total.type = total.type if self.is_settled else joined(total.type, chain.type)

    def finish(self, index: int) -> _Value:
        """End the expression before the token at `index`: what it comes to."""
        self.add()
        value = self.total or _Value()
        self.reader.scope.end_value(index, value.type)
        if self.assigned is not None:
            left, operator = self.assigned
            if joined(left.type, value.type) == left.type:
                height = max(left.height, value.height)
                self.reader.note(left.begin, operator, index, _Value(left.type, height))
        self.begin_anew()
        return value
