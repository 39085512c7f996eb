"""What a stranger's kernel may not do, whatever the compiler thinks of it.

Owns the deny-list: extensions, attributes, built-ins, names, and the length of expressions. Limits on memory are
in `shaders/memory.py`, the rule about pointers in `shaders/pointers.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from shaders.limits import Limits
from shaders.resolve import TYPE_NAMES
from shaders.source import KernelLimitError, KernelSyntaxError, KernelUnsupportedError
from shaders.tree import Attribute, Declaration, Field, Function, Local, Module, Struct

ADDED_CODE_CALLS = frozenset(
    ["arrayLength", "atomicMax", "atomicStore", "bitcast", "select", "workgroupBarrier"]
)
"""Functions that the guard, or code added to a kernel, relies on: a kernel may use them, but not declare them anew."""

ADDED_CODE_SPACES = frozenset(["function", "private", "storage", "uniform", "read_write"])
"""Address spaces and accesses that code added at module scope relies on: there a kernel may not declare them anew. A
local name reaches no further than its function."""

BUILTINS = frozenset(
    [
        "global_invocation_id",
        "local_invocation_id",
        "local_invocation_index",
        "num_workgroups",
        "workgroup_id",
    ]
)
"""The built-in values that an entry point may take."""

_STAGES = frozenset(["fragment", "mesh", "task", "vertex"])
_GROUP_FUNCTIONS = ("subgroup", "quadBroadcast", "quadSwap")
_ON_FUNCTION = frozenset(["compute", "workgroup_size", "must_use", "diagnostic"])
_ON_PARAMETER = frozenset(["builtin"])
_ON_MEMBER = frozenset(["align", "size", "builtin"])
_ON_DECLARATION = {
    "var": frozenset(["group", "binding"]),
    "override": frozenset(["id"]),
    "const": frozenset[str](),
    "alias": frozenset[str](),
}


def check_policy(module: Module, limits: Limits) -> None:
    """Raise `KernelUnsupportedError`, `KernelLimitError` or `KernelSyntaxError` on what is not let through."""
    _check_directives(module, limits)
    _check_names(module)
    _check_attributes(module)
    _check_calls(module)
    _check_expressions(module, limits)


def _check_directives(module: Module, limits: Limits) -> None:
    for directive in module.directives:
        if directive.keyword == "diagnostic":
            continue
        allowed = limits.extensions if directive.keyword == "enable" else ()
        for word in directive.words:
            if word not in allowed:
                message = f"the extension '{word}' is not available"
                raise module.error(KernelUnsupportedError, directive.token, message)


def _check_names(module: Module) -> None:
    local, functions = TYPE_NAMES | ADDED_CODE_CALLS, module.functions.values()
    for declared in (module.structs.values(), module.declarations.values(), functions):
        _refuse_names(module, declared, local | ADDED_CODE_SPACES)
    for function in functions:
        _refuse_names(module, [*function.parameters, *function.locals], local)


def _refuse_names(
    module: Module, declared: Iterable[Struct | Declaration | Function | Field | Local], taken: frozenset[str]
) -> None:
    for each in declared:
        if each.name in taken:
            message = f"'{each.name}' is a name of WGSL and cannot be declared anew"
            raise module.error(KernelUnsupportedError, each.token, message)


def _check_attributes(module: Module) -> None:
    for declaration in module.declarations.values():
        _allow(module, declaration.attributes, _ON_DECLARATION[declaration.keyword])
    for struct in module.structs.values():
        for member in struct.members:
            _allow(module, member.attributes, _ON_MEMBER)
    for function in module.functions.values():
        _allow(module, function.attributes, _ON_FUNCTION)
        for parameter in function.parameters:
            _allow(module, parameter.attributes, _ON_PARAMETER)
        _check_statement_attributes(module, function)


def _allow(module: Module, attributes: list[Attribute], allowed: frozenset[str]) -> None:
    seen: set[str] = set()
    for attribute in attributes:
        if attribute.name in _STAGES:
            message = f"@{attribute.name} entry points are not available, only @compute"
            raise module.error(KernelUnsupportedError, attribute.token, message)
        if attribute.name not in allowed:
            message = f"the attribute @{attribute.name} is not available here"
            raise module.error(KernelUnsupportedError, attribute.token, message)
        if attribute.name in seen and attribute.name != "diagnostic":
            raise module.error(KernelSyntaxError, attribute.token, f"@{attribute.name} is given twice")
        seen.add(attribute.name)
        if attribute.name == "builtin":
            _check_builtin(module, attribute)


def _check_builtin(module: Module, attribute: Attribute) -> None:
    name = module.text(attribute.arguments) if attribute.arguments else ""
    if name not in BUILTINS:
        raise module.error(
            KernelUnsupportedError,
            attribute.token,
            f"the built-in value '{name}' is not available",
            f"A compute kernel may take {', '.join(sorted(BUILTINS))}.",
        )


def _check_statement_attributes(module: Module, function: Function) -> None:
    for index in range(*function.braces):
        if module.tokens[index].text == "@" and module.tokens[index + 1].text != "diagnostic":
            message = f"the attribute @{module.tokens[index + 1].text} is not available here"
            raise module.error(KernelUnsupportedError, index, message)


def _check_calls(module: Module) -> None:
    for function in module.functions.values():
        for call in function.calls:
            if call.name.startswith(_GROUP_FUNCTIONS) and not module.declares(call.name):
                message = f"'{call.name}' is not available: kernels have no subgroup operations"
                raise module.error(KernelUnsupportedError, call.token, message)


def _check_expressions(module: Module, limits: Limits) -> None:
    """Bound what makes compilers recurse: operators one after the other, at one depth of brackets.

    An opening bracket counts as an operator of the expression around it.
    """
    operators, prefixes, comparisons = [0], 0, 0
    for index, token in enumerate(module.tokens):
        text = token.text
        if text in (";", "{", "}"):
            comparisons = 0
        if text in (")", "]", "}"):
            operators.pop()
        if text in (";", ",", "{", "}"):
            operators[-1] = prefixes = 0
        elif token.kind == "symbol" and text not in (")", "]"):
            operators[-1] += 1
            prefixes = prefixes + 1 if text in _PREFIXES else 0
            comparisons += text == "<" and module.tokens[index - 1].kind == "name"
        else:
            prefixes = 0
        if text in ("(", "[", "{"):
            operators.append(0)
        _check_counts(module, index, limits, operators[-1], prefixes, comparisons)


_PREFIXES = frozenset(["-", "!", "~", "*", "&", "--", "&&"])


def _check_counts(
    module: Module, index: int, limits: Limits, operators: int, prefixes: int, comparisons: int
) -> None:
    if operators > limits.expression_operators:
        message = f"an expression has more than {limits.expression_operators} operators"
    elif prefixes > limits.prefix_operators:
        message = f"more than {limits.prefix_operators} prefix operators stand in a row"
    elif comparisons > limits.comparisons:
        message = f"a statement has more than {limits.comparisons} '<' after names"
    else:
        return
    raise module.error(KernelLimitError, index, message)
