"""The ground of the transformer: scopes, denials and the spelling of names.

Owns the rules for one name at one place of the tree. A node that RestrictedPython does not know is refused. Must
not know statements: `transformer.py` and its mixins walk them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

from RestrictedPython.transformer import RestrictingNodeTransformer

from sandbox.policy import names

N = TypeVar("N", bound=ast.AST)
LOAD = ast.Load()


def located(node: N, at: Any) -> N:
    """`node`, put at the place of `at`, a statement or an expression; `ast.copy_location` asks for each part."""
    to: Any = node
    to.lineno = at.lineno
    to.col_offset = at.col_offset
    to.end_lineno = at.end_lineno
    to.end_col_offset = at.end_col_offset
    return node


class _Methods(dict[type[ast.AST], Callable[..., Any]]):
    """The method for each class of nodes, which `ast.NodeVisitor` looks up by text at each node."""

    def __init__(self, transformer: type) -> None:
        self._transformer = transformer

    def __missing__(self, cls: type[ast.AST]) -> Callable[..., Any]:
        default = self._transformer.generic_visit  # type: ignore[attr-defined]
        method: Callable[..., Any] = getattr(self._transformer, f"visit_{cls.__name__}", default)
        self[cls] = method
        return method


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each class of nodes in which children may be."""

    def __missing__(self, cls: type[ast.AST]) -> tuple[str, ...]:
        self[cls] = fields = tuple(name for name in cls._fields if name != "ctx")
        return fields


_FIELDS = _Fields()


@dataclass(frozen=True, slots=True)
class Denial:
    """Something that the policy refuses: where (line from 1, byte offset from 0), what, and what to do instead."""

    line: int
    offset: int
    message: str
    hint: str | None = None


@dataclass(slots=True)
class Scope:
    """A block of the script. `bound`: the private names that a class block binds (its private attributes)."""

    kind: Literal["module", "class", "function"]
    bound: frozenset[str] = field(default_factory=frozenset)


