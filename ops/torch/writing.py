"""Tensors that are written to.

Owns when a tensor may take over another's elements, and the methods that do no more. Must not know views, which follow
by themselves (`ops/torch/aliasing.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops import dtypes
from ops.dtypes import DTypeError
from ops.errors import ShapeError
from ops.shapes import text
from ops.torch import aliasing
from ops.torch.operands import Operand, operands
from ops.torch.tensor import Tensor, apply, node_of
from ops.torch.typenames import Number


def become(tensor: Tensor, value: Tensor) -> Tensor:
    """`tensor`, which means `value` from now on. Raises `ShapeError` or `DTypeError` for one that it cannot hold."""
    mine, its = node_of(tensor).type, node_of(value).type
    if mine.shape != its.shape:
        raise ShapeError(
            f"a tensor of shape {text(mine.shape)} cannot become one of {text(its.shape)} in place"
        )
    if dtypes.dtype(its.dtype).level > dtypes.dtype(mine.dtype).level:
        raise DTypeError(
            f"a tensor of {tensor.dtype!r} cannot become one of {value.dtype!r} in place",
            hint="Convert it first, as with .float().",
        )
    aliasing.write(tensor, node_of(value.type(mine.dtype)))
    return tensor


def copy_(self: Tensor, source: Operand) -> Tensor:
    """Take over the elements of a tensor or a number, which broadcasts."""
    tensor = source if isinstance(source, Tensor) else operands([self, source])[1]
    return become(self, apply("expand", [tensor.type(self.dtype)], shape=list(self.shape)))


def fill_(self: Tensor, value: Number) -> Tensor:
    """Take one value everywhere."""
    return copy_(self, value)


def zero_(self: Tensor) -> Tensor:
    """Take 0 everywhere."""
    return copy_(self, 0)


METHODS: dict[str, Callable[..., Any]] = {"copy_": copy_, "fill_": fill_, "zero_": zero_}
"""Methods of tensors that are no functions of `torch`."""
