"""Batches of matrices cut into boxes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from host.boxes import boxes


@pytest.mark.parametrize("most", [0, 1, 3, 4, 24, 25, 1000])
@pytest.mark.parametrize("batch", [(), (1,), (7,), (2, 3, 4), (5, 1, 6), (1, 1)])
def test_boxes_cover_a_batch_once_and_are_bounded(batch: tuple[int, ...], most: int) -> None:
    seen = np.zeros(batch, np.int8)
    for index in boxes(batch, most):
        box = seen[(*index, ...)]
        box += 1
        assert 0 < box.size <= max(most, 1)
    assert np.all(seen == 1)


def test_boxes_are_as_large_as_they_may_be() -> None:
    assert list(boxes((2, 3, 4), 24)) == [()]
    assert list(boxes((2, 3, 4), 12)) == [(slice(0, 1),), (slice(1, 2),)]
    assert list(boxes((2, 3), 2)) == [(0, slice(0, 2)), (0, slice(2, 4)), (1, slice(0, 2)), (1, slice(2, 4))]


def test_of_millions_of_boxes_none_is_made_before_it_is_asked_for() -> None:
    tracemalloc.start()
    try:
        assert next(boxes((1 << 24, 3), 2)) == (0, slice(0, 2))
        assert tracemalloc.get_traced_memory()[1] < 1 << 16
    finally:
        tracemalloc.stop()
