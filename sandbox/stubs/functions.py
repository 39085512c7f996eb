"""How a function is written in a stub.

Owns signatures: those of Python, and for functions that are made from rows of the op table, those that follow from the
row. Must not know modules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import Parameter, Signature
from types import SimpleNamespace
from typing import Any, Literal, cast, get_overloads

from ops.errors import UnknownOpError
from ops.spec import REQUIRED, Attribute, OpSpec
from ops.table import find
from ops.torch.operands import Operand
from ops.torch.typenames import Dims, DTypeLike
from sandbox.stubs.types import Writer

Function = Callable[..., Any]
Form = Callable[[Signature], Signature]
_TYPES: dict[str, Any] = {
    "number": float,
    "integer": int,
    "flag": bool,
    "text": str,
    "string": str,
    "dtype": DTypeLike,
    "sizes": Sequence[int],
    "integers": Sequence[int],
    "words": Sequence[int],
    "axis": int | None,
    "axes": Dims,
    "extents": int | str | Sequence[int],
    "factors": float | Sequence[float],
}
_OPERANDS = {2: ("input", "other"), 1: ("input",)}
"""What PyTorch calls the operands, which all functions of elements take."""
_IN_PLACE = Parameter("inplace", Parameter.KEYWORD_ONLY, default=False, annotation=bool)


class Verbatim(str):
    """Text that stands in a signature as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def definition(name: str, signature: Signature, doc: str | None = None, decorator: str = "") -> list[str]:
    """The lines of `def name` with this signature."""
    return [*([decorator] if decorator else []), f"def {name}{signature}: {text(doc) or '...'}"]


def text(doc: str | None) -> str:
    """The first paragraph of a docstring as one line of a stub."""
    if not doc:
        return ""
    first = " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())
    return '"""' + first.replace("\\", "\\\\").replace('"""', "'''").rstrip('"') + '"""'


def definitions(name: str, function: Function, writer: Writer, form: Form) -> list[str]:
    """The lines of a function: one `def`, or one for each overload, in the `form` in which it is shown."""
    overloads = _overloads(function)
    if not overloads:
        return definition(name, form(signature_of(function, writer)), function.__doc__)
    lines = (definition(name, form(signature_of(each, writer)), None, "@overload") for each in overloads)
    first, *rest = lines
    first[-1] = first[-1].removesuffix("...") + (text(function.__doc__) or "...")
    return [line for each in (first, *rest) for line in each]


