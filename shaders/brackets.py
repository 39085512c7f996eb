"""How brackets pair, and which one is missing where they do not.

Owns that, and how deep they nest. Must not know what stands between them, but for what never does.
"""

from __future__ import annotations

from shaders.errors import KernelgateError
from shaders.limits import Limits
from shaders.source import KernelLimitError, KernelSyntaxError, Source
from shaders.tokens import STATEMENT_WORDS, Token

OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(OPENERS.values())
_NEVER_INSIDE = frozenset([";", "{", "->", *STATEMENT_WORDS])
"""What no parentheses or square brackets have in them, but those of a `for`, which have no `{`."""


def pair(source: Source, items: list[Token], limits: Limits) -> list[int]:
    """For each of the tokens `items`, the index of the bracket that pairs with it, and -1 for what is no bracket.

    Linear in their number. Raises `KernelSyntaxError`, and `KernelLimitError` on brackets that nest too deep.
    """
    partner = [-1] * len(items)
    stack: list[int] = []
    for index, token in enumerate(items):
        text = token.text
        if stack and text in _NEVER_INSIDE and _ends_before(items, stack[-1], text):
            raise _missing(source, items, stack[-1], index)
        if text in OPENERS:
            stack.append(index)
            if len(stack) > limits.nesting:
                message = f"brackets nest deeper than {limits.nesting}"
                raise source.error(KernelLimitError, token.start, message)
        elif text in _CLOSERS:
            if not stack or (items[stack[-1]].text == "{" and text != "}"):
                raise source.error(KernelSyntaxError, token.start, f"unexpected '{text}'")
            if OPENERS[items[stack[-1]].text] != text:
                raise _missing(source, items, stack[-1], index)
            opener = stack.pop()
            partner[opener], partner[index] = index, opener
    if stack:
        opener = stack[-1]
        raise source.error(KernelSyntaxError, items[opener].start, f"'{items[opener].text}' is never closed")
    return partner


def _ends_before(items: list[Token], opener: int, text: str) -> bool:
    """Whether the bracket at `opener` was to be closed before `text`, which is one of `_NEVER_INSIDE`."""
    of_loop = opener > 0 and items[opener - 1].text == "for"
    return items[opener].text != "{" and (text == "{" or not of_loop)


def _missing(source: Source, items: list[Token], opener: int, index: int) -> KernelgateError:
    """That the bracket at `opener` is not closed before the token at `index`."""
    opening = items[opener]
    line, _ = source.position(opening.start)
    message = f"expected '{OPENERS[opening.text]}', found '{items[index].text}'"
    place = source.gap(items[index - 1].end, items[index].start)
    return source.error(KernelSyntaxError, place, message, f"It closes the '{opening.text}' in line {line}.")
