"""Functions that give the same elements in another shape or order.

Owns reshaping, moving axes, joining, splitting and repeating. Must not know arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Axes, Result, ShapeLike
from sandbox.library.numpy.array import (
    broadcasted,
    copy_of,
    ndarray,
    new,
    reshaped,
    values,
    view,
)
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import Buffer
from sandbox.library.numpy.indexing import get
from sandbox.library.numpy.shapes import Shape, axes_of, axis_of


def _spread(shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """The sizes of `f(2, 3)` or `f((2, 3))`."""
    if len(shape) == 1 and isinstance(shape[0], tuple | list | ndarray):
        return tuple(shape[0])
    return shape


def reshape(
    a: ArrayLike,
    /,
    *shape: ShapeLike,
    order: str = "C",
    copy: bool | None = None,
    newshape: ShapeLike | None = None,
) -> ndarray:
    """`a` in another shape, of which one size may be -1: a view where that works."""
    source = asarray(a)
    sizes = shapes.resolve(_spread(shape if newshape is None else (newshape,)), source.size)
    if order == "F":
        turned = reshaped(source.T, sizes[::-1])
        return turned.T
    return copy_of(reshaped(source, sizes)) if copy else reshaped(source, sizes)


def ravel(a: ArrayLike, order: str = "C") -> ndarray:
    """`a` in one row: a view where that works."""
    source = asarray(a)
    return reshaped(source.T if order == "F" else source, (source.size,))


def flatten(a: ndarray, order: str = "C") -> ndarray:
    """A copy of `a` in one row."""
    return copy_of(ravel(a, order))


def transpose(a: ArrayLike, axes: Axes = None) -> ndarray:
    """`a` with its axes in another order, reversed by default: a view."""
    source = asarray(a)
    if axes is None:
        return source.T
    order = [axis_of(axis, source.ndim) for axis in axes]
    if len(order) != source.ndim:
        raise ValueError("axes don't match array")
    if len(set(order)) != len(order):
        raise ValueError("repeated axis in transpose")
    return view(source, tuple(source._shape[x] for x in order), tuple(source._strides[x] for x in order))


def transpose_method(a: ndarray, *axes: Axes) -> ndarray:
    """`a.transpose()`, `a.transpose(1, 0)` or `a.transpose((1, 0))`."""
    spread = _spread(axes)
    return transpose(a, None if not axes or spread == (None,) else spread)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ndarray:
    """Two axes exchanged: a view."""
    source = asarray(a)
    order = list(range(source.ndim))
    first, second = axis_of(axis1, source.ndim), axis_of(axis2, source.ndim)
    order[first], order[second] = second, first
    return transpose(source, order)


def moveaxis(a: ArrayLike, source: Axes, destination: Axes) -> ndarray:
    """Axes moved to other places: a view."""
    array = asarray(a)
    old, new_places = axes_of(source, array.ndim), axes_of(destination, array.ndim)
    order = [axis for axis in range(array.ndim) if axis not in old]
    for place, axis in sorted(zip(new_places, old, strict=True)):
        order.insert(place, axis)
    return transpose(array, order)


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    """An axis moved to before place `start`: a view."""
    array = asarray(a)
    old = axis_of(axis, array.ndim)
    return moveaxis(array, old, start - (old < start))


def squeeze(a: ArrayLike, axis: Axes = None) -> ndarray:
    """`a` without axes of size 1: a view."""
    source = asarray(a)
    gone = (
        [x for x, size in enumerate(source._shape) if size == 1]
        if axis is None
        else axes_of(axis, source.ndim)
    )
    if any(source._shape[x] != 1 for x in gone):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    kept = [x for x in range(source.ndim) if x not in gone]
    return view(source, tuple(source._shape[x] for x in kept), tuple(source._strides[x] for x in kept))


def expand_dims(a: ArrayLike, axis: Axes) -> ndarray:
    """`a` with more axes of size 1: a view."""
    source = asarray(a)
    places = axis if isinstance(axis, tuple | list) else (axis,)
    added = axes_of(tuple(places), source.ndim + len(places))
    key: list[Any] = [slice(None)] * (source.ndim + len(places))
    for place in added:
        key[place] = None
    return get(source, tuple(key)) if source.ndim else reshaped(source, (1,) * len(places))


def broadcast_to(array: ArrayLike, shape: ShapeLike) -> ndarray:
    """`array` stretched to `shape`: a view that is not to be written."""
    return broadcasted(asarray(array), shapes.shape_of(shape))


def broadcast_arrays(*args: ArrayLike) -> tuple[ndarray, ...]:
    """All stretched to one shape."""
    arrays = [asarray(a) for a in args]
    shape = shapes.broadcast(*[a._shape for a in arrays])
    return tuple(broadcasted(a, shape) for a in arrays)


def atleast_1d(*arys: ArrayLike) -> Result:
    """Each with at least 1 axis."""
    return _each(arys, lambda a: a if a.ndim else reshaped(a, (1,)))


def atleast_2d(*arys: ArrayLike) -> Result:
    """Each with at least 2 axes, new ones in front."""
    return _each(arys, lambda a: a if a.ndim > 1 else reshaped(a, (1, a.size)))


def atleast_3d(*arys: ArrayLike) -> Result:
    """Each with at least 3 axes."""
    return _each(
        arys, lambda a: a if a.ndim > 2 else reshaped(a, (*(a._shape if a.ndim == 2 else (1, a.size)), 1))
    )


def _each(arys: tuple[Any, ...], function: Any) -> Any:
    results = tuple(function(asarray(a)) for a in arys)
    return results[0] if len(results) == 1 else results


def along(a: ndarray, numbers: Sequence[int], axis: int) -> ndarray:
    """The entries `numbers`, which are in bounds, along `axis`: a copy."""
    inner = shapes.prod(a._shape[axis + 1 :])
    outer, size = shapes.prod(a._shape[:axis]), a._shape[axis]
    flat = values(a)
    shape = (*a._shape[:axis], len(numbers), *a._shape[axis + 1 :])
    shapes.check(shape)
    result = Buffer(flat.typecode)
    if inner == 1:
        for row in range(outer):
            result.extend(Buffer(flat.typecode, [flat[row * size + number] for number in numbers]))
    else:
        for row in range(outer):
            for number in numbers:
                start = (row * size + number) * inner
                result.extend(flat[start : start + inner])
    return new(result, a._dtype, shape)


def flip(m: ArrayLike, axis: Axes = None) -> ndarray:
    """The entries in reverse order along axes: a view."""
    source = asarray(m)
    turned = axes_of(axis, source.ndim)
    return get(source, tuple(slice(None, None, -1 if x in turned else None) for x in range(source.ndim)))  # type: ignore[no-any-return]


def fliplr(m: ArrayLike) -> ndarray:
    """Columns in reverse order: a view."""
    return flip(m, 1)


def flipud(m: ArrayLike) -> ndarray:
    """Rows in reverse order: a view."""
    return flip(m, 0)


def rot90(m: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> ndarray:
    """`m` turned by quarters: a view."""
    source = asarray(m)
    first, second = axes_of(tuple(axes), source.ndim)
    turns = k % 4
    if turns == 0:
        return source
    if turns == 2:
        return flip(source, (first, second))
    swapped = swapaxes(source, first, second)
    return flip(swapped, first if turns == 1 else second)


def roll(a: ArrayLike, shift: Axes, axis: Axes = None) -> ndarray:
    """Entries moved along, those that leave coming back at the other end."""
    source = asarray(a)
    if axis is None:
        return reshaped(roll(ravel(source), shift, 0), source._shape)
    moves = shift if isinstance(shift, tuple | list) else (shift,)
    places = axis if isinstance(axis, tuple | list) else (axis,)
    if len(moves) == 1:
        moves = tuple(moves) * len(places)
    result = copy_of(source)
    for move, place in zip(moves, axes_of(tuple(places), source.ndim), strict=True):
        size = source._shape[place] or 1
        result = along(result, [(number - move) % size for number in range(source._shape[place])], place)
    return result


def pieces(a: ndarray, axis: int) -> tuple[Any, int, Shape]:
    """The elements with `axis` last, the size of that axis, and the shape without it."""
    moved = moveaxis(a, axis, -1)
    return values(moved), moved._shape[-1], moved._shape[:-1]
