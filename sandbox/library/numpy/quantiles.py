"""Quantiles, medians, and extremes of what is not NaN: whatever looks at the values that meet in order.

Owns these. Must not know means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sandbox.library.numpy import reductions
from sandbox.library.numpy.arguments import ArrayLike, Axes, Out, Result
from sandbox.library.numpy.array import boxed, ndarray, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import FLOAT64, dtype
from sandbox.library.numpy.ufuncs import divide


def _float_type(a: ndarray) -> dtype:
    return a._dtype if a._dtype._kind == "f" else FLOAT64


def _at(ordered: Sequence[float], place: float, method: str) -> float:
    """The value at a fractional place of ordered values."""
    low = min(math.floor(place), len(ordered) - 1)
    high = min(low + 1, len(ordered) - 1)
    part = place - low
    if method == "nearest":
        return ordered[round(place)]
    if method == "lower":
        return ordered[low]
    if method == "higher":
        return ordered[math.ceil(place)]
    if method == "midpoint":
        part = 0.5 if part else 0.0
    a, b = ordered[low], ordered[high]
    distance = b - a
    return b - distance * (1 - part) if part >= 0.5 else a + distance * part


METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Out = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Result:
    """The value below which a part `q` of the elements lies, between neighbours as `method` says."""
    return _quantiles(a, asarray(q, FLOAT64), axis, method, keepdims, "Quantiles must be in the range [0, 1]")


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Out = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Result:
    """`quantile` in hundredths."""
    parts = asarray(divide(q, 100))
    return _quantiles(a, parts, axis, method, keepdims, "Percentiles must be in the range [0, 100]")


def _quantiles(a: Any, parts: ndarray, axis: Any, method: str, keepdims: bool, refusal: str) -> Any:
    if method not in METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {', '.join(METHODS)}")
    if not all(0 <= part <= 1 for part in values(parts)):
        raise ValueError(refusal)
    source = asarray(a)
    whole = source._dtype._kind != "f"
    row = source._dtype if method in ("lower", "higher", "nearest") or not whole else FLOAT64
    results = []
    for part in values(parts):

        def pick(items: Any, part: float = part) -> float:
            if not len(items) or any(item != item for item in items):
                return math.nan
            return _at(sorted(items), part * (len(items) - 1), method)

        results.append(asarray(reductions.fold(source, axis, keepdims, pick, row)))
    shape = (*parts._shape, *results[0]._shape) if results else (0,)
    return boxed([item for found in results for item in values(found)], row, shape)


def median(
    a: ArrayLike, axis: Axes = None, out: Out = None, overwrite_input: bool = False, keepdims: bool = False
) -> Result:
    """The middle value, or the mean of the two in the middle."""
    source = asarray(a)
    row = _float_type(source)
    return reductions.fold(source, axis, keepdims, _middle, row)


def _middle(items: Any) -> float:
    if not len(items) or any(item != item for item in items):
        return math.nan
    ordered, half = sorted(items), len(items) // 2
    return float(ordered[half]) if len(items) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _nan_fold(a: Any, axis: Any, keepdims: bool, function: Any, row: Any = None) -> Any:
    source = asarray(a)

    def present(items: Any) -> Any:
        kept = [item for item in items if item == item]
        return function(kept) if kept else math.nan

    return reductions.fold(source, axis, keepdims, present, row or source._dtype)


def nanmax(a: ArrayLike, axis: Axes = None, out: Out = None, keepdims: bool = False) -> Result:
    """`max` of what is not NaN."""
    return _nan_fold(a, axis, keepdims, max)


def nanmin(a: ArrayLike, axis: Axes = None, out: Out = None, keepdims: bool = False) -> Result:
    """`min` of what is not NaN."""
    return _nan_fold(a, axis, keepdims, min)


def nanmedian(
    a: ArrayLike, axis: Axes = None, out: Out = None, overwrite_input: bool = False, keepdims: bool = False
) -> Result:
    """`median` of what is not NaN."""
    return _nan_fold(a, axis, keepdims, _middle, _float_type(asarray(a)))


def nanquantile(a: ArrayLike, q: float, axis: Axes = None, keepdims: bool = False) -> Result:
    """`quantile` of what is not NaN, for one `q`."""
    return nanpercentile(a, q * 100, axis, keepdims)


def nanpercentile(a: ArrayLike, q: float, axis: Axes = None, keepdims: bool = False) -> Result:
    """`percentile` of what is not NaN, for one `q`."""
    return _nan_fold(
        a, axis, keepdims, lambda items: _at(sorted(items), q / 100 * (len(items) - 1), "linear"), FLOAT64
    )
