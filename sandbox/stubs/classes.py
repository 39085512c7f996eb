"""How a class is written in a stub.

Owns which members of a class scripts see. Must not know modules.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any, Protocol, TypeVar, get_args, get_origin

from ops.torch.nn.module import Applied, Module
from sandbox.policy.names import DEFINABLE
from sandbox.stubs.attributes import assigned
from sandbox.stubs.functions import (
    Function,
    Verbatim,
    as_method,
    as_start,
    definition,
    definitions,
    is_for_scripts,
    of_layer,
    signature_of,
    text,
)
from sandbox.stubs.types import Writer, home_of

_HIDDEN = ("copy", "deepcopy", "format", "init_subclass", "replace", "repr", "str")
_SHOWN = DEFINABLE - {f"__{name}__" for name in _HIDDEN}


def written(name: str, cls: type, writer: Writer) -> list[str]:
    """The lines of `class name`."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        bases, body = ["NamedTuple"], list(_fields(cls, writer))
    else:
        shown, own = _lineage(cls, writer)
        bases, body = (
            ["Protocol" if base is Protocol else writer.type(base) for base in shown],
            list(_body(own, writer)),
        )
    lines = [f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"]
    doc = text(cls.__doc__) if isinstance(cls.__doc__, str) else ""
    lines += [f"    {line}" for line in ([doc] if doc else []) + body]
    return lines if len(lines) > 1 else [f"{lines[0]} ..."]


def _fields(cls: type, writer: Writer) -> Iterator[str]:
    for name, written in cls.__annotations__.items():
        yield f"{name}: {writer.of_results().annotation(written, _names(cls))}"


def _lineage(cls: type, writer: Writer) -> tuple[list[Any], list[type]]:
    """The bases that scripts can name, and the classes whose members are shown as the class's own, itself first."""
    bases: list[Any] = []
    own = [cls]
    for written in vars(cls).get("__orig_bases__", cls.__bases__):
        base = get_origin(written) or written
        if base is Protocol:
            bases.append(base)
        elif base is object or base.__module__ == "typing":
            continue
        elif writer.named(base):
            bases.append(written)
        else:
            further, hidden = _lineage(base, writer)
            bases += further
            own += hidden
    return list(dict.fromkeys(bases)), list(dict.fromkeys(own))


def _bound(own: list[type], writer: Writer) -> dict[TypeVar, str]:
    """What the type variables of hidden generic bases mean."""
    found: dict[TypeVar, str] = {}
    for cls in own:
        for base in vars(cls).get("__orig_bases__", ()):
            origin = get_origin(base)
            if origin in own:
                found |= zip(origin.__parameters__, map(writer.type, get_args(base)), strict=True)
    return found


def _body(own: list[type], writer: Writer) -> Iterator[str]:
    members = {name: value for name, value in _members(own).items() if name in _SHOWN or name[:1] != "_"}
    inside = writer.inside(members, _bound(own, writer))
    layer = own[0] if issubclass(own[0], Applied) and own[0] is not Applied else None
    for name, value in members.items():
        if layer is None or name not in ("__init__", "forward"):
            yield from _member(name, value, inside)
    if layer is not None:
        yield from _layer(layer, inside)
    elif isinstance(members.get("forward"), types.FunctionType) and own[0] is not Module:
        yield from definition("__call__", as_method(signature_of(members["forward"], inside)))


def _layer(layer: type[Applied], writer: Writer) -> Iterator[str]:
    """The members that follow from the function that a layer calls: the options are its attributes too."""
    starts, forward = of_layer(layer._function, layer._options, writer)
    if "forward" in vars(layer.__bases__[0]) and layer.__bases__[0] is not Applied:
        forward = as_method(signature_of(layer.forward, writer))
    yield from definition("__init__", starts)
    for name in ("forward", "__call__"):
        yield from definition(name, forward)
    for name, each in list(starts.parameters.items())[1:]:
        yield f"{name}: {each.annotation}"


class _Typed:
    """A member of which only the type is known."""

    __slots__ = ("names", "type")

    def __init__(self, type: Any, names: dict[str, Any]) -> None:
        self.type, self.names = type, names


def _members(own: list[type]) -> dict[str, Any]:
    """The members by name, with what `__init__` adds. An annotation says more of one than its value."""
    found: dict[str, Any] = {}
    for cls in reversed(own):
        names = _names(cls)
        start = vars(cls).get("__init__")
        found |= {name: value for name, value in vars(cls).items() if not _is_generated(value)}
        if isinstance(start, types.FunctionType) and not home_of(cls):
            attributes = {name: _Typed(each, names) for name, each in assigned(start).items()}
            found |= {
                name: each for name, each in attributes.items() if not isinstance(found.get(name), property)
            }
        found |= {
            name: _Typed(written, names)
            for name, written in vars(cls).get("__annotations__", {}).items()
            if name[:1] != "_"
        }
    return found


def _is_generated(value: Any) -> bool:
    """Whether a dataclass wrote it."""
    return isinstance(value, types.FunctionType) and value.__code__.co_filename == "<string>"


def _names(cls: type) -> dict[str, Any]:
    """The globals of the module that has `cls`, wherever it says that it is."""
    modules = (vars(module) for module in list(sys.modules.values()))
    return next((names for names in modules if names.get(cls.__name__) is cls), {})


def _member(name: str, value: Any, writer: Writer) -> Iterator[str]:
    if name == "__init__":
        signature = as_start(signature_of(value, writer))
        if is_for_scripts(signature):
            yield from definition(name, signature)
    elif isinstance(value, property):
        yield from _property(name, value, writer)
    elif isinstance(value, types.FunctionType):
        yield from definitions(name, value, writer, as_method)
    elif name == "__new__":
        signature = as_method(signature_of(value.__func__, writer))
        yield from definition(name, signature.replace(return_annotation=Verbatim("Self")))
    elif isinstance(value, classmethod | staticmethod):
        is_static = isinstance(value, staticmethod)
        signature = signature_of(value.__func__, writer)
        decorator = "@staticmethod" if is_static else "@classmethod"
        yield from definition(
            name, signature if is_static else as_method(signature), value.__doc__, decorator
        )
    elif isinstance(value, _Typed):
        yield f"{name}: {writer.of_results().annotation(value.type, value.names)}"
    elif name == "__hash__":
        yield ("__hash__: None" if value is None else f"def __hash__(self) -> {writer.type(int)}: ...")
    else:
        yield f"{name}: {writer.of_results().type(type(value))}"


def _property(name: str, value: property, writer: Writer) -> Iterator[str]:
    getter: Function | None = value.fget
    assert getter is not None
    yield from definition(name, as_method(signature_of(getter, writer)), getter.__doc__, "@property")
    if value.fset is not None:
        yield from definition(name, as_method(signature_of(value.fset, writer)), None, f"@{name}.setter")
