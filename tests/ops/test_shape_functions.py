"""Functions that index, move, cut and fold as scripts call them, against NumPy; PyTorch's rules where they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops import engine
from ops.creation import tensor
from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.indexing import IndexRangeError
from tests.ops.conftest import NumpyEngine

BASE = np.arange(60, dtype=np.int32).reshape(3, 4, 5)


def array(value: Any) -> np.ndarray:
    """What a tensor holds."""
    return np.array(value.tolist()).reshape(value.shape)


INTEGER = ([0, 1], slice(None), 2)
"""Here PyTorch takes the integer first, and leaves the other axes where they are; NumPy moves them."""
INDICES: list[Any] = [
    [0, 2],
    ([0, 2], [1, -1]),
    (slice(None), [3, 0, 0]),
    (slice(None, None, 2), slice(None), [4, -5]),
    ([[0, 1], [2, 2]],),
    ([[0], [2]], [1, 3]),
    (0, [1, 2]),
    (Ellipsis, [1, 2]),
    (None, [1, 2]),
    ([1, 2], slice(1, 3), [0, 1]),
    INTEGER,
    (BASE[:, :, 0] > 20,),
    (slice(None), BASE[0] > 7),
    (BASE > 30,),
    (BASE[:, 0, 0] > 15, [1, 2]),
    ([],),
]


def tensors(index: Any) -> Any:
    """An index with tensors in place of lists and arrays."""
    if isinstance(index, tuple):
        return tuple(map(tensors, index))
    if isinstance(index, list):
        return tensor(index, dtype=None if index else "i32")
    return tensor(index) if isinstance(index, np.ndarray) else index


def arrays(index: Any) -> Any:
    """An index with arrays in place of lists."""
    if isinstance(index, tuple):
        return tuple(map(arrays, index))
    return np.array(index, np.int64) if isinstance(index, list) else index


@pytest.mark.parametrize("index", INDICES, ids=range(len(INDICES)))
def test_positions_and_bools_read_and_write_as_in_numpy(index: Any, torch: Any) -> None:
    x = torch.tensor(BASE)
    taken = BASE[arrays(index)]
    if index is INTEGER:
