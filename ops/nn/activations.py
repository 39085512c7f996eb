"""Activations, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.methods import FUNCTIONS, softmax
from ops.nn.module import Module
from ops.tensor import Tensor


class ReLU(Module):
    """`relu` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["relu"](input)


class Sigmoid(Module):
    """`sigmoid` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["sigmoid"](input)


class Tanh(Module):
    """`tanh` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["tanh"](input)


class GELU(Module):
    """`gelu` as a layer."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["gelu"](input, approximate=self.approximate)


class Softmax(Module):
    """`softmax` as a layer."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return softmax(input, self.dim)


_NAMES = (
    "celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish prelu relu relu6 selu sigmoid"
    " silu softmax softplus softshrink softsign tanh tanhshrink threshold"
)
LAYERS = (ReLU, Sigmoid, Tanh, GELU, Softmax)
FUNCTIONAL: dict[str, Callable[..., Any]] = {name: FUNCTIONS[name] for name in _NAMES.split()}
