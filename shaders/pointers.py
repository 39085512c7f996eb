"""The rule about pointers that are passed to functions.

Owns one check: naga, the compiler behind wgpu, aborts the whole process on a pointer to a part of a variable
(`&x[i]`, `&x.m`) that is passed to a function, directly or by way of `let`. So a pointer that is passed must be
`&variable`, a parameter, or a `let` of one of these; every other form is refused, not searched for.
"""

from __future__ import annotations

from shaders.cursor import Cursor
from shaders.source import KernelUnsupportedError
from shaders.tree import Call, Function, Module, Span, aliased


def check_pointers(module: Module) -> None:
    """Raise `KernelUnsupportedError` on a pointer argument of any other form."""
    pointers = {name: _pointer_parameters(module, function) for name, function in module.functions.items()}
    cursor = Cursor(module)
    for function in module.functions.values():
        whole = _whole_pointers(module, function, pointers[function.name])
        for call in function.calls:
            for position in pointers.get(call.name, {}).values():
                _check_argument(cursor, call, position, whole)


def _pointer_parameters(module: Module, function: Function) -> dict[str, int]:
    """The parameters of pointer type, with their positions."""
    return {
        parameter.name: position
        for position, parameter in enumerate(function.parameters)
        if is_pointer(module, parameter.type)
    }


def is_pointer(module: Module, type_: Span) -> bool:
    """Whether a type is `ptr<…>`, by way of aliases too."""
    return aliased(module, type_) == "ptr"


def _whole_pointers(module: Module, function: Function, parameters: dict[str, int]) -> set[str]:
    """The local names of which every declaration is a pointer to a whole variable."""
    whole, other = set(parameters), set[str]()
    for local in function.locals:
        is_whole = local.value is not None and _is_whole(module, local.value, whole - other)
        (whole if local.keyword == "let" and is_whole else other).add(local.name)
    return whole - other


def _is_whole(module: Module, span: Span, whole: set[str]) -> bool:
    begin, end = span
    while end - begin > 2 and module.partner[begin] == end - 1:
        begin, end = begin + 1, end - 1
    if end - begin == 1:
        return module.tokens[begin].text in whole
    return end - begin == 2 and module.tokens[begin].text == "&" and module.tokens[begin + 1].kind == "name"


def _check_argument(cursor: Cursor, call: Call, position: int, whole: set[str]) -> None:
    opener = call.token + 1
    arguments = cursor.parts((opener + 1, cursor.partner[opener]))
    if position < len(arguments) and not _is_whole(cursor.module, arguments[position], whole):
        raise cursor.module.error(
            KernelUnsupportedError,
            arguments[position][0],
            f"'{call.name}' gets a pointer that is not to a whole variable",
            "Pass `&variable`, and an index beside it; or copy the part into a variable first.",
        )
