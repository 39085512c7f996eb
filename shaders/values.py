"""How large the values are that a kernel makes without saying so: arrays without a type, and copies by `let`.

Owns an upper bound on the scalars, vectors and matrices in a value, from the text alone. An array that is written
`array(a, a)` has twice what `a` has, so that twenty lines can make a million; compilers take minutes over some
thousand. Each name is weighed once, after those that it is made of.
"""

from __future__ import annotations

from shaders.cursor import Cursor
from shaders.layout import Type
from shaders.resolve import Resolver
from shaders.tree import Declaration, Function, Local, Module, Span

_ONE = (1, 1)
Weight = tuple[int, int]
"""How many leaves a value has, and how many elements its outermost array."""


class Values:
    """Weighs the values of one module. `sequence` names each declaration after what it refers to."""

    def __init__(self, module: Module, resolver: Resolver, sequence: list[str]) -> None:
        self.module = module
        self._cursor, self._resolver = Cursor(module), resolver
        self._names: dict[str, Weight] = {}
        for name in sequence:
            declaration = module.declarations.get(name)
            if declaration is not None and declaration.keyword in ("var", "const"):
                self._names[name] = self._declared(declaration, self._names)

    def locals(self, function: Function) -> dict[str, Weight]:
        """What each name of a body weighs; of names that are declared twice, the more."""
        names = dict(self._names)
        for parameter in function.parameters:
            names[parameter.name] = _of_type(self._resolver.type(parameter.type))
        for local in function.locals:
            known = names.get(local.name, _ONE) if local.name not in self._names else _ONE
            names[local.name] = max(known, self._declared(local, names))
        return names

    def weight(self, span: Span, names: dict[str, Weight] | None = None) -> int:
        """The leaves of the value that the tokens of `span` make."""
        return self._value(span, self._names if names is None else names)[0]

    def _declared(self, declaration: Declaration | Local, names: dict[str, Weight]) -> Weight:
        if declaration.type is not None:
            return _of_type(self._resolver.type(declaration.type))
        return _ONE if declaration.value is None else self._value(declaration.value, names)

    def _value(self, span: Span, names: dict[str, Weight]) -> Weight:
        begin, end = span
        while end - begin > 2 and self.module.partner[begin] == end - 1:
            begin, end = begin + 1, end - 1
        weight, after = self._primary(begin, names)
        if after == end:
            return weight
        text = self._cursor.text(after)
        if text == "[":
            weight = (max(1, weight[0] // weight[1]), 1)
        return weight if text in ("[", ".") else _ONE

    def _primary(self, begin: int, names: dict[str, Weight]) -> tuple[Weight, int]:
        """What a name, a call or a constructor weighs, and the index after it."""
        text, after = self._cursor.text(begin), begin + 1
        if text == "array" and self._cursor.text(after) == "<":
            after = self._cursor.type_end(begin)
            weight = _of_type(self._resolver.type((begin, after)))
        elif text == "array":
            parts = self._cursor.parts((after + 1, self.module.partner[after]))
            weight = (sum(self._value(part, names)[0] for part in parts), max(1, len(parts)))
        elif self._cursor.text(after) == "(":
            weight = self._called(text, begin)
        else:
            weight = names.get(text, _ONE)
        return weight, self._cursor.skip(after) if self._cursor.text(after) == "(" else after

    def _called(self, name: str, token: int) -> Weight:
        function, declaration = self.module.functions.get(name), self.module.declarations.get(name)
        if function is not None:
            return _ONE if function.result is None else _of_type(self._resolver.type(function.result))
        if name in self.module.structs or (declaration is not None and declaration.keyword == "alias"):
            return _of_type(self._resolver.named(name, token))
        return _ONE


def _of_type(type_: Type) -> Weight:
    return max(1, type_.leaves), max(1, type_.count) if type_.kind == "array" else 1
