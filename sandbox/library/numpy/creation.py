"""Arrays made of a rule: zeros, ranges, identities, grids.

Owns these functions. Must not know what is computed with them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from itertools import islice

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Kept, Result, ShapeLike
from sandbox.library.numpy.array import (
    broadcasted,
    cast,
    copy_of,
    filled,
    make,
    ndarray,
    new,
    reshaped,
    values,
    view,
)
from sandbox.library.numpy.array import zeros as zero_buffer
from sandbox.library.numpy.convert import asarray, astype, strong
from sandbox.library.numpy.dtypes import FLOAT16, FLOAT64, INT64, Buffer, dtype_of
from sandbox.library.numpy.halves import unpacked
from sandbox.library.numpy.ufunc import meet


def zeros(shape: ShapeLike, dtype: DTypeLike = None, order: str | None = None) -> ndarray:
    """Zeros of `shape`, float64 by default."""
    sizes, row = shapes.shape_of(shape), dtype_of(dtype)
    return new(zero_buffer(shapes.check(sizes), row), row, sizes)


def ones(shape: ShapeLike, dtype: DTypeLike = None, order: str | None = None) -> ndarray:
    """Ones, likewise."""
    return filled(1, dtype_of(dtype), shapes.shape_of(shape))


def full(
    shape: ShapeLike, fill_value: ArrayLike, dtype: DTypeLike = None, order: str | None = None
) -> ndarray:
    """`fill_value`, stretched to `shape`; of its own type by default."""
    sizes = shapes.shape_of(shape)
    source = asarray(fill_value, dtype)
    if not source._shape:
        return filled(values(source)[0], source._dtype, sizes)
    return copy_of(broadcasted(source, sizes))


def zeros_like(
    a: ArrayLike, dtype: DTypeLike = None, order: str | None = None, *, shape: ShapeLike | None = None
) -> ndarray:
    """Zeros of the shape and type of `a`, where these are not given."""
    return full_like(a, 0, dtype, shape=shape)


def ones_like(
    a: ArrayLike, dtype: DTypeLike = None, order: str | None = None, *, shape: ShapeLike | None = None
) -> ndarray:
    """Ones, likewise."""
    return full_like(a, 1, dtype, shape=shape)


def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike = None,
    order: str | None = None,
    *,
    shape: ShapeLike | None = None,
) -> ndarray:
    """`fill_value`, likewise."""
    model = asarray(a)
    row = model._dtype if dtype is None else dtype_of(dtype)
    return full(model._shape if shape is None else shape, astype(asarray(fill_value), row))


def eye(
    N: int,  # noqa: N803
    M: int | None = None,  # noqa: N803
    k: int = 0,
    dtype: DTypeLike = None,
    order: str | None = None,
) -> ndarray:
    """`N` rows and `M` columns with ones on the diagonal `k`."""
    rows, columns = operator.index(N), operator.index(N if M is None else M)
    result = zeros((rows, columns), dtype)
    for row in range(max(0, -k), min(rows, columns - k)):
        result._data[row * columns + row + k] = 1
    return result


def identity(n: int, dtype: DTypeLike = None) -> ndarray:
    """The square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = None) -> ndarray:  # noqa: N803
    """Ones at and below the diagonal `k`."""
    rows, columns = operator.index(N), operator.index(N if M is None else M)
    shape = shapes.shape_of((rows, columns))
    return make(
        [int(column <= row + k) for row in range(rows) for column in range(columns)], dtype_of(dtype), shape
    )


def arange(
    start: ArrayLike, stop: ArrayLike | None = None, step: ArrayLike = 1, dtype: DTypeLike = None
) -> ndarray:
    """Numbers from `start` to before `stop` in steps; with one argument, from 0 to before it."""
    if stop is None:
        start, stop = 0, start
    _, common = meet([start, stop, step])
    row = (common if common._kind != "b" else INT64) if dtype is None else dtype_of(dtype)
    first, last, by = (values(strong(part)[0])[0] for part in (start, stop, step))
    if by == 0:
        raise ZeroDivisionError("division by zero")
    length = (last - first) / by
    if not math.isfinite(length):
        raise ValueError("arange: cannot compute length")
    count = max(0, math.ceil(length))
    shapes.check((count,))
    if row._kind == "f":
        by = float(first + by) - float(first)  # as NumPy does: from the first two elements
        return make([first + number * by for number in range(count)], row, (count,))
    start = int(first)
    by = int(first + by) - start
    return make([start + number * by for number in range(count)], row, (count,))


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> Result:
    """`num` numbers evenly from `start` to `stop`, which is included if `endpoint`."""
    count = operator.index(num)
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.")
    shapes.check((count,))
    first, last = float(start), float(stop)
    parts = count - 1 if endpoint else count
    step = (last - first) / parts if parts > 0 else math.nan
    if step:
        items = [number * step + first for number in range(count)]
    else:  # too small to divide
        items = [number / parts * (last - first) + first for number in range(count)]
    if parts <= 0:
        items = [first] * count
    if endpoint and count > 1:
        items[-1] = last
    found = make(items, FLOAT64, (count,))
    if dtype is not None:
        row = dtype_of(dtype)
        found = make(list(map(math.floor, items)), row, (count,)) if row._kind in "iu" else astype(found, row)
    return (found, FLOAT64._box(step)) if retstep else found


