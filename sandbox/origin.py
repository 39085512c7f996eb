"""Where in a script its result comes from: what `main` returns, what `result` is, or the last statement of a cell.

Owns that search in the text, for errors of values that cannot leave. Must not know what is wrong with them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeVar

from sandbox.policy.compiler import character_column
from shaders.errors import KernelgateError, caret

Error = TypeVar("Error", bound=KernelgateError)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Assignment = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr
_Binder = ast.Name | ast.alias | _Function | ast.ClassDef
_Node = ast.expr | ast.alias | ast.stmt
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Scope = _Function | ast.ClassDef | ast.Lambda | _Comprehension


def placed(error: Error, source: str, *, assigned: bool, cell: bool) -> Error:
    """`error` with line, column and caret of where the result of `source`, which has run, comes from.

    `assigned`: it is the variable `result`, not what `main` returned; `cell`: the value of a cell of a notebook.
    """
    tree = ast.parse(source)
    node = tree.body[-1] if cell else _bound(tree, "result") if assigned else _returned(tree)
    if node is not None:
        error.line = node.lineno
        error.column = character_column(source, node.lineno, node.col_offset)
        error.snippet = caret(source, error.line, error.column)
    return error


def _returned(tree: ast.Module) -> _Node | None:
    """What `main` returns where it does so in one place alone; else `main`, or what else was given that name."""
    main = _bound(tree, "main")
    if not isinstance(main, _Function) or main.decorator_list:
        return main
    inside = list(_own(main.body))
    values = [node.value for node in inside if isinstance(node, ast.Return) and node.value]
    yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside)
    return main if yields or len(values) != 1 else values[0]


def _bound(tree: ast.Module, name: str) -> _Node | None:
    """What the last statement of the module that gives `name` a value gives it, or all of that statement where it does
    so in several places. None where there is none, or a function may do it, nobody knows when.
    """
    if any(isinstance(node, ast.Global) and name in node.names for node in ast.walk(tree)):
        return None
    for statement in reversed(tree.body):
        values = list(_values(statement, name))
        if values:
            return values[0] if len(values) == 1 else statement
    return None


def _values(statement: ast.stmt, name: str) -> Iterator[_Node]:
    """What `statement` gives `name`: an expression, a definition, or where neither stands alone the name itself."""
    inside = list(_own([statement]))
    values: dict[ast.AST, _Node | None] = {
        target: node.value
        for node in inside
        if isinstance(node, _Assignment)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    for node in inside:
        if isinstance(node, _Binder) and _name(node) == name:
            value = values.get(node, node)
            if value is not None:
                yield value


def _name(binder: _Binder) -> str | None:
    """What is given a value; None where it is only read."""
    if isinstance(binder, ast.Name):
        return binder.id if isinstance(binder.ctx, ast.Store) else None
    return binder.asname or binder.name if isinstance(binder, ast.alias) else binder.name


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """`nodes` and all below them, but what is inside functions, classes and comprehensions."""
    left = list(nodes)
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, _Scope):
            left += ast.iter_child_nodes(node)
