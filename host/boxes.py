"""A batch of matrices cut into boxes, which are computed together.

Must not know what is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Index = tuple[int | slice, ...]


def boxes(batch: Sequence[int], most: int) -> Iterator[Index]:
    """Indices of the axes of `batch`: whole axes from the last on, up to `most` matrices, one at least."""
    axis, together = len(batch), 1
    while axis and together * batch[axis - 1] <= most:
        axis -= 1
        together *= batch[axis]
    if not axis:
        yield ()
        return
    count = max(1, most // together)
    for outer in indices(batch[: axis - 1]):
        for first in range(0, batch[axis - 1], count):
            yield (*outer, slice(first, first + count))


def indices(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All indices of axes of these sizes, each made when it is asked for: there may be millions."""
    if not sizes:
        yield ()
        return
    for outer in indices(sizes[:-1]):
        for last in range(sizes[-1]):
            yield (*outer, last)
