"""Functions that make one number of many: sums, extremes, truth; and their running forms.

Owns the order in which floats are added, which is NumPy's: pairwise along the innermost axis of memory, one after
another along the others. Must not know statistics.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Axes, DTypeLike, Out, Result
from sandbox.library.numpy.array import boxed, broadcasted, cast, copy_of, make, ndarray, values, view
from sandbox.library.numpy.convert import asarray, astype
from sandbox.library.numpy.dtypes import BOOL, FLOAT64, INT64, UINT64, dtype, dtype_of
from sandbox.library.numpy.shapes import Shape, axes_of, axis_of, without
from sandbox.library.numpy.shaping import moveaxis, ravel
from sandbox.library.numpy.ufunc import deliver
from sandbox.library.numpy.ufuncs import subtract

_BLOCK = 128


def pairwise(items: Sequence[float]) -> float:
    """The sum of floats in NumPy's order."""
    count = len(items)
    if count < 8:
        return reduce(operator.add, items, -0.0) if count else 0.0
    if count <= _BLOCK:
        whole = count - count % 8
        a, b, c, d, e, f, g, h = (reduce(operator.add, items[lane:whole:8]) for lane in range(8))
        return reduce(operator.add, items[whole:], ((a + b) + (c + d)) + ((e + f) + (g + h)))
    half = count // 2
    half -= half % 8
    return pairwise(items[:half]) + pairwise(items[half:])


def lanes(a: ndarray, axes: Shape) -> tuple[Any, int, int]:
    """The elements so that those that meet are together; how many these are, and in what runs they lie."""
    kept = [axis for axis in range(a.ndim) if axis not in axes]
    order = sorted(range(a.ndim), key=lambda axis: (-abs(a._strides[axis]), axis))
    order = [axis for axis in order if a._shape[axis] != 1]
    gone = [axis for axis in order if axis in axes]
    run, inner = 1, len(order)
    while inner and order[inner - 1] in axes:
        axis = order[inner - 1]
        if inner < len(order) and a._strides[axis] != a._strides[order[inner]] * a._shape[order[inner]]:
            break
        run *= a._shape[axis]
        inner -= 1
    moved = view(
        a,
        tuple(a._shape[axis] for axis in (*kept, *gone)),
        tuple(a._strides[axis] for axis in (*kept, *gone)),
    )
    return values(moved), shapes.prod(tuple(a._shape[axis] for axis in axes)), run


def fold(a: ndarray, axis: Axes, keepdims: bool, function: Callable[[Any], Any], row: dtype) -> Result:
    """`function` of the elements that meet along axes, as an array of `row`, or a scalar."""
    axes = axes_of(axis, a.ndim)
    flat, count, _ = lanes(a, axes)
    shape = without(a._shape, axes, keepdims)
    if not count:
        return boxed([function(flat[:0]) for _ in range(shapes.prod(shape))], row, shape)
    return boxed([function(flat[start : start + count]) for start in range(0, len(flat), count)], row, shape)


def _sum_type(row: dtype) -> dtype:
    if row._kind == "f":
        return row
    return UINT64 if row._kind == "u" else INT64


def masked(a: ArrayLike, where: ArrayLike, neutral: Any) -> ndarray:
    """`a` as an array, with `neutral` where `where` does not hold."""
    source = asarray(a)
    if where is True:
        return source
    chosen = asarray(where, BOOL)
    shape = shapes.broadcast(source._shape, chosen._shape)
    pairs = zip(values(broadcasted(source, shape)), values(broadcasted(chosen, shape)), strict=True)
    return make([item if use else neutral for item, use in pairs], source._dtype, shape)


def finish(result: Any, out: Any) -> Any:
    """`result`, or `out` with it inside."""
    return result if out is None else deliver("reduce", asarray(result), out, True)


def sum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike = 0,
    where: ArrayLike = True,
) -> Result:
    """The sum along axes, of all by default."""
    source = masked(a, where, 0)
    row = _sum_type(source._dtype) if dtype is None else dtype_of(dtype)
    if row._kind != "f":
        source = source if source._dtype._kind != "f" else astype(source, row)
        return finish(fold(source, axis, keepdims, lambda items: builtins.sum(items, initial), row), out)
    source = source if source._dtype._kind == "f" else astype(source, FLOAT64)
    _, count, run = lanes(source, axes_of(axis, source.ndim))

    def total(items: Any) -> Any:
        if run == 1:
            return reduce(operator.add, items, 0.0) + initial
        return (
            reduce(operator.add, [pairwise(items[at : at + run]) for at in range(0, count, run or 1)], 0.0)
            + initial
        )

    return finish(fold(source, axis, keepdims, total, row), out)


def prod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike = 1,
    where: ArrayLike = True,
) -> Result:
    """The product along axes, of all by default."""
    source = masked(a, where, 1)
    row = _sum_type(source._dtype) if dtype is None else dtype_of(dtype)
    if row._kind == "f":
        return finish(
            fold(source, axis, keepdims, lambda items: reduce(operator.mul, items, initial), row), out
        )
    span = 1 << 64

    def product(items: Any) -> Any:
        return reduce(lambda a, b: a * b % span, items, initial)

    return finish(fold(source, axis, keepdims, product, row), out)


