"""Attributes in normal form, read with their types.

Owns the checks of ranges that rows share. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ops.errors import AttributeValueError
from ops.spec import Normal, OpSpec
from shaders.spec import Hole

Attributes = Mapping[str, Normal | tuple[Hole, ...]]
"""By name; words may be holes, if they come when a kernel runs."""
U32 = (1 << 32) - 1


def integers(attributes: Attributes, name: str) -> tuple[int, ...]:
    """The attribute `name`, a list of integers."""
    return cast("tuple[int, ...]", attributes[name])


def integer(attributes: Attributes, name: str) -> int:
    """The attribute `name`, an integer."""
    return cast("int", attributes[name])


def words_or_holes(attributes: Attributes, name: str) -> tuple[int | Hole, ...]:
    """The attribute `name`, a list of words."""
    return cast("tuple[int | Hole, ...]", attributes[name])


def maybe_integer(attributes: Attributes, name: str) -> int | None:
    """The attribute `name`, an integer or None."""
    return cast("int | None", attributes[name])


def within(spec: OpSpec, attributes: Attributes, name: str, low: int, high: int) -> None:
    """Refuse with `AttributeValueError` an integer outside of a range; None passes."""
    value = maybe_integer(attributes, name)
    if value is not None and not low <= value <= high:
        raise AttributeValueError(f"{spec.name}: {name} is {value}, but must be from {low} to {high}")


def words(spec: OpSpec, attributes: Attributes, name: str, count: int) -> None:
    """Refuse with `AttributeValueError` a list that is not `count` numbers of 32 bits."""
    value = integers(attributes, name)
    if len(value) != count or not all(0 <= word <= U32 for word in value):
        raise AttributeValueError(f"{spec.name}: {name} must be {count} words from 0 to {U32}")
