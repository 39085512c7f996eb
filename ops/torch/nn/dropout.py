"""Dropout, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ops.errors import AttributeValueError
from ops.torch import draws
from ops.torch.nn.module import Module
from ops.torch.tensor import Tensor, apply
from ops.torch.writing import become


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """0 in place of each element with the probability `p`, else `x / (1 - p)`; as it is where not `training`."""
    return draws.dropout(input, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """The same of whole channels, axis 1."""
    return draws.dropout(input, p, training, inplace, axes=2)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """The lowest number that `selu` gives in place of each element with the probability `p`, then scaled so that mean
    and variance stay (Klambauer et al., 2017)."""
    return _alpha(input, p, training, inplace, input.shape)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """The same of whole channels, axis 1."""
    shape = [size if axis < 2 else 1 for axis, size in enumerate(input.shape)]
    return _alpha(input, p, training, inplace, shape)


_LOWEST = -1.0507009873554804934193349852946 * 1.6732632423543772848170429916717


def _alpha(input: Any, p: float, training: bool, inplace: bool, shape: Sequence[int]) -> Tensor:
    if not 0 <= p <= 1:
        raise AttributeValueError(f"alpha_dropout: p is {p:g}, but must be from 0 to 1")
    if not training or p == 0:
        return cast("Tensor", input)
    scale = ((1 - p) * (1 + p * _LOWEST**2)) ** -0.5 if p < 1 else 0.0
    kept: Any = draws.uniform(shape, 0.0, 1.0)
    chosen: Any = apply("where", [kept >= p, input, apply("full", [], shape=[], value=_LOWEST)])
    result: Tensor = (chosen * scale - scale * _LOWEST * p).type(input.dtype)
    return become(input, result) if inplace else result


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


class AlphaDropout(Dropout):
    """`alpha_dropout` as a layer, which does nothing in `eval()`."""

    def forward(self, input: Tensor) -> Tensor:
        return alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(Dropout):
    """`feature_alpha_dropout`, likewise."""

    def forward(self, input: Tensor) -> Tensor:
        return feature_alpha_dropout(input, self.p, self.training, self.inplace)


LAYERS = (Dropout, Dropout1d, Dropout2d, Dropout3d, AlphaDropout, FeatureAlphaDropout)
FUNCTIONAL: dict[str, Callable[..., Any]] = {
    "dropout": dropout,
    "dropout1d": dropout2d,
    "dropout2d": dropout2d,
    "dropout3d": dropout2d,
    "alpha_dropout": alpha_dropout,
    "feature_alpha_dropout": feature_alpha_dropout,
}
