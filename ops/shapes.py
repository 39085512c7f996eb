"""Arithmetic of shapes.

Owns broadcasting, axes, slices and inferred sizes, by NumPy's and PyTorch's rules. Must not know dtypes or strides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from ops.errors import ShapeError

Shape = tuple[int, ...]
MAX_RANK = 8
MAX_COUNT = (1 << 31) - 1


def broadcast(*shapes: Shape) -> Shape:
    """The shape to which `shapes` broadcast together. Raises `ShapeError`."""
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    rank = max(map(len, shapes), default=0)
    result = []
    for axis in range(-rank, 0):
        sizes = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        if len(sizes) > 1:
            raise ShapeError(
                f"shapes {' and '.join(map(text, shapes))} do not broadcast: they differ in axis {axis}",
                hint="Sizes must be equal or 1, counted from the last axis.",
            )
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def axis(value: int, rank: int) -> int:
    """`value` counted from the front. Raises `ShapeError` when a tensor of `rank` has no such axis."""
    span = max(rank, 1)  # a scalar takes axis 0 and -1, as in PyTorch
    if not -span <= value < span:
        raise ShapeError(f"axis {value} is out of range for a tensor of {rank} axes")
    return value % span


def own_axis(value: int, rank: int) -> int:
    """As `axis`, for what needs one: a scalar has none."""
    if not rank:
        raise ShapeError("a scalar has no axes")
    return axis(value, rank)


def axes(values: Sequence[int] | None, rank: int) -> Shape:
    """The distinct axes of `values` in ascending order; all for None. Raises `ShapeError` on one named twice."""
    if values is None:
        return tuple(range(rank))
    found = sorted(axis(value, rank) for value in values)
    if len(set(found)) < len(found):
        raise ShapeError(f"an axis is named twice in {text(values)}")
    return tuple(found) if rank else ()


def reduced(shape: Shape, folded: Iterable[int], keepdim: bool) -> Shape:
    """`shape` without the axes `folded`, or with size 1 there."""
    gone = set(folded)
    if keepdim:
        return tuple(1 if number in gone else size for number, size in enumerate(shape))
    return tuple(size for number, size in enumerate(shape) if number not in gone)


def permutation(values: Sequence[int], rank: int) -> Shape:
    """`values` counted from the front. Raises `ShapeError` unless they name each axis of `rank` once."""
    order = tuple(axis(value, rank) for value in values) if rank else tuple(values)
    if sorted(order) != list(range(rank)):
        raise ShapeError(f"{text(values)} is not an order of {rank} axes")
    return order


def reshape(shape: Shape, sizes: Sequence[int]) -> Shape:
    """`sizes` with a -1 replaced by what makes the count of elements that of `shape`. Raises `ShapeError`."""
    count, known = prod(shape), prod(size for size in sizes if size != -1)
    unknown = [number for number, size in enumerate(sizes) if size == -1]
    valid = len(unknown) <= 1 and all(size >= -1 for size in sizes)
    if valid and unknown and known and count % known == 0:
        return tuple(count // known if size == -1 else size for size in sizes)
    if not valid or unknown or known != count:
        raise ShapeError(
            f"a tensor of shape {text(shape)} ({count} elements) cannot be reshaped to {text(sizes)}"
        )
    return tuple(sizes)


def expand(shape: Shape, sizes: Sequence[int]) -> Shape:
    """`sizes` with each -1 replaced by the size that `shape` has there. Raises `ShapeError`."""
    new = len(sizes) - len(shape)
    old: list[int | None] = [None] * new + list(shape)
    result = (
        tuple(was if size == -1 and was is not None else size for size, was in zip(sizes, old, strict=True))
        if new >= 0
        else ()
    )
    if new < 0 or any(size < 0 or was not in (None, 1, size) for size, was in zip(result, old, strict=True)):
        raise ShapeError(f"a tensor of shape {text(shape)} cannot be expanded to {text(sizes)}")
    return result


def slices(
    shape: Shape,
    starts: Sequence[int],
    stops: Sequence[int],
    steps: Sequence[int] | None,
    where: Sequence[int] | None,
) -> list[range]:
    """The positions that a slice takes along every axis of `shape`. Raises `ShapeError`."""
    steps = [1] * len(starts) if steps is None else steps
    where = range(len(starts)) if where is None else where
    if not len(starts) == len(stops) == len(steps) == len(where):
        raise ShapeError("starts, stops, steps and axes of a slice differ in length")
    if len(where) > len(shape):
        raise ShapeError(f"a slice of {len(where)} axes is too many for shape {text(shape)}")
    if 0 in steps:
        raise ShapeError("a slice cannot have step 0")
    result = [range(size) for size in shape]
    axes(where, len(shape))
    for number, start, stop, step in zip(where, starts, stops, steps, strict=True):
        number = axis(number, len(shape))
        result[number] = range(*slice(start, stop, step).indices(shape[number]))
    return result


def concat(shapes: Sequence[Shape], where: int) -> tuple[Shape, int]:
    """The shape of `shapes` joined along axis `where`, and that axis from the front. Raises `ShapeError`."""
    first = shapes[0]
    if not first:
        raise ShapeError("scalars cannot be concatenated", hint="Reshape them to [1] first.")
    where = axis(where, len(first))
    for shape in shapes:
        if len(shape) != len(first) or reduced(shape, [where], True) != reduced(first, [where], True):
            raise ShapeError(f"shapes {text(first)} and {text(shape)} differ beyond axis {where}")
    return (*first[:where], sum(shape[where] for shape in shapes), *first[where + 1 :]), where


def matmul(left: Shape, right: Shape) -> Shape:
    """The shape of the matrix product of `left` and `right`, by NumPy's rules. Raises `ShapeError`."""
    if not left or not right:
        raise ShapeError("matmul takes tensors of at least one axis", hint="Multiply by a scalar with mul.")
    inner = right[-2] if len(right) > 1 else right[0]
    if left[-1] != inner:
        raise ShapeError(
            f"matmul of shapes {text(left)} and {text(right)}: {left[-1]} columns against {inner} rows",
            hint="The last axis of the first must equal the second to last axis of the second, or its only one.",
        )
    rows = left[-2:-1]
    columns = right[-1:] if len(right) > 1 else ()
    return broadcast(left[:-2], right[:-2]) + rows + columns


