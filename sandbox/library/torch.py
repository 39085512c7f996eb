"""`import torch`: the views of `ops.torchlike`.

Owns how its nested namespaces become modules. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ops import torchlike
from sandbox.policy import views


def install() -> None:
    """Provide `torch` and its submodules."""
    _provide("torch", torchlike.namespace())


def _provide(title: str, members: Mapping[str, Any]) -> None:
    own = {name: value for name, value in members.items() if not isinstance(value, Mapping)}
    views.provide(title, lambda: own)
    for name, value in members.items():
        if isinstance(value, Mapping):
            _provide(f"{title}.{name}", value)
