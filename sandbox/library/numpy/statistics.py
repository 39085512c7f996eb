"""Means, spreads, quantiles, histograms and correlations.

Owns these; sums come from `reductions.py`. Must not know how elements meet.
"""

from __future__ import annotations

import math
from typing import Any

from sandbox.library.numpy import reductions, shapes
from sandbox.library.numpy.arguments import ArrayLike, Axes, DTypeLike, Out, Result
from sandbox.library.numpy.array import broadcasted, make, ndarray, reshaped, values
from sandbox.library.numpy.convert import asarray, astype
from sandbox.library.numpy.dtypes import BOOL, FLOAT64, dtype, dtype_of, promote
from sandbox.library.numpy.joining import concatenate
from sandbox.library.numpy.products import dot
from sandbox.library.numpy.shapes import axes_of, axis_of, without
from sandbox.library.numpy.ufuncs import divide, isnan, logical_not, multiply, sqrt, subtract


def _count(a: ndarray, axis: Any, where: Any = True) -> Any:
    """How many elements meet along axes."""
    if where is not True:
        chosen = broadcasted(asarray(where, BOOL), a._shape)
        return reductions.sum(chosen, axis, keepdims=True)
    return shapes.prod(a._shape[x] for x in axes_of(axis, a.ndim))


def _float_type(a: ndarray, wanted: Any) -> dtype:
    if wanted is not None:
        return dtype_of(wanted)
    return a._dtype if a._dtype._kind == "f" else FLOAT64


def _beside(count: Any, source: ndarray, axis: Any, keepdims: bool) -> Any:
    """`count` in the shape of a result along axes."""
    if isinstance(count, ndarray) and not keepdims:
        return reshaped(count, without(source._shape, axes_of(axis, source.ndim)))
    return count


