"""Activations, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.methods import FUNCTIONS
from ops.nn.module import Module, layer
from ops.tensor import Tensor, apply


def _in_place(name: str) -> Callable[..., Any]:
    """The function that writes to its input."""

    def function(input: Any, *args: Any, **named: Any) -> Any:
        return getattr(input, f"{name}_")(*args, **named)

    function.__name__ = function.__qualname__ = f"{name}_"
    function.__doc__ = f"{FUNCTIONS[name].__doc__} In place."
    return function


_LAYERS = {
    "ReLU": ("relu", "inplace"),
    "ReLU6": ("relu6", "inplace"),
    "LeakyReLU": ("leaky_relu", "negative_slope inplace"),
    "ELU": ("elu", "alpha inplace"),
    "CELU": ("celu", "alpha inplace"),
    "SELU": ("selu", "inplace"),
    "GELU": ("gelu", "approximate"),
    "SiLU": ("silu", "inplace"),
    "Mish": ("mish", "inplace"),
    "Sigmoid": ("sigmoid", ""),
    "LogSigmoid": ("logsigmoid", ""),
    "Hardsigmoid": ("hardsigmoid", "inplace"),
    "Hardswish": ("hardswish", "inplace"),
    "Hardtanh": ("hardtanh", "min_val max_val inplace"),
    "Tanh": ("tanh", ""),
    "Tanhshrink": ("tanhshrink", ""),
    "Softplus": ("softplus", "beta threshold"),
    "Softsign": ("softsign", ""),
    "Softshrink": ("softshrink", "lambd"),
    "Hardshrink": ("hardshrink", "lambd"),
    "Threshold": ("threshold", "threshold value inplace"),
    "Softmax": ("softmax", "dim"),
    "Softmin": ("softmin", "dim"),
    "LogSoftmax": ("log_softmax", "dim"),
}
_ALSO = ("prelu",)
_IN_PLACE = ("relu", "leaky_relu", "elu", "celu", "selu", "hardtanh", "threshold")


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of an axis times `sigmoid` of the second."""
    return apply("glu", [input], axis=dim)


class PReLU(Module):
    """`prelu` by a weight of its own: one number, or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        super().__init__()
        self.weight = apply("full", [], shape=[num_parameters], value=float(init))

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = FUNCTIONS["prelu"](input, self.weight)
        return result


class Softmax2d(Module):
    """`softmax` over the channels of images."""

    def forward(self, input: Tensor) -> Tensor:
        return apply("softmax", [input], axis=-3)


LAYERS = (
    *(layer(title, FUNCTIONS[name], options) for title, (name, options) in _LAYERS.items()),
    layer("GLU", glu, "dim"),
    PReLU,
    Softmax2d,
)
FUNCTIONAL: dict[str, Callable[..., Any]] = {
    **{name: FUNCTIONS[name] for name in (*(name for name, _ in _LAYERS.values()), *_ALSO)},
    **{f"{name}_": _in_place(name) for name in _IN_PLACE},
    "glu": glu,
}
