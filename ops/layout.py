"""`Layout`: where the elements of a value lie in a buffer.

Owns views: every function gives the layout of a view, or None where only a copy will do. Must not know buffers or
dtypes; all numbers count elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import msgspec

from ops.shapes import Shape


class Layout(msgspec.Struct, frozen=True, gc=False):
    """Element (i, j, …) lies at `offset + i * strides[0] + j * strides[1] + …`; strides may be 0 or negative."""

    shape: Shape
    strides: Shape
    offset: int = 0

    @staticmethod
    def contiguous(shape: Shape, offset: int = 0) -> Layout:
        """Row-major, without gaps."""
        strides = [1] * len(shape)
        for number in range(len(shape) - 1, 0, -1):
            strides[number - 1] = strides[number] * max(shape[number], 1)
        return Layout(shape, tuple(strides), offset)

    @property
    def count(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps, from any offset."""
        expected = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size != 1 and stride != expected:
                return self.count == 0
            expected *= size
        return True

    def permute(self, order: Sequence[int]) -> Layout:
        """Axes in the order `order`."""
        return Layout(
            tuple(self.shape[number] for number in order),
            tuple(self.strides[number] for number in order),
            self.offset,
        )

    def transposed(self) -> Layout:
        """The last two axes exchanged."""
        *outer, rows, columns = range(len(self.shape))
        return self.permute([*outer, columns, rows])

    def expand(self, shape: Shape) -> Layout:
        """Broadcast to `shape`, which must be possible: stride 0 along repeated and new axes."""
        new = len(shape) - len(self.shape)
        strides = tuple(
            stride if size == wanted else 0
            for size, stride, wanted in zip(self.shape, self.strides, shape[new:], strict=True)
        )
        return Layout(shape, (0,) * new + strides, self.offset)

    def slice(self, ranges: Sequence[range]) -> Layout:
        """Only the positions `ranges` along each axis."""
        offset = sum(
            taken.start * stride for taken, stride in zip(ranges, self.strides, strict=True) if len(taken)
        )
        return Layout(
            tuple(map(len, ranges)),
            tuple(stride * taken.step for taken, stride in zip(ranges, self.strides, strict=True)),
            self.offset + offset,
        )

    def diagonal(self, shape: Shape, offset: int, first: int, second: int) -> Layout:
        """The diagonals between two axes, as the last axis of `shape`."""
        kept = tuple(stride for number, stride in enumerate(self.strides) if number not in (first, second))
        skipped = offset * self.strides[second] if offset >= 0 else -offset * self.strides[first]
        start = self.offset + (skipped if shape[-1] else 0)
        return Layout(shape, (*kept, self.strides[first] + self.strides[second]), start)

    def windows(self, axis: int, count: int, size: int, step: int, dilation: int) -> Layout:
        """`count` windows along `axis`, that begin every `step`; their `size` elements, `dilation` apart, come last."""
        stride, others = self.strides[axis], (axis, axis + 1)
        shape, strides = self.shape, self.strides
        return Layout(
            (*shape[: others[0]], count, *shape[others[1] :], size),
            (*strides[: others[0]], stride * step, *strides[others[1] :], stride * dilation),
            self.offset,
        )

    def reshape(self, shape: Shape) -> Layout | None:
        """The elements in row-major order in another shape of the same count; None if no strides say that."""
        if self.count == 0 or self.is_contiguous:
            return Layout.contiguous(shape, self.offset)
        strides: list[int] = []
        groups = iter(_merge(self.shape, self.strides))
        left, stride = 1, 1
        for size in reversed(shape):
            if size != 1 and left == 1:
                left, stride = next(groups)
            if left % size:
                return None
            strides.append(stride)
            stride *= size
            left //= size
        return Layout(shape, tuple(reversed(strides)), self.offset)


def _merge(shape: Shape, strides: Shape) -> list[tuple[int, int]]:
    """(size, innermost stride) of runs of axes that lie evenly, from the last; axes of size 1 are dropped."""
    groups: list[tuple[int, int]] = []
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 1:
            continue
        if groups and groups[-1][0] * groups[-1][1] == stride:
            groups[-1] = (groups[-1][0] * size, groups[-1][1])
        else:
            groups.append((size, stride))
    return groups


def collapse(shape: Shape, *strides: Shape) -> tuple[Shape, list[Shape]]:
    """`shape` and several operands' `strides` with axes of size 1 dropped and axes that are even for all merged."""
    sizes: list[int] = []
    kept: list[list[int]] = [[] for _ in strides]
    for number, size in enumerate(shape):
        if size == 1:
            continue
        steps = [operand[number] for operand in strides]
        if sizes and all(mine[-1] == step * size for mine, step in zip(kept, steps, strict=True)):
            sizes[-1] *= size
            for mine, step in zip(kept, steps, strict=True):
                mine[-1] = step
        else:
            sizes.append(size)
            for mine, step in zip(kept, steps, strict=True):
                mine.append(step)
    return tuple(sizes), [tuple(mine) for mine in kept]
