"""`typing`'s decorators, which would write a mark on whatever they are given.

Owns forms that mark only what the script made. Must not know the views beyond `replace`.
"""

from __future__ import annotations

import typing
from typing import Any, TypeVar

from sandbox.policy import ownership, views
from sandbox.policy.classes import TypeStandIn

T = TypeVar("T")


def unmarked(value: T) -> T:
    """`final`, `override` and `no_type_check`: said for readers, without effect."""
    return value


def overload(function: Any) -> Any:
    """`typing.overload`."""

    def overloaded(*_args: Any, **_kwargs: Any) -> Any:
        raise TypeError("You should not call an overloaded function.")

    return overloaded


def runtime_checkable(cls: Any) -> Any:
    """`typing.runtime_checkable` for protocols of the script."""
    if not ownership.owns_class(cls):
        raise TypeError("@runtime_checkable is for protocols that the script defines")
    return typing.runtime_checkable(cls)


def dataclass_transform(**_options: Any) -> Any:
    """Said for readers, without effect."""
    return unmarked


def get_origin(kind: Any) -> Any:
    """`typing.get_origin`; the origin of `Type[int]` shows itself as scripts know `type`."""
    return _shown(typing.get_origin(kind))


def get_args(kind: Any) -> tuple[Any, ...]:
    """`typing.get_args`, with `type` as scripts know it."""
    return tuple(_shown(part) for part in typing.get_args(kind))


def _shown(part: Any) -> Any:
    if isinstance(part, list):
        return [_shown(item) for item in part]
    return TypeStandIn if isinstance(part, type) and issubclass(part, type) else part


def install() -> None:
    """Put the guarded forms into the view."""
    views.replace(
        "typing",
        final=unmarked,
        override=unmarked,
        no_type_check=unmarked,
        overload=overload,
        runtime_checkable=runtime_checkable,
        dataclass_transform=dataclass_transform,
        get_origin=get_origin,
        get_args=get_args,
    )
