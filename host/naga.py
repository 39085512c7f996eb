"""What the compiler says of a text, read back: what is wrong, where in the text, and what to do.

naga writes for a terminal: a title, the lines that it is about with marks below them, and notes. Owns reading that; the
words are `naga_words.py`. Must not know kernels or devices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from host.errors import KernelCompileError
from host.naga_words import NO_CONDITION, advice, worded
from shaders.errors import caret

_MOST = 500
"""Characters of a message."""
_TAB = 4
"""Columns of a tab in what naga prints."""
_TITLE = re.compile(r"(?:parsing|validation) error: ([^\n]+)")
_REMARK = re.compile(r"^ *= (note: )?([^\n]+)$", re.MULTILINE)
_LINE = re.compile(r" *(\d+) │ ")
_BELOW = re.compile(r" +│ ")
_FUNCTION = "naga::ir::Function"
_SAYS_NOTHING = re.compile(
    r"naga::.*|see msg|unknown identifier|definition of .*|must be a reference .*"
    r"|.* not supported here|.* is needed for this .*"
)
_WORD = re.compile(r"\w+")
_ALLOWED = "allowed type: "
_HAD_BY_NO_KERNEL = re.compile(r"f64|Abstract")

_MISSING = re.compile(r"expected `.+`, found |expected \w+, found `[;)\]}]`")
"""What a message says before whose place something is missing; else what is there is wrong."""
_LOGICAL = re.compile(r"&&|\|\|")
_LOOKED_AT = 500
"""Characters before a mark that are looked at."""
_LET = re.compile(r"\blet\s+(\w+)[^;=]*=\s*$")
_JUDGED = r"\b(?:if|while)\b[\s(]*\b({0})\b[\s)]*\{{|;\s*({0})\s*;"
"""A name that alone is the condition of an `if`, a `while` or a `for`."""


@dataclass(frozen=True, slots=True, order=True)
class _Mark:
    """A part of the text that is marked, by where it begins (from 1), and what is said of it."""

    line: int
    column: int
    says: str


def compile_error(report: str, source: str) -> KernelCompileError:
    """The error that `report`, as wgpu gives it, tells of `source`; its place is that of naga's last mark.

    Those before it say what the last is held against: `x *= 2.0f` is marked at `x`, whose type is needed, and `2.0f`.
    """
    title = _TITLE.search(report)
    if title is None:
        return KernelCompileError(plain(report))
    marks = [*_marks(report, source)]
    mark = max([each for each in marks if not each.says.startswith(_FUNCTION)] or marks, default=None)
    remarks = _REMARK.findall(report)
    reasons = [worded(text) for note, text in remarks if not note]
    hint = _hint([worded(text) for note, text in remarks if note])
    message = _message(worded(title[1]), reasons, mark)[:_MOST]
    hint = hint or advice(message, source)
    mark = _only_operator(source) if mark is None and _LOGICAL.search(message) else mark
    if mark is None:
        return KernelCompileError(message, hint=hint)
    if message.startswith(NO_CONDITION):
        mark = _condition(mark, source)
    if _MISSING.match(message):
        mark = _gap(mark, source)
    snippet = caret(source, mark.line, mark.column)
    return KernelCompileError(message, hint=hint, line=mark.line, column=mark.column, snippet=snippet)


def _only_operator(source: str) -> _Mark | None:
    """The one `&&` or `||` of a text; of several naga does not say which it means."""
    places = [found.start() for found in _LOGICAL.finditer(source)]
    return _at(source, places[0]) if len(places) == 1 else None


def _condition(mark: _Mark, source: str) -> _Mark:
    """Where a name is the condition: naga marks what a `let` was given, and means the name where it is judged."""
    lines = source.split("\n")
    declared = _LET.search(lines[mark.line - 1][: mark.column - 1][-_LOOKED_AT:])
    if declared is None:
        return mark
    behind = sum(map(len, lines[: mark.line - 1])) + mark.line - 1 + mark.column - 1
    judged = re.compile(_JUDGED.format(declared[1])).search(source, behind)
    return mark if judged is None else _at(source, judged.start(judged.lastindex or 0))


def _at(source: str, offset: int) -> _Mark:
    line = source.count("\n", 0, offset) + 1
    return _Mark(line, offset - source.rfind("\n", 0, offset), "")


def _gap(mark: _Mark, source: str) -> _Mark:
    """Where what is missing before `mark` belongs: behind the text of an earlier line, if there is none in its own."""
    lines = source.split("\n")
    if lines[mark.line - 1][: mark.column - 1].strip():
        return mark
    before = [
        (line, len(text.rstrip()) + 1) for line, text in enumerate(lines[: mark.line - 1], 1) if text.strip()
    ]
    return _Mark(*before[-1], mark.says) if before else mark


def plain(report: str) -> str:
    """The causes in a wgpu error's text, on one line, without the names of its functions."""
    lines = [line.strip() for line in report.splitlines()]
    kept = [
        line for line in lines if line and not line.startswith(("Validation Error", "Caused by", "In wgpu"))
    ]
    return "; ".join(kept)[:_MOST] or "unknown"


