"""Buffers in which a thread computes, kept from use to use: to touch fresh memory first costs as much as filling it.

Owns them. A buffer never moves, so arrays over it may be kept too; the system gives memory only to the parts that are
written. Must not know what is computed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_KEPT = 1 << 21
"""Elements of a buffer."""
_LINE = 64
"""Bytes of a line of caches: where elements lie across two, plain arithmetic takes up to twice the time."""
_kept = threading.local()


def scratch(name: str, shape: Sequence[int]) -> npt.NDArray[Any]:
    """An f32 array of any contents, contiguous: this thread's buffer of that name, until it asks for it again.

    Of more than `MOST_KEPT` elements it is fresh.
    """
    count = prod(shape)
    if count > MOST_KEPT:
        return _aligned(count).reshape(shape)
    kept: dict[str, npt.NDArray[Any]] = _kept.__dict__
    if name not in kept:
        kept[name] = _aligned(MOST_KEPT)
    return kept[name][:count].reshape(shape)


def _aligned(count: int) -> npt.NDArray[Any]:
    made = np.empty(4 * count + _LINE, np.uint8)
    begin = -made.ctypes.data % _LINE
    return made[begin : begin + 4 * count].view(np.float32)
