"""Places of elements: by one number or by several, windows, and the types that operands meet in.

Owns these. Must not know what is at a place.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Axes, Result, ShapeLike
from sandbox.library.numpy.array import box, make, ndarray, reshaped, values, view
from sandbox.library.numpy.convert import asarray, astype
from sandbox.library.numpy.dtypes import BOOL, INT64, dtype, dtype_of
from sandbox.library.numpy.selection import nonzero
from sandbox.library.numpy.shaping import broadcast_arrays
from sandbox.library.numpy.ufunc import meet


def unravel_index(indices: ArrayLike, shape: ShapeLike) -> tuple[Result, ...]:
    """The indices along each axis of places in one row."""
    sizes = shapes.shape_of(shape)
    wanted = asarray(indices, INT64)
    count = shapes.check(sizes)
    numbers = list(values(wanted))
    for number in numbers:
        if not 0 <= number < count:
            raise ValueError(f"index {number} is out of bounds for array with size {count}")
    results = []
    inner = count
    for size in sizes:
        inner //= size
        results.append(box(make([number // inner % size for number in numbers], INT64, wanted._shape)))
    return tuple(results)


def ravel_multi_index(multi_index: Sequence[ArrayLike], dims: Axes) -> Result:
    """The places in one row of indices along each axis."""
    sizes = shapes.shape_of(dims)
    columns = broadcast_arrays(*multi_index)
    items = []
    for numbers in zip(*[values(column) for column in columns], strict=True):
        place = 0
        for number, size in zip(numbers, sizes, strict=True):
            if not 0 <= number < size:
                raise ValueError("invalid entry in coordinates array")
            place = place * size + number
        items.append(place)
    return box(make(items, INT64, columns[0]._shape))


def ix_(*args: ArrayLike) -> tuple[ndarray, ...]:
    """Indices that choose rows and columns at once."""
    results = []
    for number, item in enumerate(args):
        found = asarray(item)
        if found._dtype is BOOL:
            found = nonzero(found)[0]
        if not found.size:
            found = astype(found, INT64)
        results.append(reshaped(found, tuple(found.size if x == number else 1 for x in range(len(args)))))
    return tuple(results)


def sliding_window_view(x: ArrayLike, window_shape: ShapeLike, axis: Axes = None) -> ndarray:
    """Each stretch of `window_shape` elements, as further axes: a view."""
    source = asarray(x)
    widths = shapes.shape_of(window_shape)
    axes = tuple(range(source.ndim)) if axis is None else shapes.axes_of(axis, source.ndim)
    if len(widths) != len(axes):
        raise ValueError("Must provide matching length window_shape and axis")
    shape = list(source._shape)
    for width, place in zip(widths, axes, strict=True):
        shape[place] -= width - 1
    if any(size < 0 for size in shape):
        raise ValueError("window shape cannot be larger than input array shape")
    full = (*shape, *widths)
    shapes.check(full)
    return view(source, full, (*source._strides, *(source._strides[place] for place in axes)))


def result_type(*operands: ArrayLike) -> dtype:
    """The element type that operands, arrays, numbers or types, have together."""
    named = [dtype_of(item) for item in operands if isinstance(item, type | str | dtype)]
    others = [item for item in operands if not isinstance(item, type | str | dtype)]
    return meet([*(make([0], row, (1,)) for row in named), *others])[1]
