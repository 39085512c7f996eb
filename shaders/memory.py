"""How much memory a kernel asks for besides its bindings.

Owns the sums over workgroup, private and function variables, and the limits on arrays that are written out in the
source. Drivers take minutes or gigabytes to compile more than these.
"""

from __future__ import annotations

from shaders.cursor import Cursor
from shaders.layout import Type
from shaders.limits import Limits
from shaders.resolve import Resolver
from shaders.source import KernelLimitError, KernelUnsupportedError
from shaders.tree import Function, Module, Span
from shaders.values import Values

_UNTYPED_BYTES = 16
_WORD = 4


def check_memory(module: Module, resolver: Resolver, sequence: list[str], limits: Limits) -> None:
    """Raise `KernelLimitError` on too much memory or too long an array constructor.

    Every sized type that the kernel mentions is resolved, so one of unknown or excessive size is refused too.
    `sequence` names each declaration after what it refers to.
    """
    totals = {"workgroup": 0, "private": 0}
    allowed = {"workgroup": limits.workgroup_bytes, "private": limits.private_bytes}
    for name in module.structs:
        resolver.named(name, module.structs[name].token)
    for declaration in module.declarations.values():
        if declaration.keyword == "alias" and declaration.value:
            resolver.type(declaration.value)
        if declaration.space in totals:
            size = resolver.type(declaration.type).least_size if declaration.type else _UNTYPED_BYTES
            totals[declaration.space] += size
            _check_total(module, declaration.token, declaration.space, totals, allowed)
    values = Values(module, resolver, sequence)
    constructors = _Constructors(module, resolver, limits)
    for function in module.functions.values():
        names = values.locals(function)
        constructors.check_untyped(values, names, function.braces)
        totals["private"] += _function_bytes(module, function, resolver) + constructors.bytes(function)
        totals["private"] += _WORD * _copied(module, function, values, names, limits)
        _check_total(module, function.token, "private", totals, allowed)
    for declaration in module.declarations.values():
        if declaration.value is not None:
            constructors.check_untyped(values, None, declaration.value)
    constructors.check()


def _check_total(
    module: Module, token: int, space: str, totals: dict[str, int], allowed: dict[str, int]
) -> None:
    if totals[space] > allowed[space]:
        what = "workgroup memory" if space == "workgroup" else "private and function variables"
        message = f"the kernel has {totals[space]} bytes of {what}; the limit is {allowed[space]}"
        raise module.error(KernelLimitError, token, message)


def _function_bytes(module: Module, function: Function, resolver: Resolver) -> int:
    """Bytes of the variables of `function`; one without a type gets its size from its constructor, if it has one."""
    total = 0
    hidden = local_names(function)
    for local in function.locals:
        if local.type is not None:
            refuse_hidden(module, local.type, hidden)
            total += resolver.type(local.type).least_size if local.keyword == "var" else 0
        elif local.keyword == "var":
            total += _UNTYPED_BYTES
    return total


def _copied(
    module: Module, function: Function, values: Values, names: dict[str, Type], limits: Limits
) -> int:
    """How many scalars, at least, are in the large values that `function` copies by `let`, or gets.

    Those that it makes itself count as constructors.
    """
    leaves = [names[parameter.name].leaves for parameter in function.parameters]
    for local in function.locals:
        if local.value is not None and local.type is None:
            name, after = (module.tokens[local.value[0] + place].text for place in range(2))
            if name in module.functions or after not in ("(", "<"):
                leaves.append(values.leaves(local.value, names))
    return sum(each for each in leaves if each > limits.array_elements)


def local_names(function: Function) -> set[str]:
    """Every name that `function` declares."""
    return {local.name for local in function.locals} | {parameter.name for parameter in function.parameters}


def refuse_hidden(module: Module, span: Span, hidden: set[str]) -> None:
    """Refuse a type in a body that mentions a local name: its size would not be the module-scope constant's."""
    for index in range(*span):
        if module.tokens[index].text in hidden and module.tokens[index].kind == "name":
            message = f"'{module.tokens[index].text}' is declared in this function; a type here cannot use it"
            raise module.error(KernelUnsupportedError, index, message)


class _Constructors:
    """The array and struct values that the text makes."""

    def __init__(self, module: Module, resolver: Resolver, limits: Limits) -> None:
        self.module = module
        self.cursor = Cursor(module)
        self.resolver = resolver
        self.limits = limits
        self.aggregates = {
            name for name in [*module.structs, *module.declarations] if self._is_aggregate(name)
        }

    def _is_aggregate(self, name: str) -> bool:
        declaration = self.module.declarations.get(name)
        if declaration is not None and declaration.keyword != "alias":
            return False
        return self.resolver.named(name, 0).kind in ("array", "struct")

    def bytes(self, function: Function) -> int:
        """Bytes of all array and struct values that `function` makes."""
        hidden = local_names(function)
        total = 0
        for index in range(*function.braces):
            if self.cursor.text(index) == "array" and self.cursor.text(index + 1) == "<":
                span = (index, self.cursor.type_end(index))
                refuse_hidden(self.module, span, hidden)
                if self.cursor.text(span[1]) == "(":
                    total += self.resolver.type(span).size
        for call in function.calls:
            if call.name in self.aggregates and call.name not in hidden:
                total += self.resolver.named(call.name, call.token).size
        return total

    def check(self) -> None:
        """Refuse constructors of too many elements, wherever they stand."""
        for index, token in enumerate(self.module.tokens):
            if token.text == "array":
                self._check_one(index)
            elif token.text in self.aggregates and self.cursor.text(index + 1) == "(":
                self._check_elements(index, self.resolver.named(token.text, index))

    def check_untyped(self, values: Values, names: dict[str, Type] | None, span: Span) -> None:
        """Refuse too many elements of arrays within `span` that are written without a type."""
        for index in range(*span):
            if self.cursor.text(index) == "array" and self.cursor.text(index + 1) == "(":
                self._check_count(index, values.leaves((index, self.cursor.skip(index + 1)), names))

    def _check_one(self, index: int) -> None:
        if self.cursor.text(index + 1) == "<":
            end = self.cursor.type_end(index)
            type_ = self.resolver.type((index, end))
            if self.cursor.text(end) == "(":
                self._check_elements(index, type_)

    def _check_elements(self, index: int, type_: Type) -> None:
        self._check_count(index, type_.leaves)

    def _check_count(self, index: int, count: int) -> None:
        if count > self.limits.array_elements:
            raise self.module.error(
                KernelLimitError,
                index,
                f"a value of {count} elements is written out; the limit is {self.limits.array_elements}",
                "Pass the data as a storage binding.",
            )
