"""Convolution and windows in NumPy, tap by tap in f64.

Owns their references. Must not know ops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ops.reference.indexing import pad
from ops.space import Convolution

Array = npt.NDArray[Any]
Index = tuple[Any, ...]


def convolution(x: Array, weight: Array, form: Convolution) -> Array:
    """The sum over all taps of the weights of a tap times what it sees at every place."""
    ends = zip(form.before, form.after, strict=True)
    wide = pad(x.astype(np.float64), [(0, 0), (0, 0), *ends], "constant", 0.0)
    images = wide.reshape(form.batch, form.groups, form.channels, *form.padded)
    weights = weight.astype(np.float64).reshape(form.groups, form.outputs, form.channels, *form.taps)
    total = np.zeros((form.batch, form.groups, form.outputs, *form.places))
    for tap in np.ndindex(*form.taps):
        axes = zip(tap, form.places, form.stride, form.dilation, strict=True)
        seen = (slice(k * apart, k * apart + (n - 1) * step + 1, step) for k, n, step, apart in axes)
        of_tap: Index = (..., *tap)
        everywhere: Index = (..., *seen)
        total += np.einsum("goc,ngc...->ngo...", weights[of_tap], images[everywhere])
    return total.reshape(form.result)


def windows(x: Array, axis: int, size: int, step: int, dilation: int) -> Array:
    """The windows along an axis, their elements last."""
    length = dilation * (size - 1) + 1
    moved = np.moveaxis(x, axis, -1)
    if length > moved.shape[-1]:
        return np.zeros((*x.shape[:axis], 0, *x.shape[axis + 1 :], size), x.dtype)
    every = np.lib.stride_tricks.sliding_window_view(moved, length, axis=-1)[..., ::step, ::dilation]
    return np.moveaxis(every, -2, axis)
