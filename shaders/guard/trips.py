"""How often a plain counting loop turns.

Owns the arithmetic on the bounds of such a loop, where they are integer constants. The names in them must be
module-scope constants that no local name of the function hides.
"""

from __future__ import annotations

from shaders.constants import Constants
from shaders.guard.counting import Counting
from shaders.memory import local_names
from shaders.source import KernelLimitError, KernelUnsupportedError
from shaders.tree import Function, Module, Span

_MOST = 1 << 30
"""Bounds and steps below this cannot wrap around on the way."""


class Trips:
    """Counts the turns of the loops of one module."""

    def __init__(self, module: Module, constants: Constants) -> None:
        self._module = module
        self._constants = constants

    def count(self, function: Function, loop: Counting) -> int | None:
        """The most turns that `loop` can take each time it is reached; None when that is not plain to see."""
        hidden = local_names(function)
        first, last = self._value(loop.first, hidden), self._value(loop.last, hidden)
        step = 1 if loop.step is None else self._value(loop.step, hidden)
        if first is None or last is None or not step:
            return None
        return max(0, -(-(last + loop.is_inclusive - first) // step))

    def _value(self, span: Span, hidden: set[str]) -> int | None:
        names = {token.text for token in self._module.tokens[span[0] : span[1]]}
        if span[1] <= span[0] or names & hidden:
            return None
        try:
            value = self._constants.value(span)
        except (KernelLimitError, KernelUnsupportedError):
            return None
        return value if value < _MOST else None
