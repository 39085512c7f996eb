"""Dropout, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops import draws
from ops.nn.module import Module
from ops.tensor import Tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """0 in place of each element with the probability `p`, else `x / (1 - p)`; as it is where not `training`."""
    return draws.dropout(input, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """The same of whole channels, axis 1."""
    return draws.dropout(input, p, training, inplace, axes=2)


class Dropout(Module):
    """`dropout` as a layer, which does nothing in `eval()`."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return dropout(input, self.p, self.training, self.inplace)


class Dropout1d(Dropout):
    """Dropout of whole channels, axis 1."""

    def forward(self, input: Tensor) -> Tensor:
        return dropout2d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout1d):
    """The same."""


class Dropout3d(Dropout1d):
    """The same."""


LAYERS = (Dropout, Dropout1d, Dropout2d, Dropout3d)
FUNCTIONAL: dict[str, Callable[..., Any]] = {
    "dropout": dropout,
    "dropout1d": dropout2d,
    "dropout2d": dropout2d,
    "dropout3d": dropout2d,
}
