"""Dtypes and shapes as a script sees and writes them: `torch.float32`, `torch.Size([2, 3])`.

Owns those two kinds of value, what else a call takes for them, and the way to our dtype names and sizes. Must not know
tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ops import dtypes
from ops.dtypes import DTypeError
from ops.errors import AttributeValueError


class TypeName:
    """A dtype. Two are equal when they are the same object."""

    __slots__ = ("_name", "_text", "is_floating_point", "itemsize")
    is_floating_point: bool
    itemsize: int

    def __init__(self, name: str, torch_name: str) -> None:
        row = dtypes.dtype(name)
        self._name = name
        self._text = f"torch.{torch_name}"
        self.is_floating_point = row.kind == "float"
        self.itemsize = row.wire_bytes

    def __repr__(self) -> str:
        return self._text


float32 = TypeName("f32", "float32")
float16 = TypeName("f16", "float16")
bfloat16 = TypeName("bf16", "bfloat16")
int64 = TypeName("i64", "int64")
int32 = TypeName("i32", "int32")
int16 = TypeName("i16", "int16")
int8 = TypeName("i8", "int8")
uint32 = TypeName("u32", "uint32")
uint16 = TypeName("u16", "uint16")
uint8 = TypeName("u8", "uint8")
bool_ = TypeName("bool", "bool")
TYPES = (float32, float16, bfloat16, int64, int32, int16, int8, uint32, uint16, uint8, bool_)
_BY_NAME = {value._name: value for value in TYPES}
_PYTHON: dict[object, str] = {float: "f32", int: "i32", bool: "bool"}


def type_name(name: str) -> TypeName:
    """What a script sees for our dtype `name`."""
    return _BY_NAME[name]


def dtype_of(value: object) -> str:
    """Our name of a dtype that a script gives: a `TypeName`, a name, or Python's float, int or bool."""
    if isinstance(value, TypeName):
        return value._name
    if isinstance(value, str):
        return dtypes.dtype(value.removeprefix("torch.")).name
    if isinstance(value, type) and value in _PYTHON:
        return _PYTHON[value]
    raise DTypeError(
        f"{type(value).__name__} is no dtype", hint="Use torch.float32, torch.int32, torch.bool …"
    )


def sizes(given: Sequence[Any]) -> list[int]:
    """Sizes or axes that a call got one by one or as one sequence. Raises `AttributeValueError`."""
    if len(given) == 1 and isinstance(given[0], list | tuple):
        given = given[0]
    if not all(hasattr(size, "__index__") for size in given):
        raise AttributeValueError("sizes and axes must be integers")
    return [size.__index__() for size in given]


Number = int | float | bool
"""What says a value of any dtype."""
DTypeLike = TypeName | str | type[bool] | type[int] | type[float]
"""What says a dtype: one of these, a name of ours or of PyTorch's, or a type of Python's."""
Device = str | int | None
"""What says a device, which means nothing here: there is one."""
Sizes = int | Sequence[int]
"""A size or a number for every axis, or one for each."""
Dims = int | Sequence[int] | None
"""An axis, several, or all."""


class Size(tuple[int, ...]):
    """A shape."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"
