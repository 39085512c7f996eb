"""The attributes that `__init__` gives an object, and their types.

Owns how they are read from its text. Must not know how they are written.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Union


def assigned(start: FunctionType) -> dict[str, Any]:
    """The types of the public attributes by name, as far as the text of `start` tells them, else `Any`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(start)))
    except OSError:  # a dataclass writes it; its annotations tell
        return {}
    parameters = inspect.signature(start).parameters
    known = {name: _evaluated(each.annotation, start) for name, each in parameters.items()}
    return {
        target.attr: _evaluated(ast.unparse(type), start) if type else _type_of(value, known, start)
        for target, type, value in _assignments(tree)
        if isinstance(target, ast.Attribute)
        and ast.unparse(target.value) == "self"
        and not target.attr.startswith("_")
    }


def _assignments(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None, ast.expr | None]]:
    """Targets with their annotations and values, those of several at once one by one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            yield node.target, node.annotation, node.value
        elif isinstance(node, ast.Assign):
            (target,), value = node.targets, node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                yield from ((each, None, one) for each, one in zip(target.elts, value.elts, strict=True))
            else:
                yield target, None, value


def _type_of(value: ast.expr | None, known: dict[str, Any], start: FunctionType) -> Any:
    """The type of a parameter, of a constant, or of what a function or a class of the module gives."""
    match value:
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Constant(value=constant):
            return None if constant is None else type(constant)
        case ast.IfExp(body=yes, orelse=no):
            return Union[_type_of(yes, known, start), _type_of(no, known, start)]  # noqa: UP007
        case ast.Call(func=ast.Name(id=name)):
            called = start.__globals__.get(name)
            if isinstance(called, FunctionType):
                return _evaluated(inspect.signature(called).return_annotation, called)
            return called if isinstance(called, type) else Any
    return Any


def _evaluated(annotation: Any, function: FunctionType) -> Any:
    """An annotation of `function`, which may be text: our own, no script's."""
    return eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation
