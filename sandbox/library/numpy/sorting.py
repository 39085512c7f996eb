"""Order: sorting, searching, and sets of numbers.

Owns these; NaN comes last everywhere. Must not know arithmetic.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import boxed, cast, copy_of, make, ndarray, store, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import BOOL, INT64, promote
from sandbox.library.numpy.indexing import get
from sandbox.library.numpy.joining import concatenate
from sandbox.library.numpy.shapes import axis_of
from sandbox.library.numpy.shaping import along, moveaxis, pieces, ravel


def ordered(items: Sequence[Any]) -> list[Any]:
    """`items` from the least to the greatest, NaN last."""
    gaps = [item for item in items if item != item]
    return sorted(items) if not gaps else sorted(item for item in items if item == item) + gaps


def order(items: Sequence[Any]) -> list[int]:
    """The places of `items` from the least to the greatest, equal ones as they come, NaN last."""
    kept = [number for number, item in enumerate(items) if item == item]
    kept.sort(key=items.__getitem__)
    if len(kept) != len(items):
        kept += [number for number, item in enumerate(items) if item != item]
    return kept


def _by_rows(a: Any, axis: int | None, function: Callable[[Any], list[Any]], row: Any = None) -> ndarray:
    source = ravel(a) if axis is None else asarray(a)
    place = axis_of(-1 if axis is None else axis, source.ndim)
    flat, count, shape = pieces(source, place)
    items = [
        item for start in range(0, len(flat), count or 1) for item in function(flat[start : start + count])
    ]
    return copy_of(moveaxis(make(items, row or source._dtype, (*shape, count)), -1, place))


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: str | None = None,
    *,
    stable: bool | None = None,
) -> ndarray:
    """A sorted copy."""
    return _by_rows(a, axis, ordered)


def sort_method(
    a: ndarray,
    axis: int = -1,
    kind: str | None = None,
    order: str | None = None,
    *,
    stable: bool | None = None,
) -> None:
    """Sort in place."""
    store(a, values(sort(a, axis)))


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: str | None = None,
    *,
    stable: bool | None = None,
) -> ndarray:
    """The places of the elements in order; equal ones as they come."""
    return _by_rows(a, axis, _order, INT64)


_order = order


def partition(a: ArrayLike, kth: ArrayLike, axis: int | None = -1) -> ndarray:
    """A copy in which lesser elements stand before the `kth` and greater behind: it is sorted."""
    return sort(a, axis)


def argpartition(a: ArrayLike, kth: ArrayLike, axis: int | None = -1) -> ndarray:
    """The places of the elements, likewise."""
    return argsort(a, axis)


def lexsort(keys: ArrayLike, axis: int = -1) -> ndarray:
    """The places in order by the last of `keys`, then the one before, and so on."""
    rows = [list(values(asarray(key))) for key in keys]
    found = list(range(len(rows[0]) if rows else 0))
    for row in rows:
        found.sort(key=row.__getitem__)
    return make(found, INT64, (len(found),))


def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None) -> Result:
    """Where `v` would go in sorted `a`."""
    source = asarray(a)
    if sorter is not None:
        source = along(source, list(values(asarray(sorter))), 0)
    wanted = asarray(v)
    row = promote(source._dtype, wanted._dtype)
    flat = values(source)
    end = len(flat)
    while end and flat[end - 1] != flat[end - 1]:
        end -= 1
    search = {"left": bisect_left, "right": bisect_right}[side]
    items = [
        search(flat, item, 0, end) if item == item else (end if side == "left" else len(flat))
        for item in cast(values(wanted), wanted._dtype, row)
    ]
    return boxed(items, INT64, wanted._shape)


# ---------------------------------------------------------------------- sets
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Result:
    """The different elements in order, or rows along `axis`; where each first is, which each is, how often."""
    source = asarray(ar)
    if axis is None:
        keys: list[Any] = list(values(source))
        places = order(keys)
    else:
        moved = moveaxis(source, axis, 0)
        flat, width = values(moved), moved.size // (moved._shape[0] or 1)
        keys = [tuple(flat[number * width : (number + 1) * width]) for number in range(moved._shape[0])]
        places = sorted(range(len(keys)), key=keys.__getitem__)
    groups = _groups(keys, places, equal_nan)
    firsts = [group[0] for group in groups]
    if axis is None:
        found = make([keys[first] for first in firsts], source._dtype, (len(firsts),))
    else:
        found = along(source, firsts, axis_of(axis, source.ndim))
    return _answers(found, groups, source, axis, return_index, return_inverse, return_counts)


def _groups(keys: list[Any], places: list[int], equal_nan: bool) -> list[list[int]]:
    """The places of equal keys, together."""
    groups: list[list[int]] = []
    last: Any = None
    for place in places:
        key = keys[place]
        same = groups and (key == last or (equal_nan and key != key and last != last))
        if same:
            groups[-1].append(place)
        else:
            groups.append([place])
        last = key
    return groups


def _answers(
    found: ndarray, groups: list[list[int]], source: ndarray, axis: int | None, *wanted: bool
) -> Any:
    index, inverse, counts = wanted
    answers = [found]
    if index:
        answers.append(make([group[0] for group in groups], INT64, (len(groups),)))
    if inverse:
        back = [0] * sum(map(len, groups))
        for number, group in enumerate(groups):
            for place in group:
                back[place] = number
        answers.append(make(back, INT64, source._shape if axis is None else (len(back),)))
    if counts:
        answers.append(make(map(len, groups), INT64, (len(groups),)))
    return tuple(answers) if len(answers) > 1 else found


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: ndarray
    counts: ndarray


def unique_counts(x: ArrayLike) -> UniqueCounts:
    """The different elements, and how often each is there."""
    return UniqueCounts(*unique(x, return_counts=True))


def isin(
    element: ArrayLike, test_elements: ArrayLike, assume_unique: bool = False, invert: bool = False
) -> Result:
    """Whether each element is among others."""
    source = asarray(element)
    known = set(values(asarray(test_elements)))
    return boxed([(item in known) != invert for item in values(source)], BOOL, source._shape)


def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> Result:
    """The different elements of both."""
    first, place1 = unique(ar1, return_index=True)
    second, place2 = unique(ar2, return_index=True)
    where1, where2 = (
        dict(zip(values(first), values(place1), strict=True)),
        dict(zip(values(second), values(place2), strict=True)),
    )
    both = [item for item in values(first) if item in where2]
    found = make(both, promote(first._dtype, second._dtype), (len(both),))
    if not return_indices:
        return found
    return found, *(make([where[item] for item in both], INT64, (len(both),)) for where in (where1, where2))


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """The different elements of any."""
    return unique(concatenate([ar1, ar2], None))  # type: ignore[no-any-return]


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """The different elements of the first that are not in the second."""
    source = ravel(ar1) if assume_unique else unique(ar1)
    return get(source, isin(source, ar2, invert=True))  # type: ignore[no-any-return]


def setxor1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """The different elements of just one."""
    return unique(concatenate([setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)]))  # type: ignore[no-any-return]
