"""WGSL text to tokens, and back to a text with nothing hidden in it.

Owns where tokens begin and end. `>` is always a token of its own, so that `array<vec4<f32>>` needs no guessing. Must
not know grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shaders.brackets import pair
from shaders.errors import KernelgateError
from shaders.limits import RESERVED_PREFIX, Limits
from shaders.source import KernelLimitError, KernelSyntaxError, KernelUnsupportedError, Source
from shaders.tokens import Token

_TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\n\u200e\u200f]+)
  | (?P<line_comment>//[^\n]*)
  | (?P<block_comment>/\*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<number>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?[0-9]+)?[A-Za-z0-9_]*
             | (?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[A-Za-z0-9_]*)
  | (?P<symbol>->|&&|\|\||\+\+|--|<<=?|[-+*/%&|^!=<]=|[-+*/%&|^!~=<>.,:;@(){}\[\]])
    """,
    re.VERBOSE,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_NOT_BREAK = re.compile(r"[^\n]")
_MARK = re.compile("[\u200e\u200f]")
_INSTEAD = {
    "?": "A choice is select(otherwise, chosen, condition).",
    "#": "There is no preprocessor: a constant is const or override, a kernel with parameters a template.",
    '"': "There is no text: write the numbers of its characters.",
    "'": "There is no text: write the numbers of its characters.",
}
"""What is written in WGSL instead of what begins with a character that other languages have."""


@dataclass(slots=True)
class Tokens:
    """A kernel's tokens, then three of kind `end` so that a look ahead stays inside the list.

    `text` has the length and lines of the source, with blanks for its comments: it holds these tokens and nothing
    else. `partner[i]` is the index of the bracket that pairs with the one at `i`, and -1 elsewhere.
    """

    source: Source
    text: str
    items: list[Token]
    partner: list[int]


def scan(source: Source, limits: Limits) -> Tokens:
    """The tokens of `source`. Linear in its length.

    Raises `KernelSyntaxError`, `KernelLimitError` and, for what is not ASCII outside comments and for reserved
    names, `KernelUnsupportedError`.
    """
    items: list[Token] = []
    parts: list[str] = []
    text, position = source.text, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unexpected(source, position)
        kind, end = match.lastgroup, match.end()
        if kind == "name" or kind == "number" or kind == "symbol":
            items.append(Token(kind, match.group(), position, end))  # type: ignore[arg-type]  # one of the three
            parts.append(match.group())
        elif kind == "blank":
            parts.append(_MARK.sub(" ", match.group()))
        else:
            end = end if kind == "line_comment" else _block_end(source, position)
            parts.append(_NOT_BREAK.sub(" ", text[position:end]))
        position = end
        if len(items) > limits.tokens:
            message = f"the kernel has more than {limits.tokens} tokens"
            raise source.error(KernelLimitError, items[-1].start, message)
    items.extend(Token("end", "", len(text), len(text)) for _ in range(3))
    _check_names(source, items, limits)
    return Tokens(source, "".join(parts), items, pair(source, items, limits))


def _unexpected(source: Source, position: int) -> KernelgateError:
    character = source.text[position]
    if character.isascii():
        message = f"unexpected character {character!r}"
        return source.error(KernelSyntaxError, position, message, _INSTEAD.get(character))
    return source.error(
        KernelUnsupportedError,
        position,
        f"the character U+{ord(character):04X} is outside ASCII",
        "Only comments may contain characters outside ASCII.",
    )


def _block_end(source: Source, start: int) -> int:
    """Where the comment at `start` ends; comments nest."""
    depth, position = 1, start + 2
    while depth:
        edge = _COMMENT_EDGE.search(source.text, position)
        if edge is None:
            raise source.error(KernelSyntaxError, start, "this comment is never closed")
        depth += 1 if edge.group() == "/*" else -1
        position = edge.end()
    return position


def _check_names(source: Source, items: list[Token], limits: Limits) -> None:
    for token in items:
        if token.kind != "name":
            continue
        if token.text.startswith(RESERVED_PREFIX):
            message = f"names that begin with '{RESERVED_PREFIX}' are reserved"
            raise source.error(KernelUnsupportedError, token.start, message)
        if len(token.text) > limits.name_characters:
            message = f"a name has {len(token.text)} characters; the limit is {limits.name_characters}"
            raise source.error(KernelLimitError, token.start, message)
