"""Choosing elements: by conditions, by places, by rules.

Owns `where`, `take` and their kin. Must not know order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Kept, Out, Result
from sandbox.library.numpy.array import (
    box,
    broadcasted,
    cast,
    copy_of,
    make,
    ndarray,
    reshaped,
    store,
    values,
)
from sandbox.library.numpy.convert import asarray, astype
from sandbox.library.numpy.creation import zeros
from sandbox.library.numpy.dtypes import BOOL, INT64
from sandbox.library.numpy.indexing import assign, get, put, true_places
from sandbox.library.numpy.joining import stack
from sandbox.library.numpy.shapes import axis_of
from sandbox.library.numpy.shaping import along, broadcast_arrays, moveaxis, ravel
from sandbox.library.numpy.ufunc import meet

_MISSING: Any = object()


def where(condition: ArrayLike, x: ArrayLike = _MISSING, y: ArrayLike = _MISSING) -> Result:
    """`x` where `condition` holds, else `y`; with a condition only, where it holds."""
    if x is _MISSING and y is _MISSING:
        return nonzero(condition)
    if x is _MISSING or y is _MISSING:
        raise ValueError("either both or neither of x and y should be given")
    flags = asarray(condition, BOOL)
    (first, second), row = meet([x, y])
    shape = shapes.broadcast(flags._shape, first._shape, second._shape)
    columns = [
        cast(values(a), a._dtype, row) for a in (broadcasted(first, shape), broadcasted(second, shape))
    ]
    chosen = values(broadcasted(flags, shape))
    return make([a if flag else b for flag, a, b in zip(chosen, *columns, strict=True)], row, shape)


def nonzero(a: ArrayLike) -> tuple[ndarray, ...]:
    """Where the elements are that are not zero, along each axis."""
    source = asarray(a)
    if not source.ndim:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. If the context "
            "of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`."
        )
    return tuple(make(found, INT64, (len(found),)) for found in true_places(astype(source, BOOL)))


def argwhere(a: ArrayLike) -> ndarray:
    """Where the elements are that are not zero, a row for each."""
    source = asarray(a)
    found = true_places(astype(source, BOOL)) if source.ndim else []
    count = len(found[0]) if found else int(bool(source))
    flat = [number for row in zip(*found, strict=True) for number in row]
    return make(flat, INT64, (count, source.ndim))


def flatnonzero(a: ArrayLike) -> ndarray:
    """Where in one row the elements are that are not zero."""
    return nonzero(ravel(a))[0]


def bounded(numbers: Any, size: int, mode: str, axis: int = 0) -> list[int]:
    """Indices counted from the front. Raises `IndexError`, unless `mode` is `clip` or `wrap`."""
    if mode == "clip":
        return [min(max(number, 0), size - 1) for number in numbers]
    if mode == "wrap":
        return [number % size for number in numbers]
    for number in numbers:
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for axis {axis} with size {size}")
    return [number + size if number < 0 else number for number in numbers]


def take(
    a: ArrayLike, indices: ArrayLike, axis: int | None = None, out: Out = None, mode: str = "raise"
) -> Result:
    """The entries at `indices` along an axis; in one row if it is None."""
    source = ravel(a) if axis is None else asarray(a)
    place = axis_of(axis or 0, source.ndim)
    wanted = asarray(indices, INT64) if not isinstance(indices, ndarray) else indices
    if wanted._dtype._kind == "f":
        raise TypeError(
            "Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'"
        )
    found = along(source, bounded(values(wanted), source._shape[place], mode, place), place)
    return box(reshaped(found, (*source._shape[:place], *wanted._shape, *source._shape[place + 1 :])))


def put_flat(a: ndarray, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Write `v`, over and over, at `ind` of all elements in order."""
    places = shapes.offsets(a._shape, a._strides, a._offset)
    items = values(asarray(v, a._dtype))
    for number, place in enumerate(bounded(values(asarray(ind, INT64)), a.size, mode)):
        a._data[places[place]] = items[number % len(items)]


