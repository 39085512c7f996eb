"""Products of matrices and vectors, and the diagonals.

Owns these. Must not know decompositions.
"""

from __future__ import annotations

import operator
from typing import Any

from sandbox.library.numpy import reductions, shapes
from sandbox.library.numpy.arguments import ArrayLike, Axes, Out, Result
from sandbox.library.numpy.array import (
    boxed,
    broadcasted,
    cast,
    copy_of,
    make,
    ndarray,
    new,
    reshaped,
    values,
    view,
)
from sandbox.library.numpy.array import zeros as zero_buffer
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import INT64, dtype, promote
from sandbox.library.numpy.shapes import axis_of
from sandbox.library.numpy.shaping import moveaxis, ravel, transpose
from sandbox.library.numpy.ufunc import deliver
from sandbox.library.numpy.ufuncs import multiply, subtract


def _columns(a: Any, b: Any) -> tuple[ndarray, ndarray, dtype]:
    first, second = asarray(a), asarray(b)
    return first, second, promote(first._dtype, second._dtype)


def _numbers(a: ndarray, row: dtype) -> Any:
    return cast(values(a), a._dtype, row) if row._kind == "f" else values(a)


def _times(rows: list[Any], columns: list[Any], row: dtype) -> list[Any]:
    """The products of each of `rows` with each of `columns`."""
    if row._kind == "b":
        return [any(map(operator.and_, x, y)) for x in rows for y in columns]
    times = operator.mul
    if rows and len(rows[0]) == 1:
        return [x[0] * y[0] for x in rows for y in columns]
    return [sum(map(times, x, y)) for x in rows for y in columns]


def _product(a: ndarray, b: ndarray, row: dtype) -> ndarray:
    """The matrix product of two matrices whose sizes fit."""
    count, inner = a._shape
    width = b._shape[1]
    shapes.check((count, width))
    left, right = _numbers(a, row), _numbers(b.T, row)
    if not inner:
        return new(zero_buffer(count * width, row), row, (count, width))
    rows = [left[at : at + inner] for at in range(0, count * inner, inner)]
    columns = [right[at : at + inner] for at in range(0, width * inner, inner)]
    return make(_times(rows, columns, row), row, (count, width))


def dot(a: ArrayLike, b: ArrayLike, out: Out = None) -> Result:
    """The sum of products along the last axis of `a` and the last but one of `b`."""
    first, second, row = _columns(a, b)
    if not first.ndim or not second.ndim:
        return multiply(first, second)
    place = max(second.ndim - 2, 0)
    if first._shape[-1] != second._shape[place]:
        raise ValueError(
            f"shapes {shapes.text(first._shape)} and {shapes.text(second._shape)} not aligned: {first._shape[-1]} "
            f"(dim {first.ndim - 1}) != {second._shape[place]} (dim {place})"
        )
    found = _contract(first, moveaxis(second, place, 0), row)
    return found if out is None else deliver("dot", asarray(found), out, True)


def _contract(a: ndarray, b: ndarray, row: dtype) -> Any:
    """The last axis of `a` against the first of `b`."""
    size = a._shape[-1]
    shape = a._shape[:-1] + b._shape[1:]
    flat_a = reshaped(a, (shapes.prod(a._shape[:-1]), size))
    flat_b = reshaped(b, (size, shapes.prod(b._shape[1:])))
    return boxed(values(_product(flat_a, flat_b, row)), row, shape)


def matmul(a: ArrayLike, b: ArrayLike, out: Out = None) -> Result:
    """The matrix product, `a @ b`; further axes in front are matched."""
    first, second, row = _columns(a, b)
    for number, operand in enumerate((first, second)):
        if not operand.ndim:
            raise ValueError(
                f"matmul: Input operand {number} does not have enough dimensions (has 0, gufunc core with signature "
                "(n?,k),(k,m?)->(n?,m?) requires 1)"
            )
    place = max(second.ndim - 2, 0)
    if first._shape[-1] != second._shape[place]:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {second._shape[place]} is different from {first._shape[-1]})"
        )
    found = _contract(first, second, row) if second.ndim <= 2 else _stacked(first, second, row)
    return found if out is None else deliver("matmul", asarray(found), out, True)


