"""Plain counting loops: `for (var i = A; i < B; i += C)` whose body never writes to `i`.

Owns the recognition of that form. Must not know values or prices: A, B and C are spans of tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaders.guard.flow import for_parts
from shaders.tree import Loop, Module, Span

_WRITES = frozenset(["=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="])


@dataclass(frozen=True, slots=True)
class Counting:
    """A counting loop: its counter and the type written behind that (or ""), A, B, and C (None: `i++`).

    `is_inclusive`: the condition is `i <= B`.
    """

    name: str
    type: str
    first: Span
    last: Span
    step: Span | None
    is_inclusive: bool


def counting(module: Module, loop: Loop) -> Counting | None:
    """What `loop` counts; None for any other loop."""
    parts = for_parts(module, loop)
    if parts is None:
        return None
    init, condition, update = parts
    start, test, change = (_texts(module, span) for span in parts)
    typed = start[2:3] == [":"] and start[3:4] in (["u32"], ["i32"])
    equals = 4 if typed else 2
    name = start[1] if start[:1] == ["var"] and start[equals : equals + 1] == ["="] else ""
    is_step = change[:2] == [name, "+="] and len(change) > 2
    if not name or test[:1] != [name] or test[1:2] not in (["<"], ["<="]):
        return None
    if not (is_step or change == [name, "++"]) or is_written(module, (loop.open, loop.close), name):
        return None
    return Counting(
        name,
        start[3] if typed else "",
        (init[0] + equals + 1, init[1]),
        (condition[0] + 2, condition[1]),
        (update[0] + 2, update[1]) if is_step else None,
        test[1] == "<=",
    )


def is_written(module: Module, span: Span, name: str) -> bool:
    """Whether `span` may change `name`, hide it, or take its address: anything but plain reading counts."""
    tokens = module.tokens
    for index in range(*span):
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


def _texts(module: Module, span: Span) -> list[str]:
    return [token.text for token in module.tokens[span[0] : span[1]]]
