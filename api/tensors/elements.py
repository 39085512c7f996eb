"""The elements of a tensor, between JSON lists and their wire form (little-endian, row-major; a bool is a byte).

Owns shapes as people give them and the exactness of numbers: what does not fit its dtype is refused, never
rounded to infinity or wrapped. Must not know where tensors live.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from api.errors import MalformedTensor
from ops.dtypes import DType, dtype
from ops.reference import narrow
from ops.reference.bfloat import opened

MAX_RANK = 8
MAX_SIZE = (1 << 63) - 1
SAFE_INTEGER = 1 << 53
"""Whole numbers beyond it are strings in JSON, many of whose readers know only doubles."""
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def numpy_dtype(row: DType) -> np.dtype[Any]:
    """NumPy's name for the wire form of `row`."""
    return np.dtype(row.code).newbyteorder("<")


def size_of(shape: tuple[int, ...], row: DType, limit: int) -> int:
    """The bytes of a tensor in wire form. Raises `MalformedTensor` for a bad shape or one over `limit` bytes."""
    if len(shape) > MAX_RANK:
        raise MalformedTensor(f"a shape of {len(shape)} dimensions is over the limit of {MAX_RANK}")
    if any(size < 0 for size in shape):
        raise MalformedTensor(f"the shape {list(shape)!s:.80} has a negative size")
    if any(size > MAX_SIZE for size in shape):
        raise MalformedTensor(f"a shape has a size over {MAX_SIZE}")
    nbytes = math.prod(shape) * row.wire_bytes
    if nbytes > limit:
        raise MalformedTensor(
            f"a tensor of {nbytes} bytes is over this server's limit of {limit}",
            hint="Send it as several tensors.",
        )
    return nbytes


def parse_shape(value: object) -> tuple[int, ...]:
    """A shape as JSON gives it: a list of whole numbers. Raises `MalformedTensor`."""
    if isinstance(value, list) and len(value) > MAX_RANK:
        raise MalformedTensor(f"a shape of {len(value)} dimensions is over the limit of {MAX_RANK}")
    if not isinstance(value, list) or any(type(size) is not int for size in value):
        raise MalformedTensor("a shape is a list of whole numbers, as [2, 3]")
    if any(size > MAX_SIZE for size in value):
        raise MalformedTensor(f"a shape has a size over {MAX_SIZE}")
    return tuple(value)


def from_list(data: object, shape: tuple[int, ...], row: DType) -> bytes:
    """The wire form of a flat JSON list. Raises `MalformedTensor` naming the first thing that does not fit."""
    count = math.prod(shape)
    if not isinstance(data, list):
        raise MalformedTensor("data must be a list")
    kinds = set(map(type, data))
    if list in kinds:
        raise MalformedTensor("data must be flat", hint="Give the elements row by row in one list.")
    if len(data) != count:
        raise MalformedTensor(f"the shape {list(shape)} holds {count} elements, but data has {len(data)}")
    if row.kind == "bool":
        return _booleans(data, kinds)
    if row.kind == "int":
        return _integers(data, kinds, row)
    return _floats(data, kinds, row)


def to_list(raw: bytes | memoryview, row: DType) -> list[Any]:
    """The elements in `raw` (wire form) as JSON values; as strings NaN, infinities, and what a double cannot hold."""
    array = opened(np.frombuffer(raw, dtype=numpy_dtype(row)))
    values: list[Any] = array.tolist()
    if row.kind == "float" and not np.isfinite(array).all():
        for index in np.flatnonzero(~np.isfinite(array)).tolist():
            values[index] = special_name(values[index])
    elif row.wire_bytes > 4:
        for index in np.flatnonzero((array > SAFE_INTEGER) | (array < -SAFE_INTEGER)).tolist():
            values[index] = str(values[index])
    return values


def special_name(value: float) -> str:
    """How a float that JSON lacks is written."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def special_value(name: object) -> float | None:
    """The float that `name` stands for, if any."""
    return _SPECIAL.get(name) if isinstance(name, str) else None


def _booleans(data: list[Any], kinds: set[type]) -> bytes:
    if not kinds <= {bool}:
        _refuse(data, (bool,), "bool", "true or false")
    return np.array(data, dtype=np.bool_).tobytes()


def _integers(data: list[Any], kinds: set[type], row: DType) -> bytes:
    if str in kinds and row.wire_bytes > 4:
        data = [int(value) if type(value) is str and _WHOLE.fullmatch(value) else value for value in data]
        kinds = set(map(type, data))
    if not kinds <= {int}:
        _refuse(data, (int,), row.name, "whole numbers")
    bounds = np.iinfo(numpy_dtype(row))
    for value in (min(data), max(data)) if data else ():
        if not bounds.min <= value <= bounds.max:
            bound = f"less than {bounds.min}" if value < bounds.min else f"more than {bounds.max}"
            raise MalformedTensor(
                f"{value!s:.60} at index {data.index(value)} of data does not fit {row.name} ({bound})"
            )
    return np.array(data, dtype=numpy_dtype(row)).tobytes()


def _floats(data: list[Any], kinds: set[type], row: DType) -> bytes:
    values = data
    if str in kinds:
        values = [_SPECIAL.get(value, value) if type(value) is str else value for value in data]
        kinds = set(map(type, values))
    if not kinds <= {int, float}:
        _refuse(values, (int, float), row.name, 'numbers, "NaN", "Infinity" or "-Infinity"')
    try:
        wide: npt.NDArray[np.float64] = np.array(values, dtype=np.float64)
    except OverflowError:
        raise MalformedTensor(f"data has a number far beyond {row.name}") from None
    with np.errstate(over="ignore"):
        made = narrow(wide, row.name)
    lost = np.flatnonzero(np.isinf(opened(made)) & ~np.isinf(wide))
    if lost.size:
        raise MalformedTensor(f"{values[lost[0]]!s:.60} at index {lost[0]} of data is beyond {row.name}")
    return made.tobytes()


def _refuse(data: list[Any], kinds: tuple[type, ...], name: str, expected: str) -> None:
    index, value = next((i, v) for i, v in enumerate(data) if type(v) not in kinds)
    raise MalformedTensor(f"data at index {index} is {value!r:.60}, but a {name} tensor holds {expected}")


def named_dtype(name: object) -> DType:
    """The dtype that a request names. Raises `DTypeError`."""
    return dtype((name if isinstance(name, str) else str(name))[:60])


def count(shape: tuple[int, ...]) -> int:
    """The number of elements of a shape."""
    return math.prod(shape)
