"""How a type is written in a stub.

Owns the way from an annotation, as it stands in our code, to a name that scripts know. What scripts cannot name is
`Any`. Must not know functions or modules.
"""

from __future__ import annotations

import builtins
import collections.abc
import types
import typing
from collections.abc import Collection, Mapping
from typing import Any

_ABSTRACT = {getattr(collections.abc, name): name for name in collections.abc.__all__}


class Writer:
    """Writes types for one stub. `public` are the classes that scripts can name, each by module and name.

    A name that means something else where the type stands, as `int` does among the `names` of `torch`, or `dtype` in a
    class with such a member, is written with its module.
    """

    def __init__(
        self,
        module: str,
        public: Mapping[type, tuple[str, str]],
        names: Collection[str],
        members: Collection[str] = (),
    ) -> None:
        self._module, self._public, self._names, self._members = module, public, names, members

    def inside(self, members: Collection[str]) -> Writer:
        """The writer in the body of a class with these members."""
        return Writer(self._module, self._public, self._names, members)

    def annotation(self, written: object, names: Mapping[str, Any]) -> str:
        """An annotation of a function whose globals are `names`, which may be text."""
        if not isinstance(written, str):
            return self.type(written)
        try:
            return self.type(eval(written, dict(names)))  # our own annotations: no script's come here
        except (NameError, TypeError, AttributeError):
            return "Any"

    def type(self, value: Any) -> str:
        """A class, a union, a generic alias or a literal."""
        if value is None or value is types.NoneType:
            return "None"
        if value is ...:
            return "..."
        if isinstance(value, list):  # the arguments of a callable
            return f"[{', '.join(map(self.type, value))}]"
        origin = typing.get_origin(value)
        if origin is typing.Literal:
            return f"Literal[{', '.join(map(repr, typing.get_args(value)))}]"
        if origin in (types.UnionType, typing.Union):
            return self._union(list(dict.fromkeys(map(self.type, typing.get_args(value)))))
        if origin is not None:
            head = self.type(origin)
            return head if head == "Any" else f"{head}[{', '.join(map(self.type, typing.get_args(value)))}]"
        return self._class(value) if isinstance(value, type) else "Any"

    @staticmethod
    def _union(parts: list[str]) -> str:
        return "Any" if "Any" in parts else " | ".join(parts)

    def _class(self, cls: builtins.type) -> str:
        if cls in self._public:
            module, name = self._public[cls]
            return name if module == self._module and name not in self._members else f"{module}.{name}"
        if cls in _ABSTRACT:
            return f"collections.abc.{_ABSTRACT[cls]}"
        name = cls.__name__
        if getattr(builtins, name, None) is not cls:
            return "Any"
        return f"builtins.{name}" if name in self._names or name in self._members else name

    def named(self, cls: builtins.type) -> bool:
        """Whether scripts can name `cls`."""
        return self._class(cls) != "Any"
