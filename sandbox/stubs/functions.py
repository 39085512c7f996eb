"""How a function is written in a stub.

Owns signatures: those of Python, and for functions that are made from rows of the op table, those that follow from the
row. Must not know modules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any, Literal

from ops.errors import UnknownOpError
from ops.spec import REQUIRED, Attribute, OpSpec
from ops.table import find
from ops.tensor import Tensor
from ops.typenames import TypeName
from sandbox.stubs.types import Writer

Function = Callable[..., Any]
_TYPES: dict[str, Any] = {
    "number": float,
    "integer": int,
    "flag": bool,
    "string": str,
    "dtype": TypeName | str,
    "sizes": Sequence[int],
    "integers": Sequence[int],
    "words": Sequence[int],
    "axis": int | None,
    "axes": int | Sequence[int] | None,
    "extents": int | str | Sequence[int],
    "factors": float | Sequence[float],
}
_OPERAND = Tensor | float
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
    head = f"def {name}{signature}:"
    return [*([decorator] if decorator else []), f"{head} {_text(doc)}"]


def signature_of(function: Function, writer: Writer, kin: Function | None = None) -> Signature:
    """The signature of `function`, in types that a script can name.

    One that takes whatever comes is that of `kin`, which it calls, or of the row of the op table that it is called by.
    """
    found = _known(function)
    if kin is not None and _vague(found):
        called = _known(kin)
        if not _vague(called):
            first = next(iter(found.parameters.values()))
            rest = list(called.parameters.values())[1:]
            found, function = called.replace(parameters=[first, *rest]), kin
    names = getattr(inspect.unwrap(function), "__globals__", {})
    parameters = [_parameter(each, writer, names) for each in found.parameters.values()]
    return Signature(parameters, return_annotation=_annotation(found.return_annotation, writer, names))


def choosing(function: Function, options: Sequence[str], writer: Writer) -> Signature:
    """The signature of a method that takes, of what `function` takes, these options, all of which may be left out."""
    known = signature_of(function, writer).parameters
    kind = Parameter.POSITIONAL_OR_KEYWORD
    taken = [
        Parameter(
            name,
            kind,
            default=Verbatim("..."),
            annotation=known[name].annotation if name in known else Verbatim("Any"),
        )
        for name in options
    ]
    return Signature([Parameter("self", kind), *taken], return_annotation=Verbatim("None"))


def as_method(signature: Signature, *, starts: bool) -> Signature:
    """The signature of a method, whose first argument has its usual name; one that `starts` an object gives nothing."""
    first, *rest = signature.parameters.values()
    if first.kind is not Parameter.VAR_POSITIONAL:
        name = "cls" if first.name == "cls" else "self"
        first = first.replace(name=name, annotation=Parameter.empty)
    result = Verbatim("None") if starts else signature.return_annotation
    return signature.replace(parameters=[first, *rest], return_annotation=result)


def _known(function: Function) -> Signature:
    """The signature of `function` or of its row."""
    found = inspect.signature(function)
    if not _vague(found):
        return found
    try:
        row = find(function.__name__.rstrip("_"))
    except UnknownOpError:
        return found
    names = list(found.parameters)
    if names == ["args", "named"]:
        return _of_row(row, found)
    if names[-1] == "attributes":
        return _with_attributes(row, found)
    return found


def _vague(signature: Signature) -> bool:
    return any(each.kind is Parameter.VAR_KEYWORD for each in signature.parameters.values())


def _of_row(row: OpSpec, found: Signature) -> Signature:
    """Operands, then attributes, in order or by name; by name alone what is needed after something that is not."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    names = _OPERANDS.get(len(row.inputs), row.inputs)
    needed = len(names) - row.optional
    operands = [Parameter(name, kind, annotation=_OPERAND) for name in names[:needed]]
    operands += [Parameter(name, kind, default=None, annotation=_OPERAND | None) for name in names[needed:]]
    parameters: list[Parameter] = []
    late = [_IN_PLACE] if row.kind == "elementwise" else []
    for each in [*operands, *(_attribute(each, kind) for each in row.attributes)]:
        if each.default is each.empty and parameters and parameters[-1].default is not each.empty:
            late.append(each.replace(kind=Parameter.KEYWORD_ONLY))
        else:
            parameters.append(each)
    return found.replace(parameters=[*parameters, *late])


def _with_attributes(row: OpSpec, found: Signature) -> Signature:
    """What is given by position as the function has it, and the row's attributes by name."""
    given = [each for each in found.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    named = [_attribute(each, Parameter.KEYWORD_ONLY) for each in row.attributes if each.name != "max_bytes"]
    return found.replace(parameters=[*given, *named])


def _attribute(attribute: Attribute, kind: Any) -> Parameter:
    written = (
        Literal[attribute.choices]
        if attribute.type == "text" and attribute.choices
        else _TYPES.get(attribute.type, Any)
    )
    if attribute.default == REQUIRED:
        return Parameter(attribute.name, kind, annotation=written)
    if attribute.default is None:
        written = written | None if written is not Any else written
    return Parameter(attribute.name, kind, default=attribute.default, annotation=written)


def _parameter(parameter: Parameter, writer: Writer, names: dict[str, Any]) -> Parameter:
    default = parameter.default
    if default is not Parameter.empty:
        plain = default is None or type(default) in (bool, int, str)
        default = Verbatim(repr(default) if plain else "...")
    annotation = _annotation(parameter.annotation, writer, names)
    return parameter.replace(annotation=annotation, default=default)


def _annotation(written: Any, writer: Writer, names: dict[str, Any]) -> Verbatim:
    return Verbatim("Any" if written is Signature.empty else writer.annotation(written, names))


def _text(doc: str | None) -> str:
    """The first paragraph of a docstring as a body."""
    if not doc:
        return "..."
    first = " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())
    return '"""' + first.replace("\\", "\\\\").replace('"""', "'''").rstrip('"') + '"""'
