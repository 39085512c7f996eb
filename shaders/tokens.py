"""What a token of WGSL is, and which words are no names.

Owns the record and the lists. Must not know how a text is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_WORDS = """alias break case const const_assert continue continuing default diagnostic discard else enable false fn
    for if let loop override requires return struct switch true var while"""
KEYWORDS = frozenset(_WORDS.split())
STATEMENT_WORDS = KEYWORDS - {"true", "false"}
"""Those that stand in no expression."""


@dataclass(slots=True)
class Token:
    """A name (keywords too), number or symbol, at `start` up to `end` of the text; `end` kind closes the list."""

    kind: Literal["name", "number", "symbol", "end"]
    text: str
    start: int
    end: int
