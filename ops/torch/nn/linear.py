"""The layer of a matrix product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.torch.draws import uniform
from ops.torch.methods import FUNCTIONS
from ops.torch.nn.module import Module
from ops.torch.tensor import Tensor, apply


class Linear(Module):
    """`x @ weight.T + bias`; weights start uniform within 1 / sqrt(in_features)."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        bound = in_features**-0.5 if in_features > 0 else 0.0
        self.in_features = in_features
        self.out_features = out_features
        self.weight = uniform([out_features, in_features], -bound, bound)
        self.bias = uniform([out_features], -bound, bound) if bias else None

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`."""
    result: Tensor = (
        FUNCTIONS["matmul"](input, weight.T) if bias is None else FUNCTIONS["linear"](input, weight, bias)
    )
    return result


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Two inputs through a matrix for each output."""
    return apply("bilinear", [input1, input2, weight] if bias is None else [input1, input2, weight, bias])


class Bilinear(Module):
    """`bilinear` as a layer; weights start uniform within 1 / sqrt(in1_features)."""

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        bound = in1_features**-0.5 if in1_features > 0 else 0.0
        self.weight = uniform([out_features, in1_features, in2_features], -bound, bound)
        self.bias = uniform([out_features], -bound, bound) if bias else None

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return bilinear(input1, input2, self.weight, self.bias)


LAYERS = (Linear, Bilinear)
FUNCTIONAL: dict[str, Callable[..., Any]] = {"linear": linear, "bilinear": bilinear}