def _message(title: str, reasons: list[str], mark: _Mark | None) -> str:
    """The last reason, which is the inmost; without one the title, with what is said of the mark."""
    if reasons:
        return f"{title}: {reasons[-1]}" if mark is None else reasons[-1]
    says = "" if mark is None or _SAYS_NOTHING.fullmatch(mark.says) else worded(mark.says)
    return title if set(_WORD.findall(says)) <= set(_WORD.findall(title)) else f"{title}: {says}"


def _hint(notes: list[str]) -> str | None:
    """Notes as sentences; the types that are allowed are a list, of those that a kernel may have."""
    types = [note.removeprefix(_ALLOWED) for note in notes if note.startswith(_ALLOWED)]
    listed = ", ".join(each for each in types if not _HAD_BY_NO_KERNEL.search(each))
    text = " ".join([*(note for note in notes if not note.startswith(_ALLOWED)), listed]).strip()
    return f"{text[0].upper()}{text[1:].rstrip('.?')}." if text else None


def _marks(report: str, source: str) -> Iterator[_Mark]:
    """Every mark, in no order.

    A row of the text has what follows it below in the same columns. What goes over several lines is drawn at its left:
    it begins at `╭` or at the `^` behind it, and ends, with what is said of it, behind `╰`.
    """
    lines, opened = source.split("\n"), dict[int, _Mark]()
    line, text, start = 0, "", 0
    for row in report.split("\n"):
        if (found := _LINE.match(row)) and int(found[1]) <= len(lines):
            line, text = int(found[1]), lines[int(found[1]) - 1].rstrip()
            start = len(row.rstrip()) - len(text.expandtabs(_TAB))
            if (left := row.find("╭", 0, start)) >= 0:
                opened[left] = _Mark(line, len(text) - len(text.lstrip()) + 1, "")
        elif line and _BELOW.match(row):
            if (left := row.find("╭", 0, start)) >= 0:
                opened[left] = _Mark(line, _column(text, row.find("^") - start), "")
            elif (left := row.find("╰", 0, start)) in opened:
                yield replace(opened[left], says=row.partition("^ ")[2])
            else:
                for drawn, says in _below(row[start:]):
                    yield _Mark(line, _column(text, drawn), says)


def _below(body: str) -> Iterator[tuple[int, str]]:
    """The marks in a row below the text, by where they are drawn: `^ ^^ said of the last`, or `│ │ said of a third`."""
    runs = re.match(r"[ ^]*", body)
    assert runs is not None
    if "^" not in runs[0]:
        said = body.lstrip(" │")
        if said:
            yield len(body) - len(said), said
        return
    *others, last = re.finditer(r"\^+", runs[0])
    for other in others:
        yield other.start(), ""
    yield last.start(), body[runs.end() :]


def _column(text: str, drawn: int) -> int:
    """The column (from 1) of what is drawn behind `drawn` characters of a line, whose tabs are drawn as blanks."""
    width = 0
    for column, character in enumerate(text, 1):
        if width >= drawn:
            return column
        width += _TAB - width % _TAB if character == "\t" else 1
    return len(text) + 1
