"""`dataclasses`: for classes of the script only, with private fields under the names that the script gave them.

Owns the guarded `dataclass`, `asdict` and `replace`. Must not know the views beyond `replace`.
"""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import unicodedata
from collections.abc import Callable
from typing import Any

from sandbox.policy import names, ownership, views


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """`dataclasses.dataclass`."""
    if cls is None:
        return lambda decorated: dataclass(decorated, **options)
    if not ownership.owns_class(cls):
        raise TypeError("dataclass() is for classes that the script defines")
    _check_fields(cls)
    made = dataclasses.dataclass(cls, **options)
    ownership.add_class(made)  # slots=True makes a new class
    if any(names.MARK in field.name for field in dataclasses.fields(made)):
        _show_private(made, own_repr="__repr__" in cls.__dict__ and options.get("repr", True))
    return made


def _check_fields(cls: type) -> None:
    """The library pastes field names into source text, so they must be names: `TypedDict("X", keys)` takes any key.

    The parser would read a name in another normal form as another name, and no name of the script begins with `_`,
    as its own are renamed.
    """
    for name in inspect.get_annotations(cls):
        if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name):
            raise TypeError(f"{name!r:.80} cannot be a field's name")
        if not unicodedata.is_normalized("NFKC", name) or names.is_private(name):
            raise TypeError(f"{name!r:.80} cannot be a field's name")
        if name in names.DENIED or name in names.FORMATS:
            raise TypeError(f"{name!r} cannot be a field's name")


def _show_private(cls: Any, own_repr: bool) -> None:
    """Let the generated methods of `cls` take and print private fields as the script writes them."""
    initialise = cls.__init__
    if not ownership.owns_function(initialise) and "__init__" in cls.__dict__:

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            initialise(self, *args, **_compiled(cls, kwargs))

        cls.__init__ = __init__
    if own_repr and not ownership.owns_function(cls.__repr__):
        represent: Callable[[Any], str] = cls.__repr__

        def __repr__(self: Any) -> str:  # noqa: N807
            return names.unmangle(represent(self))

        cls.__repr__ = __repr__


def _compiled(cls: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    shown = {names.unmangle(field.name): field.name for field in dataclasses.fields(cls)}
    return {shown.get(key, key): value for key, value in keywords.items()}


def asdict(instance: Any, *, dict_factory: Callable[[Any], Any] = dict) -> Any:
    """`dataclasses.asdict`."""
    return dataclasses.asdict(instance, dict_factory=lambda pairs: dict_factory(_shown(pairs)))


def _shown(pairs: Any) -> list[tuple[Any, Any]]:
    return [(names.unmangle(key) if type(key) is str else key, value) for key, value in pairs]


def replace(instance: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace`."""
    if not ownership.owns_instance(instance):
        raise TypeError("replace() is for dataclasses that the script defines")
    compiled = _compiled(type(instance), changes) if dataclasses.is_dataclass(instance) else changes
    return dataclasses.replace(instance, **compiled)


def install() -> None:
    """Put the guarded forms into the view."""
    views.replace("dataclasses", dataclass=dataclass, asdict=asdict, replace=replace)
