"""Arithmetic of shapes: sizes, strides, axes, broadcasting.

Owns tuples of ints and the bound on elements. Strides and offsets count elements. Must not know arrays.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sandbox.library.numpy.arguments import Axes, ShapeLike
from sandbox.library.numpy.errors import AxisError

Shape = tuple[int, ...]
MAX_ELEMENTS = 50_000_000
MAX_RANK = 64


def prod(sizes: Iterable[int]) -> int:
    """The product of sizes."""
    return math.prod(sizes)


def text(shape: Shape) -> str:
    """`shape` as some of NumPy's messages have it: without spaces."""
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def check(shape: Sequence[int]) -> int:
    """The number of elements of `shape`. Raises `MemoryError` or `ValueError` where there are too many, or axes."""
    if len(shape) > MAX_RANK:
        raise ValueError(f"maximum supported dimension for an ndarray is {MAX_RANK}, found {len(shape)}")
    count = prod(shape)
    if count > MAX_ELEMENTS or (not count and prod(size or 1 for size in shape) > MAX_ELEMENTS):
        raise MemoryError(
            f"Unable to allocate an array with shape {tuple(shape)}: "
            f"arrays of scripts have at most {MAX_ELEMENTS} elements"
        )
    return count


def shape_of(spec: ShapeLike) -> Shape:
    """The shape that `spec`, an int or a sequence of them, means."""
    try:
        shape: Shape = (operator.index(spec),)
    except TypeError:
        try:
            shape = tuple(map(operator.index, spec))
        except TypeError:
            raise TypeError(
                f"expected a sequence of integers or a single integer, got {repr(spec)[:80]!r}"
            ) from None
    if any(size < 0 for size in shape):
        raise ValueError("negative dimensions are not allowed")
    check(shape)
    return shape


@lru_cache(maxsize=512)
def contiguous_strides(shape: Shape) -> Shape:
    """The strides of an array of `shape` whose rows follow each other."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size or 1
    return tuple(reversed(strides))


def is_contiguous(shape: Shape, strides: Shape) -> bool:
    """Whether the elements follow each other without gaps."""
    if strides == contiguous_strides(shape):
        return True
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


def offsets(shape: Sequence[int], strides: Sequence[int], start: int) -> list[int]:
    """Where each element lies, in order."""
    places = [start]
    for size, stride in zip(shape, strides, strict=True):
        if size != 1:
            steps = range(0, size * stride, stride) if stride else [0] * size
            places = [place + step for place in places for step in steps]
    return places


def axis_of(axis: Axes, rank: int) -> int:
    """`axis` counted from the front. Raises `AxisError`."""
    number = operator.index(axis)
    if not -rank <= number < rank:
        raise AxisError(number, rank)
    return number % rank


def axes_of(axis: Axes, rank: int) -> Shape:
    """The axes that `axis` means: all for None. Raises `AxisError`, and `ValueError` for one named twice."""
    if axis is None:
        return tuple(range(rank))
    if not hasattr(type(axis), "__index__"):
        axes = tuple(axis_of(item, rank) for item in axis)
        if len(set(axes)) != len(axes):
            raise ValueError("duplicate value in 'axis'")
        return axes
    return (axis_of(axis, rank),)


def without(shape: Shape, axes: Iterable[int], keepdims: bool = False) -> Shape:
    """`shape` after its `axes` are reduced."""
    gone = set(axes)
    if keepdims:
        return tuple(1 if axis in gone else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in gone)


@lru_cache(maxsize=512)
def broadcast(*shapes: Shape) -> Shape:
    """The shape that all `shapes` stretch to. Raises `ValueError`."""
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    rank = max(map(len, shapes))
    result = []
    for sizes in zip(*((1,) * (rank - len(shape)) + shape for shape in shapes), strict=True):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            shown = " ".join(text(shape) for shape in shapes)
            raise ValueError(f"operands could not be broadcast together with shapes {shown} ")
        result.append(wide.pop() if wide else 1)
    check(result)
    return tuple(result)


def stretch(shape: Shape, strides: Shape, target: Shape) -> Shape | None:
    """The strides with which an array of `shape` reads as `target`, or None where it does not fit."""
    missing = len(target) - len(shape)
    if missing < 0:
        return None
    result = [0] * missing
    for size, stride, wanted in zip(shape, strides, target[missing:], strict=True):
        if size not in (1, wanted):
            return None
        result.append(stride if size == wanted else 0)
    return tuple(result)


def resolve(shape: Sequence[Any], size: int) -> Shape:
    """`shape` for `size` elements, with its one -1 worked out. Raises `ValueError`."""
    sizes = [operator.index(item) for item in shape]
    if sizes.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    if any(item < -1 for item in sizes):
        raise ValueError("negative dimensions are not allowed")
    known = prod(item for item in sizes if item != -1)
    fits = size == known if -1 not in sizes else known and size % known == 0
    if not fits:
        shown = ",".join(str(item) for item in sizes if item != -1 or sizes == [-1])
        comma = "," if len(sizes) == 1 else ""
        raise ValueError(f"cannot reshape array of size {size} into shape ({shown}{comma})")
    result = tuple(size // known if item == -1 else item for item in sizes)
    check(result)
    return result


def regroup(shape: Shape, strides: Shape, target: Shape) -> Shape | None:
    """The strides that read an array of `shape` as `target` in place, or None where only a copy does."""
    old = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    result: list[int] = []
    position = 0
    old_at = 0
    while position < len(target):
        if target[position] == 1:
            result.append(0)
            position += 1
            continue
        new_end, old_end = position + 1, old_at + 1
        have, want = old[old_at][0], target[position]
        while have != want:
            if want < have:
                want *= target[new_end]
                new_end += 1
            else:
                if old[old_end - 1][1] != old[old_end][0] * old[old_end][1]:
                    return None
                have *= old[old_end][0]
                old_end += 1
        inner = old[old_end - 1][1]
        result += (step * inner for step in contiguous_strides(target[position:new_end]))
        position, old_at = new_end, old_end
    return tuple(result)