def diagonal(shape: Shape, offset: int, first: int, second: int) -> Shape:
    """The shape of the diagonals between two axes of `shape`, which come last. Raises `ShapeError`."""
    if len(shape) < 2 or first == second:
        raise ShapeError(f"a diagonal is between two axes, which {text(shape)} has not there")
    rows, columns = shape[first], shape[second]
    size = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    return (*(each for number, each in enumerate(shape) if number not in (first, second)), size)


def same_but(shape: Shape, index: Shape, where: int, op: str) -> None:
    """Refuse with `ShapeError` positions of a shape that is larger than `shape` along any other axis than `where`."""
    number = axis(where, len(shape))
    fits = len(index) == len(shape) and all(
        mine <= size or own == number for own, (mine, size) in enumerate(zip(index, shape, strict=True))
    )
    if not fits:
        raise ShapeError(
            f"{op}: positions of shape {text(index)} do not fit {text(shape)} along axis {where}",
            hint="They have as many axes, and no other axis is larger.",
        )


def padded(shape: Shape, before: Sequence[int], after: Sequence[int], mode: str) -> Shape:
    """`shape` with so many positions more, or less, before and after each axis. Raises `ShapeError`."""
    if not len(before) == len(after) == len(shape):
        raise ShapeError(
            f"pad takes {len(shape)} numbers before and after, not {len(before)} and {len(after)}"
        )
    most = {"reflect": -1, "circular": 0}.get(mode)
    for size, *ends in zip(shape, before, after, strict=True):
        if size + sum(ends) < 0 or min(ends) < -size:
            raise ShapeError(f"pad by {ends[0]} and {ends[1]} leaves nothing of an axis of {size}")
        too_many = (most is not None and max(ends) > size + most) or (mode != "constant" and not size)
        if any(ends) and too_many:
            raise ShapeError(
                f"pad by {ends[0]} and {ends[1]} is too much for an axis of {size} in mode {mode}"
            )
    return tuple(size + low + high for size, low, high in zip(shape, before, after, strict=True))


def text(shape: Iterable[int]) -> str:
    """`shape` as people write it."""
    return f"[{', '.join(map(str, shape))}]"
