"""Elements in wire form as Python's numbers.

Owns how they are read and nested. Must not know tensors, or where the bytes come from.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from struct import unpack
from typing import Any

from ops import bfloat
from ops.dtypes import BY_NAME
from ops.loose import Nested


def nested(data: bytes, dtype: str, shape: Sequence[int]) -> Nested:
    """The elements as nested lists, from the outermost axis; a number for rank 0."""
    if 0 in shape:
        return _empty(shape)
    if dtype == "f16":
        data, dtype = array("f", unpack(f"<{len(data) // 2}e", data)).tobytes(), "f32"
    elif dtype == "bf16":
        data, dtype = bfloat.unpack(data).tobytes(), "f32"
    code: Any = BY_NAME[dtype].code
    return memoryview(data).cast("B").cast(code, tuple(shape)).tolist()


def _empty(shape: Sequence[int]) -> list[Any]:
    """Lists as deep as the first axis of size 0."""
    return [_empty(shape[1:]) for _ in range(shape[0])] if shape[0] else []
