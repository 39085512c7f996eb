"""What the script of this process made itself: its namespaces and its classes.

Owns the register that the guards ask before they let a script change an object. One process runs one script, so
the register is the process's. Must not know what the guards do with the answer.
"""

from __future__ import annotations

import types
from typing import Any

MODULE = "__main__"  # what scripts' classes say of themselves, from their first moment on
STORED = "scripts."  # and those of imported scripts: a prefix that no real module has

_classes: set[type] = set()
_namespaces: list[dict[str, Any]] = []
_adopted: set[type] = set()
_writable: set[type] = set()


def reset() -> None:
    """Forget everything that a script made. What this process adopted or made writable stays."""
    _classes.clear()
    _classes.update(_adopted)
    _namespaces.clear()


def add_module(name: str) -> str:
    """What the classes of the imported script `name` say of themselves."""
    return STORED + name


def add_class(cls: type) -> type:
    """`cls`, now known as the script's own."""
    _classes.add(cls)
    return cls


def add_namespace(namespace: dict[str, Any]) -> None:
    """Functions whose globals are `namespace` are the script's own."""
    _namespaces.append(namespace)


def adopt(cls: type) -> type:
    """`cls`, a class of ours whose instances belong to the script as if it had defined the class."""
    _adopted.add(cls)
    _classes.add(cls)
    return cls


def add_writable(cls: type) -> None:
    """Attributes of instances of library class `cls` (exactly that class) may be set by scripts."""
    _writable.add(cls)


def own_classes() -> set[type]:
    """The live set of classes that the script made, so far as they are known."""
    return _classes


def owns_class(cls: object) -> bool:
    """Whether the script made `cls`, or is making it: `__init_subclass__` runs before the class is known here."""
    return isinstance(cls, type) and (cls in _classes or _is_new(cls))


def owns_instance(value: object) -> bool:
    """Whether `value` is an instance of a class that the script made."""
    return owns_class(type(value))


def _is_new(cls: type) -> bool:
    """Whether `cls` is the script's, and known from now on. Scripts cannot say of what module a class is."""
    if cls.__module__ != MODULE and not str(cls.__module__).startswith(STORED):
        return False
    _classes.add(cls)
    return True


def owns_function(value: object) -> bool:
    """Whether `value` is a function that the script wrote."""
    return type(value) is types.FunctionType and any(value.__globals__ is space for space in _namespaces)


def defines(value: object, name: str) -> bool:
    """Whether attribute `name` of `value` was put there by the script, on the object or on a class of its own."""
    cls = value if isinstance(value, type) else type(value)
    if not owns_class(cls):
        return False
    for base in cls.__mro__:
        # the first that has it is what CPython would read, a data descriptor at any rate
        if name in base.__dict__:
            return owns_class(base)
    return not isinstance(value, type) and name in getattr(value, "__dict__", ())


def may_write(value: object) -> bool:
    """Whether a script may set attributes of `value`."""
    cls = type(value)
    return (
        cls in _classes
        or cls in _writable
        or owns_class(cls)
        or (owns_class(value) and value not in _adopted)
        or owns_function(value)
        or issubclass(cls, BaseException)
    )
