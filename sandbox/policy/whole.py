"""Objects of ours in a script's hands that cannot be taken apart.

Owns the base of such classes: `copy.deepcopy(x, memo)` and `pickle` would bring an object's parts to light.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

W = TypeVar("W", bound="Whole")


class Whole:
    """A copy of it is itself."""

    __slots__ = ()

    def __copy__(self: W) -> W:
        return self

    def __deepcopy__(self: W, _memo: Any) -> W:
        return self

    def __reduce_ex__(self, _protocol: Any) -> NoReturn:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")
