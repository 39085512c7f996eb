"""How often a plain counting loop turns.

Owns one proof: `for (var i = A; i < B; i += C)` with integer constants, whose body never writes to `i`. What is not
exactly of this form has no known count. The names in A, B and C must be module-scope constants that no local name of
the function hides.
"""

from __future__ import annotations

from shaders.constants import Constants
from shaders.guard.flow import for_parts
from shaders.memory import local_names
from shaders.source import KernelLimitError, KernelUnsupportedError
from shaders.tree import Function, Loop, Module, Span

_MOST = 1 << 30
"""Bounds and steps below this cannot wrap around on the way."""
_WRITES = frozenset(["=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="])


class Trips:
    """Counts the turns of the loops of one module."""

    def __init__(self, module: Module, constants: Constants) -> None:
        self._module = module
        self._constants = constants

    def count(self, function: Function, loop: Loop) -> int | None:
        """The most turns that `loop` can take each time it is reached; None when that is not plain to see."""
        parts = for_parts(self._module, loop)
        if parts is None:
            return None
        init, condition, update = parts
        counter = self._counter(init)
        hidden = local_names(function)
        if counter is None:
            return None
        name, begin = counter
        text = [token.text for token in self._module.tokens[condition[0] : condition[1]]]
        if text[:1] != [name] or text[1:2] not in (["<"], ["<="]):
            return None
        first = self._value((begin, init[1]), hidden)
        last = self._value((condition[0] + 2, condition[1]), hidden)
        step = self._step(name, update, hidden)
        if first is None or last is None or not step or self._writes(loop, name):
            return None
        return max(0, -(-(last + (text[1] == "<=") - first) // step))

    def _counter(self, init: Span) -> tuple[str, int] | None:
        """The name that `var name = …` or `var name: u32 = …` declares, and the first token of its value."""
        text = [token.text for token in self._module.tokens[init[0] : init[1]]]
        if text[:1] != ["var"] or len(text) < 4:
            return None
        typed = text[2] == ":" and text[3] in ("u32", "i32")
        equals = 4 if typed else 2
        return (text[1], init[0] + equals + 1) if text[equals : equals + 1] == ["="] else None

    def _step(self, name: str, update: Span, hidden: set[str]) -> int | None:
        text = [token.text for token in self._module.tokens[update[0] : update[1]]]
        if text == [name, "++"]:
            return 1
        return self._value((update[0] + 2, update[1]), hidden) if text[:2] == [name, "+="] else None

    def _value(self, span: Span, hidden: set[str]) -> int | None:
        names = {token.text for token in self._module.tokens[span[0] : span[1]]}
        if span[1] <= span[0] or names & hidden:
            return None
        try:
            value = self._constants.value(span)
        except (KernelLimitError, KernelUnsupportedError):
            return None
        return value if value < _MOST else None

    def _writes(self, loop: Loop, name: str) -> bool:
        """Whether the body may change `name`, hide it, or take its address: anything but plain reading counts."""
        tokens = self._module.tokens
        for index in range(loop.open, loop.close):
            if tokens[index].text != name or tokens[index].kind != "name":
                continue
            before, after = tokens[index - 1].text, tokens[index + 1].text
            if after in _WRITES or before in ("&", "&&", "var", "let", "const"):
                return True
            if after == ">" and tokens[index + 2].text == ">":
                return True
            if before == "(" and after == ")" and tokens[index - 2].kind != "name":
                return True
        return False
