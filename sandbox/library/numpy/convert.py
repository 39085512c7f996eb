"""Arrays from whatever a script has: numbers, nested sequences, arrays, tensors.

Owns `array` and its kin, and what a number by itself counts as beside arrays. Must not know functions of arrays.
"""

from __future__ import annotations

import operator
from itertools import chain
from typing import Any

from sandbox.library.numpy import dtypes, shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike
from sandbox.library.numpy.array import box, cast, copy_of, make, ndarray, new, reshaped, values
from sandbox.library.numpy.dtypes import BOOL, FLOAT64, INT64, UINT64, Buffer, dtype, dtype_of, promote
from sandbox.library.numpy.scalars import bool_, generic
from sandbox.library.numpy.shapes import Shape

_KINDS = {"b": bool, "i": int, "u": int, "f": float}
_RAGGED = "setting an array element with a sequence. The requested array has an inhomogeneous shape after"


def array(
    object: ArrayLike,
    dtype: DTypeLike = None,
    *,
    copy: bool | None = True,
    order: str | None = None,
    ndmin: int = 0,
) -> ndarray:
    """A new array of `object`: a number, nested sequences, an array or a tensor."""
    result = asarray(object, dtype)
    if result is object and copy:
        result = copy_of(result)
    missing = ndmin - result.ndim
    return reshaped(result, (1,) * missing + result._shape) if missing > 0 else result


def asarray(
    a: ArrayLike, dtype: DTypeLike = None, *, order: str | None = None, copy: bool | None = None
) -> ndarray:
    """`a` itself if it is an array of `dtype`, else a new array."""
    wanted = None if dtype is None else dtype_of(dtype)
    if type(a) is ndarray:
        found = a if wanted is None or wanted is a._dtype else astype(a, wanted)
        return copy_of(found) if copy and found is a else found
    if isinstance(a, generic):
        found = make([a.item()], a._row, ())
        return found if wanted is None else astype(found, wanted)
    if _is_tensor(a):
        return _from_tensor(a, wanted)
    flat, shape, rows = _flatten(a)
    return _typed(flat, shape, rows, wanted)


def astype(a: ndarray, row: dtype) -> ndarray:
    """A copy of `a` with another element type."""
    found = cast(values(a), a._dtype, row)
    return new(found[:] if found is a._data else found, row, a._shape)


def strong(a: ArrayLike) -> tuple[ndarray, str]:
    """An operand as an array, and `i` or `f` where it is Python's number, whose type gives way to others."""
    kind = type(a)
    if kind is ndarray:
        return a, ""
    if kind is float:
        return new(Buffer("d", (a,)), FLOAT64, ()), "f"
    if kind is int:
        return _integer(a), "i"
    return asarray(a), ""


def _integer(a: int) -> ndarray:
    row = INT64 if -(1 << 63) <= a < 1 << 63 else UINT64
    dtypes.check_fits(a, row)
    return new(Buffer(row._code, (a,)), row, ())


def _is_tensor(a: Any) -> bool:
    return hasattr(type(a), "tolist") and not isinstance(a, Buffer | memoryview)


def _from_tensor(a: Any, wanted: dtype | None) -> ndarray:
    """An array of what has `tolist`; its own `dtype` counts if it has a name that is known here."""
    name = str(getattr(a, "dtype", "")).rpartition(".")[2]
    return asarray(a.tolist(), dtypes.TABLE.get(name) if wanted is None else wanted)


def _is_sequence(item: Any) -> bool:
    if isinstance(item, ndarray):
        return bool(item._shape)
    return isinstance(item, list | tuple | range | Buffer | memoryview)


def _flatten(a: Any) -> tuple[list[Any], Shape, set[dtype]]:
    """The numbers of nested sequences, their shape, and the types of the arrays among them."""
    flat: list[Any] = [a]
    shape: list[int] = []
    rows: set[dtype] = set()
    while flat and _is_sequence(flat[0]):
        if not all(map(_is_sequence, flat)):
            raise _ragged(shape)
        rows.update(item._dtype for item in flat if isinstance(item, ndarray))
        parts = [item.tolist() if isinstance(item, ndarray) else list(item) for item in flat]
        if any(len(part) != len(parts[0]) for part in parts):
            raise _ragged(shape)
        shape.append(len(parts[0]))
        flat = list(chain.from_iterable(parts))
        shapes.check((*shape, 1))
    if any(map(_is_sequence, flat)):
        raise _ragged(shape)
    return [box(item) if isinstance(item, ndarray) else item for item in flat], tuple(shape), rows


def _ragged(shape: list[int]) -> ValueError:
    count = len(shape)
    return ValueError(
        f"{_RAGGED} {count} dimensions. The detected shape was {tuple(shape)} + inhomogeneous part."
    )


def _typed(flat: list[Any], shape: Shape, rows: set[dtype], wanted: dtype | None) -> ndarray:
    kinds = set(map(type, flat))
    if wanted is None:
        wanted = _common(flat, kinds, rows)
    if wanted._kind == "b":
        return make(list(map(bool, flat)), wanted, shape)
    if wanted._kind == "f":
        return make(flat if kinds <= {float, int} else [_float(item) for item in flat], wanted, shape)
    if not kinds <= {int}:
        flat = [_int(item) for item in flat]
    for item in flat and (min(flat), max(flat)):
        dtypes.check_fits(item, wanted)
    return make(flat, wanted, shape)


def _common(flat: list[Any], kinds: set[type], rows: set[dtype]) -> dtype:
    """The type of an array of `flat`."""
    rows = set(rows)
    for kind in kinds - {_KINDS[row._kind] for row in rows}:
        if issubclass(kind, generic):
            rows.add(kind._row)
        elif issubclass(kind, bool):
            rows.add(BOOL)
        elif issubclass(kind, int):
            rows.add(INT64 if all(item < 1 << 63 for item in flat if isinstance(item, int)) else UINT64)
        elif issubclass(kind, float):
            rows.add(FLOAT64)
        else:
            raise TypeError(f"an array of scripts holds numbers and bools, not {kind.__name__}")
    result = rows.pop() if rows else FLOAT64
    for row in rows:
        result = promote(result, row)
    return result


def _float(item: Any) -> float:
    if item is None:
        return float("nan")
    return float(item)


def _int(item: Any) -> int:
    if isinstance(item, float | str | bytes | bool_):
        return int(item)
    return int(operator.index(item))
