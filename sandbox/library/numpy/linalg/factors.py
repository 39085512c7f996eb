"""Factors of matrices, powers, and lengths.

Owns `qr`, `cholesky`, `matrix_power`, `multi_dot` and `norm`. Must not know equations beyond inverses.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from sandbox.library.numpy import reductions
from sandbox.library.numpy.arguments import ArrayLike, Axes, Result
from sandbox.library.numpy.array import box, boxed, ndarray
from sandbox.library.numpy.convert import asarray, astype
from sandbox.library.numpy.creation import eye
from sandbox.library.numpy.dtypes import FLOAT64
from sandbox.library.numpy.errors import LinAlgError
from sandbox.library.numpy.linalg.rows import Rows, each, float_type, from_rows, matrix, rows_of, single
from sandbox.library.numpy.linalg.solving import inv
from sandbox.library.numpy.linalg.spectral import svd_rows
from sandbox.library.numpy.products import dot, matmul
from sandbox.library.numpy.shapes import axes_of, axis_of
from sandbox.library.numpy.shaping import ravel, transpose
from sandbox.library.numpy.ufuncs import absolute, multiply, power, sqrt


class QRResult(NamedTuple):
    """What `qr` gives."""

    Q: ndarray
    R: ndarray


def qr(a: ArrayLike, mode: str = "reduced") -> Result:
    """An orthogonal and an upper triangular factor, by reflections of Householder as in LAPACK."""
    found = single(a)
    count, width = found._shape
    rows = rows_of(found)
    square = [[float(i == j) for j in range(count)] for i in range(count)]
    for column in range(min(count - 1, width)):
        _reflect(rows, square, column)
    size = count if mode == "complete" else min(count, width)
    upper = [[rows[i][j] if j >= i else 0.0 for j in range(width)] for i in range(size)]
    row = float_type(found)
    right = from_rows(upper, width, row)
    if mode == "r":
        return right
    left = [[square[j][i] for j in range(size)] for i in range(count)]
    return QRResult(from_rows(left, size, row), right)


def _reflect(rows: Rows, square: Rows, column: int) -> None:
    below = [rows[i][column] for i in range(column, len(rows))]
    if not any(below[1:]):
        return
    length = math.hypot(*below)
    head = below[0] + math.copysign(length, below[0])
    vector = [1.0, *(x / head for x in below[1:])]
    factor = 2 / math.fsum(x * x for x in vector)
    for lines in (rows, square):
        for j in range(len(lines[0])):
            part = factor * math.fsum(x * lines[column + k][j] for k, x in enumerate(vector))
            for k, x in enumerate(vector):
                lines[column + k][j] -= part * x


def cholesky(a: ArrayLike, *, upper: bool = False) -> ndarray:
    """The lower triangular factor of a positive definite matrix."""
    found = matrix(a, square=True)
    size = found._shape[-1]
    result = each(found, _cholesky, (size, size))
    return transpose(result, [*range(result.ndim - 2), result.ndim - 1, result.ndim - 2]) if upper else result


def _cholesky(rows: Rows) -> Rows:
    size = len(rows)
    found = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = rows[i][j] - sum(map(operator.mul, found[i][:j], found[j][:j]))
            if i == j:
                if not rest > 0:
                    raise LinAlgError("Matrix is not positive definite")
                found[i][i] = math.sqrt(rest)
            else:
                found[i][j] = rest / found[j][j]
    return found


def matrix_power(a: ArrayLike, n: int) -> Result:
    """A square matrix multiplied with itself."""
    found = matrix(a, square=True)
    count = operator.index(n)
    if count < 0:
        found, count = inv(found), -count
    if not count:
        return matmul(eye(found._shape[-1], dtype=found._dtype), eye(found._shape[-1], dtype=found._dtype))
    result: Any = None
    while count:
        if count & 1:
            result = found if result is None else matmul(result, found)
        found = matmul(found, found) if count > 1 else found
        count >>= 1
    return result


def multi_dot(arrays: Sequence[ArrayLike]) -> Result:
    """The product of several matrices."""
    result = arrays[0]
    for other in arrays[1:]:
        result = dot(result, other)
    return result


def norm(x: ArrayLike, ord: ArrayLike | None = None, axis: Axes = None, keepdims: bool = False) -> Result:
    """The length of a vector, or the size of a matrix."""
    source = asarray(x)
    source = source if source._dtype._kind == "f" else astype(source, FLOAT64)
    if axis is None and (ord is None or (ord in ("f", "fro") and source.ndim == 2)):
        flat = ravel(source)
        found = sqrt(dot(flat, flat))
        return astype(asarray(found), source._dtype) if keepdims else found
    axes = axes_of(axis, source.ndim)
    if len(axes) == 1:
        return _vector_norm(source, ord, axis_of(axes[0], source.ndim), keepdims)
    if ord in (None, "fro", "f"):
        return sqrt(reductions.sum(multiply(source, source), axes, keepdims=keepdims))
    if len(axes) != 2 or source.ndim != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return _matrix_norm(source, ord)


def _vector_norm(a: ndarray, ord: Any, axis: int, keepdims: bool) -> Any:
    if ord in (None, 2):
        return sqrt(reductions.sum(multiply(a, a), axis, keepdims=keepdims))
    sizes = absolute(a)
    if ord == math.inf:
        return reductions.max(sizes, axis, keepdims=keepdims)
    if ord == -math.inf:
        return reductions.min(sizes, axis, keepdims=keepdims)
    if ord == 0:
        return box(astype(asarray(reductions.count_nonzero(a, axis, keepdims=keepdims)), a._dtype))
    if ord == 1:
        return reductions.sum(sizes, axis, keepdims=keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    return power(reductions.sum(power(sizes, ord), axis, keepdims=keepdims), 1 / ord)


def _matrix_norm(a: ndarray, ord: Any) -> Any:
    if ord in (1, -1, math.inf, -math.inf):
        sums = reductions.sum(absolute(a), 0 if abs(ord) == 1 else 1)
        return reductions.max(sums) if ord > 0 else reductions.min(sums)
    _, sizes, _ = svd_rows(rows_of(a), a._shape[1])
    found = {2: sizes[0], -2: sizes[-1], "nuc": math.fsum(sizes)}.get(ord)
    if found is None:
        raise ValueError("Invalid norm order for matrices.")
    return boxed([found], a._dtype, ())
