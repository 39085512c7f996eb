"""Copies with entries left out or added.

Owns these. Must not know conditions.
"""

from __future__ import annotations

from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import broadcasted, copy_of, make, ndarray, new, reshaped
from sandbox.library.numpy.array import values as _values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import BOOL, INT64
from sandbox.library.numpy.indexing import get, true_places
from sandbox.library.numpy.joining import concatenate
from sandbox.library.numpy.selection import bounded
from sandbox.library.numpy.shapes import axis_of
from sandbox.library.numpy.shaping import along, moveaxis, ravel


def delete(arr: ArrayLike, obj: ArrayLike, axis: int | None = None) -> ndarray:
    """A copy without the entries `obj`."""
    source = ravel(arr) if axis is None else asarray(arr)
    place = axis_of(axis or 0, source.ndim)
    size = source._shape[place]
    if isinstance(obj, slice):
        gone = set(range(size)[obj])
    else:
        wanted = asarray(obj)
        chosen = true_places(wanted)[0] if wanted._dtype is BOOL else map(int, _values(wanted))
        gone = set(bounded(list(chosen), size, "raise", place))
    return along(source, [number for number in range(size) if number not in gone], place)


def insert(arr: ArrayLike, obj: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """A copy with `values` before the entries `obj`."""
    source = ravel(arr) if axis is None else asarray(arr)
    place = axis_of(axis or 0, source.ndim)
    size = source._shape[place]
    wanted = asarray(list(range(size)[obj]) if isinstance(obj, slice) else obj, INT64)
    numbers = [number + size if number < 0 else number for number in _values(wanted)]
    if any(not 0 <= number <= size for number in numbers):
        raise IndexError(f"index {obj} is out of bounds for axis {place} with size {size}")
    added = asarray(values, source._dtype)
    if source.ndim > 1 and wanted.ndim == 0 and added.ndim:
        added = reshaped(added, (1, *added._shape)) if added.ndim < source.ndim else added
        added = moveaxis(added, 0, place) if added._shape[0] == 1 else added
        numbers = numbers * added._shape[place]
    shape = (
        *source._shape[:place],
        max(len(numbers), added.size if source.ndim == 1 else 0),
        *source._shape[place + 1 :],
    )
    if len(numbers) == 1:
        numbers = numbers * shape[place]
    added = broadcasted(added, shape)
    both = concatenate([source, added], place)
    rank = sorted(range(len(numbers)), key=lambda number: numbers[number])
    order: list[int] = []
    position = 0
    for number in rank:
        order += range(position, numbers[number])
        position = max(position, numbers[number])
        order.append(size + number)
    order += range(position, size)
    return along(both, order, place)


def trim_zeros(filt: ArrayLike, trim: str = "fb") -> Result:
    """`filt` without the zeros at its ends."""
    flat = _values(asarray(filt))
    start, stop = 0, len(flat)
    while "f" in trim.lower() and start < stop and not flat[start]:
        start += 1
    while "b" in trim.lower() and stop > start and not flat[stop - 1]:
        stop -= 1
    return get(filt, slice(start, stop)) if isinstance(filt, ndarray) else filt[start:stop]


def pad(
    array: ArrayLike,
    pad_width: ArrayLike,
    mode: str = "constant",
    constant_values: ArrayLike = 0,
    **_more: object,
) -> ndarray:
    """`array` with more entries at the ends of each axis: `constant`, `edge`, `reflect`, `symmetric` or `wrap`."""
    source = asarray(array)
    widths = _values(broadcasted(asarray(pad_width, INT64), (source.ndim, 2)))
    for axis in range(source.ndim):
        before, after = widths[2 * axis], widths[2 * axis + 1]
        if before < 0 or after < 0:
            raise ValueError("index can't contain negative values")
        if mode == "constant":
            source = _with_constant(source, axis, before, after, constant_values)
        else:
            source = along(source, _outside(source._shape[axis], before, after, mode), axis)
    return copy_of(source)


def _with_constant(a: ndarray, axis: int, before: int, after: int, constant: Any) -> ndarray:
    ends = _values(broadcasted(asarray(constant, a._dtype), (2,)))
    parts = []
    for count, value in zip((before, after), ends, strict=True):
        shape = (*a._shape[:axis], count, *a._shape[axis + 1 :])
        parts.append(new(_values(make([value], a._dtype, (1,))) * shapes.check(shape), a._dtype, shape))
    return concatenate([parts[0], a, parts[1]], axis)


def _outside(size: int, before: int, after: int, mode: str) -> list[int]:
    numbers = range(-before, size + after)
    shapes.check((len(numbers),))
    if mode == "edge":
        return [min(max(number, 0), size - 1) for number in numbers]
    if mode == "wrap":
        return [number % size for number in numbers]
    if mode == "symmetric":
        return [
            number % (2 * size) if number % (2 * size) < size else 2 * size - 1 - number % (2 * size)
            for number in numbers
        ]
    if mode == "reflect":
        period = max(2 * size - 2, 1)
        return [min(number % period, period - number % period) if size > 1 else 0 for number in numbers]
    raise ValueError(f"mode '{mode}' is not supported")
