"""A batch of matrices cut into boxes, which are computed together.

Must not know what is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

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
    for outer in np.ndindex(*batch[: axis - 1]):
        for first in range(0, batch[axis - 1], count):
            yield (*outer, slice(first, first + count))
