"""Ops of neural networks that are not elementwise, over arrays of f64.

Owns their references. Must not know rows, or the forms of attributes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def softmax(x: Array, axis: int) -> Array:
    """`exp(x - max) / sum(exp(x - max))`."""
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def log_softmax(x: Array, axis: int) -> Array:
    """Its logarithm."""
    moved = x - x.max(axis=axis, keepdims=True)
    return np.asarray(moved - np.log(np.exp(moved).sum(axis=axis, keepdims=True)))


def standardize(x: Array, axes: tuple[int, ...], eps: float, is_centred: bool) -> Array:
    """`(x - mean) / sqrt(variance + eps)`, about 0 where not centred."""
    distance = x - x.mean(axis=axes, keepdims=True) if is_centred else x
    return np.asarray(distance / np.sqrt(np.mean(distance * distance, axis=axes, keepdims=True) + eps))


def attention(
    query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, scale: float | None
) -> Array:
    """`softmax(query @ key.T * scale + mask) @ value`."""
    size = query.shape[-1]
    factor = size**-0.5 if scale is None and size else scale or 0.0
    scores = query @ np.swapaxes(key, -1, -2) * factor
    if mask is not None:
        scores = scores + mask
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    return np.asarray(softmax(scores, -1) @ value) if key.shape[-2] else scores @ value
