"""What the names in a kernel's functions mean where they stand: each one's type, where that is certain.

Owns the types of variables, constants, parameters and calls: written ones, and those that a first value gives. A
pointer counts as what it leads to, since nothing else can be done with it. Must not know operators.
"""

from __future__ import annotations

from shaders.cursor import Cursor
from shaders.errors import KernelgateError
from shaders.guard.integers import CALLS, called, concrete
from shaders.layout import Type
from shaders.resolve import TYPE_NAMES, Resolver
from shaders.tree import Declaration, Function, Local, Module, Span


class Scope(Cursor):
    """The names of one module, and of the function that was entered last."""

    def __init__(self, module: Module, resolver: Resolver) -> None:
        super().__init__(module)
        self.variables = 0
        """How many names were asked for of what is no constant."""
        self._resolver = resolver
        self._written: dict[str, Type | None] = {}
        """By the text of the type."""
        self._outside: dict[str, Type | None] = {}
        """Of module-scope variables and constants."""
        self._parameters: dict[str, Type | None] = {}
        self._locals: dict[int, Local] = {}
        """By the tokens that name them."""
        self._untyped: dict[int, Local] = {}
        """Those whose type is not written, by the token after their value."""
        self._types: dict[int, Type | None] = {}
        """Of locals, by the token that declares them."""

    def declare(self, declaration: Declaration, value: Type | None) -> None:
        """Take in a declaration at module scope, whose value has the type `value`."""
        if declaration.type is not None:
            value = self.type(declaration.type)
        self._outside[declaration.name] = value if declaration.keyword == "const" else concrete(value)

    def enter(self, function: Function) -> None:
        """Take in the parameters and locals of `function`."""
        self._parameters = {each.name: self.type(each.type) for each in function.parameters}
        self._locals = {use: local for local in function.locals for use in local.uses}
        self._untyped = {each.value[1]: each for each in function.locals if each.value and not each.type}
        self._types = {each.token: self.type(each.type) for each in function.locals if each.type}

    def leave(self) -> None:
        """Be at module scope."""
        self._parameters, self._locals, self._untyped = {}, {}, {}

    def end_value(self, index: int, type_: Type | None) -> None:
        """Note the type of the expression that ends before the token at `index`: it may be a local's."""
        local = self._untyped.get(index)
        if local is not None:
            self._types[local.token] = type_ if local.keyword == "const" else concrete(type_)

    def named(self, index: int) -> Type | None:
        """The type of what the name at `index` means."""
        name, local = self.text(index), self._locals.get(index)
        if local is not None:
            self.variables += local.keyword != "const"
            return self._types.get(local.token)
        if name in self._parameters:
            self.variables += 1
            return self._parameters[name]
        declaration = self.module.declarations.get(name)
        self.variables += declaration is not None and declaration.keyword in ("var", "override")
        return self._outside.get(name)

    def result(self, index: int, opener: int, arguments: list[Type | None]) -> Type | None:
        """The type that the call at `index` gives; its template, if it has one, ends before the bracket at `opener`."""
        name, module = self.text(index), self.module
        function, declaration = module.functions.get(name), module.declarations.get(name)
        if function is not None:
            self.variables += 1
            return self.type(function.result) if function.result else None
        if name == "bitcast":
            return self.type((index + 2, opener - 1))
        if name in CALLS and opener == index + 1 and not module.declares(name):
            return called(name, arguments)
        is_alias = declaration is not None and declaration.keyword == "alias"
        return (
            self.type((index, opener)) if is_alias or name in TYPE_NAMES or name in module.structs else None
        )

    def type(self, span: Span) -> Type | None:
        """The type that is written at `span`."""
        text = self.module.text(span)
        if text not in self._written:
            self._written[text] = self._resolved(span)
        return self._written[text]

    def _resolved(self, span: Span) -> Type | None:
        parts = self.parts((span[0] + 2, span[1] - 1)) if self.text(span[0]) == "ptr" else []
        try:
            return self._resolver.type(parts[1] if len(parts) > 1 else span)
        except KernelgateError:
            return None
