"""`__dict__` and `vars()` of a script's own objects: a real `dict` that follows the object.

Owns the translation between the names that a script writes and those that its objects hold. It is a `dict` so that
`json.dumps(o.__dict__)` and `isinstance` work; every reading method refreshes it first, every writing one writes
through. Must not know how scripts ask for it.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any

from sandbox.policy import names, ownership
from sandbox.policy.keys import store_key
from sandbox.policy.memo import deepcopy


class AttributeDict(dict[str, Any]):
    """The attributes of `owner` by the names that the script gave them."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any) -> None:
        if not self.serves(owner):
            raise TypeError("only objects of a class that the script defines have a __dict__ for scripts")
        super().__init__()
        self._owner = owner
        self._refresh()

    @staticmethod
    def serves(owner: object) -> bool:
        """Whether a script may see the attributes of `owner`."""
        return ownership.owns_instance(owner) and hasattr(owner, "__dict__")

    def _refresh(self) -> None:
        super().clear()
        own = self._owner.__dict__.items()
        super().update({names.unmangle(key): value for key, value in own if not names.is_librarys(key)})

    def __getitem__(self, key: str) -> Any:
        self._refresh()
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._owner.__dict__[store_key(key)] = value
        self._refresh()

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        del self._owner.__dict__[store_key(key)]
        self._refresh()

    def __iter__(self) -> Iterator[str]:
        self._refresh()
        return super().__iter__()

    def __len__(self) -> int:
        self._refresh()
        return super().__len__()

    def __contains__(self, key: object) -> bool:
        self._refresh()
        return super().__contains__(key)

    def __repr__(self) -> str:
        self._refresh()
        return super().__repr__()

    def __eq__(self, other: object) -> bool:
        self._refresh()
        return super().__eq__(other)

    __hash__ = None

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """As of a dict."""
        self._refresh()
        return super().keys()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        """As of a dict."""
        self._refresh()
        return super().values()

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        """As of a dict."""
        self._refresh()
        return super().items()

    def get(self, key: str, default: Any = None) -> Any:
        """As of a dict."""
        self._refresh()
        return super().get(key, default)

    def copy(self) -> dict[str, Any]:
        """A plain dict."""
        return dict(self)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return deepcopy(dict(self), memo)  # type: ignore[no-any-return]

    def update(self, *others: Any, **named: Any) -> None:
        """As of a dict."""
        for key, value in dict(*others, **named).items():
            self[key] = value

    def setdefault(self, key: str, default: Any = None) -> Any:
        """As of a dict."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        """As of a dict."""
        if key not in self and default:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """As of a dict."""
        key = list(self)[-1]
        return key, self.pop(key)

    def clear(self) -> None:
        """As of a dict."""
        for key in list(self):
            del self[key]

    def __ior__(self, other: Any) -> AttributeDict:  # type: ignore[override,misc]
        self.update(other)
        return self
