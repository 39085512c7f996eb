"""Equations: elimination, inverses, determinants, least squares.

Owns these. Must not know eigenvalues beyond the singular values that least squares need.
"""

from __future__ import annotations

import math
from operator import mul
from typing import Any, NamedTuple

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import boxed, broadcasted, make, ndarray, reshaped, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import FLOAT64, INT64
from sandbox.library.numpy.errors import LinAlgError
from sandbox.library.numpy.linalg.rows import (
    Rows,
    each,
    float_type,
    from_rows,
    matrix,
    rows_of,
    single,
    stacked,
    unit,
)
from sandbox.library.numpy.linalg.spectral import svd_rows


class SlogdetResult(NamedTuple):
    """What `slogdet` gives."""

    sign: Result
    logabsdet: Result


def eliminate(rows: Rows, right: Rows) -> float:
    """Bring `rows` to triangular form in place, `right` with them.

    Returns the sign of the exchanges, 0 where there is no such form.
    """
    size = len(rows)
    sign = 1.0
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        if rows[pivot][column] == 0:
            return 0.0
        if pivot != column:
            rows[column], rows[pivot] = rows[pivot], rows[column]
            right[column], right[pivot] = right[pivot], right[column]
            sign = -sign
        top, beside = rows[column], right[column]
        scale = 1 / top[column]
        for row in range(column + 1, size):
            line = rows[row]
            factor = line[column] * scale
            if factor:
                line[column:] = [x - factor * y for x, y in zip(line[column:], top[column:], strict=True)]
                right[row] = [x - factor * y for x, y in zip(right[row], beside, strict=True)]
    return sign


def solve_rows(rows: Rows, right: Rows) -> Rows:
    """The solutions of equations. Raises `LinAlgError`. Both arguments are used up."""
    if eliminate(rows, right) == 0:
        raise LinAlgError("Singular matrix")
    return back(rows, right)


def back(rows: Rows, right: Rows) -> Rows:
    """The solutions of equations in upper triangular form."""
    size = len(rows)
    found: Rows = [[] for _ in range(size)]
    for row in range(size - 1, -1, -1):
        line = right[row]
        for column in range(row + 1, size):
            factor = rows[row][column]
            if factor:
                line = [x - factor * y for x, y in zip(line, found[column], strict=True)]
        found[row] = [x / rows[row][row] for x in line]
    return found


def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The `x` with `a @ x = b`."""
    left, right = matrix(a, square=True), asarray(b)
    row = float_type(left)
    size = left._shape[-1]
    if right.ndim == 1:
        column = reshaped(right, (right.size, 1))
        found = _solve(left, column, size)
        return make(values(found), row, (*left._shape[:-2], size))
    return _solve(left, right, size)


def _solve(left: ndarray, right: ndarray, size: int) -> ndarray:
    if right._shape[-2] != size:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(m,m),(m,n)->(m,n) (size {right._shape[-2]} is different from {size})"
        )
    front = shapes.broadcast(left._shape[:-2], right._shape[:-2])
    width = right._shape[-1]
    lefts = stacked(broadcasted(left, (*front, size, size)))
    rights = stacked(broadcasted(right, (*front, size, width)))
    items = [
        item
        for rows, beside in zip(lefts, rights, strict=True)
        for line in solve_rows(rows, beside)
        for item in line
    ]
    return make(items, float_type(left), (*front, size, width))


def inv(a: ArrayLike) -> ndarray:
    """The inverse."""
    found = matrix(a, square=True)
    size = found._shape[-1]
    return each(found, lambda rows: solve_rows(rows, unit(size)), (size, size))


def _pivots(a: Any) -> tuple[ndarray, list[tuple[float, list[float]]]]:
    """Of each matrix, the sign of the exchanges and the pivots."""
    found = matrix(a, square=True)
    results = []
    for rows in stacked(found):
        sign = eliminate(rows, [[] for _ in rows])
        results.append((sign, [line[number] for number, line in enumerate(rows)] if sign else []))
    return found, results


def det(a: ArrayLike) -> Result:
    """The determinant."""
    found, results = _pivots(a)
    return boxed([sign * math.prod(pivots) for sign, pivots in results], float_type(found), found._shape[:-2])


def slogdet(a: ArrayLike) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its size."""
    found, results = _pivots(a)
    row, shape = float_type(found), found._shape[:-2]
    signs = [sign * math.prod(math.copysign(1.0, pivot) for pivot in pivots) for sign, pivots in results]
    sizes = [sum(math.log(abs(pivot)) for pivot in pivots) if sign else -math.inf for sign, pivots in results]
    return SlogdetResult(boxed(signs, row, shape), boxed(sizes, row, shape))


def pinv(a: ArrayLike, rcond: float | None = None) -> ndarray:
    """The inverse as far as there is one."""
    found = single(a)
    left, sizes, right = svd_rows(rows_of(found), found._shape[1])
    limit = (1e-15 if rcond is None else rcond) * max(sizes, default=0.0)
    scaled = [
        [x / size if size > limit else 0.0 for x, size in zip(line, sizes, strict=True)] for line in right
    ]
    rows = [[math.fsum(map(mul, line, other)) for other in left] for line in scaled]
    return from_rows(rows, found._shape[0], float_type(found))


def lstsq(a: ArrayLike, b: ArrayLike, rcond: float | None = None) -> tuple[ndarray, ndarray, int, ndarray]:
    """The `x` for which `a @ x` is closest to `b`; the square distances, the rank and the singular values."""
    left, right = single(a), asarray(b)
    count, width = left._shape
    if right._shape[0] != count:
        raise LinAlgError("Incompatible dimensions")
    beside = rows_of(reshaped(right, (count, right.size // (count or 1))))
    u, sizes, v = svd_rows(rows_of(left), width)
    limit = (2.220446049250313e-16 * max(count, width) if rcond is None else rcond) * max(sizes, default=0.0)
    used = [number for number, size in enumerate(sizes) if size > limit]
    targets = len(beside[0]) if beside else 0
    parts = {
        k: [math.fsum(u[row][k] * beside[row][t] for row in range(count)) / sizes[k] for t in range(targets)]
        for k in used
    }
    found = [
        [math.fsum(v[row][k] * parts[k][t] for k in used) for t in range(targets)] for row in range(width)
    ]
    rests: list[float] = []
    if len(used) == width and count > width:
        lines = rows_of(left)
        for t in range(targets):
            gaps = (
                beside[row][t] - math.fsum(lines[row][k] * found[k][t] for k in range(width))
                for row in range(count)
            )
            rests.append(math.fsum(gap * gap for gap in gaps))
    shape = (width,) if right.ndim == 1 else (width, targets)
    solution = make([item for line in found for item in line], FLOAT64, shape)
    rank = int(INT64._box(len(used)))
    return solution, make(rests, FLOAT64, (len(rests),)), rank, make(sizes, FLOAT64, (len(sizes),))
