"""Where in a script its result comes from: what `main` returns, what `result` is, or the last statement of a cell.

Owns that search in the text, for errors of values that cannot leave. Must not know what is wrong with them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeVar

from sandbox.policy.compiler import character_column
from shaders.errors import KernelgateError, caret

Error = TypeVar("Error", bound=KernelgateError)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def placed(error: Error, source: str, *, assigned: bool, cell: bool) -> Error:
    """`error` with line, column and caret of where the result of `source`, which has run, comes from.

    `assigned`: it is the variable `result`, not what `main` returned; `cell`: the value of a cell of a notebook.
    """
    tree = ast.parse(source)
    node = tree.body[-1] if cell else _assigned(tree) if assigned else _returned(tree)
    if node is not None:
        error.line = node.lineno
        error.column = character_column(source, node.lineno, node.col_offset)
        error.snippet = caret(source, error.line, error.column)
    return error


def _assigned(tree: ast.Module) -> ast.expr | None:
    """What the module assigns to `result` last."""
    values = [
        node.value
        for node in _own(tree)
        if isinstance(node, ast.Assign) and any(_is_result(target) for target in node.targets)
    ]
    return max(values, key=lambda value: value.lineno, default=None)


def _is_result(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "result"


def _returned(tree: ast.Module) -> ast.expr | ast.stmt | None:
    """What `main` returns where it does so in one place alone; else `main`."""
    for main in tree.body:
        if isinstance(main, _FUNCTIONS) and main.name == "main":
            values = [node.value for node in _own(main) if isinstance(node, ast.Return) and node.value]
            return values[0] if len(values) == 1 else main
    return None


def _own(parent: ast.AST) -> Iterator[ast.AST]:
    """All below `parent` but what is inside functions and classes in it."""
    for node in ast.iter_child_nodes(parent):
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            yield from _own(node)
