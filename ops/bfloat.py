"""bf16 in plain Python: the upper half of an f32, rounded to nearest, ties to even.

Owns the two conversions. Must not know tensors. Little-endian, as all wire forms.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable

_NAN = 0x7FC0


def pack(values: Iterable[float]) -> bytes:
    """`values` in wire form, by way of f32, as PyTorch does it. Raises `OverflowError` for one beyond f32."""
    words = array("I", array("f", values).tobytes())
    return _bytes(array("H", map(_rounded, words)))


def unpack(data: bytes) -> array[float]:
    """The numbers that wire form holds."""
    halves = array("H", data)
    if sys.byteorder == "big":
        halves.byteswap()
    return array("f", array("I", (half << 16 for half in halves)).tobytes())


def _rounded(word: int) -> int:
    if word & 0x7FFFFFFF > 0x7F800000:
        return _NAN
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16


def _bytes(halves: array[int]) -> bytes:
    if sys.byteorder == "big":
        halves.byteswap()
    return halves.tobytes()
