"""The layer of a matrix product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.draws import uniform
from ops.methods import FUNCTIONS
from ops.nn.module import Module
from ops.tensor import Tensor


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


LAYERS = (Linear,)
FUNCTIONAL: dict[str, Callable[..., Any]] = {"linear": linear}
