"""What a docstring says of a function, its arguments and its result.

Owns the reading of the usual styles: Google's `name: text`, Sphinx's `:param name: text`, and NumPy's `name : type`
with the text below. Must not know Python's syntax.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from dataclasses import dataclass, field

MAX_READ = 10_000
"""Characters of a docstring that are read."""
MAX_TEXT = 500
"""Characters of a description."""
_ARGUMENT = re.compile(r":?(?:param (?:[^\s:]+ )?)?\*{0,2}(\w+)( ?\([^()]*\))?( ?):(?: +(\S.*))?")
_RESULT = re.compile(r"(?::returns?|Returns?):(?: +(\S.*))?")
_HEADINGS = ("args", "arguments", "parameters", "inputs", "returns", "raises", "yields", "examples", "notes")


@dataclass(slots=True)
class Described:
    """The text before any section, and those of the arguments and the result."""

    summary: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    result: str = ""


def read(text: str | None, arguments: Collection[str]) -> Described:
    """What the docstring `text` says; `arguments` are the names that it may describe."""
    found = Described()
    lines = inspect.cleandoc((text or "")[:MAX_READ]).split("\n")
    summary: list[str] = []
    in_summary = True
    for number, line in enumerate(lines):
        begun = line.strip()
        if (match := _ARGUMENT.fullmatch(begun)) and match.group(1) in arguments:
            first = "" if match.group(3) else match.group(4) or ""
            found.arguments.setdefault(match.group(1), _joined(first, lines[number:]))
            in_summary = False
        elif match := _RESULT.fullmatch(begun):
            found.result = _joined(match.group(1) or "", lines[number:])
            in_summary = False
        elif begun.rstrip(":").lower() in _HEADINGS or begun.startswith(":"):
            in_summary = False
        elif in_summary:
            summary.append(begun)
    found.summary = cut(" ".join(filter(None, summary)))
    return found


def _joined(first: str, lines: list[str]) -> str:
    """`first` and the lines that are indented below the first of `lines`."""
    depth = _indent(lines[0])
    below = []
    for line in lines[1:]:
        if not line.strip() or _indent(line) <= depth:
            break
        below.append(line.strip())
    return cut(" ".join(filter(None, [first, *below])))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def cut(text: str) -> str:
    """`text` as a description: short, and whole Unicode."""
    return text[:MAX_TEXT].encode("utf-8", "backslashreplace").decode()
