"""Floats of 16 bits: buffers have no such type, so that `float16` is kept in floats of 32 bits, rounded before.

Owns the rounding, and the bytes that NumPy has for them. Must not know arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from struct import pack, unpack

_OVER = 65520.0
"""From here on the nearest is infinity."""


def rounded(items: Iterable[float]) -> tuple[float, ...]:
    """The floats of 16 bits that are nearest to `items`; of two the even one."""
    return unpacked(packed(items))


def packed(items: Iterable[float]) -> bytes:
    """The bytes of `items` as floats of 16 bits."""
    found = tuple(items)
    try:
        return pack(f"<{len(found)}e", *found)
    except OverflowError:
        return pack(f"<{len(found)}e", *map(_bounded, found))


def unpacked(data: bytes) -> tuple[float, ...]:
    """The floats of 16 bits that `data` has."""
    return unpack(f"<{len(data) // 2}e", data)


def _bounded(item: float) -> float:
    return item if abs(item) < _OVER or item != item else math.inf if item > 0 else -math.inf
