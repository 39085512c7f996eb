"""`import torch`: the views of `ops.torchlike`.

Owns how its nested namespaces become modules. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ops import torchlike
from sandbox.policy import ownership, views


def install() -> None:
    """Provide `torch` and its submodules; scripts may set attributes of tensors and of layers."""
    namespace: dict[str, Any] = torchlike.namespace()
    _provide("torch", namespace)
    for cls in (namespace["Tensor"], *namespace["nn"].values()):
        if isinstance(cls, type):
            ownership.add_writable(cls)


def _provide(title: str, members: Mapping[str, Any]) -> None:
    own = {name: value for name, value in members.items() if not isinstance(value, Mapping)}
    views.provide(title, lambda: own)
    for name, value in members.items():
        if isinstance(value, Mapping):
            _provide(f"{title}.{name}", value)
