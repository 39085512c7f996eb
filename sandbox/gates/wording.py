"""What is wrong with a document, in the words that requests are refused with.

Owns how msgspec's messages are told. Must not know what a document is for.
"""

from __future__ import annotations

import re

_WORDS = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"Object contains unknown field `(.*)`", r"\1 is not a field"),
        (r"Object missing required field `(.*)`", r"\1 is missing"),
        (r"Invalid enum value (.*)", r"\1 is not one of the words for it"),
        (r"`array`", "`list`"),
        (r"Expected `(.*?)`", r"wanted \1"),
        (r"got `(.*)`", r"got \1"),
    )
]
"""What msgspec says, and how it is said here; in this order, all that are found."""


def told(error: Exception, document: str) -> str:
    """`fetch[0].ports[0]: wanted int, got str`, after the name of the `document` that `error` was found in."""
    wrong, _, place = str(error).partition(" - at `$")
    for pattern, words in _WORDS:
        wrong = pattern.sub(words, wrong)
    return f"{document}{place.rstrip('`')}: {wrong}"
