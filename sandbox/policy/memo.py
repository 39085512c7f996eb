"""`copy.deepcopy` without a look into its memo.

Owns what a script's `__deepcopy__` is given in its place: the library's holds the insides of every object that it
copied, an event loop among them. Must not know classes.
"""

from __future__ import annotations

import copy
from typing import Any

from sandbox.policy.whole import Whole

_OWN = object()  # the place in a real memo for what the script put there
_known: list[dict[Any, Any]] = []  # the memos in use


class Memo(Whole):
    """A memo in which a script finds what it put there itself."""

    __slots__ = ("_real",)
    _real: dict[Any, Any]

    def __init__(self) -> None:
        raise TypeError("a memo comes from copy.deepcopy()")

    def __getitem__(self, key: Any) -> Any:
        return self._own()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(key) is not int:
            raise TypeError("a memo's keys are the ids of objects")
        self._own()[key] = self._real[key] = value

    def __contains__(self, key: object) -> bool:
        return key in self._own()

    def get(self, key: Any, default: Any = None) -> Any:
        """As of a dict."""
        return self._own().get(key, default)

    def _own(self) -> dict[Any, Any]:
        own: dict[Any, Any] = self._real.setdefault(_OWN, {})
        return own


def covered(real: Any) -> Memo:
    """What a script may see of the memo `real`; of one that is not from `deepcopy`, as the script may have made it
    itself, nothing.
    """
    if type(real) is Memo:
        return real
    memo: Memo = object.__new__(Memo)
    memo._real = real if any(real is known for known in _known) else {}
    return memo


def deepcopy(x: Any, memo: Any = None) -> Any:
    """`copy.deepcopy`; a memo that is no `Memo` counts as an empty one."""
    real = memo._real if type(memo) is Memo else {}
    _known.append(real)
    try:
        return copy.deepcopy(x, real)
    finally:
        _known.pop()
