"""What functions of bits mean, over integers of 64 bits that hold numbers of 32.

Owns their references. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_ALL = 0xFFFFFFFF


def _bit(x: Array, place: int) -> Array:
    return np.asarray(x >> place & 1)


def _moved(x: Array, places: Callable[[int], int], bits: int = 32) -> Array:
    """Bit n of `x` at `places(n)`."""
    return np.asarray(sum(_bit(x, place) << places(place) for place in range(bits)))


def _taken(x: Array, places: Callable[[int], int], bits: int) -> Array:
    """Bit `places(n)` of `x` at n."""
    return np.asarray(sum(_bit(x, places(place)) << place for place in range(bits)))


def _left(x: Array, y: Array) -> Array:
    return np.where((y < 0) | (y > 63), 0, x << np.clip(y, 0, 63))


def _right(x: Array, y: Array) -> Array:
    return np.asarray(x >> np.where((y < 0) | (y > 63), 63, y))


def _gray(x: Array) -> Array:
    value = x & _ALL
    for shift in (1, 2, 4, 8, 16):
        value = value ^ value >> shift
    return value


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
    "bit_not": np.invert,
    "shl": _left,
    "shr": _right,
    "popcount": lambda x: sum(_bit(x, place) for place in range(32)),
    "reverse_bits": lambda x: _moved(x, lambda place: 31 - place),
    "clz": lambda x: sum((x & _ALL) >> place == 0 for place in range(32)),
    "ctz": lambda x: sum((x & _ALL) % (2 << place) == 0 for place in range(32)),
    "gray_decode": _gray,
    "spread2": lambda x: _moved(x, lambda place: 2 * place, 16),
    "spread3": lambda x: _moved(x, lambda place: 3 * place, 10),
    "gather2": lambda x: _taken(x, lambda place: 2 * place, 16),
    "gather3": lambda x: _taken(x, lambda place: 3 * place, 10),
}
