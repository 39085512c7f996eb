"""What every error that users may see has in common. Those of a kernel's text, which point into it, are made elsewhere
by `source.error`, and are not looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaders.errors import KernelgateError
from tests.imports import FOLDERS, import_all

ROOT = Path(__file__).parents[2]
EXEMPT = {
    "Cancelled": "whoever cancelled knows why",
    "ExpressionError": "only the author of a row of the op table can cause it",
    "KernelCompileError": "the compiler's own words say what is wrong, and host/naga.py hints where it knows more",
    "KernelgateError": "an error of another process, with its hint",
    "PermissionDenied": "its constructor makes the hint from the grant",
    "ScriptError": "the script raised it",
}
"""Classes whose errors may be without a hint, and why."""


@pytest.mark.parametrize("folder", [folder.__name__ for folder in FOLDERS])
def test_every_error_says_what_to_do_next(folder: str) -> None:
    import_all()
    classes = {cls.__name__: cls for cls in kinds(KernelgateError)}
    silent = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, call in calls(ast.parse(path.read_text()))
        if name in classes
        and name not in EXEMPT
        and classes[name].remedy is None
        and not any(keyword.arg in ("hint", None) for keyword in call.keywords)
    ]
    assert silent == [], "give a hint, or the class a remedy"


def kinds(cls: type[KernelgateError]) -> Iterator[type[KernelgateError]]:
    """An error class of ours and all below it."""
    if not cls.__module__.startswith("tests"):
        yield cls
    for below in cls.__subclasses__():
        yield from kinds(below)


def calls(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.Call]]:
    """All calls, by the name of what is called; of `cls`, that of the class around it."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                yield inside if name == "cls" else name, node
            case ast.Call(func=ast.Attribute(attr=name)):
                yield name, node
        yield from calls(node, node.name if isinstance(node, ast.ClassDef) else inside)
