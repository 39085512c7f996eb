"""Classes that scripts define: how they come to be, and the stand-in for `type`.

Owns `build_class` (behind every `class` statement), `type` with one and three arguments, and the hooks that translate
what the interpreter and the library give to a script's methods. Must not know attributes' guards beyond the names.
"""

from __future__ import annotations

import abc
import builtins
import enum
import io
import string
import types
import typing
from collections.abc import Callable
from typing import Any

from sandbox.policy import names, ownership
from sandbox.policy.memo import Memo, covered
from sandbox.policy.mirror import AttributeDict

_native_build_class = builtins.__build_class__


class _StandInMeta(type):
    """Makes `TypeStandIn` answer like `type` where scripts ask."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs:
            return guarded_type(args[0])
        if len(args) == 3:
            return make_class(*args, **kwargs)
        raise TypeError("type() takes 1 or 3 arguments")

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, type)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, type)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is type

    def __hash__(cls) -> int:
        return hash(type)

    def __getitem__(cls, _item: object) -> Any:
        return cls

    def __repr__(cls) -> str:
        return "<class 'type'>"


class TypeStandIn(metaclass=_StandInMeta):
    """What scripts see as `type`."""

    __slots__ = ()


TypeStandIn.__name__ = TypeStandIn.__qualname__ = "type"
TypeStandIn.__module__ = "builtins"


def guarded_type(value: object) -> Any:
    """`type(value)`; a metaclass shows itself as plain `type`."""
    cls = type(value)
    if cls is AttributeDict:
        return dict
    return TypeStandIn if issubclass(cls, type) else cls


class MetaclassMarker:
    """A name for a metaclass that scripts may use in `metaclass=` and nowhere else."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<class '{self.__name__}'>"


ABC_META = MetaclassMarker("ABCMeta")
ENUM_META = MetaclassMarker("EnumMeta")
_METACLASSES: dict[int, type] = {id(ABC_META): abc.ABCMeta, id(ENUM_META): enum.EnumMeta}
_sealed: list[type] = [
    type,
    super,
    BaseExceptionGroup,  # its own `split` could crash CPython 3.11
    property,
    staticmethod,
    classmethod,
    string.Formatter,
    io.IOBase,
    TypeStandIn,
    types.ModuleType,
    types.GenericAlias,  # hands every attribute on before its class is asked
    Memo,
]
_TYPING_BASES = (typing.NamedTuple, typing.TypedDict)


def seal_class(cls: type) -> None:
    """Scripts may not derive from `cls`."""
    _sealed.append(cls)


def check_bases(bases: tuple[Any, ...]) -> None:
    """Refuse what is no class, and what a class must not derive from, also behind an alias as `Type[int]`."""
    for base in bases:
        alias = type(base).__module__ == "typing" or type(base) is types.GenericAlias
        if not (isinstance(base, type) or alias or any(base is special for special in _TYPING_BASES)):
            raise TypeError("bases must be types")
    for base in types.resolve_bases(bases):
        if not isinstance(base, type) or any(kin is sealed for kin in base.__mro__ for sealed in _sealed):
            raise TypeError(
                f"type {getattr(base, '__name__', base)!r} is not an acceptable base type for scripts"
            )


def build_class(
    function: Callable[..., Any], name: str, /, *bases: Any, metaclass: Any = None, **keywords: Any
) -> Any:
    """Behind every `class` statement of a script."""
    check_bases(bases)
    if any(names.is_private(keyword) for keyword in keywords):
        raise TypeError(f"{name}: private class keywords are not available to scripts")
    if metaclass is not None and metaclass is not TypeStandIn:
        known = _METACLASSES.get(id(metaclass))
        if known is None:
            raise TypeError("only metaclass=ABCMeta is available to scripts")
        keywords["metaclass"] = known
    cls = _native_build_class(function, names.unmangle(name), *bases, **keywords)
    if isinstance(cls, type):
        if names.MARK in cls.__qualname__:
            cls.__qualname__ = names.unmangle(cls.__qualname__)
        ownership.add_class(cls)
    return cls


def make_class(name: str, bases: tuple[Any, ...], namespace: dict[str, Any], **keywords: Any) -> type:
    """`type(name, bases, namespace)`: the class that the equal `class` statement would make."""
    if not isinstance(name, str) or not isinstance(bases, tuple) or not isinstance(namespace, dict):
        raise TypeError("type() takes a name, a tuple of bases and a dict")
    members: dict[str, Any] = {}
    for key, value in namespace.items():
        if type(key) is not str or (names.is_dunder(key) and key not in names.CLASS_NAMES - {"__slots__"}):
            raise TypeError(f"{key!r} cannot be defined by scripts")
        if key in names.HOOKED:
            value = hook(value, key)
        members[names.mangle(key) if names.is_private(key) and not names.is_dunder(key) else key] = value
    check_bases(bases)
    if keywords.pop("metaclass", None) is not None or any(map(names.is_private, keywords)):
        raise TypeError("these class keywords are not available to scripts")
    members["__module__"] = "__main__"
    plain = str.__str__(name)
    return ownership.add_class(types.new_class(plain, bases, keywords, lambda space: space.update(members)))


def hook(function: Any, name: str | None = None) -> Callable[..., Any]:
    """`function`, a method `name` of a script's class that the interpreter or the library calls, behind a translation
    of what they give it.
    """
    if type(function) is not types.FunctionType:
        raise TypeError("an attribute hook must be a function")
    translated = _HOOKS.get(name or function.__name__, _attribute_hook)(function)
    translated.__name__ = function.__name__
    translated.__qualname__ = function.__qualname__
    return translated


def _attribute_hook(function: types.FunctionType) -> Callable[..., Any]:
    """A private name as written comes from the interpreter or the library, as the script's own are renamed: it never
    reaches the hook.
    """

    def translated(self: Any, name: str, *value: Any) -> Any:
        if names.is_private(name) and name not in names.SUNDER:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return function(self, names.unmangle(name), *value)

    return translated


def _set_name_hook(function: types.FunctionType) -> Callable[..., Any]:
    """A descriptor is told the name that the script gave it."""
    return lambda self, owner, name: function(self, owner, names.unmangle(name))


def _deepcopy_hook(function: types.FunctionType) -> Callable[..., Any]:
    return lambda self, memo: function(self, covered(memo))


_HOOKS: dict[str, Callable[[types.FunctionType], Callable[..., Any]]] = {
    "__set_name__": _set_name_hook,
    "__deepcopy__": _deepcopy_hook,
}
