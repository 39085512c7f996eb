"""`str.format` with the attribute guard on every `.name`.

Owns a formatter of our own and the recognition of every road that leads to the raw one. Must not know which
attributes are denied: the guard says.
"""

from __future__ import annotations

import importlib
import string
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sandbox.policy import ownership

_field_name_split: Any = importlib.import_module("_string").formatter_field_name_split
_BOUND = type("".format)
_UNBOUND = type(str.format)


class Formatter(string.Formatter):
    """`str.format` whose field names go through `read`, a guarded `getattr`."""

    def __init__(self, read: Callable[[Any, str], Any]) -> None:
        super().__init__()
        self._read = read
        self._trusted: set[Callable[..., Any]] = set()

    def trust(self, *methods: Callable[..., Any]) -> None:
        """Scripts may call these methods of ours named `format`, which follow no field names."""
        self._trusted.update(methods)

    def trusts(self, method: types.FunctionType) -> bool:
        """Whether scripts may call `method`: it is theirs, or one that follows no field names."""
        return ownership.owns_function(method) or method in self._trusted

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The value of one replacement field."""
        first, rest = _field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = self._read(value, key) if is_attribute else value[key]
        return value, first

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A positional or named argument, with CPython's error for a missing one."""
        if isinstance(key, int):
            if key >= len(args):
                raise IndexError(f"Replacement index {key} out of range for positional args tuple")
            return args[key]
        return kwargs[key]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"descriptor 'format' requires a 'str' object but received '{type(value).__name__}'")
    return str.__str__(value)


def bind_format(formatter: Formatter, owner: Any, found: Any, name: str) -> Callable[..., Any]:
    """What `owner.format` or `owner.format_map` gives a script, `found` being what CPython gives."""
    mapped = name == "format_map"
    if type(found) is _UNBOUND and isinstance(owner, type) and issubclass(owner, str):
        if mapped:
            return lambda text, mapping, /: formatter.vformat(_text(text), (), mapping)
        return lambda text, /, *args, **kwargs: formatter.vformat(_text(text), args, kwargs)
    if type(found) is _BOUND:
        # `__self__` and not `owner`: behind `super()` the string is another object
        text = getattr(found, "__self__", None)
        if not isinstance(text, str):
            return found
        plain = str.__str__(text)
        if mapped:
            return lambda mapping: formatter.vformat(plain, (), mapping)
        return lambda *args, **kwargs: formatter.vformat(plain, args, kwargs)
    function = found.__func__ if type(found) is types.MethodType else found
    if type(function) is types.FunctionType and not formatter.trusts(function):
        raise AttributeError(f"attribute {name!r} is not available to scripts")
    if type(function) is _UNBOUND:
        raise AttributeError(f"attribute {name!r} is not available to scripts")
    return found  # type: ignore[no-any-return]
