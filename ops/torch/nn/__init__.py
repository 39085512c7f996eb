"""Layers: `torch.nn` as far as its parts are ops of the table.

Owns the lists of layers and of functions of `torch.nn.functional`; a module beside has those of one family. Must not
know engines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.torch.functions import shape
from ops.torch.nn import (
    activations,
    attention,
    containers,
    dropout,
    embedding,
    linear,
    losses,
    module,
    norms,
    padding,
    recurrent,
    spatial,
    transformer,
)
from ops.torch.nn.module import Module, Parameter

__all__ = ["FUNCTIONAL", "LAYERS", "Parameter"]

_FAMILIES = (
    containers,
    linear,
    activations,
    norms,
    losses,
    embedding,
    attention,
    dropout,
    spatial,
    padding,
    recurrent,
    transformer,
)
LAYERS: tuple[type[Module], ...] = (
    *module.LAYERS,
    *(layer for family in _FAMILIES for layer in family.LAYERS),
)
FUNCTIONAL: dict[str, Callable[..., Any]] = {
    "pad": shape.pad,
    "one_hot": shape.one_hot,
    **{name: function for family in _FAMILIES for name, function in family.FUNCTIONAL.items()},
}
