"""How often: bins, histograms, counts of numbers.

Owns these. Must not know quantiles.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any

from sandbox.library.numpy import reductions, shapes
from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import boxed, make, ndarray, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.creation import linspace
from sandbox.library.numpy.dtypes import FLOAT64, INT64, promote
from sandbox.library.numpy.ufuncs import divide


def bincount(x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    """How often each number from 0 occurs, or the sum of the weights there."""
    source = asarray(x)
    if source.size and source._dtype._kind == "f":
        raise TypeError(
            "Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'"
        )
    numbers = list(map(int, values(source)))
    if any(number < 0 for number in numbers):
        raise ValueError("'list' argument must have no negative elements")
    count = max([minlength, *(number + 1 for number in numbers)])
    shapes.check((count,))
    if weights is None:
        found = [0] * count
        for number in numbers:
            found[number] += 1
        return make(found, INT64, (count,))
    sums = [0.0] * count
    for number, weight in zip(numbers, values(asarray(weights, FLOAT64)), strict=True):
        sums[number] += weight
    return make(sums, FLOAT64, (count,))


def histogram_bin_edges(a: ArrayLike, bins: ArrayLike = 10, range: ArrayLike | None = None) -> ndarray:
    """The edges that `histogram` would use."""
    if isinstance(bins, str):
        raise TypeError("histogram(): give bins as a number or as edges")
    if isinstance(bins, ndarray) or not hasattr(type(bins), "__index__"):
        edges = asarray(bins)
        if any(second < first for first, second in pairwise(values(edges))):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    bins = operator.index(bins)
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    flat = values(asarray(a))
    low, high = range if range is not None else (min(flat), max(flat)) if len(flat) else (0.0, 1.0)
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, bins + 1)  # type: ignore[no-any-return]


def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    density: bool = False,
    weights: ArrayLike | None = None,
) -> Result:
    """How many elements lie between the edges of bins, and the edges. The last bin has its upper edge."""
    edges = histogram_bin_edges(a, bins, range)
    limits = list(values(edges))
    heavy = None if weights is None else list(values(asarray(weights)))
    counts: list[Any] = [0] * (len(limits) - 1)
    for number, item in enumerate(values(asarray(a))):
        if limits[0] <= item <= limits[-1]:
            place = min(bisect_right(limits, item), len(limits) - 1) - 1
            counts[place] += 1 if heavy is None else heavy[number]
    row = INT64 if heavy is None else promote(asarray(weights)._dtype, INT64)
    found = make(counts, row, (len(counts),))
    if density:
        widths = make([high - low for low, high in pairwise(limits)], FLOAT64, (len(counts),))
        return divide(divide(found, widths), reductions.sum(found)), edges
    return found, edges


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Result:
    """The number of the bin of each of `x`."""
    limits = list(values(asarray(bins)))
    source = asarray(x)
    falling = len(limits) > 1 and limits[0] > limits[-1]
    if falling:
        limits.reverse()
    search = bisect_left if right != falling else bisect_right
    items = [search(limits, item) for item in values(source)]
    return boxed([len(limits) - item for item in items] if falling else items, INT64, source._shape)