def _overloads(function: Function) -> Sequence[Function]:
    """Those that stand in the text where the function does, whatever it is called by now."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return []
    where = SimpleNamespace(__module__=function.__module__, __qualname__=code.co_qualname)
    return get_overloads(cast("Function", where))


def signature_of(function: Function, writer: Writer) -> Signature:
    """The signature of `function`, in types that a script can name.

    One that takes whatever comes is that of the row of the op table that it is called by.
    """
    found = _known(function)
    names = getattr(inspect.unwrap(function), "__globals__", {})
    given = (part for each in found.parameters.values() for part in _unpacked(each, names))
    parameters = [_parameter(each, writer, names) for each in given]
    gives = annotation_of(found.return_annotation, writer.of_results(), names)
    return Signature(parameters, return_annotation=gives)


def _unpacked(parameter: Parameter, names: dict[str, Any]) -> Iterator[Parameter]:
    """`**options: Unpack[Options]` as the names that may be given."""
    written = parameter.annotation
    if not (isinstance(written, str) and written.startswith("Unpack[")):
        yield parameter
        return
    for name, type in names[written[7:-1]].__annotations__.items():
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=Verbatim("..."), annotation=type)


def is_for_scripts(signature: Signature) -> bool:
    """Whether scripts can give what it takes."""
    return "Any" not in {str(each.annotation) for each in list(signature.parameters.values())[1:]}


def as_function(signature: Signature) -> Signature:
    """The signature of a method as a function of `input`."""
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name == "self":
        parameters[0] = parameters[0].replace(name="input", annotation=Verbatim("Tensor"))
    return signature.replace(parameters=parameters)


def as_method(signature: Signature) -> Signature:
    """The signature of a method, whose first argument has its usual name."""
    first, *rest = signature.parameters.values()
    if first.kind is not Parameter.VAR_POSITIONAL:
        name = "cls" if first.name == "cls" else "self"
        first = first.replace(name=name, annotation=Parameter.empty)
    return signature.replace(parameters=[first, *rest])


def as_start(signature: Signature) -> Signature:
    """The signature of `__init__`."""
    return as_method(signature).replace(return_annotation=Verbatim("None"))


def of_layer(function: Function, options: Sequence[str], writer: Writer) -> tuple[Signature, Signature]:
    """The signatures of a layer that calls `function` with `options`: of its `__init__`, and of its `forward`."""
    known = signature_of(function, writer)
    kind = Parameter.POSITIONAL_OR_KEYWORD
    me = Parameter("self", kind)
    chosen = [known.parameters[name].replace(kind=kind) for name in options if name in known.parameters]
    given = [
        each
        for name, each in known.parameters.items()
        if name not in options and each.kind in (kind, Parameter.POSITIONAL_ONLY)
    ]
    starts = Signature([me, *_in_order(chosen)], return_annotation=Verbatim("None"))
    return starts, Signature([me, *given], return_annotation=known.return_annotation)


def _in_order(parameters: Iterable[Parameter]) -> list[Parameter]:
    """`parameters`, of which those that may be left out follow each other: by name alone what is needed after one."""
    ordered: list[Parameter] = []
    late: list[Parameter] = []
    for each in parameters:
        if each.default is each.empty and ordered and ordered[-1].default is not each.empty:
            late.append(each.replace(kind=Parameter.KEYWORD_ONLY))
        else:
            ordered.append(each)
    return [*ordered, *late]


def _known(function: Function) -> Signature:
    """The signature of `function` or of its row."""
    found = inspect.signature(function)
    names = list(found.parameters)
    if not any(each.kind is Parameter.VAR_KEYWORD for each in found.parameters.values()):
        return found
    try:
        row = find(inspect.unwrap(function).__name__.rstrip("_"))
    except UnknownOpError:
        return found
    if names == ["args", "named"]:
        return _of_row(row, found)
    if names[-1] == "attributes":
        return _with_attributes(row, found)
    return found


def _of_row(row: OpSpec, found: Signature) -> Signature:
    """Operands, then attributes, in order or by name."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    names = _OPERANDS.get(len(row.inputs), row.inputs)
    needed = len(names) - row.optional
    operands = [Parameter(name, kind, annotation=Operand) for name in names[:needed]]
    operands += [Parameter(name, kind, default=None, annotation=Operand | None) for name in names[needed:]]
    late = [_IN_PLACE] if row.kind == "elementwise" else []
    parameters = _in_order([*operands, *(_attribute(each, kind) for each in row.attributes)])
    return found.replace(parameters=[*parameters, *late])


def _with_attributes(row: OpSpec, found: Signature) -> Signature:
    """What is given as the function has it, and the row's other attributes by name."""
    given = [each for each in found.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    told = {"max_bytes", *found.parameters}
    named = [_attribute(each, Parameter.KEYWORD_ONLY) for each in row.attributes if each.name not in told]
    return found.replace(parameters=[*given, *named])


def _attribute(attribute: Attribute, kind: Any) -> Parameter:
    written = Literal[attribute.choices] if attribute.choices else _TYPES[attribute.type]
    if attribute.default == REQUIRED:
        return Parameter(attribute.name, kind, annotation=written)
    if attribute.default is None:
        written = written | None
    return Parameter(attribute.name, kind, default=attribute.default, annotation=written)


def _parameter(parameter: Parameter, writer: Writer, names: dict[str, Any]) -> Parameter:
    default = parameter.default
    if default is not Parameter.empty:
        plain = default is None or type(default) in (bool, int, str)
        default = Verbatim(repr(default) if plain else "...")
    annotation = annotation_of(parameter.annotation, writer, names)
    return parameter.replace(annotation=annotation, default=default)


def annotation_of(written: Any, writer: Writer, names: dict[str, Any]) -> Verbatim:
    """An annotation in a signature; what has none is `Any`."""
    return Verbatim("Any" if written is Signature.empty else writer.annotation(written, names))
