"""Tensors, and the handles under which the engine has them.

Owns the way from one to the other. Must not know who the engine is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.graph import TensorRef
from ops.torch import lazy
from ops.torch.tensor import Tensor, node_of


def from_ref(ref: TensorRef) -> Tensor:
    """The tensor that the engine has under a handle; it is freed when no tensor refers to it."""
    return Tensor(lazy.existing(ref))


def refs(tensors: Sequence[Tensor]) -> list[TensorRef]:
    """Handles and types of `tensors`, computed at once if need be. They live as long as the tensors do."""
    return lazy.materialise([node_of(tensor) for tensor in tensors])
