"""The names that every script starts with.

Owns the builtins and the globals of a script. Must not know what the guards do.
"""

from __future__ import annotations

import builtins
import io
from collections.abc import Callable
from typing import Any, NoReturn

from sandbox.policy import attributes, names, ownership, views
from sandbox.policy.classes import TypeStandIn, build_class, hook
from sandbox.policy.denials import PermissionDenied
from sandbox.policy.matching import match
from sandbox.policy.stdlib.functional import register
from sandbox.policy.stdlib.system import leave, stream

_PLAIN = names.words("""
    abs all any ascii bin bool bytes bytearray callable chr classmethod complex dict divmod enumerate filter float
    format frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord pow
    property range repr reversed round set slice sorted staticmethod str sum super tuple zip aiter anext memoryview
    NotImplemented Ellipsis None True False __debug__
""")


def show(
    *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    """The builtin `print`."""
    separator = " " if sep is None else sep
    text = separator.join([str(value) for value in values]) + ("\n" if end is None else end)
    if file is None:
        file = stream("stdout")
    (file.write if isinstance(file, io.StringIO) else attributes.guarded_getattr(file, "write"))(text)
    if flush and hasattr(type(file), "flush"):
        attributes.guarded_getattr(file, "flush")()


show.__name__ = show.__qualname__ = "print"


def closed(function: str) -> Callable[..., NoReturn]:
    """A builtin that this run was not granted."""

    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise PermissionDenied(f"{function}() is not available to this run")

    return refuse


def _library() -> dict[str, Any]:
    found = {name: getattr(builtins, name) for name in _PLAIN}
    for name in dir(builtins):
        value = getattr(builtins, name)
        if isinstance(value, type) and issubclass(value, BaseException):
            found[name] = value
    return found


def _guards() -> dict[str, Any]:
    return {
        "__build_class__": build_class,
        "__import__": views.guarded_import,
        names.GETATTR: attributes.compiled_getattr,
        names.WRITE: attributes.write,
        names.TYPE: type,
        names.OWN: ownership.own_classes(),
        names.MATCH: match,
        names.HOOK: hook,
        names.REGISTER: register,
        names.OBJECT: object,
        "getattr": attributes.guarded_getattr,
        "hasattr": attributes.guarded_hasattr,
        "setattr": attributes.guarded_setattr,
        "delattr": attributes.guarded_delattr,
        "vars": attributes.guarded_vars,
        "dir": attributes.guarded_dir,
        "type": TypeStandIn,
        "print": show,
        "exit": leave,
        "quit": leave,
        "input": closed("input"),
        "PermissionDenied": PermissionDenied,
    }


def make_globals(
    extra: dict[str, Any] | None = None, entered: Callable[[], None] | None = None
) -> dict[str, Any]:
    """The globals of a new script, known as the script's own.

    `extra` are further builtins; `entered` is called whenever the script's own `main` is.
    """
    available = {**_library(), **_guards(), **(extra or {}), names.ENTERED: entered or (lambda: None)}
    space = {"__builtins__": available, "__name__": "__main__", "__doc__": None}
    ownership.add_namespace(space)
    return space
