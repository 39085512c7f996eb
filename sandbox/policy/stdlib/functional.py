"""`functools`, `operator` and `copy`: the helpers that read or write attributes by name, or show what they hold.

Owns their guarded forms. Must not know the views beyond `replace`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sandbox.policy import names, ownership, views
from sandbox.policy.attributes import compiled_getattr, guarded_getattr, write
from sandbox.policy.keys import store_key
from sandbox.policy.memo import deepcopy

_COPIED = ("__name__", "__qualname__", "__doc__")


def update_wrapper(wrapper: Any, wrapped: Any) -> Any:
    """`functools.update_wrapper` for functions of the script: name, documentation, own attributes."""
    if not (ownership.owns_function(wrapper) or ownership.owns_instance(wrapper)):
        return wrapper
    for name in _COPIED:
        try:
            value = compiled_getattr(wrapped, name)
        except AttributeError:
            continue
        if isinstance(value, str):
            setattr(wrapper, name, str.__str__(value))
    if ownership.owns_function(wrapped):
        wrapper.__dict__.update(wrapped.__dict__)
    setattr(wrapper, names.mangle("__wrapped__"), wrapped)
    return wrapper


def wraps(wrapped: Any) -> Callable[[Any], Any]:
    """`functools.wraps`."""
    return lambda wrapper: update_wrapper(wrapper, wrapped)


def total_ordering(cls: Any) -> Any:
    """`functools.total_ordering` for classes of the script."""
    if not ownership.owns_class(cls):
        raise TypeError("total_ordering() is for classes that the script defines")
    return functools.total_ordering(cls)


class cached_property:  # noqa: N801  # its name in the library
    """`functools.cached_property` for objects of the script."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.func = function
        self.attrname: str | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        if self.attrname is not None and self.attrname != name:
            raise TypeError("Cannot assign the same cached_property to two different names")
        self.attrname = name if name.startswith(names.MARK) else store_key(name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self.attrname is None:
            raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
        cache = write(instance).__dict__
        if self.attrname not in cache:
            cache[self.attrname] = self.func(instance)
        return cache[self.attrname]


def attrgetter(first: str, /, *others: str) -> Callable[[Any], Any]:
    """`operator.attrgetter`."""

    def get(value: Any, path: str) -> Any:
        for part in path.split("."):
            value = guarded_getattr(value, part)
        return value

    paths = [str.__str__(path) for path in (first, *others)]
    if not others:
        return lambda value: get(value, paths[0])
    return lambda value: tuple(get(value, path) for path in paths)


def methodcaller(name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """`operator.methodcaller`."""
    return lambda value: guarded_getattr(value, name)(*args, **kwargs)


def register(decorator: Any, annotation: Callable[[], Any]) -> Any:
    """`@f.register` on an annotated function: a single-dispatch function takes the class from the annotation."""
    if getattr(decorator, "__module__", None) == "functools":
        return decorator(annotation())
    return decorator


def install() -> None:
    """Put the guarded forms into the views."""
    views.replace(
        "functools",
        update_wrapper=update_wrapper,
        wraps=wraps,
        total_ordering=total_ordering,
        cached_property=cached_property,
    )
    views.replace("copy", deepcopy=deepcopy)
    views.replace("operator", attrgetter=attrgetter, methodcaller=methodcaller)
