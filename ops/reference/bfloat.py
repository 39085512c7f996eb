"""bf16 for NumPy, which lacks it: arrays of two opaque bytes, the upper half of an f32.

Owns the dtype and its conversions. Must not know ops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
BF16 = np.dtype("V2")
_NAN = 0x7FC0


def rounded(values: Array) -> Array:
    """Numbers as bf16: by way of f32, to nearest, ties to even."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32)
    halves = ((words + np.uint32(0x7FFF) + (words >> 16 & 1)) >> 16).astype(np.uint16)
    is_nan = (words & 0x7FFFFFFF) > 0x7F800000
    return np.where(is_nan, np.uint16(_NAN), halves).view(BF16).reshape(np.shape(values))


def opened(array: Array) -> Array:
    """`array`, of f32 where it is bf16."""
    if array.dtype != BF16:
        return array
    words = np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << 16
    return words.view(np.float32).reshape(array.shape)
