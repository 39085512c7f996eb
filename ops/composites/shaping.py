"""Composites that move, repeat and cut out elements."""

from __future__ import annotations

from math import prod

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import axes as counted_all
from ops.shapes import axis as counted
from ops.shapes import own_axis

_FAR = 1 << 31


def flip(do: Parts, x: Value, axes: tuple[int, ...] | None) -> Value:
    """Axes backwards."""
    turned = counted_all(axes, x.rank)
    if not turned:
        return x
    starts = [-1] * len(turned)
    return do(
        "slice", x, starts=starts, stops=[-_FAR] * len(turned), steps=[-1] * len(turned), axes=list(turned)
    )


def roll(do: Parts, x: Value, shifts: tuple[int, ...] | None, axes: tuple[int, ...] | None) -> Value:
    """Elements moved along axes; what leaves at one end comes back at the other."""
    if shifts is None:
        raise AttributeValueError("roll: shifts is null, but must be a number or a list")
    if axes is None:
        flat = do("reshape", x, shape=[-1])
        return do.reshape(_rolled(do, flat, 0, sum(shifts)), *x.shape)
    if len(shifts) != len(axes):
        raise AttributeValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for shift, where in zip(shifts, axes, strict=True):
        x = _rolled(do, x, counted(where, x.rank), shift)
    return x


def _rolled(do: Parts, x: Value, where: int, shift: int) -> Value:
    size = x.shape[where] if x.rank else 0
    cut = -shift % size if size else 0
    if not cut:
        return x
    return do("concat", do.slice(x, where, cut, size), do.slice(x, where, 0, cut), axis=where)


def tile(do: Parts, x: Value, repeats: tuple[int, ...]) -> Value:
    """The whole tensor side by side, so many times along each axis."""
    if any(count < 0 for count in repeats):
        raise AttributeValueError(f"tile: repeats are {list(repeats)}, but must be from 0")
    counts = [1] * (x.rank - len(repeats)) + list(repeats)
    x = do.reshape(x, *[1] * (len(counts) - x.rank), *x.shape)
    for where, count in enumerate(counts):
        if count != 1:
            x = _repeated(do, x, where, 1, count)
    return x


def _repeated(do: Parts, x: Value, where: int, each: int, count: int) -> Value:
    """An axis `count` times in a row, or with each of its elements (`each` is then their number) so."""
    head, tail = prod(x.shape[:where]) * each, prod(x.shape[where:]) // max(each, 1)
    shown = do("expand", do.reshape(x, head, 1, tail), shape=[head, count, tail])
    return do.reshape(shown, *x.shape[:where], x.shape[where] * count, *x.shape[where + 1 :])


def repeat_interleave(do: Parts, x: Value, repeats: int, axis: int | None) -> Value:
    """Each element so many times in a row, along an axis or of the flattened tensor."""
    if repeats < 0:
        raise AttributeValueError(f"repeat_interleave: repeats is {repeats}, but must be from 0")
    if axis is None:
        x, axis = do("reshape", x, shape=[-1]), 0
    where = own_axis(axis, x.rank)
    return _repeated(do, x, where, x.shape[where], repeats)


def _triangle(do: Parts, x: Value, diagonal: int, test: str) -> Value:
    if x.rank < 2:
        raise ShapeError("a triangle is of matrices: it takes at least 2 axes")
    rows, columns = x.shape[-2:]
    row = do.reshape(do.numbers(rows), rows, 1) + diagonal
    return do("where", do(test, row, do.numbers(columns)), x, do.full((), 0, x.dtype))


def tril(do: Parts, x: Value, diagonal: int) -> Value:
    """Matrices with 0 above a diagonal."""
    return _triangle(do, x, diagonal, "ge")


def triu(do: Parts, x: Value, diagonal: int) -> Value:
    """Matrices with 0 below a diagonal."""
    return _triangle(do, x, diagonal, "le")


def diag(do: Parts, x: Value, diagonal: int) -> Value:
    """A matrix with a vector on a diagonal, or that diagonal of a matrix."""
    if x.rank == 2:
        return do("diagonal", x, offset=diagonal, axis0=0, axis1=1)
    if x.rank != 1:
        raise ShapeError(f"diag takes 1 or 2 axes, not {x.rank}", hint="Use diagonal, or diag_embed.")
    return diag_embed(do, x, diagonal)


def diag_embed(do: Parts, x: Value, offset: int) -> Value:
    """Matrices with the last axis on a diagonal."""
    if not x.rank:
        raise ShapeError("diag_embed takes at least 1 axis")
    *batch, count = x.shape
    size = count + abs(offset)
    zeros = do("expand", do.full((), 0, x.dtype), shape=[*batch, size * size])
    first = offset if offset >= 0 else -offset * size
    stop = first + (count - 1) * (size + 1) + 1 if count else first
    at = {"starts": [first], "stops": [stop], "steps": [size + 1], "axes": [len(batch)]}
    return do.reshape(do("slice_scatter", zeros, x, **at), *batch, size, size)


def eye(do: Parts, n: int, m: int | None, dtype: str) -> Value:
    """The matrix with ones on its diagonal."""
    rows = do.reshape(do.numbers(n), n, 1)
    return do.cast(do("eq", rows, do.numbers(n if m is None else m)), dtype)


def trace(do: Parts, x: Value) -> Value:
    """The sum of a matrix's diagonal."""
    if x.rank != 2:
        raise ShapeError(f"trace takes a matrix, not {x.rank} axes")
    return do("sum", do("diagonal", x, axis0=0, axis1=1))


def squeeze(do: Parts, x: Value, axes: tuple[int, ...] | None) -> Value:
    """Without axes of size 1: all, or those named."""
    gone = counted_all(axes, x.rank)
    return do.reshape(x, *(size for n, size in enumerate(x.shape) if size != 1 or n not in gone))


def unsqueeze(do: Parts, x: Value, axis: int) -> Value:
    """With a new axis of size 1."""
    where = counted(axis, x.rank + 1)
    return do.reshape(x, *x.shape[:where], 1, *x.shape[where:])


def flatten(do: Parts, x: Value, start: int, stop: int) -> Value:
    """The axes from `start` to `stop` as one."""
    first, last = counted(start, x.rank), counted(stop, x.rank)
    if last < first:
        raise ShapeError(f"flatten from axis {start} to {stop} goes backwards")
    return do.reshape(x, *x.shape[:first], prod(x.shape[first : last + 1]), *x.shape[last + 1 :])


def narrow(do: Parts, x: Value, axis: int, start: int, length: int) -> Value:
    """`length` positions of an axis from `start` on."""
    where = counted(axis, x.rank)
    size = x.shape[where] if x.rank else 0
    first = start + size if start < 0 else start
    if not 0 <= first <= size or not 0 <= length <= size - first:
        raise ShapeError(f"narrow from {start} by {length} is beyond axis {axis} of {size}")
    return do.slice(x, where, first, first + length)


def stack(do: Parts, *tensors: Value, axis: int) -> Value:
    """Tensors of equal shape joined along a new axis."""
    return do("concat", *(unsqueeze(do, each, axis) for each in tensors), axis=axis)


MEANINGS: dict[str, Meaning] = {
    "flip": flip,
    "roll": roll,
    "tile": tile,
    "repeat_interleave": repeat_interleave,
    "tril": tril,
    "triu": triu,
    "diag": diag,
    "diag_embed": diag_embed,
    "eye": eye,
    "trace": trace,
    "squeeze": squeeze,
    "unsqueeze": unsqueeze,
    "flatten": flatten,
    "narrow": narrow,
    "stack": stack,
}