class PolicyBase(RestrictingNodeTransformer):  # which has no types
    """What the mixins of the transformer stand on."""

    _methods: ClassVar[_Methods]

    def __init_subclass__(cls) -> None:
        cls._methods = _Methods(cls)

    def __init__(self, tree: ast.Module) -> None:
        super().__init__()
        self.denials: list[Denial] = []
        self._tree = tree
        self._scopes = [Scope("module")]
        self._classes: list[str] = []
        self._temporaries = 0

    # ------------------------------------------------------------------ denials
    def deny(self, node: ast.AST, message: str, hint: str | None = None) -> None:
        """Record that the policy refuses `node`."""
        self.denials.append(
            Denial(getattr(node, "lineno", 1), getattr(node, "col_offset", 0), message, hint),
        )

    def error(self, node: ast.AST, info: str) -> None:
        """RestrictedPython's way to refuse a node."""
        self.deny(node, info)

    def check_name(self, node: ast.AST, name: str | None, allow_magic_methods: bool = False) -> None:
        """RestrictedPython's check of names: every place asks `variable` or `attribute` instead."""

    # ------------------------------------------------------------------ scopes
    @property
    def scope(self) -> Scope:
        """The innermost block."""
        return self._scopes[-1]

    @property
    def cls(self) -> str | None:
        """The name of the innermost class around this place."""
        return self._classes[-1] if self._classes else None

    @contextmanager
    def block(self, scope: Scope, cls: str | None = None) -> Iterator[None]:
        """Walk the inside of a block, of class `cls` if it is a class's."""
        self._scopes.append(scope)
        if cls is not None:
            self._classes.append(cls)
        try:
            yield
        finally:
            self._scopes.pop()
            if cls is not None:
                self._classes.pop()

    # ------------------------------------------------------------------ walking
    def visit(self, node: ast.AST) -> Any:
        """`node` by the method for its class."""
        return self._methods[type(node)](self, node)

    def node_contents_visit(self, node: N) -> N:
        """`node` with its children visited, as in `ast.NodeTransformer`; `Load`, `Store` and `Del` need no visit."""
        methods = self._methods
        for name in _FIELDS[type(node)]:
            old = getattr(node, name, None)
            if type(old) is list:
                setattr(node, name, self._visited(old))
            elif isinstance(old, ast.AST):
                new = methods[type(old)](self, old)
                if new is None:
                    delattr(node, name)
                elif new is not old:
                    setattr(node, name, new)
        return node

    contents = node_contents_visit

    def _visited(self, items: list[Any]) -> list[Any]:
        methods = self._methods
        out: list[Any] = []
        for item in items:
            if not isinstance(item, ast.AST):
                out.append(item)
                continue
            new = methods[type(item)](self, item)
            if type(new) is list:
                out += new
            elif new is not None:
                out.append(new)
        return out

    def statements(self, nodes: list[ast.stmt]) -> list[ast.stmt]:
        """The visited statements; a visit may give several, or none."""
        return self._visited(nodes)

    def temporary(self) -> str:
        """A variable that no script can spell."""
        self._temporaries += 1
        return f"{names.MARK}{self._temporaries}"

    @staticmethod
    def call(function: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
        """A call of guard `function`, located at `at`."""
        return located(ast.Call(located(ast.Name(function, LOAD), at), arguments, []), at)

    # ------------------------------------------------------------------ names
    def variable(self, node: ast.AST, name: str, binds: bool = True) -> str:
        """The compiled spelling of variable `name`; `binds` unless it is only read."""
        if names.MARK in name:
            self.deny(node, f"the letter {names.MARK!r} is not available in names")
        if not names.is_private(name):
            return name
        if self.scope.kind == "class" and (binds or name in self.scope.bound):
            return self._class_variable(node, name)
        if not names.is_dunder(name):
            return name
        if name == "__debug__" or (name in names.READABLE_VARIABLES and (not binds or name == "__doc__")):
            return name
        if name == "__class__" and not binds and self.cls and self.scope.kind == "function":
            return name
        if name in names.RESERVED_CALLS or name in names.DENIED_DUNDERS | names.READABLE_VARIABLES:
            self.deny(node, f"{name!r} is not available to scripts")
        return names.mangle(name)

    def _class_variable(self, node: ast.AST, name: str) -> str:
        if name in names.HOOKED and not isinstance(node, ast.FunctionDef):
            self.deny(node, f"{name!r} must be a plain method", "Write it with def, without decorators.")
        if name in names.CLASS_NAMES or name in names.SUNDER:
            return name
        if names.is_dunder(name) and name in names.DENIED_DUNDERS | names.READABLE:
            self.deny(node, f"{name!r} cannot be defined by scripts")
        return names.mangle(name, self.cls)

    def attribute(self, node: ast.AST, name: str, load: bool = True) -> tuple[str, bool]:
        """The compiled spelling of attribute `name`, and whether its value must be asked of the guard."""
        if names.MARK in name:
            self.deny(node, f"the letter {names.MARK!r} is not available in names")
        if name in names.DENIED:
            self.deny(node, f"attribute {name!r} is not available to scripts")
        if not names.is_private(name):
            return name, load and name in names.CHECKED
        if name in names.TUPLE_ATTRIBUTES:
            return (name, True) if load else (names.mangle(name), False)
        if name in names.SUNDER:
            return name, False
        if names.is_dunder(name):
            if name in (names.READABLE if load else names.STORABLE):
                return name, load
            if name in names.DENIED_DUNDERS | names.READABLE:
                hint = names.ATTRIBUTE_HINTS.get(name)
                self.deny(node, f"attribute {name!r} is not available to scripts", hint)
        return names.mangle(name, self.cls), False

    def binds_anywhere(self, name: str) -> bool:
        """Whether the script itself binds `name` somewhere."""
        return any(name in bound_names(node) for node in ast.walk(self._tree))


def bound_names(node: ast.AST) -> tuple[str, ...]:
    """The names that `node` itself binds, not its children."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.arg(arg=name):
            return (name,)
        case ast.alias(name=name, asname=other):
            return (other or name.split(".")[0],)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
    return ()


_INNER: tuple[Any, ...] = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def class_private_names(body: list[ast.stmt]) -> frozenset[str]:
    """The private names that a class block binds, those that it declares global or nonlocal left out."""
    bound: set[str] = set()
    foreign: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        bound.update(name for name in bound_names(node) if names.is_private(name))
        if isinstance(node, ast.Global | ast.Nonlocal):
            foreign.update(node.names)
        if not isinstance(node, _INNER):
            waiting.extend(ast.iter_child_nodes(node))
    return frozenset(bound - foreign)
