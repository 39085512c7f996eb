"""Polynomials by their coefficients, the highest power first.

Owns these. Must not know how equations are solved.
"""

from __future__ import annotations

import operator
from typing import Any

from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import make, ndarray, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.creation import vander
from sandbox.library.numpy.dtypes import FLOAT64
from sandbox.library.numpy.editing import trim_zeros
from sandbox.library.numpy.joining import concatenate
from sandbox.library.numpy.linalg.solving import lstsq
from sandbox.library.numpy.numerics import convolve
from sandbox.library.numpy.reductions import sum as total
from sandbox.library.numpy.shaping import atleast_1d
from sandbox.library.numpy.ufunc import meet
from sandbox.library.numpy.ufuncs import add, divide, multiply, sqrt, subtract


def polyval(p: ArrayLike, x: ArrayLike) -> Result:
    """The polynomial's value at `x`."""
    coefficients = asarray(p)
    found = multiply(asarray(x), 0)
    for item in coefficients.tolist():
        found = add(multiply(found, x), item)
    return found


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
) -> Result:
    """The coefficients of degree `deg` closest to points, by least squares."""
    places, heights = asarray(x, FLOAT64), asarray(y, FLOAT64)
    degree = operator.index(deg)
    if degree < 0:
        raise ValueError("expected deg >= 0")
    if places.ndim != 1 or not places.size:
        raise TypeError("expected 1D vector for x" if places.ndim != 1 else "expected non-empty vector for x")
    if places._shape[0] != heights._shape[0]:
        raise TypeError("expected x and y to have same length")
    left = vander(places, degree + 1)
    if w is not None:
        heavy = asarray(w, FLOAT64)
        left = multiply(left.T, heavy).T
        heights = multiply(heights.T, heavy).T
    scale = sqrt(total(multiply(left, left), 0))
    solution, residuals, rank, singular = lstsq(divide(left, scale), heights)
    solution = divide(solution.T, scale).T
    return (solution, residuals, rank, singular, places.size * 2.220446049250313e-16) if full else solution


def polyadd(a1: ArrayLike, a2: ArrayLike) -> ndarray:
    """The sum."""
    return _together(a1, a2, add)


def polysub(a1: ArrayLike, a2: ArrayLike) -> ndarray:
    """The difference."""
    return _together(a1, a2, subtract)


def _together(a1: Any, a2: Any, function: Any) -> ndarray:
    first, second = atleast_1d(a1), atleast_1d(a2)
    size = max(first.size, second.size)
    rows = [
        concatenate([make([0] * (size - a.size), a._dtype, (size - a.size,)), a]) for a in (first, second)
    ]
    return function(*rows)  # type: ignore[no-any-return]


def polymul(a1: ArrayLike, a2: ArrayLike) -> ndarray:
    """The product."""
    return convolve(atleast_1d(trim_zeros(atleast_1d(a1), "f")), atleast_1d(trim_zeros(atleast_1d(a2), "f")))


def polydiv(u: ArrayLike, v: ArrayLike) -> tuple[ndarray, ndarray]:
    """The quotient and what is left."""
    (top, bottom), _ = meet([atleast_1d(u), atleast_1d(v)])
    rest, by = list(map(float, values(top))), list(map(float, values(bottom)))
    quotient = []
    for number in range(max(len(rest) - len(by) + 1, 0)):
        factor = rest[number] / by[0]
        quotient.append(factor)
        for place, item in enumerate(by):
            rest[number + place] -= factor * item
    quotient = quotient or [0.0]
    left = rest[max(len(rest) - len(by) + 1, 0) :]
    while len(left) > 1 and abs(left[0]) < 1e-14:
        left.pop(0)
    left = left or [0.0]
    return make(quotient, FLOAT64, (len(quotient),)), make(left, FLOAT64, (len(left),))


def polyder(p: ArrayLike, m: int = 1) -> ndarray:
    """The derivative, `m` times."""
    found = asarray(p)
    for _ in range(m):
        count = max(found.size - 1, 0)
        items = [item * (count - number) for number, item in enumerate(list(values(found))[:count])]
        found = make(items, found._dtype, (count,))
    return found


def polyint(p: ArrayLike, m: int = 1, k: float = 0) -> ndarray:
    """The integral, `m` times, with constant `k`."""
    found = asarray(p, FLOAT64)
    for _ in range(m):
        items = [item / (found.size - number) for number, item in enumerate(values(found))]
        found = make([*items, float(k)], FLOAT64, (found.size + 1,))
    return found


class poly1d:  # noqa: N801
    """A polynomial that can be called."""

    __slots__ = ("_coefficients",)

    def __init__(self, c_or_r: ArrayLike) -> None:
        trimmed = trim_zeros(atleast_1d(c_or_r), "f")
        self._coefficients = trimmed if trimmed.size else make([0], trimmed._dtype, (1,))

    @property
    def coeffs(self) -> ndarray:
        """The coefficients, the highest power first."""
        return self._coefficients

    c = coef = coefficients = coeffs

    @property
    def order(self) -> int:
        """The highest power."""
        return self._coefficients.size - 1

    o = order

    def __call__(self, x: ArrayLike) -> Result:
        return polyval(self._coefficients, x)

    def __len__(self) -> int:
        return self.order

    def __getitem__(self, power: int) -> Result:
        items = list(values(self._coefficients))[::-1]
        return self._coefficients._dtype._box(items[power] if 0 <= power < len(items) else 0)

    def deriv(self, m: int = 1) -> poly1d:
        """The derivative."""
        return poly1d(polyder(self._coefficients, m))

    def integ(self, m: int = 1, k: float = 0) -> poly1d:
        """The integral."""
        return poly1d(polyint(self._coefficients, m, k))

    def _with(self, other: Any, function: Any) -> poly1d:
        return poly1d(
            function(self._coefficients, other._coefficients if isinstance(other, poly1d) else other)
        )

    def __add__(self, other: ArrayLike) -> poly1d:
        return self._with(other, polyadd)

    def __sub__(self, other: ArrayLike) -> poly1d:
        return self._with(other, polysub)

    def __mul__(self, other: ArrayLike) -> poly1d:
        return self._with(other, polymul)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> poly1d:
        return self * -1

    def __repr__(self) -> str:
        return f"poly1d({self._coefficients!r})".replace("array(", "", 1).replace("))", ")", 1)


poly1d.__module__ = "numpy"
