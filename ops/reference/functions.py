"""The meaning of each function of `ops/functions.py`, over wide arrays: int64, float64 or bool.

Owns what NumPy lacks, element by element from Python's `math`. Must not know terms or dtypes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.reference.bits import FUNCTIONS as BIT_FUNCTIONS

Array = npt.NDArray[Any]
Function = Callable[..., Any]


def _by_element(function: Callable[[float], float]) -> Function:
    """`function` of each element; NaN where it raises, infinity where it overflows."""

    def safe(x: float) -> float:
        try:
            return function(float(x))
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return lambda x: np.asarray(np.frompyfunc(safe, 1, 1)(x), dtype=np.float64)


def _whole(floats: Function) -> Function:
    """`floats` of floats, and integers as they are."""
    return lambda x: floats(x) if x.dtype.kind == "f" else x


def _division(floats: Function, integers: Function) -> Function:
    """A quotient or remainder by its two kinds of numbers; `integers` takes a divisor that is not 0."""

    def divide(x: Array, y: Array) -> Array:
        if x.dtype.kind == "f":
            return np.asarray(floats(x, y))
        by_zero = 0 if integers in (np.floor_divide, _truncated) else x
        return np.where(y == 0, by_zero, integers(x, np.where(y == 0, 1, y)))

    return divide


def _trunc_divide(x: Array, y: Array) -> Array:
    """As PyTorch: the quotient is rounded to f32 first."""
    return np.asarray(np.trunc((x / y).astype(np.float32)))


def _truncated(x: Array, y: Array) -> Array:
    return np.asarray((x - np.fmod(x, y)) // y)


def _floor_divide(x: Array, y: Array) -> Array:
    return np.where(y == 0, x / y, np.where(np.isinf(x), np.nan, np.floor_divide(x, y)))


def _sinpi(x: Array) -> Array:
    part = np.fmod(x, 2)
    whole = np.round(part)
    return np.asarray(np.sin(np.pi * (part - whole)) * np.where(np.abs(whole) == 1, -1.0, 1.0))


def _lgamma(x: float) -> float:
    is_pole = x <= 0 and x == math.floor(x)
    return math.inf if is_pole else math.lgamma(x)


def _digamma(x: float) -> float:
    """By recurrence and the asymptotic series (Abramowitz and Stegun, 6.3)."""
    if x <= 0 and math.fmod(x, 1) == 0:
        return math.copysign(math.inf, -x) if x == 0 else math.nan
    if x <= 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * math.fmod(x, 1))
    total = 0.0
    while x < 12:
        total -= 1 / x
        x += 1
    s = 1 / (x * x)
    tail = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132)))))
    return total + math.log(x) - 1 / (2 * x) - tail


def _trigamma(x: float) -> float:
    """Likewise."""
    if x <= 0 and x == math.floor(x):
        return math.inf
    if x <= 0:
        return float((math.pi / math.sin(math.pi * math.fmod(x, 1))) ** 2) - _trigamma(1 - x)
    total = 0.0
    while x < 12:
        total += 1 / (x * x)
        x += 1
    s = 1 / (x * x)
    return total + 1 / x + s / 2 + s / x * (1 / 6 - s * (1 / 30 - s * (1 / 42 - s * (1 / 30 - s * (5 / 66)))))


def _tetragamma(x: float) -> float:
    """Likewise."""
    if x <= 0 and math.fmod(x, 1) == 0:
        return math.copysign(math.inf, -x) if x == 0 else math.nan
    if x <= 0:
        sine, cosine = math.sin(math.pi * math.fmod(x, 1)), math.cos(math.pi * math.fmod(x, 1))
        return _tetragamma(1 - x) - 2 * math.pi**3 * cosine / sine**3
    total = 0.0
    while x < 12:
        total -= 2 / (x * x * x)
        x += 1
    s = 1 / (x * x)
    tail = s * (1 / 2 - s * (1 / 6 - s * (1 / 6 - s * (3 / 10 - s * 5 / 6))))
    return total - s - s / x - s * tail


def _erfinv(x: float) -> float:
    """By Newton's and Halley's steps from Winitzki's approximation."""
    if abs(x) >= 1 or x == 0:
        return math.copysign(math.inf, x) if abs(x) == 1 else x if x == 0 else math.nan
    if abs(x) < 1e-3:
        return x * math.sqrt(math.pi) / 2 * (1 + math.pi / 12 * x * x)
    w = math.log1p(-x * x)
    half = 2 / (math.pi * 0.147) + w / 2
    y = math.sqrt(math.sqrt(half * half - w / 0.147) - half)
    for _ in range(4):
        step = (math.erfc(y) - (1 - abs(x))) / (2 / math.sqrt(math.pi) * math.exp(-y * y))
        y += step / (1 - y * step)
    return math.copysign(y, x)


FUNCTIONS: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "floor_divide": _division(_floor_divide, np.floor_divide),
    "trunc_divide": _division(_trunc_divide, _truncated),
    "remainder": _division(np.remainder, np.remainder),
    "fmod": _division(np.fmod, np.fmod),
    "neg": np.negative,
    "abs": np.abs,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "floor": _whole(np.floor),
    "ceil": _whole(np.ceil),
    "round": _whole(np.round),
    "trunc": _whole(np.trunc),
    "sign": lambda x: np.where(np.isnan(x), 0.0, np.sign(x)) if x.dtype.kind == "f" else np.sign(x),
    "signbit": lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "hypot": np.hypot,
    "sinpi": _sinpi,
    "erf": _by_element(math.erf),
    "erfc": _by_element(math.erfc),
    "trigamma": _by_element(_trigamma),
    "tetragamma": _by_element(_tetragamma),
    "erfinv": _by_element(_erfinv),
    "lgamma": _by_element(_lgamma),
    "digamma": _by_element(_digamma),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(x, 0),
    "is_nan": np.isnan,
    "is_inf": np.isinf,
    "is_finite": np.isfinite,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "where": np.where,
    **BIT_FUNCTIONS,
}
