"""`collections.namedtuple`, whose fields become attributes, and `abc` and `enum`'s metaclasses as markers.

Owns the guarded forms. Must not know the views beyond `replace`.
"""

from __future__ import annotations

import collections
import unicodedata
from collections.abc import Iterable
from typing import Any

from sandbox.policy import names, ownership, views
from sandbox.policy.classes import ABC_META, ENUM_META


def namedtuple(
    typename: str,
    field_names: str | Iterable[str],
    *,
    rename: bool = False,
    defaults: Iterable[Any] | None = None,
    module: str | None = None,
) -> type:
    """`collections.namedtuple`."""
    fields = field_names.replace(",", " ").split() if isinstance(field_names, str) else field_names
    listed = [str.__str__(str(field)) for field in fields]
    for field in listed:
        if field in names.DENIED or field in names.FORMATS or not unicodedata.is_normalized("NFKC", field):
            raise ValueError(f"{field!r} cannot be a field's name")
    real: Any = collections.namedtuple
    made: type = real(str.__str__(typename), listed, rename=rename, defaults=defaults, module="__main__")
    return ownership.add_class(made)


def install() -> None:
    """Put the guarded forms into the views."""
    views.replace("collections", namedtuple=namedtuple)
    views.replace("abc", ABCMeta=ABC_META)
    views.replace("enum", EnumMeta=ENUM_META, EnumType=ENUM_META)
