"""A dispatch cut into slices of workgroups.

Owns which boxes of workgroups cover a grid, how large the next one should be, and how far it has come. Must not know
buffers or kernels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Size = tuple[int, int, int]

_GROWTH = 8
"""A slice may have so many times the workgroups of the last one."""
_FIRST = {"cpu": 8}
_FIRST_ELSEWHERE = 64
"""Of a kernel whose speed is unknown: all that one slice has may turn until its fuel is gone."""
_REMEMBERED = 16
"""A dispatch begins with this part of what the last one ended with."""


class Grid:
    """The workgroups of a dispatch that are not done yet, taken in boxes of which no side is over `most`."""

    def __init__(self, size: Sequence[int], most: int) -> None:
        self.size: Size = (size[0], size[1], size[2])
        self._most = most
        self._x = self._y = self._z = 0 if math.prod(size) else size[2]

    @property
    def is_done(self) -> bool:
        """Whether every workgroup has been taken."""
        return self._z >= self.size[2]

    def take(self, count: int) -> tuple[Size, Size]:
        """The next box of at most `count` workgroups (one at least): its first workgroup, and its sides."""
        width, height, depth = self.size
        first = (self._x, self._y, self._z)
        is_row_whole = self._x == 0 and width <= min(count, self._most)
        if is_row_whole and self._y == 0 and height <= min(count // width, self._most):
            planes = min(count // (width * height), depth - self._z, self._most)
            self._z += planes
            return first, (width, height, planes)
        if is_row_whole:
            rows = min(count // width, height - self._y, self._most)
            self._move_y(rows)
            return first, (width, rows, 1)
        columns = min(max(count, 1), width - self._x, self._most)
        self._x += columns
        if self._x == width:
            self._x = 0
            self._move_y(1)
        return first, (columns, 1, 1)

    def _move_y(self, rows: int) -> None:
        self._y += rows
        if self._y == self.size[1]:
            self._y = 0
            self._z += 1


class Tally:
    """How many of `total` workgroups are done."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0

    def add(self, count: int) -> None:
        """`count` more are done."""
        self._done += count

    @property
    def fraction(self) -> float:
        """From 0 to 1."""
        return self._done / self._total if self._total else 1.0


class Pace:
    """How many workgroups of one kernel take `slice_ms`, learnt from slices.

    A dispatch begins with a part of what the last one ended with, since its data may be heavier, and grows fast.
    """

    def __init__(self, kind: str, slice_ms: float) -> None:
        self._slice_ms = slice_ms
        self._first = _FIRST.get(kind, _FIRST_ELSEWHERE)
        self._count = self._first

    def begin(self) -> int:
        """The size of a dispatch's first slice."""
        return min(self._count, max(self._first, self._count // _REMEMBERED))

    def next(self, count: int, elapsed_ms: float) -> int:
        """The size of the slice after one of `count` workgroups that took `elapsed_ms`."""
        wanted = int(max(1.0, min(count * self._slice_ms / max(elapsed_ms, 1e-3), count * _GROWTH)))
        is_telling = elapsed_ms > self._slice_ms / 4  # shorter ones are mostly the cost of any slice
        self._count = wanted if is_telling else max(self._count, wanted)
        return self._count
