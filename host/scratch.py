"""Memory in which a thread computes and which it keeps: fresh memory costs as much as it takes to fill it.

Must not know what is computed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_KEPT = 1 << 21
"""Elements of a buffer."""
_kept = threading.local()


def scratch(name: str, shape: Sequence[int]) -> npt.NDArray[Any]:
    """An f32 array of any contents, contiguous: this thread's buffer of that name, until it asks for it again."""
    count = prod(shape)
    if count > _MOST_KEPT:
        return np.empty(shape, np.float32)
    kept: dict[str, npt.NDArray[Any]] = _kept.__dict__
    if name not in kept or kept[name].size < count:
        kept[name] = np.empty(count, np.float32)
    return kept[name][:count].reshape(shape)
