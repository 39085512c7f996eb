"""Plain counting loops: `for (var i = A; i < B; i += C)` whose body never writes to `i`.

Owns the recognition of that form. Must not know values or prices: A, B and C are spans of tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaders.guard.flow import for_parts
from shaders.tree import Loop, Module, Span

ASSIGNMENTS = frozenset(["=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="])
"""The tokens that write to what is left of them; `>>=` is three, since a template may end in its first two."""


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
    """Whether `span` may change `name` or a part of it, hide it, or take its address: all but plain reading counts."""
    tokens = module.tokens
    return any(
        tokens[index].text == name and tokens[index].kind == "name" and _is_changed(module, index)
        for index in range(*span)
    )


def _is_changed(module: Module, index: int) -> bool:
    """Whether the place that the name at `index` begins, out to its last member, element or bracket, is changed."""
    tokens = module.tokens
    begin, end = index, index + 1
    if tokens[begin - 1].text in ("var", "let", "const"):
        return True
    while tokens[begin - 1].text not in ("&", "&&"):
        if tokens[end].text == ".":
            end += 2
        elif tokens[end].text == "[":
            end = module.partner[end] + 1
        elif tokens[end].text == ")" and module.partner[end] == begin - 1:
            begin, end = begin - 1, end + 1
        else:
            return _is_assignment([token.text for token in tokens[end : end + 3]])
    return True


def _is_assignment(texts: list[str]) -> bool:
    return texts[0] in ASSIGNMENTS or texts == [">", ">", "="]


def _texts(module: Module, span: Span) -> list[str]:
    return [token.text for token in module.tokens[span[0] : span[1]]]
