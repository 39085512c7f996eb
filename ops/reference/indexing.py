"""Reading and writing at positions, and padding, in NumPy.

Owns their references. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_MODES: dict[str, Any] = {"replicate": "edge", "circular": "wrap", "reflect": "reflect"}
_FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "none": lambda old, new: new,
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def _places(index: Array, size: int) -> tuple[Array, Array]:
    """Positions counted from 0, and which of them exist."""
    wide = index.astype(np.int64)
    wide = np.where(wide < 0, wide + size, wide)
    inside = (wide >= 0) & (wide < size)
    return np.where(inside, wide, 0), inside


def gather(x: Array, index: Array, axis: int) -> Array:
    """The elements at positions along an axis, 0 for those outside."""
    if not x.ndim:
        return gather(x.reshape(1), index.reshape(1), 0).reshape(())
    if not x.size:
        return np.zeros(index.shape, x.dtype)
    places, inside = _places(index, x.shape[axis])
    own = axis % x.ndim
    cut = x[tuple(slice(None) if n == own else slice(size) for n, size in enumerate(index.shape))]
    return np.where(inside, np.take_along_axis(cut, places, axis), np.zeros(1, x.dtype))


def scatter(x: Array, index: Array, value: Array, axis: int, reduce: str) -> Array:
    """`x` with values put or folded in one after the other; floats are folded in f64."""
    if not x.ndim:
        return scatter(x.reshape(1), index.reshape(1), value.reshape(1), 0, reduce).reshape(())
    wide = x.astype(np.float64) if x.dtype.kind == "f" and reduce != "none" else x.copy()
    places, inside = _places(index, x.shape[axis])
    fold = _FOLDS[reduce]
    for at in np.argwhere(inside):
        place = list(at)
        place[axis] = places[tuple(at)]
        wide[tuple(place)] = fold(wide[tuple(place)], value[tuple(at)])
    return wide


def pad(x: Array, ends: Sequence[tuple[int, int]], mode: str, value: Any) -> Array:
    """`x` with more around it, or less where an end is negative."""
    if not ends:
        return x
    widths = [(max(low, 0), max(high, 0)) for low, high in ends]
    options = {"constant_values": value} if mode == "constant" else {}
    wide = np.pad(x, widths, mode=_MODES.get(mode, "constant"), **options)
    return wide[
        tuple(
            slice(max(-low, 0), size - max(-high, 0))
            for (low, high), size in zip(ends, wide.shape, strict=True)
        )
    ]
