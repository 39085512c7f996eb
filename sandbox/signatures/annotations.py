"""The signature of a script's `main`, read from the script's text without running any of it.

Owns what annotations mean. Runs in a worker only: parsing a stranger's text is a stranger's work. What is not
understood, or is too much, is anything. Must not know JSON.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from msgspec import UNSET, UnsetType

from ops.wire import FrameError
from sandbox.policy.compiler import FILENAME, syntax_error, without_collector
from sandbox.signatures import docstrings
from sandbox.signatures.form import (
    ANY,
    UNKNOWN,
    Choice,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Record,
    Scalar,
    Signature,
    Simple,
    TupleOf,
    Type,
    to_json,
)

MAX_TYPES = 300
"""Of a signature, before the rest is anything."""
MAX_DEPTH = 24
_MAX_LITERAL = 200
_INT64 = 1 << 63
_SIMPLE: dict[str, Type] = {
    "int": Simple("int"),
    "float": Simple("float"),
    "str": Simple("str"),
    "bool": Simple("bool"),
    "bytes": Simple("bytes"),
    "bytearray": Simple("bytes"),
    "None": Simple("null"),
    "NoneType": Simple("null"),
    "Tensor": Simple("tensor"),
    "ndarray": Simple("tensor"),
    "NDArray": Simple("tensor"),
    "list": ListOf(ANY),
    "tuple": ListOf(ANY),
    "dict": MapOf(ANY),
}
_SAME = {
    "List": "list",
    "Sequence": "list",
    "MutableSequence": "list",
    "Iterable": "list",
    "Collection": "list",
    "Tuple": "tuple",
    "Dict": "dict",
    "Mapping": "dict",
    "MutableMapping": "dict",
}
_THROUGH = ("Required", "NotRequired", "ReadOnly", "Final", "InitVar", "Awaitable")
"""`X[T]` is `T` to who calls."""


def signature_of(source: str) -> Signature:
    """The signature of the `main` that `source` defines; of a script without one, that it takes no inputs.

    Raises `ScriptSyntaxError` for text that is not Python.
    """
    try:
        with without_collector():
            signature = _signature(_Module(ast.parse(source, FILENAME, "exec")))
        to_json(signature)
    except FrameError:
        return UNKNOWN
    except (SyntaxError, RecursionError, ValueError) as error:
        raise syntax_error(source, error) from None
    return signature


def _signature(module: _Module) -> Signature:
    main = module.main
    if main is None:
        return Signature([], ANY)
    if not isinstance(main, ast.FunctionDef | ast.AsyncFunctionDef) or main.decorator_list:
        return UNKNOWN
    types = _Types(module)
    given = main.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    said = docstrings.read(ast.get_docstring(main), [parameter.arg for parameter in parameters])
    places = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    defaults = [None] * places + list(given.defaults) + list(given.kw_defaults)
    result, result_text = types.described(main.returns)
    return Signature(
        [
            types.field(parameter.arg, parameter.annotation, default, said.arguments.get(parameter.arg, ""))
            for parameter, default in zip(parameters, defaults, strict=True)
        ],
        result,
        None if given.kwarg is None else types.of(given.kwarg.annotation),
        said.summary or docstrings.read(module.docstring, ()).summary,
        result_text or said.result,
    )


class _Module:
    """What the names of a script's module are bound to, as far as that can be read: the last one counts."""

    def __init__(self, tree: ast.Module) -> None:
        self.docstring = ast.get_docstring(tree)
        self.classes: dict[str, ast.ClassDef] = {}
        self.aliases: dict[str, ast.expr] = {}
        self.imported: dict[str, str] = {}
        self.main: ast.stmt | None = None
        for statement in _statements(tree.body):
            self._bind(statement)

    def _bind(self, statement: ast.stmt) -> None:
        match statement:
            case ast.ClassDef(name=name):
                self.classes[name] = statement
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.aliases[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self.aliases[name] = value
            case ast.ImportFrom(names=members):
                self.imported.update({each.asname or each.name: each.name for each in members})
            case _ if type(statement).__name__ == "TypeAlias":  # from Python 3.12 on
                self.aliases[statement.name.id] = statement.value  # type: ignore[attr-defined]
        if "main" in _bound(statement):
            self.main = statement


def _bound(statement: ast.stmt) -> list[str]:
    """The names that `statement` binds, as far as `main` may be among them."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.Import(names=members) | ast.ImportFrom(names=members):
            return [each.asname or each.name for each in members]
    return []


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those below a condition, in order."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for name in ("body", "handlers", "orelse", "finalbody"):
                for inner in getattr(statement, name, ()):
                    yield from _statements(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


class _Types:
    """Reads annotations."""

    def __init__(self, module: _Module) -> None:
        self._module = module
        self._open: list[str] = []
        self._count = 0
        self._generic: dict[str, Callable[[list[ast.expr]], Type]] = {
            "list": lambda given: ListOf(self.of(given[0])),
            "dict": lambda given: MapOf(self.of(given[-1])),
            "tuple": self._tuple,
            "Optional": lambda given: _one_of([self.of(given[0]), _SIMPLE["None"]]),
            "Union": lambda given: _one_of([self.of(each) for each in given]),
            "Literal": _choice,
            "NDArray": lambda given: _SIMPLE["NDArray"],
            "ndarray": lambda given: _SIMPLE["ndarray"],
            "Annotated": lambda given: self.of(given[0]),
        }
        self._generic |= {name: (lambda given: self.of(given[0])) for name in _THROUGH}

    def of(self, annotation: ast.expr | None) -> Type:
        """What `annotation` says."""
        self._count += 1
        if annotation is None or self._count > MAX_TYPES or len(self._open) > MAX_DEPTH:
            return ANY
        with self._opened(""):
            return self._of(annotation)

    def described(self, annotation: ast.expr | None) -> tuple[Type, str]:
        """What `annotation` says, and the first text of an `Annotated`."""
        text = ""
        if isinstance(annotation, ast.Subscript) and self._name(annotation.value) == "Annotated":
            texts = [each.value for each in _given(annotation)[1:] if isinstance(each, ast.Constant)]
            text = next((each for each in texts if isinstance(each, str)), "")
        return self.of(annotation), docstrings.cut(text)

    def field(
        self, name: str, annotation: ast.expr | None, default: ast.expr | None, said: str = ""
    ) -> Field:
        """An argument with its default, of which `said` is known from elsewhere."""
        type, text = self.described(annotation)
        if default is not None and _is(default, None):
            type = _one_of([type, _SIMPLE["None"]])
        return Field(name, type, default is None, _default(default), text or said)

    def _of(self, annotation: ast.expr) -> Type:
        match annotation:
            case ast.Constant(value=None):
                return _SIMPLE["None"]
            case ast.Constant(value=str() as text):
                with suppress(SyntaxError, ValueError):
                    return self.of(ast.parse(text.strip(), FILENAME, "eval").body)
            case ast.Name() | ast.Attribute():
                return self._named(annotation)
            case ast.BinOp(op=ast.BitOr()):
                return _one_of([self.of(annotation.left), self.of(annotation.right)])
            case ast.Subscript():
                meaning, given = self._generic.get(self._name(annotation.value)), _given(annotation)
                return ANY if meaning is None or not given else meaning(given)
        return ANY

    def _name(self, annotation: ast.expr) -> str:
        """What the library calls the thing that `annotation` names, without its module."""
        name = ""
        if isinstance(annotation, ast.Attribute):
            name = annotation.attr
        elif isinstance(annotation, ast.Name):
            name = self._module.imported.get(annotation.id, annotation.id)
        return _SAME.get(name, name)

    def _named(self, annotation: ast.Name | ast.Attribute) -> Type:
        name = annotation.id if isinstance(annotation, ast.Name) else ""
        known: ast.ClassDef | ast.expr | None = self._module.classes.get(name) or self._module.aliases.get(
            name
        )
        if known is None:
            return _SIMPLE.get(self._name(annotation), ANY)
        with self._opened(name) as is_new:
            if not is_new:
                return ANY
            return self._class(known) if isinstance(known, ast.ClassDef) else self.of(known)

    @contextmanager
    def _opened(self, name: str) -> Iterator[bool]:
        """A block inside what `name` means; whether that was not under way already."""
        is_new = name not in self._open
        self._open.append(name)
        yield is_new
        self._open.pop()

    def _class(self, cls: ast.ClassDef) -> Type:
        fields = self._fields(cls)
        if fields is None:
            return ANY
        return Record(cls.name, fields, docstrings.read(ast.get_docstring(cls), ()).summary)

    def _fields(self, cls: ast.ClassDef) -> list[Field] | None:
        """The fields of a dataclass or a `TypedDict`, with those of its bases; None if it is neither."""
        found: dict[str, Field] = {}
        of_bases = [self._fields_of_base(base) for base in cls.bases if isinstance(base, ast.Name)]
        is_dataclass = any(self._name(_called(each)) == "dataclass" for each in cls.decorator_list)
        is_typed = any(self._name(base) == "TypedDict" for base in cls.bases) or any(
            fields is not None for fields in of_bases
        )
        if not is_dataclass and not is_typed:
            return None
        for fields in of_bases:
            found.update({each.name: each for each in fields or ()})
        total = not any(each.arg == "total" and _is(each.value, False) for each in cls.keywords)
        for line in cls.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                made = self._dataclass_field(line) if is_dataclass else self._typed_field(line, total)
                found |= {} if made is None else {made.name: made}
        return list(found.values())

    def _fields_of_base(self, base: ast.Name) -> list[Field] | None:
        known = self._module.classes.get(base.id)
        with self._opened(base.id) as is_new:
            return self._fields(known) if known is not None and is_new else None

    def _dataclass_field(self, line: ast.AnnAssign) -> Field | None:
        assert isinstance(line.target, ast.Name)
        outer = line.annotation.value if isinstance(line.annotation, ast.Subscript) else line.annotation
        if self._name(outer) in ("ClassVar", "KW_ONLY"):
            return None
        default = line.value
        if isinstance(default, ast.Call) and self._name(default.func) == "field":
            said = {each.arg: each.value for each in default.keywords}
            if "init" in said and _is(said["init"], False):
                return None
            default = said.get("default") or said.get("default_factory")
        return self.field(line.target.id, line.annotation, default)

    def _typed_field(self, line: ast.AnnAssign, total: bool) -> Field:
        assert isinstance(line.target, ast.Name)
        type, text = self.described(line.annotation)
        outer = line.annotation
        if isinstance(outer, ast.Subscript) and (name := self._name(outer.value)) in (
            "Required",
            "NotRequired",
        ):
            total = name == "Required"
        return Field(line.target.id, type, total, description=text)

    def _tuple(self, given: list[ast.expr]) -> Type:
        if len(given) == 2 and _is(given[1], ...):
            return ListOf(self.of(given[0]))
        return TupleOf([self.of(each) for each in given])


def _given(annotation: ast.Subscript) -> list[ast.expr]:
    """What stands between the brackets."""
    inside = annotation.slice
    return inside.elts if isinstance(inside, ast.Tuple) else [inside]


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _is(value: ast.expr, constant: object) -> bool:
    return isinstance(value, ast.Constant) and value.value is constant


def _one_of(options: list[Type]) -> Type:
    """A union without unions inside."""
    flat: list[Type] = []
    for option in options:
        for each in option.options if isinstance(option, OneOf) else [option]:
            if each == ANY:
                return ANY
            if each not in flat:
                flat.append(each)
    return flat[0] if len(flat) == 1 else OneOf(flat)


def _choice(given: list[ast.expr]) -> Type:
    values = [_literal(each) for each in given]
    known = [each for each in values if each is None or isinstance(each, bool | int | str)]
    return Choice(known) if len(known) == len(values) else ANY


def _default(value: ast.expr | None) -> Scalar | UnsetType:
    return UNSET if value is None else _literal(value)


def _literal(value: ast.expr) -> Scalar | UnsetType:
    """The plain value that `value` spells, if it is short."""
    try:
        found = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNSET
    match found:
        case None | bool():
            return found
        case int() if -_INT64 <= found < _INT64:
            return found
        case float() if math.isfinite(found):
            return found
        case str() if len(found) <= _MAX_LITERAL and docstrings.cut(found) == found:
            return found
    return UNSET
