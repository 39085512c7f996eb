"""Activations, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.methods import FUNCTIONS
from ops.nn.module import layer

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
LAYERS = tuple(layer(title, FUNCTIONS[name], options) for title, (name, options) in _LAYERS.items())
FUNCTIONAL: dict[str, Callable[..., Any]] = {
    name: FUNCTIONS[name] for name in (*(name for name, _ in _LAYERS.values()), *_ALSO)
}
