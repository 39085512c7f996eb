"""How large the values are that a kernel makes without saying so: arrays without a type, and copies by `let`.

Owns the types of such values as far as their size hangs on it: what is no array and no struct counts as one scalar. An
array that is written `array(a, a)` has twice what `a` has, so that twenty lines can make a million; compilers take
minutes over some thousand. Each name is typed once, after those that it is made of.
"""

from __future__ import annotations

from shaders import layout
from shaders.cursor import Cursor
from shaders.layout import Type
from shaders.resolve import Resolver
from shaders.tree import Declaration, Function, Local, Module, Span

_ONE = layout.scalar("u32")
_DEEP = 16
_MANY = 1 << 20
"""Untyped arrays within more arrays than the one, or with more leaves than the other, count as flat."""


class Values:
    """Types the values of one module. `sequence` names each declaration after what it refers to."""

    def __init__(self, module: Module, resolver: Resolver, sequence: list[str]) -> None:
        self.module = module
        self._cursor, self._resolver = Cursor(module), resolver
        self._names: dict[str, Type] = {}
        for name in sequence:
            declaration = module.declarations.get(name)
            if declaration is not None and declaration.keyword in ("var", "const"):
                self._names[name] = self._declared(declaration, self._names)

    def locals(self, function: Function) -> dict[str, Type]:
        """The type of each name of a body; of names that are declared twice, the larger."""
        names = dict(self._names)
        for parameter in function.parameters:
            names[parameter.name] = self._resolver.type(parameter.type)
        declared: set[str] = set()
        for local in function.locals:
            type_ = self._declared(local, names)
            if local.name not in declared or type_.leaves > names[local.name].leaves:
                names[local.name] = type_
            declared.add(local.name)
        return names

    def leaves(self, span: Span, names: dict[str, Type] | None = None) -> int:
        """How many scalars, vectors and matrices are in the value that the tokens of `span` make."""
        return self._value(span, self._names if names is None else names).leaves

    def _declared(self, declaration: Declaration | Local, names: dict[str, Type]) -> Type:
        if declaration.type is not None:
            return self._resolver.type(declaration.type)
        return _ONE if declaration.value is None else self._value(declaration.value, names)

    def _value(self, span: Span, names: dict[str, Type]) -> Type:
        begin, end = span
        while end - begin > 2 and self.module.partner[begin] == end - 1:
            begin, end = begin + 1, end - 1
        type_, index = self._primary(begin, names)
        while index < end:
            text = self._cursor.text(index)
            if text == "[":
                type_, index = type_.element or _ONE, self._cursor.skip(index)
            elif text == ".":
                name = self._cursor.text(index + 1)
                type_ = next((member.type for member in type_.members if member.name == name), _ONE)
                index += 2
            else:
                return _ONE
        return type_

    def _primary(self, begin: int, names: dict[str, Type]) -> tuple[Type, int]:
        """What a name, a call, a constructor or brackets are, and the index after them."""
        text, after = self._cursor.text(begin), begin + 1
        if text == "(":
            return self._value((after, self.module.partner[begin]), names), self._cursor.skip(begin)
        if text == "array" and self._cursor.text(after) == "<":
            after = self._cursor.type_end(begin)
            type_ = self._resolver.type((begin, after))
        elif text == "array":
            type_ = self._array(self._cursor.parts((after + 1, self.module.partner[after])), names)
        elif self._cursor.text(after) == "(":
            type_ = self._called(text, begin)
        else:
            type_ = names.get(text, _ONE)
        return type_, self._cursor.skip(after) if self._cursor.text(after) == "(" else after

    def _array(self, parts: list[Span], names: dict[str, Type]) -> Type:
        element = max(
            (self._value(part, names) for part in parts), key=lambda type_: type_.leaves, default=_ONE
        )
        count = max(1, len(parts))
        if element.depth >= _DEEP or count * element.leaves > _MANY:
            element, count = _ONE, min(count * element.leaves, _MANY)
        return Type("array", "", 0, 1, count=count, element=element, depth=element.depth + 1)

    def _called(self, name: str, token: int) -> Type:
        function, declaration = self.module.functions.get(name), self.module.declarations.get(name)
        if function is not None:
            return _ONE if function.result is None else self._resolver.type(function.result)
        if name in self.module.structs or (declaration is not None and declaration.keyword == "alias"):
            return self._resolver.named(name, token)
        return _ONE
