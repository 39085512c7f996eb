"""Python values to the wire's JSON and back: tensors, bytes, floats that JSON lacks.

Owns the client's half of the wire form and the record `Tensor`. Must not know HTTP. NumPy is used when it is
installed and never needed.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    import numpy
except ImportError:  # the client works without it
    numpy = None  # type: ignore[assignment]

INLINE_ELEMENTS = 65_536
_NUMPY_NAMES = {
    "bool": "bool", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32",
    "i64": "int64", "f16": "float16", "f32": "float32",
}  # fmt: skip
DTYPES = (*_NUMPY_NAMES, "bf16")
_BY_NUMPY = {numpy_name: name for name, numpy_name in _NUMPY_NAMES.items()}
_SAFE_INTEGER = 2**53
_NARROWED = {"float64": "float32", "int64": "int32"}  # what NumPy makes of Python's numbers, and what is sent


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor on the server, one given by value, or both.

    `shape` is from the outermost dimension, `dtype` as `f32`; `data` is flat and row-major, or None when the
    server did not send it (fetch it with `Client.download`).
    """

    shape: tuple[int, ...]
    dtype: str
    data: Sequence[Any] | None = None
    id: str | None = None

    def numpy(self) -> Any:
        """The elements as a NumPy array, bf16 as float32, which holds it.

        Raises `ValueError` when they did not come along, or without NumPy.
        """
        if numpy is None:
            raise ValueError("Tensor.numpy() needs NumPy: pip install numpy")
        if self.data is None:
            raise ValueError(f"tensor {self.id} came without its elements: use Client.download")
        dtype = "float32" if self.dtype == "bf16" else _NUMPY_NAMES.get(self.dtype, self.dtype)
        return numpy.array(self.data, dtype=dtype).reshape(self.shape)


Large = list[tuple[object, dict[str, Any]]]
"""Arrays that must be uploaded, each with the record that then needs its `id`."""


def encode(value: object, large: Large | None = None) -> Any:
    """`value` as the JSON that the server reads.

    Takes None, bool, int, float, str, bytes, lists, tuples, dicts with string keys, `Tensor`, and NumPy arrays;
    those of more than 65 536 elements are put into `large`. Raises `TypeError` for anything else, and `ValueError` for
    a large array without `large`.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"$float": _name(value)}
        case bytes() | bytearray() | memoryview():
            return {"$bytes": base64.b64encode(value).decode()}
        case Tensor():
            return {"$tensor": _tensor(value)}
        case list() | tuple():
            return [encode(item, large) for item in value]
        case dict():
            return {_key(key): encode(item, large) for key, item in value.items()}
    if numpy is not None and hasattr(value, "__array_interface__"):
        return _array(numpy.asarray(value), large)
    raise TypeError(
        f"a value of type {type(value).__name__} cannot be sent: use numbers, text, bytes, lists, dicts or tensors"
    )


def decode(value: Any) -> Any:
    """The Python value of JSON that the server sent: tensors as `Tensor`, bytes as bytes."""
    match value:
        case list():
            return [decode(item) for item in value]
        case {"$tensor": dict() as fields}:
            return tensor(fields)
        case {"$bytes": str() as text}:
            return base64.b64decode(text)
        case {"$float": str() as text}:
            return float(text)
        case dict():
            return {key[1:] if key.startswith("$$") else key: decode(item) for key, item in value.items()}
    return value


def tensor(fields: dict[str, Any]) -> Tensor:
    """The `Tensor` that a JSON record with shape, dtype, and data or id describes."""
    data = fields.get("data")
    dtype = str(fields.get("dtype", ""))
    if data is not None:
        number = float if dtype.startswith(("f", "bf")) else int
        data = [number(item) if isinstance(item, str) else item for item in data]
    return Tensor(tuple(fields.get("shape", ())), dtype, data, fields.get("id"))


def to_npy(array: object) -> bytes:
    """The bytes of an `.npy` file: of an array, of a path to one, or as given. Only arrays need NumPy.

    Lists of Python's numbers become f32 or i32; an array keeps its dtype.
    """
    if isinstance(array, bytes | bytearray | memoryview):
        return bytes(array)
    if isinstance(array, str | Path):
        return Path(array).read_bytes()
    if numpy is None:
        raise TypeError("without NumPy, give the bytes of an .npy file or a path to one")
    elements = numpy.asarray(array)
    if isinstance(array, list | tuple):
        elements = elements.astype(_NARROWED.get(elements.dtype.name, elements.dtype.name))
    buffer = io.BytesIO()
    numpy.save(buffer, elements, allow_pickle=False)
    return buffer.getvalue()


def from_npy(data: bytes) -> Any:
    """The array that an `.npy` file holds; without NumPy, the bytes themselves."""
    return data if numpy is None else numpy.load(io.BytesIO(data), allow_pickle=False)


def _tensor(value: Tensor) -> dict[str, Any]:
    if value.id is not None:
        return {"id": value.id}
    if value.data is None:
        raise ValueError("a tensor needs an id or data")
    return {"shape": list(value.shape), "dtype": value.dtype, "data": [_element(item) for item in value.data]}


def _array(array: Any, large: Large | None) -> Any:
    if array.ndim == 0:
        return encode(array.item(), large)
    dtype = _dtype_of(array)
    if array.size > INLINE_ELEMENTS:
        if large is None:
            raise ValueError(f"an array of {array.size} elements is too large to inline: use Client.upload")
        record: dict[str, Any] = {}
        large.append((array, record))
        return {"$tensor": record}
    return {"$tensor": _tensor(Tensor(array.shape, dtype, array.ravel().tolist()))}


def _dtype_of(array: Any) -> str:
    """The dtype of a tensor as an array. Raises `TypeError` for one that none has: which digits may go is the caller's
    to say."""
    dtype = _BY_NUMPY.get(array.dtype.name)
    if dtype is None:
        raise TypeError(
            f"an array of {array.dtype} cannot be sent: convert it, as with .astype('float32'), "
            f"to one of {', '.join(_BY_NUMPY)}"
        )
    return dtype


def _element(item: Any) -> Any:
    if isinstance(item, float) and not math.isfinite(item):
        return _name(item)
    if isinstance(item, int) and abs(item) > _SAFE_INTEGER:
        return str(item)
    return item


def _name(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key must be text, not {type(key).__name__}")
    return f"${key}" if key.startswith("$") else key
