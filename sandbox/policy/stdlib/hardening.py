"""Patches of the real standard library, in the zygote's process and its children only.

Owns what no view can replace, because the library itself calls it. Must not know scripts.
"""

from __future__ import annotations

import asyncio
import collections.abc
import decimal
import enum
import traceback
import typing
from typing import Any

from sandbox.policy import ownership
from sandbox.policy.classes import check_bases
from sandbox.policy.names import DENIED

_native_create: Any = None
_native_suggestion: Any = None


def _create(cls: Any, class_name: str, names: Any, **options: Any) -> Any:
    """Behind `Enum(name, members)`: member names become attributes, so that they follow the rules of attributes."""
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    listed = list(names.items()) if isinstance(names, collections.abc.Mapping) else list(names)
    for member in listed:
        name = member if isinstance(member, str) else member[0]
        if not isinstance(name, str) or name.startswith("_") or name in DENIED:
            raise ValueError(f"{name!r} cannot be a member's name in scripts")
    if options.get("type") is not None:
        check_bases((options["type"],))
    options["module"] = "__main__"
    return ownership.add_class(_native_create(cls, class_name, listed, **options))


def _gone(*_args: Any, **_kwargs: Any) -> Any:
    raise TypeError("annotations given as text are not evaluated in scripts")


def _no_copy(*_args: Any) -> Any:
    raise TypeError("an event loop cannot be copied")


def _suggestion(error: BaseException, *places: Any) -> Any:
    """What a traceback suggests instead of a wrong name. For an `ImportError` the library would import the module."""
    return None if isinstance(error, ImportError) else _native_suggestion(error, *places)


def install() -> None:
    """Patch, once."""
    global _native_create, _native_suggestion
    if _native_create is not None:
        return
    _native_create = enum.EnumMeta._create_  # type: ignore[attr-defined]
    enum.EnumMeta._create_ = _create  # type: ignore[attr-defined]
    _native_suggestion = getattr(traceback, "_compute_suggestion_error", None)
    traceback._compute_suggestion_error = _suggestion  # type: ignore[attr-defined]
    asyncio.AbstractEventLoop.__reduce_ex__ = _no_copy  # type: ignore[method-assign]
    ownership.add_writable(decimal.Context)
    typing.get_type_hints = _gone
    typing.ForwardRef._evaluate = _gone  # type: ignore[method-assign]
