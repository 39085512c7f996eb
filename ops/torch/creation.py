"""Tensors from Python's values.

Owns `tensor`, `zeros`, `arange` and their kin. Must not know NumPy: elements are packed by
`array`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from math import ceil
from struct import error, pack
from typing import Any

from ops import bfloat, dtypes
from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.graph import TensorType
from ops.infer import check_shape
from ops.loose import Data
from ops.shapes import MAX_RANK
from ops.torch import lazy
from ops.torch.tensor import Tensor, apply
from ops.torch.typenames import Device, DTypeLike, Number, Sizes, dtype_of, sizes

_ARRAYS = {
    "float16": "f16", "uint32": "u32", "uint16": "u16", "uint8": "u8", "int16": "i16", "int8": "i8",
}  # fmt: skip
"""Dtypes of arrays of NumPy's form that their elements do not tell."""


def tensor(
    data: Data, *, dtype: DTypeLike | None = None, device: Device = None, requires_grad: bool = False
) -> Tensor:
    """The tensor of a number, of nested lists, of another tensor, or of what has `tolist`, as an array of NumPy's form.

    Without `dtype`: that of an array of f16, u32 or shorter integers, else f32, i32 or bool, as the data. It shares
    nothing with the data.
    """
    if requires_grad:
        raise GraphError("gradients are not recorded yet", hint="Leave requires_grad out.")
    if isinstance(data, Tensor):
        return data.clone() if dtype is None else data.clone().type(dtype)
    if hasattr(type(data), "tolist"):
        dtype = _ARRAYS.get(str(getattr(data, "dtype", ""))) if dtype is None else dtype
        data = data.tolist()
    flat, shape = _flatten(data)
    name = _infer(flat) if dtype is None else dtype_of(dtype)
    check_shape(shape)
    return Tensor(lazy.constant(_pack(flat, name), TensorType(shape, name)))


def as_tensor(data: Data, *, dtype: DTypeLike | None = None, device: Device = None) -> Tensor:
    """As `tensor`, but a tensor that is of `dtype` already is given back itself."""
    return data.to(dtype=dtype) if isinstance(data, Tensor) else tensor(data, dtype=dtype)


def _flatten(data: Any) -> tuple[list[Any], tuple[int, ...]]:
    """The numbers of nested sequences, and their shape. Raises `ShapeError` where rows differ in length."""
    flat: list[Any] = [data]
    shape: list[int] = []
    while flat and isinstance(flat[0], list | tuple | range):
        length = len(flat[0])
        if not all(isinstance(row, list | tuple | range) and len(row) == length for row in flat):
            raise ShapeError(f"rows at depth {len(shape)} of the data differ in length or kind")
        shape.append(length)
        flat = list(chain.from_iterable(flat))
        if len(shape) > MAX_RANK:
            raise ShapeError(f"data nested more than {MAX_RANK} deep")
    flat = [value.item() if hasattr(type(value), "item") else value for value in flat]
    return flat, tuple(shape)


def _infer(flat: list[Any]) -> str:
    kinds = set(map(type, flat))
    if not kinds <= {bool, int, float}:
        kind = next(iter(kinds - {bool, int, float}))
        raise AttributeValueError(
            f"a tensor cannot be made of {kind.__name__}", hint="Give a number or nested lists of numbers."
        )
    if float in kinds or not kinds:
        return "f32"
    return "i32" if int in kinds else "bool"


def _pack(flat: list[Any], name: str) -> bytes:
    """`flat` in wire form."""
    row = dtypes.dtype(name)
    try:
        if row.kind == "bool":
            return bytes(map(bool, flat))
        if name == "f16":
            return pack(f"<{len(flat)}e", *flat)
        if name == "bf16":
            return bfloat.pack(flat)
        if row.kind == "float":
            return array("f", flat).tobytes()
        return array(row.code, map(int, flat)).tobytes()
    except (OverflowError, ValueError, TypeError, error) as reason:
        hint = "Say dtype=torch.int64 for numbers of up to 64 bits." if name == "i32" else None
        raise AttributeValueError(f"the data do not fit in {name}: {reason}", hint=hint) from None


def full(size: Sizes, fill_value: Number, *, dtype: DTypeLike | None = None, device: Device = None) -> Tensor:
    """A tensor of one value. Without `dtype`: f32, i32 or bool, as the value."""
    name = _infer([fill_value]) if dtype is None else dtype_of(dtype)
    return apply("full", [], shape=sizes([size]), value=fill_value, dtype=name)


def zeros(
    *shape: Sizes, size: Sizes | None = None, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """A tensor of zeros, f32 by default."""
    return full(shape_of(shape, size), 0.0, dtype=dtype)


def shape_of(shape: Sequence[Sizes], size: Sizes | None) -> list[int]:
    """Sizes one by one, as one sequence, or by name."""
    return sizes(shape if size is None else [size])


def ones(
    *shape: Sizes, size: Sizes | None = None, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """A tensor of ones, f32 by default."""
    return full(shape_of(shape, size), 1.0, dtype=dtype)


def zeros_like(input: Tensor, *, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros of the shape, and without `dtype` of the dtype, of `input`."""
    return full_like(input, 0, dtype=dtype)


def ones_like(input: Tensor, *, dtype: DTypeLike | None = None) -> Tensor:
    """Ones, likewise."""
    return full_like(input, 1, dtype=dtype)


def full_like(input: Tensor, fill_value: Number, *, dtype: DTypeLike | None = None) -> Tensor:
    """One value, likewise."""
    return full(input.shape, fill_value, dtype=input.dtype if dtype is None else dtype)


def arange(
    start: Number = 0,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Numbers from `start` to before `end` in steps of `step`; with one argument, from 0 to before it.

    As in PyTorch, i64 counts with all three cut off to whole numbers, other integers with the fractions.
    """
    first, last = (0, start) if end is None else (start, end)
    _check_range(first, last, step)
    name = _infer([first, last, step]) if dtype is None else dtype_of(dtype)
    if name == "i64":
        first, last, step = int(first), int(last), int(step)
        _check_range(first, last, step)
    is_whole = isinstance(last - first, int) and isinstance(step, int)
    count = -((first - last) // step) if is_whole else ceil((last - first) / step)
    if dtypes.dtype(name).kind == "int":
        first, step = int(first), int(step)
    return apply("arange", [], count=max(0, int(count)), start=first, step=step, dtype=name)


def _check_range(first: Number, last: Number, step: Number) -> None:
    if step == 0 or not all(abs(value) < float("inf") for value in (first, last, step)):
        raise AttributeValueError("arange takes finite numbers and a step that is not 0")


def linspace(
    start: Number, end: Number, steps: int, *, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """`steps` numbers evenly from `start` to `end`, both included; whole ones are cut off towards 0."""
    name = "f32" if dtype is None else dtype_of(dtype)
    if dtypes.dtype(name).kind == "int":
        start, end = int(start), int(end)
        gaps = steps - 1
        if gaps > 0 and max(abs(start), abs(end), abs(end - start)) * gaps < 1 << 31:
            scaled = apply("arange", [], count=steps, start=start * gaps, step=end - start, dtype="i32")
            divisor = apply("full", [], shape=[], value=gaps, dtype="i32")
            return apply("trunc_divide", [scaled, divisor]).type(name)
    return apply("linspace", [], count=steps, start=float(start), end=float(end), dtype=name)


def eye(n: int, m: int | None = None, *, dtype: DTypeLike | None = None, device: Device = None) -> Tensor:
    """The matrix with ones on its diagonal."""
    return apply("eye", [], n=n, m=m, dtype="f32" if dtype is None else dtype_of(dtype))
