"""Activations, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ops.torch.draws import uniform
from ops.torch.methods import FUNCTIONS
from ops.torch.nn.module import Module, layer
from ops.torch.tensor import Tensor, apply
from ops.torch.writing import become

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


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """`leaky_relu` by the slope between `lower` and `upper`, or, when `training`, by one of chance for each element."""
    x: Any = input
    slopes: Any = uniform(input.shape, lower, upper) if training else (lower + upper) / 2
    result = apply("where", [x >= 0, x, (x * slopes).type(input.dtype)])
    return become(input, result) if inplace else result


def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the Gumbel-Softmax distribution (Jang et al., 2017); `hard`: 1 where it is largest, else 0."""
    drawn: Any = uniform(logits.shape, 0.0, 1.0)
    noise = -(-(drawn + _HALF_STEP).log()).log()
    soft: Any = apply("softmax", [((logits + noise) / tau).type(logits.dtype)], axis=dim)
    if not hard:
        return cast("Tensor", soft)
    largest: Any = apply("argmax", [soft], axis=dim, keepdim=True)
    zeros: Any = apply("full", [], shape=list(soft.shape), value=0.0)
    made: Any = apply("scatter", [zeros, largest, apply("full", [], shape=[], value=1.0)], axis=dim)
    return cast("Tensor", made.type(logits.dtype))


_HALF_STEP = 2.0**-25


class RReLU(Module):
    """`rrelu` as a layer, which has one slope in `eval()`."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return rrelu(input, self.lower, self.upper, self.training, self.inplace)


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
    RReLU,
    Softmax2d,
)
FUNCTIONAL: dict[str, Callable[..., Any]] = {
    **{name: FUNCTIONS[name] for name in (*(name for name, _ in _LAYERS.values()), *_ALSO)},
    **{f"{name}_": getattr(Tensor, f"{name}_") for name in _IN_PLACE},
    "glu": glu,
    "rrelu": rrelu,
    "gumbel_softmax": gumbel_softmax,
}
