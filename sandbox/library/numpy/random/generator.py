"""`default_rng` and its `Generator`.

Owns what differs from the older functions. Must not know how bits are made.
"""

from __future__ import annotations

import operator
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Out, Result, Seed, ShapeLike
from sandbox.library.numpy.array import copy_of, make, ndarray, reshaped, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import FLOAT32, INT64, dtype_of
from sandbox.library.numpy.random import bounded, ziggurat
from sandbox.library.numpy.random.bits import MT19937, PCG64, Bits
from sandbox.library.numpy.random.distributions import Draws
from sandbox.library.numpy.random.sampler import Sampler, count_of, each_bound
from sandbox.library.numpy.shapes import axis_of
from sandbox.library.numpy.shaping import moveaxis

_TAIL_FROM = 10_000


class Generator(Sampler):
    """A stream of random numbers, NumPy's own for the same seed."""

    __slots__ = ()

    def __init__(self, bit_generator: Any) -> None:
        if not isinstance(bit_generator, PCG64 | MT19937):
            raise TypeError("Generator needs a bit generator: use numpy.random.default_rng(seed)")
        bits: Bits = bit_generator
        self._bits = bits
        self._draws = Draws(bits._double, ziggurat.normal(bits), ziggurat.exponential(bits))

    @property
    def bit_generator(self) -> Result:
        """What makes the bits."""
        return self._bits

    def __repr__(self) -> str:
        return f"Generator({type(self._bits).__name__})"

    def random(self, size: ShapeLike | None = None, dtype: DTypeLike = None, out: Out = None) -> Result:
        """Numbers from 0 to below 1."""
        if dtype_of(dtype) is FLOAT32:
            word = self._bits._next32
            return self._many(size, lambda: (word() >> 8) * (1.0 / (1 << 24)), FLOAT32)
        return self._many(size, self._draws.uniform)

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = INT64,
        endpoint: bool = False,
    ) -> Result:
        """Whole numbers from `low` to below `high` (or to it); from 0 when one bound is given."""
        low, high = (0, low) if high is None else (low, high)
        row = dtype_of(dtype)
        lows, highs, shape = each_bound(low, high, size)
        if not asarray(low).ndim and not asarray(high).ndim:
            first = int(values(asarray(low))[0])
            draw = self._below(first, int(values(asarray(high))[0]), endpoint)
            if size is None:
                return row._box(first + draw())
            return make([first + draw() for _ in range(shapes.check(shape))], row, shape)
        items = [int(a) + self._below(int(a), int(b), endpoint)() for a, b in zip(lows, highs, strict=True)]
        return make(items, row, shape)

    def _below(self, low: int, high: int, endpoint: bool) -> bounded.Draw:
        span = high - low - (not endpoint)
        if span < 0:
            raise ValueError("high <= 0" if low == 0 else "low > high" if endpoint else "low >= high")
        if low < -(1 << 63) or high > 1 << 64:
            raise ValueError("high is out of bounds for int64")
        return bounded.lemire(self._bits, span)

    def choice(
        self,
        a: ArrayLike,
        size: ShapeLike | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Result:
        """Random entries of `a`, or numbers below it."""
        source, population = self._population(a, axis)
        count = count_of(size)
        if population <= 0 and count:
            raise ValueError(
                "a must be a positive integer unless no samples are taken"
                if source is None
                else "a cannot be empty unless no samples are taken"
            )
        if not replace and count > population:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if p is not None:
            numbers = self._weighted(p, population, count, replace)
        elif replace:
            draw = bounded.lemire(self._bits, population - 1)
            numbers = [draw() for _ in range(count)]
        else:
            numbers = self._sample(count, population, shuffle)
        return self._chosen(size, source, numbers, axis)

    def _sample(self, count: int, population: int, shuffle: bool) -> list[int]:
        """Different numbers below `population`."""
        if population > _TAIL_FROM and count > population // (50 if shuffle else 20):
            shapes.check((population,))
            order = list(range(population))
            bounded.shuffle(order, self._even, max(population - count, 1))
            return order[population - count :]
        return bounded.sample(count, population, self._even, shuffle)

    def _even(self, bound: int) -> int:
        return bounded.lemire(self._bits, bound)()

    def permuted(self, x: ArrayLike, axis: int | None = None) -> ndarray:
        """A copy of `x`, each row along an axis in an order of its own."""
        source = asarray(x)
        moved = (
            reshaped(source, (source.size,))
            if axis is None
            else moveaxis(source, axis_of(axis, source.ndim), -1)
        )
        flat, count = values(moved), moved._shape[-1]
        items = [
            flat[start + place] for start in range(0, len(flat), count or 1) for place in self._order(count)
        ]
        found = make(items, source._dtype, moved._shape)
        return reshaped(found, source._shape) if axis is None else copy_of(moveaxis(found, -1, axis))

    def bytes(self, length: int) -> Result:
        """Random bytes."""
        count = operator.index(length)
        shapes.check((count,))
        words = [self._bits._next32() for _ in range(-(-count // 4))]
        return b"".join(word.to_bytes(4, "little") for word in words)[:count]

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators that are independent of each other."""
        if not isinstance(self._bits, PCG64):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [Generator(PCG64(child)) for child in self._bits.seed_seq.spawn(n_children)]


def default_rng(seed: Seed = None) -> Generator:
    """The generator of a seed: an int, a sequence of them, or a generator, which is returned."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, PCG64 | MT19937) else PCG64(seed))


Generator.__module__ = "numpy.random"
