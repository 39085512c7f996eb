"""`import torch`: the views of `ops.torch.namespace`.

Owns how its nested namespaces become modules. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ops.torch.namespace import namespace
from sandbox.policy import ownership, views


def install() -> None:
    """Provide `torch` and its submodules; scripts may set attributes of tensors and of layers."""
    names: dict[str, Any] = namespace()
    _provide("torch", names)
    for cls in (names["Tensor"], *names["nn"].values()):
        if isinstance(cls, type):
            ownership.add_writable(cls)


def _provide(title: str, members: Mapping[str, Any]) -> None:
    own = {name: value for name, value in members.items() if not isinstance(value, Mapping)}
    views.provide(title, lambda: own)
    for name, value in members.items():
        if isinstance(value, Mapping):
            _provide(f"{title}.{name}", value)
