"""Composites of random numbers: what becomes of the words of `philox`."""

from __future__ import annotations

from math import pi, prod

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError
from ops.shapes import Shape

_STEP = 2.0**-24
_WORDS = 1 << 32


def _words(do: Parts, count: int, key: Shape, counter: Shape) -> Value:
    return do("philox", count=count, key=list(key), counter=list(counter))


def _parts(do: Parts, words: Value) -> Value:
    """Words as multiples of 2^-24 from 0 to below 1."""
    return do.cast(do("bitwise_right_shift", words, 8), "f32") * _STEP


def random_uniform(do: Parts, shape: Shape, low: float, high: float, key: Shape, counter: Shape) -> Value:
    """Numbers from `low` to below `high`."""
    parts = _parts(do, _words(do, prod(shape), key, counter))
    return do.reshape(parts * float(high - low) + float(low), *shape)


def random_normal(do: Parts, shape: Shape, mean: float, std: float, key: Shape, counter: Shape) -> Value:
    """Numbers of the normal distribution; the first half of the words says how far out, the second in which way."""
    count = prod(shape)
    words = _words(do, 2 * count, key, counter)
    far, way = (_parts(do, do.slice(words, 0, start, start + count)) for start in (0, count))
    distance = do("sqrt", do("log", far + _STEP) * -2.0)
    made = distance * do("cos", way * (2 * pi)) * float(std) + float(mean)
    return do.reshape(made, *shape)


def random_integers(do: Parts, shape: Shape, low: int, high: int, key: Shape, counter: Shape) -> Value:
    """Whole numbers from `low` to below `high`."""
    if not -(1 << 31) <= low < high <= 1 << 31:
        raise AttributeValueError(f"random integers from {low} to below {high} are none of i32")
    words = _words(do, prod(shape), key, counter)
    rest = words if high - low == _WORDS else do("remainder", words, high - low)
    return do.reshape(do.cast(rest, "i32") + low, *shape)


def dropout(do: Parts, x: Value, p: float, key: Shape, counter: Shape) -> Value:
    """`x / (1 - p)`, and 0 with the probability `p`."""
    if not 0 <= p <= 1:
        raise AttributeValueError(f"dropout: p is {p:g}, but must be from 0 to 1")
    parts = do.reshape(_parts(do, _words(do, prod(x.shape), key, counter)), *x.shape)
    return do("where", do("lt", parts, float(p)), 0.0, x * (1 / (1 - p) if p < 1 else 0.0))


MEANINGS: dict[str, Meaning] = {
    "random_uniform": random_uniform,
    "random_normal": random_normal,
    "random_integers": random_integers,
    "dropout": dropout,
}
