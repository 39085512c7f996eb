"""Changes to a text, made all at once, and where each column of the result came from.

Owns positions. Must not know WGSL. No edit contains a line break, so lines keep their numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, takewhile

from shaders.source import Source

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str
    order: tuple[int, int] = (0, 0)
    """Among those at one place."""


class Edits:
    """Insertions into and replacements of parts of `text`, which must not overlap."""

    def __init__(self, source: Source, text: str) -> None:
        self._source = source
        self._text = text
        self._edits: list[_Edit] = []

    def insert(self, position: int, text: str) -> None:
        """Put `text` before the character at `position`; at one place, in the order of the calls."""
        self._edits.append(_Edit(position, position, text))

    def replace(self, start: int, end: int, text: str) -> None:
        """Put `text` in place of the characters from `start` up to `end`."""
        self._edits.append(_Edit(start, end, text))

    def wrap(self, start: int, end: int, before: str, after: str) -> None:
        """Put `before` and `after` around the characters from `start` up to `end`, within all else that is put there.

        Ranges may lie within one another; of two that are the same, the later call is the outer one.
        """
        self._edits.append(_Edit(start, start, before, (1, -end)))
        self._edits.append(_Edit(end, end, after, (-1, -start)))

    def blank(self, start: int, end: int) -> None:
        """Put blanks in place of the characters from `start` up to `end`; line breaks stay."""
        pieces = self._text[start:end].split("\n")
        self._edits.append(_Edit(start, end, "\n".join(" " * len(piece) for piece in pieces)))

    def apply(self) -> tuple[str, tuple[tuple[int, int, int], ...]]:
        """The new text, and its shifts: (line, column in the new text, characters that were added there)."""
        parts: list[str] = []
        shifts: list[tuple[int, int, int]] = []
        position, line_now, added = 0, 0, 0
        for edit in sorted(self._edits, key=lambda edit: (edit.start, edit.order)):
            parts += [self._text[position : edit.start], edit.text]
            position = edit.end
            grown = len(edit.text) - (edit.end - edit.start)
            if grown:
                line, column = self._source.position(edit.start)
                added = added if line == line_now else 0
                shifts.append((line, column + added, grown))
                line_now, added = line, added + grown
        parts.append(self._text[position:])
        return "".join(parts), tuple(shifts)


def original_column(
    shifts: tuple[tuple[int, int, int], ...], line: int, column: int, written: str, original: str
) -> int:
    """The column, in the line `original`, of what is at `column` of that line as it was `written` anew.

    Of what was added, which repeats parts of the text behind it: the column of the part, or else of the edit.
    """
    added = 0
    for at_line, at, grown in shifts:
        if at_line == line and at <= column:
            if column < at + grown:
                return _repeated(written[column - 1 : at - 1 + grown], original, at - added)
            added += grown
    return max(1, column - added)


def _repeated(text: str, original: str, column: int) -> int:
    """Where in `original`, from `column` on, the most tokens that `text` begins with are; `column` if none is."""
    wanted = _TOKEN.findall(text)
    behind = [*_TOKEN.finditer(original, column - 1)]

    def alike(first: int) -> int:
        pairs = zip(wanted, islice(behind, first, None), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1][0], pairs))

    best = max(range(len(behind)), key=alike, default=0)
    return behind[best].start() + 1 if behind and alike(best) else column
