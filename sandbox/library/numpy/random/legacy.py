"""`np.random.seed`, `rand`, `randint` and the other older functions, and their `RandomState`.

Owns what differs from generators, and the process's own stream, made at the first use. Must not know how bits are
made.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Result, Seed, ShapeLike
from sandbox.library.numpy.array import make, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import dtype_of
from sandbox.library.numpy.random import bounded
from sandbox.library.numpy.random.bits import MT19937
from sandbox.library.numpy.random.distributions import Draws
from sandbox.library.numpy.random.sampler import Sampler, count_of, each_bound


class RandomState(Sampler):
    """The stream of the older functions, NumPy's own for the same seed."""

    __slots__ = ("_kept",)
    _REFUSALS = (
        "'a' and 'p' must have same size",
        "probabilities contain NaN",
        "probabilities are not non-negative",
        "probabilities do not sum to 1",
    )

    def __init__(self, seed: Seed = None) -> None:
        bits = MT19937(seed)
        uniform = bits._double
        self._bits = bits
        self._kept: float | None = None
        self._draws = Draws(uniform, self._gauss, lambda: -math.log(1.0 - uniform()))

    def __repr__(self) -> str:
        return "RandomState(MT19937)"

    def seed(self, seed: Seed = None) -> None:
        """Begin anew."""
        RandomState.__init__(self, seed)

    def _gauss(self) -> float:
        """A normal draw by the polar method, which makes two at a time."""
        if self._kept is not None:
            kept, self._kept = self._kept, None
            return kept
        double = self._bits._double
        square = 2.0
        while square >= 1.0 or square == 0.0:
            x = 2.0 * double() - 1.0
            y = 2.0 * double() - 1.0
            square = x * x + y * y
        factor = math.sqrt(-2.0 * math.log(square) / square)
        self._kept = factor * x
        return factor * y

    def random_sample(self, size: ShapeLike | None = None) -> Result:
        """Numbers from 0 to below 1."""
        return self._many(size, self._draws.uniform)

    random = random_sample

    def rand(self, *dims: ShapeLike) -> Result:
        """Numbers from 0 to below 1, of shape `dims`."""
        return self.random_sample(dims or None)

    def randn(self, *dims: ShapeLike) -> Result:
        """Numbers of the standard normal distribution, of shape `dims`."""
        return self.standard_normal(dims or None)

    def randint(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = int,
    ) -> Result:
        """Whole numbers from `low` to below `high`; from 0 when one bound is given."""
        low, high = (0, low) if high is None else (low, high)
        row = dtype_of(dtype)
        lows, highs, shape = each_bound(low, high, size)
        if not asarray(low).ndim and not asarray(high).ndim:
            first = int(values(asarray(low))[0])
            draw = self._below(first, int(values(asarray(high))[0]))
            if size is None:
                return first + draw() if dtype is int else row._box(first + draw())
            return make([first + draw() for _ in range(shapes.check(shape))], row, shape)
        return make(
            [int(a) + self._below(int(a), int(b))() for a, b in zip(lows, highs, strict=True)], row, shape
        )

    def _below(self, low: int, high: int) -> bounded.Draw:
        if high <= low:
            raise ValueError("high <= 0" if low == 0 else "low >= high")
        if low < -(1 << 63) or high > 1 << 63:
            raise ValueError("high is out of bounds for int64")
        return bounded.masked(self._bits, high - low - 1)

    def choice(
        self, a: ArrayLike, size: ShapeLike | None = None, replace: bool = True, p: ArrayLike | None = None
    ) -> Result:
        """Random entries of `a`, or numbers below it."""
        source, population = self._population(a, 0)
        count = count_of(size)
        if population <= 0 and count:
            raise ValueError(
                "a must be greater than 0 unless no samples are taken"
                if source is None
                else "'a' cannot be empty unless no samples are taken"
            )
        if not replace and count > population:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        if p is not None:
            numbers = self._weighted(p, population, count, replace)
        elif replace:
            draw = bounded.masked(self._bits, population - 1)
            numbers = [draw() for _ in range(count)]
        else:
            shapes.check((population,))
            numbers = self._order(population)[:count]
        return self._chosen(size, source, numbers, 0)


RandomState.__module__ = "numpy.random"
_state: RandomState | None = None
_NAMES = """
    seed random_sample random rand randn randint choice shuffle permutation uniform standard_normal normal lognormal
    standard_exponential exponential standard_gamma gamma chisquare standard_t beta poisson binomial geometric laplace
    logistic gumbel triangular multinomial dirichlet multivariate_normal
"""


def _shared() -> RandomState:
    """The process's own stream."""
    global _state
    if _state is None:
        _state = RandomState()
    return _state


def _function(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method as a function, of the stream that all share."""

    @wraps(method)
    def function(*args: Any, **kwargs: Any) -> Any:
        return method(_shared(), *args, **kwargs)

    whole = signature(method)
    _, *rest = whole.parameters.values()
    vars(function)["__signature__"] = whole.replace(parameters=rest)
    return function


def functions() -> dict[str, Any]:
    """The older functions, which share one stream."""
    found = {name: _function(getattr(RandomState, name)) for name in _NAMES.split()}
    return {**found, "ranf": found["random_sample"], "sample": found["random_sample"]}