def _stacked(a: ndarray, b: ndarray, row: dtype) -> ndarray:
    single = a.ndim == 1
    a = reshaped(a, (1, *a._shape)) if single else a
    front = shapes.broadcast(a._shape[:-2], b._shape[:-2])
    count, inner, width = a._shape[-2], a._shape[-1], b._shape[-1]
    shape = (*front, count, width)
    shapes.check(shape)
    left = _numbers(broadcasted(a, (*front, count, inner)), row)
    right = _numbers(broadcasted(transpose_last(b), (*front, width, inner)), row)
    items: list[Any] = []
    for number in range(shapes.prod(front)):
        at, other = number * count * inner, number * width * inner
        rows = [left[at + k * inner : at + (k + 1) * inner] for k in range(count)]
        columns = [right[other + k * inner : other + (k + 1) * inner] for k in range(width)]
        items += _times(rows, columns, row)
    return make(items, row, (*front, width) if single else shape)


def transpose_last(a: ArrayLike) -> ndarray:
    """The last two axes exchanged: a view."""
    source = asarray(a)
    order = list(range(source.ndim))
    order[-2:] = order[-1], order[-2]
    return transpose(source, order)


def vdot(a: ArrayLike, b: ArrayLike) -> Result:
    """The sum of the products of all elements."""
    return dot(ravel(a), ravel(b))


def inner(a: ArrayLike, b: ArrayLike) -> Result:
    """The sum of products along the last axis of both."""
    first, second, row = _columns(a, b)
    if not first.ndim or not second.ndim:
        return multiply(first, second)
    if first._shape[-1] != second._shape[-1]:
        raise ValueError(
            f"shapes {shapes.text(first._shape)} and {shapes.text(second._shape)} not aligned: {first._shape[-1]} "
            f"(dim {first.ndim - 1}) != {second._shape[-1]} (dim {second.ndim - 1})"
        )
    return _contract(first, moveaxis(second, -1, 0), row)


def outer(a: ArrayLike, b: ArrayLike, out: Out = None) -> Result:
    """Each element of `a` times each of `b`."""
    first, second = ravel(a), ravel(b)
    return multiply(reshaped(first, (first.size, 1)), second, out=out)


def tensordot(a: ArrayLike, b: ArrayLike, axes: Axes = 2) -> Result:
    """The sum of products along several axes of both."""
    first, second, row = _columns(a, b)
    if hasattr(type(axes), "__index__"):
        axes = operator.index(axes)
        left, right = list(range(first.ndim - axes, first.ndim)), list(range(axes))
    else:
        left, right = [list(item) if isinstance(item, list | tuple) else [item] for item in axes]
    left, right = [axis_of(x, first.ndim) for x in left], [axis_of(x, second.ndim) for x in right]
    if [first._shape[x] for x in left] != [second._shape[x] for x in right]:
        raise ValueError("shape-mismatch for sum")
    kept = [x for x in range(first.ndim) if x not in left]
    other = [x for x in range(second.ndim) if x not in right]
    size = shapes.prod(first._shape[x] for x in left)
    flat_a = reshaped(transpose(first, kept + left), (shapes.prod(first._shape[x] for x in kept), size))
    flat_b = reshaped(transpose(second, right + other), (size, shapes.prod(second._shape[x] for x in other)))
    shape = (*[first._shape[x] for x in kept], *[second._shape[x] for x in other])
    return boxed(values(_product(flat_a, flat_b, row)), row, shape)


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """`b` once for each element of `a`, times it."""
    first, second, _ = _columns(a, b)
    rank = max(first.ndim, second.ndim)
    first = reshaped(first, (1,) * (rank - first.ndim) + first._shape)
    second = reshaped(second, (1,) * (rank - second.ndim) + second._shape)
    left = reshaped(first, tuple(size for pair in first._shape for size in (pair, 1)))
    right = reshaped(second, tuple(size for pair in second._shape for size in (1, pair)))
    found = asarray(multiply(left, right))
    return reshaped(found, tuple(x * y for x, y in zip(first._shape, second._shape, strict=True)))