def logspace(
    start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, base: float = 10.0
) -> ndarray:
    """`base` to the powers that `linspace` gives."""
    return make(
        [math.pow(base, item) for item in values(linspace(start, stop, num, endpoint))], FLOAT64, (num,)
    )


def geomspace(start: float, stop: float, num: int = 50, endpoint: bool = True) -> ndarray:
    """`num` numbers from `start` to `stop` at equal ratios."""
    if start == 0 or stop == 0 or (start < 0) != (stop < 0):
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0 else 1.0
    found = logspace(math.log10(sign * start), math.log10(sign * stop), num, endpoint)
    items = [sign * item for item in values(found)]
    if num:
        items[0] = float(start)
    if num > 1 and endpoint:
        items[-1] = float(stop)
    return make(items, FLOAT64, (num,))


def meshgrid(
    *xi: ArrayLike, indexing: str = "xy", sparse: bool = False, copy: bool = True
) -> tuple[ndarray, ...]:
    """Coordinates of a grid from those along its axes."""
    axes = [asarray(x) for x in xi]
    axes = [reshaped(x, (x.size,)) for x in axes]
    swap = indexing == "xy" and len(axes) > 1
    order = [1, 0, *range(2, len(axes))] if swap else list(range(len(axes)))
    full_shape = tuple(axes[number].size for number in order)
    results = []
    for number, x in enumerate(axes):
        shape = tuple(x.size if place == number else 1 for place in order)
        thin = reshaped(x, shape)
        results.append(copy_of(thin if sparse else broadcasted(thin, full_shape)))
    return tuple(results)


def indices(dimensions: ShapeLike, dtype: DTypeLike = int) -> ndarray:
    """The indices of each element of a grid, along each axis."""
    sizes = shapes.shape_of(dimensions)
    parts = Buffer(dtype_of(dtype)._code)
    shapes.check((len(sizes), *sizes))
    for axis, size in enumerate(sizes):
        line = make(range(size), dtype_of(dtype), tuple(size if x == axis else 1 for x in range(len(sizes))))
        parts.extend(values(broadcasted(line, sizes)))
    return new(parts, dtype_of(dtype), (len(sizes), *sizes))


def fromfunction(
    function: Callable[..., object], shape: ShapeLike, *, dtype: DTypeLike = float, **kwargs: Kept
) -> Result:
    """What `function` gives for the indices along each axis."""
    grid = indices(shape, dtype)
    size = shapes.check(grid._shape[1:])
    parts = [view(grid, grid._shape[1:], grid._strides[1:], size * axis) for axis in range(grid._shape[0])]
    return function(*parts, **kwargs)


def fromiter(iter: Iterable[ArrayLike], dtype: DTypeLike, count: int = -1) -> ndarray:
    """A new array of what `iter` gives, at most `count`."""
    limit = shapes.MAX_ELEMENTS + 1 if count < 0 else count
    return asarray(list(islice(iter, limit)), dtype)


def frombuffer(
    buffer: bytes | bytearray | memoryview, dtype: DTypeLike = float, count: int = -1, offset: int = 0
) -> ndarray:
    """A new array of the elements whose bytes are given. It is a copy, unlike NumPy's."""
    row = dtype_of(dtype)
    data = bytes(memoryview(buffer))[operator.index(offset) :]
    if count >= 0:
        data = data[: count * row._size]
    if len(data) % row._size:
        raise ValueError("buffer size must be a multiple of element size")
    found = Buffer(row._code, unpacked(data) if row is FLOAT16 else data)
    shapes.check((len(found),))
    return new(cast(found, INT64, row) if row._kind == "b" else found, row, (len(found),))


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:  # noqa: N803
    """The powers of each of `x`."""
    source = asarray(x)
    count = source.size if N is None else operator.index(N)
    shapes.check((source.size, count))
    powers = range(count) if increasing else range(count - 1, -1, -1)
    items = [item**power for item in values(source) for power in powers]
    return make(items, source._dtype if source._dtype._kind != "b" else INT64, (source.size, count))
