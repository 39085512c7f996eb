"""Functions, classes and comprehensions: everything that opens a block.

Owns what becomes of arguments, annotations, decorators and class bodies. Function annotations are dropped: nothing
is left for the library to evaluate, and forward references cannot fail. Must not know run time.
"""

from __future__ import annotations

import ast

from sandbox.policy import names
from sandbox.policy.base import PolicyBase, Scope, class_private_names, located

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_KEPT_TYPES = frozenset(names.words("int float str bool bytes list dict tuple set"))


class DefinitionMixin(PolicyBase):
    """Walks definitions."""

    # ------------------------------------------------------------------ functions
    def _function(self, node: _Function) -> _Function:
        node.decorator_list = [self._decorator(decorator, node) for decorator in node.decorator_list]
        if self.scope.kind == "class" and node.name in names.HOOKED:
            self._hook(node)
        is_main = self.scope.kind == "module" and node.name == "main"
        node.name = self.variable(node, node.name)
        self._arguments(node.args)
        node.returns = None
        self._type_parameters(node)
        with self.block(Scope("function")):
            node.body = self.statements(node.body) or [located(ast.Pass(), node)]
        if is_main:
            self._mark_entry(node)
        return node

    visit_FunctionDef = _function  # noqa: N815
    visit_AsyncFunctionDef = _function  # noqa: N815

    def _hook(self, node: _Function) -> None:
        """An attribute hook sees names as the script writes them: a decorator of ours translates."""
        if node.decorator_list or isinstance(node, ast.AsyncFunctionDef):
            self.deny(node, f"{node.name!r} must be a plain method", "Write it with def, without decorators.")
        node.decorator_list = [located(ast.Name(names.HOOK, ast.Load()), node)]

    def _decorator(self, decorator: ast.expr, node: _Function) -> ast.expr:
        """`@f.register` reads the class to dispatch on from an annotation, which is handed over before it goes."""
        annotated = [a for a in (*node.args.posonlyargs, *node.args.args) if a.annotation is not None]
        if not (isinstance(decorator, ast.Attribute) and decorator.attr == "register" and annotated):
            result: ast.expr = self.visit(decorator)
            return result
        annotation = annotated[0].annotation
        assert annotation is not None
        empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        thunk = ast.Lambda(args=empty, body=self.visit(annotation))
        call = self.call(names.REGISTER, [self.visit(decorator), thunk], decorator)
        return ast.fix_missing_locations(call)

    @staticmethod
    def _mark_entry(node: _Function) -> None:
        """Tell the worker when a script calls its own `main`."""
        marker = ast.Expr(PolicyBase.call(names.ENTERED, [], node))
        located(marker, node)
        has_docstring = ast.get_docstring(node, clean=False) is not None
        node.body.insert(1 if has_docstring else 0, marker)

    def _arguments(self, arguments: ast.arguments) -> None:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        for argument in every:
            self._parameter(argument, argument.arg)
            argument.annotation = None
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and self.visit(default) for default in arguments.kw_defaults]

    def _parameter(self, node: ast.AST, name: str) -> None:
        if names.MARK in name or names.is_dunder(name):
            self.deny(node, f"{name!r} is not available as a parameter's name")

    def _type_parameters(self, node: ast.AST) -> None:
        """PEP 695: bounds and defaults are annotations, and go."""
        for parameter in getattr(node, "type_params", ()):
            self._parameter(node, parameter.name)
            for part in ("bound", "default_value"):
                if getattr(parameter, part, None) is not None:
                    setattr(parameter, part, None)

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:  # noqa: N802
        """`type X = …` (3.12): its value is evaluated only when asked for, like a function's body."""
        node.name = self.visit(node.name)  # type: ignore[attr-defined]
        self._type_parameters(node)
        with self.block(Scope("function")):
            node.value = self.visit(node.value)  # type: ignore[attr-defined]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:  # noqa: N802
        """A lambda's defaults belong to the block around it."""
        self._arguments(node.args)
        with self.block(Scope("function")):
            node.body = self.visit(node.body)
        return node

    # ------------------------------------------------------------------ classes
    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:  # noqa: N802
        """A class statement stays native; the guard behind `__build_class__` checks its bases."""
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.bases = [self.visit(base) for base in node.bases]
        for keyword in node.keywords:
            if keyword.arg and names.is_private(keyword.arg):
                self.deny(keyword, f"class keyword {keyword.arg!r} is not available to scripts")
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        plain = node.name
        node.name = self.variable(node, plain)
        self._type_parameters(node)
        with self.block(Scope("class", class_private_names(node.body)), plain):
            node.body = self.statements(node.body) or [located(ast.Pass(), node)]
        return node

    def class_annotation(self, node: ast.expr) -> ast.expr:
        """A class body's annotation, reduced to what dataclasses, NamedTuple and TypedDict look at.

        Kept are ClassVar, InitVar, KW_ONLY and plain built-in types; the rest becomes `object`, so that no text
        is left for `typing` to evaluate.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = located(ast.parse(node.value, mode="eval").body, node)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return located(ast.Name(names.OBJECT, ast.Load()), node)
            ast.fix_missing_locations(node)
        head = node.value if isinstance(node, ast.Subscript) else node
        last = head.attr if isinstance(head, ast.Attribute) else getattr(head, "id", None)
        anything = located(ast.Name(names.OBJECT, ast.Load()), node)
        if last in ("ClassVar", "KW_ONLY") or (isinstance(node, ast.Name) and node.id in _KEPT_TYPES):
            kept: ast.expr = self.visit(head)
            return kept
        if last == "InitVar":
            return located(ast.Subscript(self.visit(head), anything, ast.Load()), node)
        return anything

    # ------------------------------------------------------------------ comprehensions
    def _comprehension(self, node: ast.AST) -> ast.AST:
        """Only the first iterable belongs to the block around a comprehension."""
        first, *others = node.generators  # type: ignore[attr-defined]
        first.iter = self.visit(first.iter)
        with self.block(Scope("function")):
            first.target = self.visit(first.target)
            first.ifs = [self.visit(test) for test in first.ifs]
            for other in others:
                self.contents(other)
            for part in ("elt", "key", "value"):
                if hasattr(node, part):
                    setattr(node, part, self.visit(getattr(node, part)))
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815