def mean(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Result:
    """The arithmetic mean along axes, of all by default."""
    source = asarray(a)
    row = _float_type(source, dtype)
    total = reductions.sum(source, axis, row, keepdims=keepdims, where=where)
    count = _beside(_count(source, axis, where), source, axis, keepdims)
    return reductions.finish(divide(total, count), out)


def var(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    correction: float | None = None,
) -> Result:
    """The mean square distance from the mean; `ddof` less than the count divides."""
    source = asarray(a)
    row = _float_type(source, dtype)
    middle = mean(source, axis, row, keepdims=True, where=where)
    away = subtract(source, middle)
    total = reductions.sum(multiply(away, away), axis, row, keepdims=keepdims, where=where)
    count = subtract(_count(source, axis, where), ddof if correction is None else correction)
    count = _beside(count, source, axis, keepdims)
    positive = reductions.max(asarray(count)) if isinstance(count, ndarray) else count
    return reductions.finish(divide(total, count if positive > 0 else 0), out)


def std(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    correction: float | None = None,
) -> Result:
    """The square root of `var`."""
    return reductions.finish(
        sqrt(var(a, axis, dtype, None, ddof, keepdims, where=where, correction=correction)), out
    )


def average(
    a: ArrayLike,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Result:
    """The mean, with weights."""
    source = asarray(a)
    if weights is None:
        found = mean(source, axis, keepdims=keepdims)
        return (found, asarray(FLOAT64._box(_count(source, axis)))) if returned else found
    heavy = asarray(weights)
    if heavy._shape != source._shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if heavy.ndim != 1 or heavy.size != source._shape[axis_of(axis, source.ndim)]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        place = axis_of(axis, source.ndim)
        heavy = reshaped(heavy, tuple(heavy.size if x == place else 1 for x in range(source.ndim)))
        heavy = broadcasted(heavy, source._shape)
    scale = reductions.sum(heavy, axis, promote(heavy._dtype, FLOAT64), keepdims=keepdims)
    if reductions.any(asarray(scale == 0) if not isinstance(scale, ndarray) else logical_not(scale)):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    found = divide(reductions.sum(multiply(source, heavy), axis, keepdims=keepdims), scale)
    return (found, scale) if returned else found


# ---------------------------------------------------------------------- without NaN
def _present(a: Any) -> tuple[ndarray, Any]:
    source = asarray(a)
    return source, logical_not(isnan(source)) if source._dtype._kind == "f" else True


def nansum(
    a: ArrayLike, axis: Axes = None, dtype: DTypeLike = None, out: Out = None, keepdims: bool = False
) -> Result:
    """`sum` of what is not NaN."""
    source, where = _present(a)
    return reductions.sum(source, axis, dtype, out, keepdims, where=where)


def nanprod(
    a: ArrayLike, axis: Axes = None, dtype: DTypeLike = None, out: Out = None, keepdims: bool = False
) -> Result:
    """`prod` of what is not NaN."""
    source, where = _present(a)
    return reductions.prod(source, axis, dtype, out, keepdims, where=where)


def nancumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None) -> Result:
    """`cumsum` of what is not NaN."""
    source, where = _present(a)
    return reductions.cumsum(reductions.masked(source, where, 0), axis, dtype)


def nanmean(
    a: ArrayLike, axis: Axes = None, dtype: DTypeLike = None, out: Out = None, keepdims: bool = False
) -> Result:
    """`mean` of what is not NaN."""
    source, where = _present(a)
    return mean(reductions.masked(source, where, 0), axis, dtype, out, keepdims, where=where)


def nanvar(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Result:
    """`var` of what is not NaN."""
    source, where = _present(a)
    return var(reductions.masked(source, where, 0), axis, dtype, out, ddof, keepdims, where=where)


def nanstd(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Result:
    """`std` of what is not NaN."""
    return reductions.finish(sqrt(nanvar(a, axis, dtype, None, ddof, keepdims)), out)


def _nan_argument(name: str, choose: Any, a: Any, axis: int | None) -> Any:
    source = asarray(a)
    where = logical_not(isnan(source))
    if not reductions.all(reductions.any(where, axis)):
        raise ValueError("All-NaN slice encountered")
    worst = -math.inf if name == "argmax" else math.inf
    return choose(reductions.masked(source, where, worst), axis)


def nanargmax(a: ArrayLike, axis: int | None = None) -> Result:
    """`argmax` of what is not NaN."""
    return _nan_argument("argmax", reductions.argmax, a, axis)


def nanargmin(a: ArrayLike, axis: int | None = None) -> Result:
    """`argmin` of what is not NaN."""
    return _nan_argument("argmin", reductions.argmin, a, axis)


# ---------------------------------------------------------------------- together
def cov(
    m: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None
) -> Result:
    """The covariances of rows."""
    source = astype(asarray(m), FLOAT64)
    source = reshaped(source, (1, source.size)) if source.ndim < 2 else source
    source = source if rowvar or source._shape[0] == 1 else source.T
    if y is not None:
        other = astype(asarray(y), FLOAT64)
        other = reshaped(other, (1, other.size)) if other.ndim < 2 else other
        source = concatenate([source, other if rowvar or other._shape[0] == 1 else other.T], 0)
    less = (0 if bias else 1) if ddof is None else ddof
    count = max(source._shape[1] - less, 0)
    away = subtract(source, mean(source, 1, keepdims=True))
    found = asarray(multiply(dot(away, away.T), divide(1.0, count)))
    return found if found.size > 1 else reshaped(found, ())


def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True) -> Result:
    """The correlations of rows, between -1 and 1."""
    found = cov(x, y, rowvar)
    if not found.ndim:
        return divide(found, found)
    count = found._shape[0]
    flat = list(values(found))
    spread = [math.sqrt(flat[number * count + number]) for number in range(count)]
    by = make([spread[number // count] for number in range(count * count)], FLOAT64, found._shape)
    found = divide(divide(found, by), by.T)
    return make(
        [max(-1.0, min(1.0, item)) if item == item else item for item in values(found)], FLOAT64, found._shape
    )
