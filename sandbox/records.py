"""Dataclasses in results: they leave the sandbox as dicts.

Owns that form. There is no way back, as the policy drops the annotations of functions: an input is a dict. Must not
know how values are packed.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from sandbox.policy.names import unmangle

_PLAIN = frozenset([type(None), bool, int, float, str, bytes])


def opened(value: object) -> dict[str, Any] | None:
    """The fields of a dataclass by their names, as the script wrote them; None for anything else."""
    if type(value) in _PLAIN or isinstance(value, type) or not is_dataclass(value):
        return None
    return {unmangle(field.name): getattr(value, field.name) for field in fields(value)}