def cross(a: ArrayLike, b: ArrayLike, axis: int = -1) -> Result:
    """The cross product of vectors of 3."""
    first, second = moveaxis(asarray(a), axis, -1), moveaxis(asarray(b), axis, -1)
    if first._shape[-1] != 3 or second._shape[-1] != 3:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 3)")
    x, y = [[_entry(v, number) for number in range(3)] for v in (first, second)]
    parts = [
        asarray(subtract(multiply(x[i], y[j]), multiply(x[j], y[i]))) for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    flat = [item for triple in zip(*[values(part) for part in parts], strict=True) for item in triple]
    found = make(flat, parts[0]._dtype, (*parts[0]._shape, 3))
    return moveaxis(found, -1, axis)


def _entry(a: ndarray, number: int) -> ndarray:
    return view(a, a._shape[:-1], a._strides[:-1], a._offset + number * a._strides[-1])


# ---------------------------------------------------------------------- diagonals
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """The diagonal of two axes, as the last axis: a view."""
    source = asarray(a)
    if source.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis_of(axis1, source.ndim), axis_of(axis2, source.ndim)
    rows, columns = source._shape[first], source._shape[second]
    down, right = source._strides[first], source._strides[second]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    start = source._offset + ((offset * right if offset > 0 else -offset * down) if count else 0)
    kept = [x for x in range(source.ndim) if x not in (first, second)]
    shape = (*[source._shape[x] for x in kept], count)
    return view(source, shape, (*[source._strides[x] for x in kept], down + right), start)


def diag(v: ArrayLike, k: int = 0) -> ndarray:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    source = asarray(v)
    if source.ndim == 2:
        return copy_of(diagonal(source, k))
    if source.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    size = source.size + abs(k)
    shapes.check((size, size))
    result = new(zero_buffer(size * size, source._dtype), source._dtype, (size, size))
    start = k if k > 0 else -k * size
    result._data[start : start + source.size * (size + 1) : size + 1] = values(source)[:]
    return result


def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    """The matrix of a diagonal, of all elements."""
    return diag(ravel(v), k)


def trace(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Result:
    """The sum of the diagonal."""
    return reductions.sum(diagonal(a, offset, axis1, axis2), axis=-1)


def fill_diagonal(a: ndarray, val: ArrayLike) -> None:
    """Write `val` along the diagonal of a matrix."""
    found = diagonal(a)
    items = list(values(asarray(val, a._dtype)))
    for number in range(found.size):
        a._data[found._offset + number * found._strides[0]] = items[number % len(items)]


def _below(m: Any, k: int, keep: Any) -> ndarray:
    source = asarray(m)
    source = broadcasted(source, (source.size, source.size)) if source.ndim == 1 else source
    columns = source._shape[-1]
    rows = source._shape[-2]
    flat = values(source)
    kept = [keep(column - row, k) for row in range(rows) for column in range(columns)]
    count = len(kept) or 1
    return make(
        [item if kept[at % count] else 0 for at, item in enumerate(flat)], source._dtype, source._shape
    )


def tril(m: ArrayLike, k: int = 0) -> ndarray:
    """What is at and below the diagonal `k`; zeros above."""
    return _below(m, k, operator.le)


def triu(m: ArrayLike, k: int = 0) -> ndarray:
    """What is at and above the diagonal `k`; zeros below."""
    return _below(m, k, operator.ge)


def _triangle(n: int, k: int, m: int | None, keep: Any) -> tuple[ndarray, ndarray]:
    width = n if m is None else m
    shapes.check((n, width))
    pairs = [(row, column) for row in range(n) for column in range(width) if keep(column - row, k)]
    return tuple(make([pair[x] for pair in pairs], INT64, (len(pairs),)) for x in (0, 1))  # type: ignore[return-value]


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ndarray]:
    """Where the elements at and below the diagonal `k` are."""
    return _triangle(n, k, m, operator.le)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ndarray]:
    """Where the elements at and above the diagonal `k` are."""
    return _triangle(n, k, m, operator.ge)


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[ndarray, ndarray]:
    """Where the elements of `arr` at and below the diagonal `k` are."""
    rows, columns = asarray(arr)._shape
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[ndarray, ndarray]:
    """Where the elements of `arr` at and above the diagonal `k` are."""
    rows, columns = asarray(arr)._shape
    return triu_indices(rows, k, columns)


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """Where the elements of a diagonal are."""
    return tuple(make(range(n), INT64, (n,)) for _ in range(ndim))
