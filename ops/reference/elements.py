"""Elements in NumPy: their dtypes, their wire form, and the form in which is computed.

Owns the map between our dtypes and NumPy's, and rounding. Floats are computed in f64, integers in i64. Must not know
ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.dtypes import BY_NAME
from ops.reference.bfloat import BF16, opened, rounded

Array = npt.NDArray[Any]

DTYPES: dict[str, npt.DTypeLike] = {
    "bool": np.dtype("bool"),
    "u8": np.dtype("u1"),
    "i8": np.dtype("i1"),
    "u16": np.dtype("<u2"),
    "i16": np.dtype("<i2"),
    "u32": np.dtype("<u4"),
    "i32": np.dtype("<i4"),
    "i64": np.dtype("<i8"),
    "bf16": BF16,
    "f16": np.dtype("<f2"),
    "f32": np.dtype("<f4"),
}
_KINDS_WIDE = {"bool": np.bool_, "int": np.int64, "float": np.float64}


def dtype_name(dtype: npt.DTypeLike) -> str:
    """Our name of a NumPy dtype. Raises `KeyError` for one that we do not have."""
    wanted = np.dtype(dtype)
    return {np.dtype(mine): name for name, mine in DTYPES.items()}[wanted]


def to_wire(array: Array) -> bytes:
    """The elements of `array` in wire form: row-major, little-endian, a bool as one byte."""
    return np.ascontiguousarray(array).tobytes()


def from_wire(data: bytes | bytearray | memoryview, dtype: str, shape: Sequence[int]) -> Array:
    """The array of wire bytes `data`. A bool is whatever is not 0."""
    if dtype == "bool":
        return np.not_equal(np.frombuffer(data, np.uint8).reshape(shape), 0)
    return np.frombuffer(data, DTYPES[dtype]).reshape(shape)


def widened(array: Array, dtype: str) -> Array:
    """Elements of `dtype` in the form in which is computed."""
    return opened(array).astype(_KINDS_WIDE[BY_NAME[dtype].kind])


def narrow(value: Array, dtype: str) -> Array:
    """`value` rounded to `dtype`: floats saturate to integers, NaN to 0, integers wrap."""
    value = np.asarray(value)
    if dtype == "bf16":
        return value if value.dtype == BF16 else rounded(value)
    if BY_NAME[dtype].kind == "int" and value.dtype.kind == "f":
        ends = np.iinfo(DTYPES[dtype])
        whole = np.trunc(np.nan_to_num(value.astype(np.float64), nan=0.0, posinf=2.0**64, neginf=-(2.0**64)))
        inside = np.where(np.abs(whole) < 2.0**63, whole, 0).astype(np.int64)
        value = np.where(whole >= 2.0**63, ends.max, np.where(whole <= -(2.0**63), ends.min, inside))
        value = np.clip(value, ends.min, ends.max)
    return value.astype(DTYPES[dtype], copy=False)
