"""Singular values and the eigenvalues of symmetric matrices, by rotations of Jacobi.

Owns `svd`, `eigh` and what follows from them. Signs of vectors are free: they may differ from LAPACK's. Must not know
equations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import boxed, make, ndarray
from sandbox.library.numpy.dtypes import FLOAT64, INT64
from sandbox.library.numpy.errors import LinAlgError
from sandbox.library.numpy.linalg.rows import (
    Rows,
    float_type,
    from_rows,
    matrix,
    rows_of,
    single,
    transposed,
    unit,
)

_SWEEPS = 60
_EPSILON = 2.220446049250313e-16


class EighResult(NamedTuple):
    """What `eigh` gives."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class SVDResult(NamedTuple):
    """What `svd` gives."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def _rotation(a: float, b: float, c: float) -> tuple[float, float]:
    """The cosine and sine that make the symmetric [[a, c], [c, b]] diagonal."""
    zeta = (b - a) / (2 * c)
    tangent = math.copysign(1.0, zeta) / (abs(zeta) + math.hypot(1.0, zeta))
    cosine = 1 / math.hypot(1.0, tangent)
    return cosine, cosine * tangent


def _turn(x: list[float], y: list[float], cosine: float, sine: float) -> tuple[list[float], list[float]]:
    return (
        [cosine * p - sine * q for p, q in zip(x, y, strict=True)],
        [sine * p + cosine * q for p, q in zip(x, y, strict=True)],
    )


def _orthogonal(columns: Rows, turned: Rows) -> None:
    """Rotate pairs of `columns`, `turned` with them, until all are orthogonal."""
    count = len(columns)
    for _ in range(_SWEEPS):
        quiet = True
        for i in range(count - 1):
            for j in range(i + 1, count):
                a = math.fsum(x * x for x in columns[i])
                b = math.fsum(x * x for x in columns[j])
                c = math.fsum(x * y for x, y in zip(columns[i], columns[j], strict=True))
                if abs(c) <= _EPSILON * math.sqrt(a * b) or c == 0:
                    continue
                quiet = False
                cosine, sine = _rotation(a, b, c)
                columns[i], columns[j] = _turn(columns[i], columns[j], cosine, sine)
                turned[i], turned[j] = _turn(turned[i], turned[j], cosine, sine)
        if quiet:
            return
    raise LinAlgError("SVD did not converge")


def svd_rows(rows: Rows, width: int) -> tuple[Rows, list[float], Rows]:
    """The thin decomposition of a matrix: rows of U, the singular values from the greatest, rows of V."""
    if not all(math.isfinite(item) for line in rows for item in line):
        raise LinAlgError("SVD did not converge")
    if len(rows) < width:
        v, sizes, u = svd_rows(transposed(rows, width), len(rows))
        return u, sizes, v
    columns, turned = transposed(rows, width), unit(width)
    _orthogonal(columns, turned)
    sizes = [math.hypot(*column) for column in columns]
    order = sorted(range(width), key=lambda number: -sizes[number])
    largest = max(sizes, default=0.0)
    left: Rows = []
    for number in order:
        size = sizes[number]
        column = [x / size for x in columns[number]] if size > _EPSILON * largest * 1e-3 and size else None
        left.append(column if column is not None else _fill(left, len(rows)))
    return (
        transposed(left, len(rows)),
        [sizes[number] for number in order],
        transposed([turned[number] for number in order], width),
    )


def _fill(known: Rows, size: int) -> list[float]:
    """A unit vector orthogonal to those `known`."""
    for axis in range(size):
        vector = [float(number == axis) for number in range(size)]
        for _ in range(2):
            for other in known:
                part = math.fsum(x * y for x, y in zip(vector, other, strict=True))
                vector = [x - part * y for x, y in zip(vector, other, strict=True)]
        length = math.hypot(*vector)
        if length > 0.1 / math.sqrt(size):
            return [x / length for x in vector]
    return [0.0] * size


def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Result:
    """U, the singular values and the transposed V of a matrix."""
    found = single(a)
    count, width = found._shape
    row = float_type(found)
    u, sizes, v = svd_rows(rows_of(found), width)
    values = make(sizes, row, (len(sizes),))
    if not compute_uv:
        return values
    if full_matrices:
        u, v = _completed(u, count), _completed(v, width)
    columns = transposed(v, min(count, width))
    return SVDResult(from_rows(u, len(u[0]) if u else 0, row), values, from_rows(columns, width, row))


def _completed(rows: Rows, size: int) -> Rows:
    """`rows`, whose columns are orthogonal, with further columns to a square."""
    columns = transposed(rows, 0)
    while len(columns) < size:
        columns.append(_fill(columns, size))
    return transposed(columns, size)


def svdvals(x: ArrayLike) -> Result:
    """The singular values."""
    return svd(x, compute_uv=False)


def eigh_rows(rows: Rows) -> tuple[list[float], Rows]:
    """The eigenvalues of a symmetric matrix, rising, and the eigenvectors as columns' list."""
    size = len(rows)
    vectors = unit(size)
    scale = math.sqrt(math.fsum(x * x for line in rows for x in line))
    for _ in range(_SWEEPS):
        quiet = True
        for i in range(size - 1):
            for j in range(i + 1, size):
                c = rows[i][j]
                if abs(c) <= _EPSILON * 1e-3 * scale or c == 0:
                    continue
                quiet = False
                cosine, sine = _rotation(rows[i][i], rows[j][j], c)
                rows[i], rows[j] = _turn(rows[i], rows[j], cosine, sine)
                for line in rows:
                    line[i], line[j] = cosine * line[i] - sine * line[j], sine * line[i] + cosine * line[j]
                vectors[i], vectors[j] = _turn(vectors[i], vectors[j], cosine, sine)
        if quiet:
            break
    order = sorted(range(size), key=lambda number: rows[number][number])
    return [rows[number][number] for number in order], [vectors[number] for number in order]


def eigh(a: ArrayLike, UPLO: str = "L") -> EighResult:  # noqa: N803
    """The eigenvalues and eigenvectors of a symmetric matrix, of which one triangle counts."""
    found = single(matrix(a, square=True))
    lines = rows_of(found)
    size = len(lines)
    low = UPLO.upper() == "L"
    lines = [
        [lines[max(i, j)][min(i, j)] if low else lines[min(i, j)][max(i, j)] for j in range(size)]
        for i in range(size)
    ]
    sizes, vectors = eigh_rows(lines)
    row = float_type(found)
    return EighResult(make(sizes, row, (size,)), from_rows(transposed(vectors, 0), size, row))


def eigvalsh(a: ArrayLike, UPLO: str = "L") -> ndarray:  # noqa: N803
    """The eigenvalues of a symmetric matrix."""
    return eigh(a, UPLO).eigenvalues


def matrix_rank(A: ArrayLike, tol: float | None = None) -> Result:  # noqa: N803
    """How many singular values are not as good as zero."""
    found = single(A)
    _, sizes, _ = svd_rows(rows_of(found), found._shape[1])
    limit = max(sizes, default=0.0) * max(found._shape) * _EPSILON if tol is None else tol
    return boxed([sum(size > limit for size in sizes)], INT64, ())


def cond(x: ArrayLike, p: ArrayLike | None = None) -> Result:
    """The greatest singular value over the least."""
    found = single(x)
    _, sizes, _ = svd_rows(rows_of(found), found._shape[1])
    return boxed([sizes[0] / sizes[-1] if sizes[-1] else math.inf], FLOAT64, ())
