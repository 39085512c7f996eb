"""Composites that fold axes away: statistics, norms, and what is found by sorting."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, prod

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError
from ops.shapes import axes, reduced
from ops.shapes import axis as counted
from ops.spec import FLOATS

Axes = tuple[int, ...] | None


def _count(x: Value, over: Axes) -> int:
    """How many elements each result folds."""
    return prod(x.shape[number] for number in axes(over, x.rank))


def _kept(do: Parts, folded: Value, x: Value, over: Axes, keepdim: bool) -> Value:
    """`folded`, whose axes `over` have size 1, with or without them."""
    gone = axes(over, x.rank)
    return folded if keepdim else do.reshape(folded, *reduced(x.shape, gone, False))


def nanmean(do: Parts, x: Value, axes: Axes, keepdim: bool) -> Value:
    """The mean of what is not NaN."""
    count = do("sum", do("logical_not", do("isnan", x)), axes=axes, keepdim=keepdim)
    return do("nansum", x, axes=axes, keepdim=keepdim) / count


def var(do: Parts, x: Value, axes: Axes, correction: float, keepdim: bool) -> Value:
    """The mean square of the distance from the mean, in two passes."""
    distance = x - do("mean", x, axes=axes, keepdim=True)
    total = do("sum", do("square", distance), axes=axes, keepdim=keepdim)
    return total / max(0.0, float(_count(x, axes) - correction))


def std(do: Parts, x: Value, axes: Axes, correction: float, keepdim: bool) -> Value:
    """The square root of `var`."""
    return power(do, var(do, x, axes, correction, keepdim), 0.5)


def power(do: Parts, size: Value, exponent: float) -> Value:
    """A power of a size or of a sum of powers, with gradient 0 where that is 0."""
    is_zero = do("eq", size, 0.0)
    base = do("where", is_zero, 1.0, size)
    found = do("sqrt", base) if exponent == 0.5 else do("pow", base, exponent)
    return do("where", is_zero, 0.0 if exponent > 0 else inf, found)


def norm(do: Parts, x: Value, p: float, axes: Axes, keepdim: bool) -> Value:
    """The p-norm."""
    size = do("abs", x)
    if p == inf:
        return do("max", size, axes=axes, keepdim=keepdim)
    if p == -inf:
        return do("min", size, axes=axes, keepdim=keepdim)
    if p == 0:
        return do.cast(do("count_nonzero", x, axes=axes, keepdim=keepdim), "f32")
    if p == 1:
        return do("sum", size, axes=axes, keepdim=keepdim)
    if p == 2:
        return power(do, do("sum", do("square", x), axes=axes, keepdim=keepdim), 0.5)
    if p != p:
        raise AttributeValueError("norm: p is no number")
    powers = power(do, size, float(p)) if p < 1 else do("pow", size, float(p))
    total = do("sum", powers, axes=axes, keepdim=keepdim)
    return power(do, total, 1 / p)


def _normed(p: float) -> Meaning:
    return lambda do, x, axes, keepdim: norm(do, x, p, axes, keepdim)


def reduce_sum_square(do: Parts, x: Value, axes: Axes, keepdim: bool) -> Value:
    """Sum of squares."""
    return do("sum", do("square", x), axes=axes, keepdim=keepdim)


def reduce_log_sum(do: Parts, x: Value, axes: Axes, keepdim: bool) -> Value:
    """`log(sum(x))`."""
    return do("log", do("sum", x, axes=axes, keepdim=keepdim))


def logsumexp(do: Parts, x: Value, axes: Axes, keepdim: bool) -> Value:
    """`log(sum(exp(x)))`, for any size of `x`."""
    if not _count(x, axes):
        return do("log", do("sum", x, axes=axes, keepdim=keepdim))
    peak = do("max", x, axes=axes, keepdim=True)
    base = do("where", do("isfinite", peak), peak, 0.0)
    total = do("sum", do("exp", x - base), axes=axes, keepdim=True)
    return _kept(do, do("log", total) + base, x, axes, keepdim)


def _flat(do: Parts, x: Value, where: int | None) -> tuple[Value, int]:
    """`x` and the axis that is meant: that of the flattened tensor for None."""
    if where is None or not x.rank:
        return do.reshape(x, prod(x.shape)), 0
    return x, counted(where, x.rank)


def median(do: Parts, x: Value, axis: int | None, keepdim: bool) -> Value:
    """The middle element, the lower one of two; NaN if there is one."""
    given = x
    x, where = _flat(do, x, axis)
    count = x.shape[where]
    if not count and axis is None and x.dtype in FLOATS:
        return do.full((1,) * given.rank if keepdim else (), nan, x.dtype)
    if not count:
        raise AttributeValueError("the median of nothing has no value")
    ordered = do("sort", x, axis=where)
    middle, last = (do.slice(ordered, where, place, place + 1) for place in ((count - 1) // 2, count - 1))
    if x.dtype in FLOATS:
        middle = do("where", do("isnan", last), last, middle)
    return _without(do, middle, given, axis, where, keepdim)


_BETWEEN: dict[str, Callable[[float], float]] = {
    "linear": lambda place: place % 1,
    "lower": lambda place: 0.0,
    "higher": lambda place: float(place % 1 > 0),
    "nearest": lambda place: float(round(place) > int(place)),
    "midpoint": lambda place: 0.5 * (place % 1 > 0),
}
"""How far to go from the lower to the upper neighbour of a place, by the attribute `interpolation`."""


def quantile(do: Parts, x: Value, q: float, axis: int | None, keepdim: bool, interpolation: str) -> Value:
    """The value below which the part `q` lies, between neighbours as `interpolation` says; NaN if there is one."""
    if not 0 <= q <= 1:
        raise AttributeValueError(f"quantile: q is {q:g}, but must be from 0 to 1")
    given = x
    x, where = _flat(do, x, axis)
    count = x.shape[where]
    if not count:
        raise AttributeValueError("a quantile of nothing has no value")
    ordered = do("sort", x, axis=where)
    place = q * (count - 1)
    below = int(place)
    low, high, last = (
        do.slice(ordered, where, at, at + 1) for at in (below, min(below + 1, count - 1), count - 1)
    )
    weight = float(_BETWEEN[interpolation](place))
    between = low if weight == 0 else high if weight == 1 else do("lerp", low, high, weight)
    return _without(do, do("where", do("isnan", last), last, between), given, axis, where, keepdim)


def _without(do: Parts, found: Value, given: Value, axis: int | None, where: int, keepdim: bool) -> Value:
    """`found`, of size 1 along `where` of the tensor or of the flattened one, in the shape that is asked for."""
    if axis is None or not given.rank:
        return do.reshape(found, *([1] * given.rank if keepdim else []))
    return do.reshape(found, *reduced(given.shape, [where], keepdim))


def topk_indices(do: Parts, x: Value, k: int, axis: int, largest: bool) -> Value:
    """The positions (i32) of the k largest or smallest, in order."""
    if not x.rank:
        x = do.reshape(x, 1)
    where = counted(axis, x.rank)
    if not 0 <= k <= x.shape[where]:
        raise AttributeValueError(f"topk: k is {k}, which axis {axis} has not")
    order = do("argsort", x, axis=where, descending=largest)
    return do.cast(do.slice(order, where, 0, k), "i32")


def topk(do: Parts, x: Value, k: int, axis: int, largest: bool) -> Value:
    """The k largest or smallest elements, in order."""
    if not x.rank:
        x = do.reshape(x, 1)
    return do("gather", x, topk_indices(do, x, k, axis, largest), axis=axis)


MEANINGS: dict[str, Meaning] = {
    "nanmean": nanmean,
    "var": var,
    "std": std,
    "norm": norm,
    "reduce_l1": _normed(1),
    "reduce_l2": _normed(2),
    "reduce_sum_square": reduce_sum_square,
    "reduce_log_sum": reduce_log_sum,
    "logsumexp": logsumexp,
    "median": median,
    "quantile": quantile,
    "topk": topk,
    "topk_indices": topk_indices,
}
