"""Numerical helpers: rounding, limits, differences, interpolation, comparison.

Owns these. Must not know matrices.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any

from sandbox.library.numpy import reductions, shapes
from sandbox.library.numpy.arguments import ArrayLike, Axes, Out, Result
from sandbox.library.numpy.array import box, boxed, make, ndarray, reshaped, values
from sandbox.library.numpy.convert import asarray, astype
from sandbox.library.numpy.dtypes import BOOL, FLOAT64, dtype, promote
from sandbox.library.numpy.indexing import get
from sandbox.library.numpy.joining import concatenate
from sandbox.library.numpy.settings import finfo
from sandbox.library.numpy.shapes import axis_of
from sandbox.library.numpy.shaping import broadcast_arrays, moveaxis, ravel
from sandbox.library.numpy.ufunc import deliver, meet
from sandbox.library.numpy.ufuncs import add, divide, maximum, minimum, multiply, not_equal, rint, subtract


def round(a: ArrayLike, decimals: int = 0, out: Out = None) -> Result:
    """The nearest number with so many decimals; of two, the even one."""
    source = asarray(a)
    places = operator.index(decimals)
    if source._dtype._kind != "f":
        found = source if places >= 0 else _round_whole(source, 10**-places)
    elif not places:
        found = asarray(rint(source))
    elif places > 0:
        found = asarray(divide(rint(multiply(source, 10.0**places)), 10.0**places))
    else:
        found = asarray(multiply(rint(divide(source, 10.0**-places)), 10.0**-places))
    return box(found) if out is None else deliver("round", found, out, True)


def _round_whole(a: ndarray, unit: int) -> ndarray:
    def nearest(item: int) -> int:
        low, rest = divmod(item, unit)
        up = 2 * rest > unit or (2 * rest == unit and low % 2)
        return (low + bool(up)) * unit

    return make(list(map(nearest, values(a))), a._dtype, a._shape)


def fix(x: ArrayLike) -> Result:
    """The whole number towards zero."""
    source = asarray(x)
    items = [
        math.copysign(float(math.trunc(item)), item) if math.isfinite(item) else item
        for item in values(source)
    ]
    return boxed(items if source._dtype._kind == "f" else values(source), source._dtype, source._shape)


_MISSING: Any = object()


def clip(
    a: ArrayLike,
    a_min: ArrayLike | None = _MISSING,
    a_max: ArrayLike | None = _MISSING,
    out: Out = None,
    *,
    min: ArrayLike | None = _MISSING,
    max: ArrayLike | None = _MISSING,
) -> Result:
    """`a` held between two limits, of which either may be None."""
    low = min if a_min is _MISSING else a_min
    high = max if a_max is _MISSING else a_max
    found = a
    if low is not _MISSING and low is not None:
        found = maximum(found, low)
    if high is not _MISSING and high is not None:
        found = minimum(found, high)
    return box(asarray(found)) if out is None else deliver("clip", asarray(found), out, True)


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: float = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Result:
    """`x` with numbers in place of NaN and infinities."""
    source = asarray(x)
    if source._dtype._kind != "f":
        return box(source)
    largest = float(finfo(source._dtype).max)
    high = largest if posinf is None else float(posinf)
    low = -largest if neginf is None else float(neginf)

    def finite(item: float) -> float:
        return item if math.isfinite(item) else nan if item != item else high if item > 0 else low

    return boxed(list(map(finite, values(source))), source._dtype, source._shape)


# ---------------------------------------------------------------------- differences
def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: ArrayLike = _MISSING, append: ArrayLike = _MISSING
) -> Result:
    """The differences of neighbours along an axis, `n` times."""
    source = asarray(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if not source.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    place = axis_of(axis, source.ndim)
    ends = [_end(source, item, place) for item in (prepend, append)]
    if any(end is not None for end in ends):
        source = concatenate([part for part in (ends[0], source, ends[1]) if part is not None], place)
    front = (slice(None),) * place
    for _ in range(n):
        later, earlier = get(source, (*front, slice(1, None))), get(source, (*front, slice(None, -1)))
        source = (not_equal if source._dtype is BOOL else subtract)(later, earlier)
    return source


def _end(a: ndarray, value: Any, place: int) -> ndarray | None:
    if value is _MISSING:
        return None
    found = asarray(value)
    if found.ndim:
        return found
    shape = tuple(1 if axis == place else size for axis, size in enumerate(a._shape))
    return make(list(values(found)) * shapes.prod(shape), found._dtype, shape)


def ediff1d(ary: ArrayLike) -> Result:
    """The differences of neighbours, in one row."""
    return diff(ravel(ary))


def gradient(f: ArrayLike, *varargs: ArrayLike, axis: Axes = None, edge_order: int = 1) -> Result:
    """The slopes: of neighbours on both sides, at the ends of one."""
    source = astype(asarray(f), promote(asarray(f)._dtype, FLOAT64))
    axes = shapes.axes_of(axis, source.ndim)
    steps = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    found = [
        _slopes(source, place, asarray(step), edge_order) for place, step in zip(axes, steps, strict=True)
    ]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(a: ndarray, axis: int, step: ndarray, edge_order: int) -> ndarray:
    moved = moveaxis(a, axis, -1)
    count = moved._shape[-1]
    if count < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements "
            "are required."
        )
    if step.ndim and step.size != count:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if step.ndim:
        places = list(values(step))
        gaps = [b - a for a, b in pairwise(places)]
    else:
        gaps = [float(values(step)[0])] * (count - 1)
    flat = values(moved)
    items: list[float] = []
    for start in range(0, len(flat), count):
        items += _row_slopes(flat[start : start + count], gaps, edge_order)
    return asarray(moveaxis(make(items, FLOAT64, moved._shape), -1, axis))


def _row_slopes(y: Any, gaps: list[float], edge_order: int) -> list[float]:
    inner = []
    even = all(gap == gaps[0] for gap in gaps)
    for number in range(1, len(y) - 1):
        if even:
            inner.append((y[number + 1] - y[number - 1]) / (2.0 * gaps[0]))
        else:
            a, b = gaps[number - 1], gaps[number]
            low, mid, high = -b / (a * (a + b)), (b - a) / (a * b), a / (b * (a + b))
            inner.append(low * y[number - 1] + mid * y[number] + high * y[number + 1])
    if edge_order == 1:
        return [(y[1] - y[0]) / gaps[0], *inner, (y[-1] - y[-2]) / gaps[-1]]
    first = _edge_slope(y[0], y[1], y[2], gaps[0], gaps[1])
    last = -_edge_slope(y[-1], y[-2], y[-3], gaps[-1], gaps[-2])
    return [first, *inner, last]


def _edge_slope(y0: float, y1: float, y2: float, a: float, b: float) -> float:
    return -(2.0 * a + b) / (a * (a + b)) * y0 + (a + b) / (a * b) * y1 - a / (b * (a + b)) * y2


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: int = -1) -> Result:
    """The area under a curve of straight pieces."""
    source = asarray(y)
    place = axis_of(axis, source.ndim)
    front = (slice(None),) * place
    if x is None:
        widths: Any = dx
    else:
        widths = diff(x) if asarray(x).ndim == 1 else diff(x, axis=axis)
        if asarray(x).ndim == 1:
            shape = [1] * source.ndim
            shape[place] = widths.size
            widths = reshaped(widths, tuple(shape))
    pairs = add(get(source, (*front, slice(1, None))), get(source, (*front, slice(None, -1))))
    return reductions.sum(divide(multiply(widths, pairs), 2.0), place)


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
    period: float | None = None,
) -> Result:
    """The values at `x` of a curve of straight pieces through (`xp`, `fp`)."""
    source = asarray(x, FLOAT64)
    places, heights = [list(values(asarray(item, FLOAT64))) for item in (xp, fp)]
    if not places or len(places) != len(heights):
        raise ValueError(
            "array of sample points is empty" if not places else "fp and xp are not of the same length."
        )
    wanted = list(values(source))
    if period is not None:
        wanted = [item % period for item in wanted]
        pairs = sorted(zip([item % period for item in places], heights, strict=True))
        pairs = [(pairs[-1][0] - period, pairs[-1][1]), *pairs, (pairs[0][0] + period, pairs[0][1])]
        places, heights = [place for place, _ in pairs], [height for _, height in pairs]
    low = heights[0] if left is None else float(left)
    high = heights[-1] if right is None else float(right)
    return boxed([_between(item, places, heights, low, high) for item in wanted], FLOAT64, source._shape)


def _between(item: float, places: list[float], heights: list[float], low: float, high: float) -> float:
    if item != item:
        return item
    if item < places[0]:
        return low
    if item > places[-1]:
        return high
    number = bisect_right(places, item) - 1
    if number == len(places) - 1 or places[number] == item:
        return heights[number]
    slope = (heights[number + 1] - heights[number]) / (places[number + 1] - places[number])
    return slope * (item - places[number]) + heights[number]


def unwrap(p: ArrayLike, period: float = 2 * math.pi) -> ndarray:
    """Angles without jumps of a whole turn."""
    flat = list(values(asarray(p, FLOAT64)))
    half = period / 2
    shifts = []
    for step in map(operator.sub, flat[1:], flat):
        turned = (step + half) % period - half
        turned = half if turned == -half and step > 0 else turned
        shifts.append(0.0 if abs(step) < half else turned - step)
    sums = [0.0, *accumulate(shifts)]
    return make(list(map(operator.add, flat, sums)), FLOAT64, (len(flat),))


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """The sums of products of one row with another turned around."""
    (first, second), row = meet([asarray(a), asarray(v)])
    one, two = list(values(first)), list(values(second))
    if not one or not two:
        raise ValueError("a cannot be empty" if not one else "v cannot be empty")
    if len(two) > len(one):
        one, two = two, one
    full = [0] * (len(one) + len(two) - 1)
    for shift, factor in enumerate(two):
        for number, item in enumerate(one, shift):
            full[number] += item * factor
    return _mode(full, len(one), len(two), mode, row)


def _mode(full: list[Any], long: int, short: int, mode: str, row: dtype) -> ndarray:
    if mode == "same":
        start = (short - 1) // 2
        full = full[start : start + long]
    elif mode == "valid":
        full = full[short - 1 : long]
    elif mode != "full":
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    return make(full, row, (len(full),))


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """The sums of products of one row with another."""
    first, second = asarray(a), asarray(v)
    turned = get(second, slice(None, None, -1))
    if second.size > first.size:
        found = convolve(get(first, slice(None, None, -1)), second, mode)
        return get(found, slice(None, None, -1))  # type: ignore[no-any-return]
    return convolve(first, turned, mode)


# ---------------------------------------------------------------------- comparison
def isclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Result:
    """Whether numbers are equal but for a small difference."""
    first, second = broadcast_arrays(a, b)

    def close(x: float, y: float) -> bool:
        if x == y:
            return True
        if math.isfinite(y):
            return abs(x - y) <= atol + rtol * abs(y)
        return equal_nan and x != x and y != y

    return boxed(list(map(close, values(first), values(second))), BOOL, first._shape)


def allclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all numbers are equal but for small differences."""
    return bool(reductions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    """Whether shapes and elements are equal."""
    first, second = asarray(a1), asarray(a2)
    if first._shape != second._shape:
        return False
    pairs = zip(values(first), values(second), strict=True)
    return all(x == y or (equal_nan and x != x and y != y) for x, y in pairs)


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Whether elements are equal once shapes are stretched."""
    try:
        first, second = broadcast_arrays(a1, a2)
    except ValueError:
        return False
    return list(values(first)) == list(values(second))


def isposinf(x: ArrayLike) -> Result:
    """Whether elements are the positive infinity."""
    return _each(x, lambda item: item == math.inf)


def isneginf(x: ArrayLike) -> Result:
    """Whether elements are the negative infinity."""
    return _each(x, lambda item: item == -math.inf)


def _each(x: Any, function: Callable[[Any], bool]) -> Any:
    source = asarray(x)
    return boxed(list(map(function, values(source))), BOOL, source._shape)


def isreal(x: ArrayLike) -> Result:
    """True for each element."""
    return _each(x, lambda _: True)


def sinc(x: ArrayLike) -> Result:
    """sin(πx) / πx, and 1 at 0."""
    source = asarray(x, FLOAT64)
    items = [math.sin(math.pi * item) / (math.pi * item) if item else 1.0 for item in values(source)]
    return boxed(items, FLOAT64, source._shape)


def modf(x: ArrayLike) -> tuple[Result, Result]:
    """The parts after and before the point."""
    source = asarray(x, FLOAT64)
    pairs = [math.modf(item) for item in values(source)]
    return tuple(boxed([pair[side] for pair in pairs], FLOAT64, source._shape) for side in (0, 1))
