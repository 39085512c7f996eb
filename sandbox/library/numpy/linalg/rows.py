"""Matrices as lists of rows: what the algorithms of `numpy.linalg` work on.

Owns the way from arrays to rows and back, and stacks of matrices. Must not know algorithms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike
from sandbox.library.numpy.array import make, ndarray, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import FLOAT64, dtype
from sandbox.library.numpy.errors import LinAlgError

Rows = list[list[float]]


def float_type(a: ndarray) -> dtype:
    """The type of results for `a`."""
    return a._dtype if a._dtype._kind == "f" else FLOAT64


def matrix(a: ArrayLike, square: bool = False) -> ndarray:
    """`a` as an array of matrices. Raises `LinAlgError`."""
    found = asarray(a)
    if found.ndim < 2:
        raise LinAlgError(f"{found.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and found._shape[-1] != found._shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return found


def single(a: ArrayLike) -> ndarray:
    """`a` as one matrix. Raises `LinAlgError`."""
    found = asarray(a)
    if found.ndim != 2:
        raise LinAlgError(f"{found.ndim}-dimensional array given. Array must be two-dimensional")
    return found


def rows_of(a: ndarray) -> Rows:
    """The rows of one matrix, as floats."""
    flat, width = list(map(float, values(a))), a._shape[-1]
    return [flat[number * width : (number + 1) * width] for number in range(a._shape[0])]


def from_rows(rows: Sequence[Sequence[float]], width: int, row: dtype = FLOAT64) -> ndarray:
    """One matrix of `rows`."""
    return make([item for line in rows for item in line], row, (len(rows), width))


def stacked(a: ndarray) -> list[Rows]:
    """The rows of each matrix of a stack."""
    count, width = a._shape[-2:]
    flat = list(map(float, values(a)))
    size = count * width
    return [
        [flat[start + number * width : start + (number + 1) * width] for number in range(count)]
        for start in (matrix * size for matrix in range(shapes.prod(a._shape[:-2])))
    ]


def each(a: ndarray, function: Callable[[Rows], Rows], shape: tuple[int, ...]) -> ndarray:
    """`function` of each matrix of a stack; the results are matrices of `shape`."""
    items = [item for rows in stacked(a) for line in function(rows) for item in line]
    return make(items, float_type(a), (*a._shape[:-2], *shape))


def transposed(rows: Rows, width: int) -> Rows:
    """The columns of `rows`."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]


def unit(size: int) -> Rows:
    """The rows of an identity."""
    return [[float(column == row) for column in range(size)] for row in range(size)]
