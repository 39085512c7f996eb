"""What is computed in the contest with peers: inputs of any number of elements, and what is right.

Owns nothing of any contestant and needs NumPy alone, since the peers' own Python loads it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Item:
    """The shapes of an item's inputs for about so many elements, its result, and the sizes to measure."""

    shapes: Callable[[int], list[tuple[int, ...]]]
    result: Callable[..., np.ndarray]
    most: int = 10**8
    scale: float = 1.0
    """By which random inputs are multiplied."""

    def inputs(self, count: int) -> Arrays:
        """Random elements, always the same."""
        draw = np.random.default_rng(count)
        return [
            draw.standard_normal(shape, np.float32) * np.float32(self.scale) for shape in self.shapes(count)
        ]

    @property
    def sizes(self) -> list[int]:
        """Powers of ten."""
        return [10**power for power in range(3, 9) if 10**power <= self.most]


def _rows(count: int) -> tuple[int, int]:
    return max(1, count // 1000), 1000


def _side(count: int) -> int:
    return round(count**0.5)


def _image(count: int) -> list[tuple[int, ...]]:
    channels = 16 if count < 10_000 else 64
    side = _side(count // channels)
    return [(1, channels, side, side), (channels, channels, 3, 3)]


def _heads(count: int) -> list[tuple[int, ...]]:
    heads = 1 if count < 10_000 else 8
    return [(1, heads, count // (64 * heads), 64)] * 3


def _softmax(x: np.ndarray) -> np.ndarray:
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def _layer_norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    distance = x - x.mean(-1, keepdims=True)
    return distance / np.sqrt((distance * distance).mean(-1, keepdims=True) + 1e-5) * weight + bias


def _conv2d(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    rows, columns = x.shape[2:]
    padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
    made = np.zeros((len(weight), rows * columns), np.float32)
    for y, z in np.ndindex(3, 3):
        made += weight[:, :, y, z] @ padded[:, y : y + rows, z : z + columns].reshape(len(padded), -1)
    return made.reshape(1, -1, rows, columns)


def _attention(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return _softmax(query @ np.swapaxes(key, -1, -2) * np.float32(0.125)) @ value


ITEMS: Mapping[str, Item] = {
    "relu(a * b + c)": Item(lambda count: [(count,)] * 3, lambda a, b, c: np.maximum(a * b + c, 0)),
    "sum": Item(lambda count: [(count,)], lambda x: (x.sum(dtype=np.float64) / x.size).astype(np.float32)),
    "softmax": Item(lambda count: [_rows(count)], _softmax),
    "layer_norm": Item(lambda count: [_rows(count), (1000,), (1000,)], _layer_norm),
    "matmul": Item(lambda count: [(_side(count),) * 2] * 2, np.matmul, most=10**6),
    "conv2d": Item(_image, _conv2d, most=10**6),
    "attention": Item(_heads, _attention, most=10**6),
}
"""By name. A sum is divided by the number of its terms, so that errors are seen as of one of them."""
