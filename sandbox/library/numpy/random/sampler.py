"""What `Generator` and `RandomState` have in common: distributions, choices and orders, as arrays.

Owns how many draws a size means, and the pairing of parameters. Must not know how a draw is made.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Result, ShapeLike
from sandbox.library.numpy.array import (
    box,
    broadcasted,
    copy_of,
    make,
    ndarray,
    own_values,
    store,
    values,
    view,
)
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import FLOAT64, INT64, dtype
from sandbox.library.numpy.linalg.rows import rows_of
from sandbox.library.numpy.linalg.spectral import svd_rows
from sandbox.library.numpy.products import dot
from sandbox.library.numpy.random import bounded, distributions
from sandbox.library.numpy.random.bits import Bits
from sandbox.library.numpy.random.distributions import Draws
from sandbox.library.numpy.shapes import Shape, axis_of
from sandbox.library.numpy.shaping import along
from sandbox.library.numpy.sorting import searchsorted
from sandbox.library.numpy.ufuncs import add


class Sampler:
    """A stream of random numbers."""

    __slots__ = ("_bits", "_draws")
    _REFUSALS = (
        "a and p must have same size",
        "Probabilities contain NaN",
        "Probabilities are not non-negative",
        "Probabilities do not sum to 1. See Notes section of docstring for more information.",
    )
    _bits: Bits
    _draws: Draws

    # ------------------------------------------------------------------ how many
    def _many(self, size: Any, draw: Callable[[], Any], row: dtype = FLOAT64) -> Any:
        """So many draws: a number where `size` is None."""
        if size is None:
            return draw()
        shape = shapes.shape_of(size)
        return make([draw() for _ in range(shapes.check(shape))], row, shape)

    def _paired(self, size: Any, function: Callable[..., Any], *given: Any, row: dtype = FLOAT64) -> Any:
        """Draws with parameters, which may be arrays."""
        arrays = [asarray(parameter) for parameter in given]
        if not any(a._shape for a in arrays):
            single = [values(a)[0] for a in arrays]
            return self._many(size, lambda: function(*single), row)
        shape = shapes.broadcast(*[a._shape for a in arrays]) if size is None else shapes.shape_of(size)
        columns = [values(broadcasted(a, shape)) for a in arrays]
        return make([function(*parameters) for parameters in zip(*columns, strict=True)], row, shape)

    def _made(self, size: Any, function: Callable[..., Any], *given: Any, row: dtype = FLOAT64) -> Any:
        draws = self._draws
        return self._paired(size, lambda *parameters: function(draws, *parameters), *given, row=row)

    # ------------------------------------------------------------------ distributions
    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Numbers from `low` to below `high`."""
        draw = self._draws.uniform
        return self._paired(size, lambda a, b: a + (b - a) * draw(), low, high)

    def standard_normal(self, size: ShapeLike | None = None) -> Result:
        """Numbers of the standard normal distribution."""
        return self._many(size, self._draws.normal)

    def normal(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Numbers of a normal distribution."""
        if any(item < 0 for item in values(asarray(scale))):
            raise ValueError("scale < 0")
        draw = self._draws.normal
        return self._paired(size, lambda middle, spread: middle + spread * draw(), loc, scale)

    def lognormal(
        self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Result:
        """The exponentials of numbers of a normal distribution."""
        draw = self._draws.normal
        return self._paired(size, lambda middle, spread: math.exp(middle + spread * draw()), mean, sigma)

    def standard_exponential(self, size: ShapeLike | None = None) -> Result:
        """Numbers of the standard exponential distribution."""
        return self._many(size, self._draws.exponential)

    def exponential(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Numbers of an exponential distribution."""
        draw = self._draws.exponential
        return self._paired(size, lambda spread: spread * draw(), scale)

    def standard_gamma(self, shape: ShapeLike, size: ShapeLike | None = None) -> Result:
        """Numbers of the standard gamma distribution."""
        return self._made(size, distributions.gamma, shape)

    def gamma(self, shape: ShapeLike, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Numbers of a gamma distribution."""
        return self._made(size, lambda draws, a, b: b * distributions.gamma(draws, a), shape, scale)

    def chisquare(self, df: ArrayLike, size: ShapeLike | None = None) -> Result:
        """Numbers of a chi-square distribution."""
        return self._made(size, lambda draws, a: 2.0 * distributions.gamma(draws, a / 2.0), df)

    def standard_t(self, df: ArrayLike, size: ShapeLike | None = None) -> Result:
        """Numbers of Student's t distribution."""

        def draw(draws: Draws, freedom: float) -> float:
            top = draws.normal()
            return math.sqrt(freedom / 2) * top / math.sqrt(distributions.gamma(draws, freedom / 2))

        return self._made(size, draw, df)

    def beta(self, a: ArrayLike, b: ArrayLike, size: ShapeLike | None = None) -> Result:
        """Numbers of a beta distribution."""
        return self._made(size, distributions.beta, a, b)

    def poisson(self, lam: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Counts of a Poisson distribution."""
        return self._made(size, distributions.poisson, lam, row=INT64)

    def binomial(self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None) -> Result:
        """Counts of a binomial distribution."""
        return self._made(size, distributions.binomial, n, p, row=INT64)

    def geometric(self, p: ArrayLike, size: ShapeLike | None = None) -> Result:
        """Counts of a geometric distribution."""
        return self._made(size, distributions.geometric, p, row=INT64)

    def laplace(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Numbers of a Laplace distribution."""
        return self._made(size, distributions.laplace, loc, scale)

    def logistic(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Numbers of a logistic distribution."""
        return self._made(size, distributions.logistic, loc, scale)

    def gumbel(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Result:
        """Numbers of a Gumbel distribution."""
        return self._made(size, distributions.gumbel, loc, scale)

    def triangular(
        self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: ShapeLike | None = None
    ) -> Result:
        """Numbers of a triangular distribution."""
        return self._made(size, distributions.triangular, left, mode, right)

    def multinomial(self, n: int, pvals: ArrayLike, size: ShapeLike | None = None) -> ndarray:
        """Counts of `n` draws from several kinds."""
        parts = list(values(asarray(pvals, FLOAT64)))
        shape = () if size is None else shapes.shape_of(size)
        items: list[int] = []
        for _ in range(shapes.check((*shape, len(parts))) // max(len(parts), 1)):
            left, rest = operator.index(n), 1.0
            for part in parts[:-1]:
                count = distributions.binomial(self._draws, left, min(part / rest, 1.0)) if left else 0
                items.append(count)
                left, rest = left - count, rest - part
            items.append(left)
        return make(items, INT64, (*shape, len(parts)))

    def dirichlet(self, alpha: ArrayLike, size: ShapeLike | None = None) -> ndarray:
        """Rows of numbers that add up to 1."""
        weights = list(values(asarray(alpha, FLOAT64)))
        shape = () if size is None else shapes.shape_of(size)
        items: list[float] = []
        for _ in range(shapes.check((*shape, len(weights))) // max(len(weights), 1)):
            row = [distributions.gamma(self._draws, weight) for weight in weights]
            items += (item / sum(row) for item in row)
        return make(items, FLOAT64, (*shape, len(weights)))

    def multivariate_normal(self, mean: ArrayLike, cov: ArrayLike, size: ShapeLike | None = None) -> Result:
        """Rows of numbers of a normal distribution with covariances. The stream is not NumPy's."""
        middle, spread = asarray(mean, FLOAT64), asarray(cov, FLOAT64)
        count = middle.size
        u, sizes, _ = svd_rows(rows_of(spread), count)
        root = make(
            [line[k] * math.sqrt(sizes[k]) for line in u for k in range(count)], FLOAT64, (count, count)
        )
        shape = () if size is None else shapes.shape_of(size)
        return add(dot(self.standard_normal((*shape, count)), root.T), middle)

    # ------------------------------------------------------------------ orders and choices
    def shuffle(self, x: ArrayLike, axis: int = 0) -> None:
        """Put the entries of a list or of an array in random order, in place."""
        if isinstance(x, ndarray):
            place = axis_of(axis, x.ndim)
            moved = along(x, self._order(x._shape[place]), place)
            store(x, own_values(moved))
            return
        order = self._order(len(x))
        items = list(x)
        for number, place in enumerate(order):
            x[number] = items[place]

    def permutation(self, x: ArrayLike, axis: int = 0) -> ndarray:
        """The entries in random order, or the numbers below `x`."""
        if hasattr(type(x), "__index__") and not isinstance(x, ndarray):
            count = operator.index(x)
            shapes.check((count,))
            return make(self._order(count), INT64, (count,))
        source = asarray(x)
        place = axis_of(axis, source.ndim)
        return along(source, self._order(source._shape[place]), place)

    def _order(self, count: int) -> list[int]:
        """The numbers below `count` in random order."""
        order = list(range(count))
        bounded.shuffle(order, self._interval)
        return order

    def _interval(self, bound: int) -> int:
        return bounded.masked(self._bits, bound)()

    def _population(self, a: Any, axis: int) -> tuple[Any, int]:
        """What is chosen from (None for numbers), and how many there are."""
        if isinstance(a, list | tuple) and any(isinstance(item, str | bytes) or item is None for item in a):
            return a, len(a)
        found = asarray(a)
        if found.ndim:
            return found, found._shape[axis_of(axis, found.ndim)]
        if found._dtype._kind not in "iu":
            raise ValueError("a must be a sequence or an integer")
        return None, values(found)[0]

    def _chosen(self, size: Any, source: Any, numbers: list[int], axis: int) -> Any:
        if isinstance(source, list | tuple):
            if size is not None:
                raise TypeError(
                    "an array of scripts holds numbers and bools: choose among the indices instead"
                )
            return source[numbers[0]]
        shape = () if size is None else shapes.shape_of(size)
        if source is None:
            return numbers[0] if size is None else make(numbers, INT64, shape)
        place = axis_of(axis, source.ndim)
        picked = along(source, numbers, place)
        full = (*source._shape[:place], *shape, *source._shape[place + 1 :])
        found = view(picked, full, shapes.contiguous_strides(full))
        return box(found) if size is None else copy_of(found)

    def _weighted(self, p: Any, population: int, count: int, replace: bool) -> list[int]:
        """Numbers below `population` with these probabilities."""
        weights = list(values(asarray(p, FLOAT64)))
        self._check_weights(weights, population)
        draw = self._draws.uniform
        if replace:
            return self._by_weights(weights, [draw() for _ in range(count)])
        if sum(weight > 0 for weight in weights) < count:
            raise ValueError("Fewer non-zero entries in p than size")
        found: list[int] = []
        while len(found) < count:
            random = [draw() for _ in range(count - len(found))]
            for number in found:
                weights[number] = 0.0
            found += dict.fromkeys(self._by_weights(weights, random))
        return found

    def _check_weights(self, weights: list[float], population: int) -> None:
        size, gaps, sign, total = self._REFUSALS
        if len(weights) != population:
            raise ValueError(size)
        if any(weight != weight for weight in weights):
            raise ValueError(gaps)
        if any(weight < 0 for weight in weights):
            raise ValueError(sign)
        if abs(math.fsum(weights) - 1.0) > 1.5e-8:
            raise ValueError(total)

    @staticmethod
    def _by_weights(weights: list[float], random: list[float]) -> list[int]:
        sums = list(accumulate(weights))
        steps = make([item / sums[-1] for item in sums], FLOAT64, (len(sums),))
        return list(values(searchsorted(steps, make(random, FLOAT64, (len(random),)), "right")))


def count_of(size: ShapeLike) -> int:
    """How many draws `size` means."""
    return 1 if size is None else shapes.check(shapes.shape_of(size))


def each_bound(low: ArrayLike, high: ArrayLike, size: ShapeLike) -> tuple[Any, Any, Shape]:
    """Bounds that may be arrays, stretched, and the shape of the draws."""
    first, second = asarray(low), asarray(high)
    shape = shapes.broadcast(first._shape, second._shape) if size is None else shapes.shape_of(size)
    return values(broadcasted(first, shape)), values(broadcasted(second, shape)), shape