def any(
    a: ArrayLike, axis: Axes = None, out: Out = None, keepdims: bool = False, *, where: ArrayLike = True
) -> Result:
    """Whether any is true."""
    return finish(fold(masked(a, where, 0), axis, keepdims, builtins.any, BOOL), out)


def all(
    a: ArrayLike, axis: Axes = None, out: Out = None, keepdims: bool = False, *, where: ArrayLike = True
) -> Result:
    """Whether all are true."""
    return finish(fold(masked(a, where, 1), axis, keepdims, builtins.all, BOOL), out)


def count_nonzero(a: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Result:
    """How many are not zero."""
    return fold(asarray(a), axis, keepdims, lambda items: builtins.sum(map(bool, items)), INT64)


# ---------------------------------------------------------------------- extremes
_MISSING: Any = object()


def extreme(items: Any, choose: Callable[[Any], Any]) -> Result:
    """`choose(items)`, or NaN if one is."""
    found = choose(items)
    if type(found) is float and builtins.any(map(math.isnan, items)):
        return math.nan
    return found


def _extreme(
    name: str, choose: Any, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    if where is not True and initial is _MISSING:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, "
            "so to use a where mask one has to specify 'initial'"
        )
    source = masked(a, where, initial)
    if not source.size and initial is _MISSING and not _keeps_nothing(source, axis):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if initial is _MISSING:
        return finish(fold(source, axis, keepdims, lambda items: extreme(items, choose), source._dtype), out)
    return finish(
        fold(source, axis, keepdims, lambda items: extreme([*items, initial], choose), source._dtype), out
    )


def _keeps_nothing(a: ndarray, axis: Any) -> bool:
    """Whether a reduction of empty `a` has no result either, rather than one of nothing."""
    return 0 in without(a._shape, axes_of(axis, a.ndim))


def max(
    a: ArrayLike,
    axis: Axes = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike = _MISSING,
    where: ArrayLike = True,
) -> Result:
    """The greatest along axes, of all by default; NaN if any is."""
    return _extreme("maximum", builtins.max, a, axis, out, keepdims, initial, where)


def min(
    a: ArrayLike,
    axis: Axes = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike = _MISSING,
    where: ArrayLike = True,
) -> Result:
    """The least along axes, of all by default; NaN if any is."""
    return _extreme("minimum", builtins.min, a, axis, out, keepdims, initial, where)


def argmax(a: ArrayLike, axis: int | None = None, out: Out = None, *, keepdims: bool = False) -> Result:
    """Where the greatest is: the first of several, or of the NaNs."""
    return finish(_argument("argmax", builtins.max, a, axis, keepdims), out)


def argmin(a: ArrayLike, axis: int | None = None, out: Out = None, *, keepdims: bool = False) -> Result:
    """Where the least is: the first of several, or of the NaNs."""
    return finish(_argument("argmin", builtins.min, a, axis, keepdims), out)


def _argument(name: str, choose: Any, a: Any, axis: int | None, keepdims: bool) -> Any:
    source = asarray(a)
    shape = without(source._shape, axes_of(axis, source.ndim), keepdims)
    source, place = (ravel(source), 0) if axis is None else (source, axis_of(axis, source.ndim))
    if not source._shape[place] and shapes.prod(shape):
        raise ValueError(f"attempt to get {name} of an empty sequence")

    def position(items: Any) -> int:
        found = extreme(items, choose)
        if found != found:
            return next(number for number, item in enumerate(items) if item != item)
        return items.index(found)  # type: ignore[no-any-return]

    flat, count = values(moveaxis(source, place, -1)), source._shape[place]
    return boxed([position(flat[at : at + count]) for at in range(0, len(flat), count or 1)], INT64, shape)


# ---------------------------------------------------------------------- running
def running(a: ArrayLike, axis: int | None, row: dtype, function: Callable[[Any, Any], Any]) -> ndarray:
    """What `function` has made of the elements so far, along an axis; in one row if it is None."""
    source = ravel(asarray(a)) if axis is None else asarray(a)
    place = axis_of(axis or 0, source.ndim)
    moved = moveaxis(source, place, -1)
    flat, count = cast(values(moved), source._dtype, row), moved._shape[-1]
    items: list[Any] = []
    for start in range(0, len(flat), count or 1):
        items += accumulate(flat[start : start + count], function)
    return copy_of(moveaxis(make(items, row, moved._shape), -1, place))


def cumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: Out = None) -> Result:
    """The sums so far."""
    source = asarray(a)
    row = _sum_type(source._dtype) if dtype is None else dtype_of(dtype)
    return finish(running(source, axis, row, operator.add), out)


def cumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: Out = None) -> Result:
    """The products so far."""
    source = asarray(a)
    row = _sum_type(source._dtype) if dtype is None else dtype_of(dtype)
    return finish(running(source, axis, row, operator.mul), out)


def ptp(a: ArrayLike, axis: Axes = None, out: Out = None, keepdims: bool = False) -> Result:
    """The greatest less the least."""
    return finish(subtract(max(a, axis, None, keepdims), min(a, axis, None, keepdims)), out)