def _lined_up(a: ndarray, indices: Any, axis: int) -> tuple[ndarray, list[ndarray]]:
    wanted = asarray(indices, INT64)
    place = axis_of(axis, a.ndim)
    shape = shapes.broadcast(
        tuple(1 if x == place else size for x, size in enumerate(a._shape)), wanted._shape
    )
    key = []
    for number, size in enumerate(shape):
        if number == place:
            key.append(wanted)
        else:
            key.append(make(range(size), INT64, tuple(size if x == number else 1 for x in range(len(shape)))))
    return wanted, key


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> Result:
    """The entries that `indices`, of as many axes, choose along one."""
    source = ravel(arr) if axis is None else asarray(arr)
    return get(source, tuple(_lined_up(source, indices, -1 if axis is None else axis)[1]))


def put_along_axis(arr: ndarray, indices: ArrayLike, values: ArrayLike, axis: int) -> None:
    """Write `values` at the entries that `indices` choose along an axis."""
    put(arr, tuple(_lined_up(arr, indices, axis)[1]), values)


def compress_axis(condition: ArrayLike, a: ArrayLike, axis: int | None = None) -> ndarray:
    """The entries along an axis for which `condition` holds."""
    source = ravel(a) if axis is None else asarray(a)
    place = axis_of(axis or 0, source.ndim)
    flags = values(asarray(condition, BOOL))
    return along(source, list(compress(range(source._shape[place]), flags)), place)


def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    """The elements for which `condition` holds."""
    return compress_axis(ravel(condition), arr)


def choose(a: ArrayLike, choices: Sequence[ArrayLike]) -> Result:
    """The elements of the one of `choices` that `a` names."""
    picks, *options = broadcast_arrays(a, *choices)
    columns = [values(option) for option in options]
    items = [columns[number][place] for place, number in enumerate(values(picks))]
    _, row = meet(list(choices))
    return make(items, row, picks._shape)


def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> Result:
    """The elements of the first choice whose condition holds, else `default`."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    found = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = where(condition, choice, found)
    return found


def piecewise(x: ArrayLike, condlist: ArrayLike, funclist: Sequence[object]) -> ndarray:
    """Each function of `funclist` applied where its condition holds; one more is for the rest."""
    source = asarray(x)
    conditions = [
        asarray(item, BOOL) for item in (condlist if isinstance(condlist, list | tuple) else [condlist])
    ]
    result = zeros(source._shape, source._dtype)
    rest = zip(*[values(condition) for condition in conditions], strict=True)
    if len(funclist) == len(conditions) + 1:
        conditions.append(make([not any(flags) for flags in rest], BOOL, source._shape))
    for condition, function in zip(conditions, funclist, strict=True):
        if any(values(condition)):
            put(result, condition, function(get(source, condition)) if callable(function) else function)
    return result


def putmask(a: ndarray, mask: ArrayLike, values: ArrayLike) -> None:
    """Write the elements of `values` where `mask` holds."""
    flags = asarray(mask, BOOL)
    items = list(_cycled(asarray(values, a._dtype), a.size))
    source = make(items, a._dtype, a._shape)
    store(a, _values(where(flags, source, a)))


_values = values


def _cycled(a: ndarray, count: int) -> Any:
    flat = _values(a)
    return (flat * -(-count // max(len(flat), 1)))[:count]


def copyto(dst: ndarray, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True) -> None:
    """Write `src` into `dst`, where `where` holds."""
    source = asarray(src)
    if where is not True:
        source = asarray(_where(where, broadcasted(source, dst._shape), dst))
    assign(dst, source)


_where = where


def apply_along_axis(
    func1d: Callable[..., object], axis: int, arr: ArrayLike, *args: ArrayLike, **kwargs: Kept
) -> Result:
    """What `func1d` gives for each row along an axis."""
    moved = moveaxis(asarray(arr), axis, -1)
    place = axis_of(axis, moved.ndim)
    rows = reshaped(copy_of(moved), (shapes.prod(moved._shape[:-1]), moved._shape[-1]))
    found = [asarray(func1d(get(rows, number), *args, **kwargs)) for number in range(rows._shape[0])]
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    joined = reshaped(stack(found), (*moved._shape[:-1], *found[0]._shape))
    if not found[0].ndim:
        return box(joined)
    extra = found[0].ndim
    return moveaxis(joined, tuple(range(-extra, 0)), tuple(range(place, place + extra)))
