"""One draw of each distribution, from uniform, normal and exponential draws.

Owns NumPy's ways to make one of another, so that the streams agree. Must not know arrays or bit generators.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

Draw = Callable[[], float]


class Draws(NamedTuple):
    """What distributions are made of: standard draws."""

    uniform: Draw
    normal: Draw
    exponential: Draw


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def gamma(draws: Draws, shape: float) -> float:
    """A draw of the standard gamma distribution."""
    if shape == 1.0:
        return draws.exponential()
    if shape == 0.0:
        return 0.0
    return _small_gamma(draws, shape) if shape < 1.0 else _large_gamma(draws, shape)


def _small_gamma(draws: Draws, shape: float) -> float:
    while True:
        u, v = draws.uniform(), draws.exponential()
        if u <= 1.0 - shape:
            x = math.pow(u, 1.0 / shape)
            if x <= v:
                return x
        else:
            y = -_log((1 - u) / shape)
            x = math.pow(1.0 - shape + shape * y, 1.0 / shape)
            if x <= v + y:
                return x


def _large_gamma(draws: Draws, shape: float) -> float:
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9 * b)
    while True:
        v = 0.0
        while v <= 0.0:
            x = draws.normal()
            v = 1.0 + c * x
        v = v * v * v
        u = draws.uniform()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if _log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
            return b * v


def beta(draws: Draws, a: float, b: float) -> float:
    """A draw of the beta distribution."""
    if a > 1.0 or b > 1.0:
        first, second = gamma(draws, a), gamma(draws, b)
        return first / (first + second)
    while True:
        u, v = draws.uniform(), draws.uniform()
        x, y = math.pow(u, 1.0 / a), math.pow(v, 1.0 / b)
        if 0 < x + y <= 1.0:
            return x / (x + y)


def poisson(draws: Draws, lam: float) -> int:
    """A draw of the Poisson distribution."""
    if lam < 0 or lam != lam:
        raise ValueError("lam < 0 or lam is NaN")
    if lam >= 10:
        return _large_poisson(draws, lam)
    count, product, limit = 0, 1.0, math.exp(-lam)
    if lam == 0:
        return 0
    while True:
        product *= draws.uniform()
        if product <= limit:
            return count
        count += 1


def _large_poisson(draws: Draws, lam: float) -> int:
    root, logarithm = math.sqrt(lam), math.log(lam)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    limit = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = draws.uniform() - 0.5, draws.uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + lam + 0.43) if us else -1
        if us >= 0.07 and v <= limit:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if _log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= -lam + k * logarithm - math.lgamma(
            k + 1
        ):
            return k


def binomial(draws: Draws, n: int, p: float) -> int:
    """A draw of the binomial distribution. Where `n` times `p` is over 30 the stream is not NumPy's."""
    if n < 0 or not 0 <= p <= 1:
        raise ValueError("n < 0" if n < 0 else "p < 0, p > 1 or p is NaN")
    if n == 0 or p == 0:
        return 0
    if p > 0.5:
        return n - _binomial(draws, n, 1.0 - p)
    return _binomial(draws, n, p)


def _binomial(draws: Draws, n: int, p: float) -> int:
    if p * n > 30.0:
        half = n // 2
        return _binomial(draws, half, p) + _binomial(draws, n - half, p)
    q = 1.0 - p
    first = math.exp(n * math.log(q))
    mean = n * p
    bound = int(min(float(n), mean + 10.0 * math.sqrt(mean * q + 1)))
    count, part, u = 0, first, draws.uniform()
    while u > part:
        count += 1
        if count > bound:
            count, part, u = 0, first, draws.uniform()
        else:
            u -= part
            part = ((n - count + 1) * p * part) / (count * q)
    return count


def laplace(draws: Draws, loc: float, scale: float) -> float:
    """A draw of the Laplace distribution."""
    while True:
        u = draws.uniform()
        if u >= 0.5:
            return loc - scale * math.log(2.0 - u - u)
        if u > 0.0:
            return loc + scale * math.log(u + u)


def logistic(draws: Draws, loc: float, scale: float) -> float:
    """A draw of the logistic distribution."""
    while True:
        u = draws.uniform()
        if u > 0.0:
            return loc + scale * math.log(u / (1.0 - u))


def gumbel(draws: Draws, loc: float, scale: float) -> float:
    """A draw of the Gumbel distribution."""
    while True:
        u = 1.0 - draws.uniform()
        if u < 1.0:
            return loc - scale * math.log(-math.log(u))


def geometric(draws: Draws, p: float) -> int:
    """A draw of the geometric distribution."""
    if not 0 < p <= 1:
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    if p < 0.333333333333333333333333:
        return math.ceil(-draws.exponential() / math.log1p(-p))
    count, total, part, u = 1, p, p, draws.uniform()
    while u > total:
        part *= 1.0 - p
        total += part
        count += 1
    return count


def triangular(draws: Draws, left: float, mode: float, right: float) -> float:
    """A draw of the triangular distribution."""
    base, leftbase = right - left, mode - left
    u = draws.uniform()
    if u <= leftbase / base:
        return left + math.sqrt(u * leftbase * base)
    return right - math.sqrt((1.0 - u) * (right - mode) * base)
