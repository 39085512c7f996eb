"""`types.SimpleNamespace`, whose keywords become attributes.

Owns a class that scripts may change like their own. Must not know the views beyond `replace`.
"""

from __future__ import annotations

from typing import Any

from sandbox.policy import names, ownership, views
from sandbox.policy.keys import store_key


class SimpleNamespace:
    """A bag of attributes."""

    def __init__(self, /, **attributes: Any) -> None:
        for name, value in attributes.items():
            self.__dict__[store_key(name)] = value

    def __repr__(self) -> str:
        items = (f"{names.unmangle(name)}={value!r}" for name, value in self.__dict__.items())
        return f"namespace({', '.join(items)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SimpleNamespace):
            return NotImplemented
        return self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


SimpleNamespace.__module__ = "types"


def install() -> None:
    """Put the class into the view."""
    ownership.adopt(SimpleNamespace)
    views.replace("types", SimpleNamespace=SimpleNamespace)
