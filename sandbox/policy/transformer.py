"""The transformer: a script's tree into one that asks the guards where it must.

Owns names, attributes, assignments and imports; definitions and patterns are mixins. Attribute loads of harmless
names stay native, at no cost; denied names are errors with their place; a few names go through a guard. Must not
know run time: the guards are names here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from sandbox.policy import names
from sandbox.policy.base import LOAD, PolicyBase, located
from sandbox.policy.definitions import DefinitionMixin
from sandbox.policy.patterns import PatternMixin

StarNames = Callable[[str], Sequence[str] | None]


class ScriptTransformer(DefinitionMixin, PatternMixin, PolicyBase):
    """Walks one script. `star_names(module)`: what `from module import *` binds, None when it is not available."""

    def __init__(self, tree: ast.Module, star_names: StarNames) -> None:
        super().__init__(tree)
        self._star_names = star_names

    def run(self) -> ast.Module:
        """The transformed tree, each node at its place; `denials` says what was refused."""
        self._tree.body = self.statements(self._tree.body)
        return self._tree

    # ------------------------------------------------------------------ plain nodes, natively
    def _plain(self, node: ast.AST) -> ast.AST:
        return self.contents(node)

    visit_Subscript = visit_Call = visit_For = visit_comprehension = visit_With = _plain  # noqa: N815
    visit_TryStar = visit_Await = visit_AsyncFor = visit_AsyncWith = visit_Starred = _plain  # noqa: N815

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:  # noqa: N802
        """Constants are harmless."""
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        """Keywords are parameters' names, which are never renamed."""
        if node.arg and (names.MARK in node.arg or names.is_dunder(node.arg)):
            self.deny(node, f"keyword {node.arg!r} is not available to scripts")
        return self.contents(node)

    # ------------------------------------------------------------------ names and attributes
    def visit_Name(self, node: ast.Name) -> ast.Name:  # noqa: N802
        """A variable. Most names need no look: they are neither private nor reserved, and hold no letter of ours."""
        name = node.id
        if name[0] != "_" and name not in names.RESERVED_CALLS and names.MARK not in name:
            return node
        load = isinstance(node.ctx, ast.Load)
        if load and node.id in names.RESERVED_CALLS and not self.binds_anywhere(node.id):
            self.deny(node, names.RESERVED_CALLS[node.id], names.RESERVED_HINTS.get(node.id))
        node.id = self.variable(node, node.id, binds=not load)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # noqa: N802
        """An attribute: loaded natively or by the guard, stored only where the script may write.

        Most names need no look, as in `visit_Name`.
        """
        load = isinstance(node.ctx, ast.Load)
        name, checked = node.attr, False
        if name[0] == "_" or name in names.LOOKED_AT or names.MARK in name:
            name, checked = self.attribute(_attribute_place(node), name, load)
            node.attr = name
        node.value = self.visit(node.value)
        if not load:
            node.value = self._written(node.value)
        elif checked:
            constant = located(ast.Constant(name), node)
            return self.call(names.GETATTR, [node.value, constant], node)
        return node

    def _written(self, value: ast.expr) -> ast.expr:
        """The object of a store: asked of the guard, unless it is a variable of a class known as the script's own."""
        guarded = self.call(names.WRITE, [value], value)
        if not isinstance(value, ast.Name):
            return guarded
        kind = self.call(names.TYPE, [_load(value)], value)
        own = located(ast.Name(names.OWN, LOAD), value)
        known = located(ast.Compare(kind, [ast.In()], [own]), value)
        return located(ast.IfExp(known, _load(value), guarded), value)

    # ------------------------------------------------------------------ assignments
    def visit_Assign(self, node: ast.Assign) -> ast.Assign:  # noqa: N802
        """Assignments are native but for `__slots__`, whose names are renamed like those that use them."""
        if self.scope.kind == "class":
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == "__slots__":
                    self._slots(node.value)
        return self.contents(node)

    def _slots(self, value: ast.expr) -> None:
        items = value.elts if isinstance(value, ast.Tuple | ast.List | ast.Set) else [value]
        for item in items:
            if not (isinstance(item, ast.Constant) and isinstance(item.value, str)):
                self.deny(item, "'__slots__' must be written out as strings")
            elif names.is_dunder(item.value) and item.value != "__dict__":
                self.deny(item, f"{item.value!r} cannot be a slot")
            elif names.is_private(item.value) and item.value != "__dict__":
                item.value = names.mangle(item.value, self.cls)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AugAssign:  # noqa: N802
        """`x.a += y` reads `x.a` natively, which only harmless names may."""
        target = node.target
        if isinstance(target, ast.Attribute) and self.attribute(target, target.attr)[1]:
            self.deny(target, f"augmented assignment to {target.attr!r} is not available to scripts")
        if self.scope.kind == "class" and isinstance(target, ast.Name) and target.id == "__slots__":
            self.deny(target, "'__slots__' must be written out as strings")
        return self.contents(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:  # noqa: N802
        """Outside classes the annotation goes; inside, what the library looks at stays."""
        if self.scope.kind != "class":
            if node.value is None:
                return located(ast.Pass(), node)
            plain = located(ast.Assign(targets=[node.target], value=node.value), node)
            return self.visit_Assign(plain)
        if isinstance(node.target, ast.Name):
            name = node.target.id
            if name in names.DENIED | names.FORMATS or names.is_dunder(name):
                self.deny(node, f"{name!r} cannot be a field's name")
        node.annotation = self.class_annotation(node.annotation)
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def _names(self, node: ast.Global | ast.Nonlocal) -> ast.stmt:
        node.names = [self.variable(node, name, binds=self.scope.kind != "class") for name in node.names]
        return node

    visit_Global = visit_Nonlocal = _names  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:  # noqa: N802
        """The name of a caught exception is a variable."""
        if node.name is not None:
            node.name = self.variable(node, node.name)
        return self.contents(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.NamedExpr:  # noqa: N802
        """`:=` binds plain variables only."""
        if not isinstance(node.target, ast.Name):
            self.deny(node, "':=' binds plain variables only")
        return self.contents(node)

    # ------------------------------------------------------------------ imports
    def visit_Import(self, node: ast.Import) -> ast.Import:  # noqa: N802
        """Which modules there are is decided at run time, so that `except ImportError` works."""
        for alias in node.names:
            self._module(node, alias.name)
            self._alias(node, alias)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:  # noqa: N802
        """`import *` is written out; `__future__` changes nothing here."""
        if node.level:
            self.deny(node, "relative imports are not available to scripts")
        module = node.module or ""
        if module == "__future__":
            return located(ast.Pass(), node)
        self._module(node, module)
        written: list[ast.alias] = []
        for alias in node.names:
            if alias.name == "*":
                written += self._star(node, module)
                continue
            if names.is_private(alias.name):
                self.deny(node, f"{alias.name!r} cannot be imported by scripts")
            self._alias(node, alias)
            written.append(alias)
        node.names = written
        return node if written else located(ast.Pass(), node)

    def _module(self, node: ast.stmt, module: str) -> None:
        if any(part.startswith("_") or names.MARK in part for part in module.split(".")):
            self.deny(node, f"module {module!r} is not available to scripts")

    def _alias(self, node: ast.stmt, alias: ast.alias) -> None:
        if names.MARK in alias.name:
            self.deny(node, f"the letter {names.MARK!r} is not available in names")
        if alias.asname:
            alias.asname = self.variable(node, alias.asname)

    def _star(self, node: ast.ImportFrom, module: str) -> list[ast.alias]:
        exported = self._star_names(module)
        if exported is None:
            self.deny(node, f"'from {module} import *' is not available to scripts", "Name what you import.")
            return []
        return [located(ast.alias(name, None), node) for name in exported]


def _load(variable: ast.Name) -> ast.Name:
    return located(ast.Name(variable.id, LOAD), variable)


def _attribute_place(node: ast.Attribute) -> ast.AST:
    """A node located at the attribute's name rather than at the start of the expression."""
    place = ast.Pass()
    place.lineno = node.end_lineno or node.lineno
    place.col_offset = max(0, (node.end_col_offset or 0) - len(node.attr.encode()))
    return place
