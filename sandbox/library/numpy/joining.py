"""Arrays put together, taken apart, and repeated.

Owns these. Must not know arithmetic.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Out, ShapeLike
from sandbox.library.numpy.array import cast, copy_of, ndarray, new, own_values, reshaped, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import Buffer, dtype_of, promote
from sandbox.library.numpy.indexing import get
from sandbox.library.numpy.shapes import axis_of
from sandbox.library.numpy.shaping import along, atleast_1d, atleast_2d, atleast_3d, expand_dims, ravel


def concatenate(
    arrays: Sequence[ArrayLike], axis: int | None = 0, *, out: Out = None, dtype: DTypeLike = None
) -> ndarray:
    """Arrays one after another along an axis; in one row if it is None."""
    parts = [asarray(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        parts = [ravel(part) for part in parts]
        axis = 0
    first = parts[0]
    if not first.ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    place = axis_of(axis, first.ndim)
    for number, part in enumerate(parts[1:], 1):
        _check_joins(first, part, number, place)
    row = first._dtype
    for part in parts[1:]:
        row = promote(row, part._dtype)
    return _joined(parts, place, row if dtype is None else dtype_of(dtype))


def _check_joins(first: ndarray, part: ndarray, number: int, place: int) -> None:
    if part.ndim != first.ndim:
        raise ValueError(
            "all the input arrays must have same number of dimensions, but the array at index 0 has "
            f"{first.ndim} dimension(s) and the array at index {number} has {part.ndim} dimension(s)"
        )
    for axis, (size, other) in enumerate(zip(first._shape, part._shape, strict=True)):
        if axis != place and size != other:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly, but along "
                f"dimension {axis}, the array at index 0 has size {size} and the array at index {number} has size "
                f"{other}"
            )


def _joined(parts: list[ndarray], place: int, row: Any) -> ndarray:
    shape = list(parts[0]._shape)
    shape[place] = sum(part._shape[place] for part in parts)
    shapes.check(shape)
    flats = [cast(values(part), part._dtype, row) for part in parts]
    outer = shapes.prod(shape[:place])
    result = Buffer(row._code)
    lengths = [shapes.prod(part._shape[place:]) for part in parts]
    for number in range(outer):
        for flat, length in zip(flats, lengths, strict=True):
            result.extend(flat[number * length : (number + 1) * length])
    return new(result, row, tuple(shape))


def stack(arrays: Sequence[ArrayLike], axis: int = 0) -> ndarray:
    """Arrays of one shape along a new axis."""
    parts = [asarray(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to stack")
    if any(part._shape != parts[0]._shape for part in parts):
        raise ValueError("all input arrays must have the same shape")
    place = axis_of(axis, parts[0].ndim + 1)
    return concatenate([expand_dims(part, place) for part in parts], place)


def vstack(tup: Sequence[ArrayLike]) -> ndarray:
    """Arrays as rows, one below another."""
    return concatenate([atleast_2d(a) for a in tup], 0)


def hstack(tup: Sequence[ArrayLike]) -> ndarray:
    """Arrays side by side."""
    parts = [atleast_1d(a) for a in tup]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1)


def dstack(tup: Sequence[ArrayLike]) -> ndarray:
    """Arrays along the third axis."""
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup: Sequence[ArrayLike]) -> ndarray:
    """Arrays as columns."""
    parts = [asarray(a) for a in tup]
    return concatenate([part if part.ndim > 1 else reshaped(part, (part.size, 1)) for part in parts], 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`arr` with more at its end."""
    return concatenate([arr, values] if axis is not None else [ravel(arr), ravel(values)], axis or 0)


def block(arrays: ArrayLike) -> ndarray:
    """Nested lists of arrays put together: the innermost side by side, the lists around below each other."""
    return _block(arrays, 1)[0]


def _block(arrays: Any, depth: int) -> tuple[ndarray, int]:
    if not isinstance(arrays, list):
        return atleast_2d(arrays), 0
    parts = [_block(item, depth + 1) for item in arrays]
    inside = max(level for _, level in parts)
    return concatenate([part for part, _ in parts], -1 - inside), inside + 1


# ---------------------------------------------------------------------- splitting and repeating
def array_split(ary: ArrayLike, indices_or_sections: ArrayLike, axis: int = 0) -> list[ndarray]:
    """`ary` in parts, as equal as they can be, or cut at indices."""
    source = asarray(ary)
    place = axis_of(axis, source.ndim)
    size = source._shape[place]
    if isinstance(indices_or_sections, list | tuple | ndarray):
        cuts = [0, *(operator.index(item) for item in indices_or_sections), size]
    else:
        count = operator.index(indices_or_sections)
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extra = divmod(size, count)
        cuts = [0]
        for number in range(count):
            cuts.append(cuts[-1] + each + (number < extra))
    front = (slice(None),) * place
    return [get(source, (*front, slice(a, b))) for a, b in pairwise(cuts)]


def split(ary: ArrayLike, indices_or_sections: ArrayLike, axis: int = 0) -> list[ndarray]:
    """`ary` in equal parts, or cut at indices."""
    source = asarray(ary)
    if not isinstance(indices_or_sections, list | tuple | ndarray):
        size = source._shape[axis_of(axis, source.ndim)]
        if size % operator.index(indices_or_sections):
            raise ValueError("array split does not result in an equal division")
    return array_split(source, indices_or_sections, axis)


def hsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[ndarray]:
    """`split` along the second axis, or the only one."""
    source = asarray(ary)
    return split(source, indices_or_sections, 1 if source.ndim > 1 else 0)


def vsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[ndarray]:
    """`split` along the first axis."""
    return split(ary, indices_or_sections, 0)


def repeat(a: ArrayLike, repeats: ArrayLike, axis: int | None = None) -> ndarray:
    """Each entry several times."""
    source = ravel(a) if axis is None else asarray(a)
    place = axis_of(axis or 0, source.ndim)
    size = source._shape[place]
    counts = asarray(repeats, int)
    if counts.size not in (1, size):
        raise ValueError(f"operands could not be broadcast together with shape ({size},) {counts._shape}")
    times = list(values(counts)) * (size if counts.size == 1 else 1)
    if any(count < 0 for count in times):
        raise ValueError("repeats may not contain negative values.")
    shapes.check((*source._shape[:place], sum(times), *source._shape[place + 1 :]))
    numbers = [number for number, count in enumerate(times) for _ in range(count)]
    return along(source, numbers, place)


def tile(A: ArrayLike, reps: ShapeLike) -> ndarray:  # noqa: N803
    """`A` several times along each axis."""
    source = asarray(A)
    times = tuple(reps) if isinstance(reps, tuple | list | ndarray) else (reps,)
    rank = max(len(times), source.ndim)
    source = reshaped(source, (1,) * (rank - source.ndim) + source._shape)
    times = (1,) * (rank - len(times)) + times
    shapes.check([size * count for size, count in zip(source._shape, times, strict=True)])
    for axis, count in enumerate(times):
        if count != 1:
            source = along(source, list(range(source._shape[axis])) * operator.index(count), axis)
    return copy_of(source)


def resize(a: ArrayLike, new_shape: ShapeLike) -> ndarray:
    """The elements over and over until `new_shape` is full."""
    sizes = shapes.shape_of(new_shape)
    count = shapes.check(sizes)
    flat = own_values(asarray(a))
    if not len(flat):
        flat = Buffer(flat.typecode, [0])
    return new((flat * -(-count // len(flat)))[:count], asarray(a)._dtype, sizes)
