"""What the compiler says of a text, read back: what is wrong, where in the text, and what to do.

naga writes for a terminal: a title, the lines that it is about with marks below them, and notes. Owns reading that, and
the words for what naga says in its own. Must not know kernels or devices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from host.errors import KernelCompileError
from shaders.errors import caret
from shaders.resolve import FOREIGN_TYPES
from shaders.suggestions import meant

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

_OPEN = "the array of a variable has a length"
_WORDS = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"Scalar \{ kind: Bool, width: 1 \}", "bool"),
        (r"Scalar \{ kind: Uint, width: 4 \}", "u32"),
        (r"Scalar \{ kind: Sint, width: 4 \}", "i32"),
        (r"Scalar \{ kind: Float, width: 4 \}", "f32"),
        (r"Scalar \{ kind: Float, width: 2 \}", "f16"),
        (r"Scalar \{ kind: (Abstract\w+), width: 8 \}", r"\1"),
        (r"(size|columns|rows): Bi\b", r"\1: 2"),
        (r"(size|columns|rows): Tri\b", r"\1: 3"),
        (r"(size|columns|rows): Quad\b", r"\1: 4"),
        (r"Scalar\((\w+)\)", r"\1"),
        (r"Vector \{ size: (\d), scalar: (\w+) \}", r"vec\1<\2>"),
        (r"Matrix \{ columns: (\d), rows: (\d), scalar: (\w+) \}", r"mat\1x\2<\3>"),
        (r"\[\d+\] \(of type ([^)]+)\)", r"`\1`"),
        (r"\{(Abstract\w+)\}", r"\1"),
        (r'found "([^"]*)"', r"found `\1`"),
        (r"\b[UI]32\((-?\d+)\)", r"\1"),
        (r"no definition in scope for identifier: (`\w+`)", r"\1 is not defined"),
        (r"type mismatch for reject and accept values in `select` call", "two values must be of one type"),
        (r"(?:accept|reject) value of type", "this one is of type"),
        (r"The `return` expression None does .*", "every path must return a value of the declared type"),
        (r"The `return` expression .* type None", "the function gives nothing, so nothing can be returned"),
        (r"The `return` expression .*", "what is returned is not of the declared type"),
        (r"Argument \d+ value \[\d+\] doesn't .*", "the argument is not of the parameter's type"),
        (r"Requires \d+ arguments, but \d+ are provided", "the call has too few or too many arguments"),
        (r"The pointer \[\d+\] doesn't relate to .* store", "this cannot be written"),
        (r"The `if` condition \[\d+\] is not a boolean scalar", "the condition is not a `bool`"),
        (r"Accessing index (\d+) is out of \[\d+\] bounds", r"the index is outside: there are \1 elements"),
        (r"Accessing with index \[\d+\] can't be done", "the index is no `i32` or `u32`"),
        (r"(Operation \w+) can't work with \[\d+\]$", r"\1 can't work with this value"),
        (r"Type flags TypeFlags.* TypeFlags\(DATA \| SIZED\)", _OPEN),
        (r"Local variable has a type \[\d+\] that can't be stored .*", _OPEN),
        (r"Array length of \[\d+\] can't be done", "this is no pointer to an array whose length is open"),
        (
            r"Incompatible operands: Logical(?:And|Or)\((\w+), _\)",
            r"`&&` and `||` take bools, and this is `\1`",
        ),
        (r"Abstract types may only appear in constant .*", "this number is not of the type that it meets"),
        (r"Loading of \[\d+\] can't be done", "this cannot be read as a value"),
        (r"The type of \[\d+\] doesn't match the .*", "the value is not of the type that is needed here"),
        (r"function '\w+' is declared with `@must_use` attribute", ""),
        (r" for expression \[\d+\]", ""),
        (r" \[\d+\]", ""),
    )
]
"""What naga says by numbers and types of its own, and how it is said here; in this order, all that are found."""

_NO_CONDITION = "the condition is not a `bool`"
_SCALAR = r"`(?:[iuf]32|f16|Abstract\w+)`"
_CONVERT = "Numbers keep their type: write f32(x), i32(x) or u32(x), and numbers as 2.0, 2i or 2u."
_ADVICE = {
    re.compile(pattern): hint
    for pattern, hint in (
        (rf"Operation \w+ can't work with {_SCALAR} and {_SCALAR}", _CONVERT),
        (rf"cannot convert elements of {_SCALAR} to {_SCALAR}", _CONVERT),
        (rf"is expected to be {_SCALAR}, but got {_SCALAR}", _CONVERT),
        (
            r"two values must be of one type|this number is not of|is not of the (?:parameter's|declared)",
            _CONVERT,
        ),
        (
            r"^this cannot be written",
            "What a kernel writes is var<storage, read_write>, or var in a function.",
        ),
        (rf"^{_NO_CONDITION}|take bools, and this", "Compare it, as x != 0."),
        (r"^this cannot be read as a value", "Of an array take elements, as x[i]; arrayLength takes &x."),
        (rf"^{_OPEN}", "As array<f32, 64>: a binding alone may leave it open."),
        (
            r"^the function gives nothing",
            "What it gives stands in its head, as fn f() -> f32; main gives nothing.",
        ),
        (
            r"^Unexpected runtime-expression|in a const context",
            "A const is known before the kernel runs: for what is not, write let.",
        ),
        (r"^expected .*, found `(?:and|or|not)`", "Write && for and, || for or, ! for not."),
        (r"^expected expression, found `\[`", "An array is written array(1, 2, 3)."),
        (r"^this is no pointer to an array", "As arrayLength(&x), of an array<T> in a binding."),
        (r"^increment/decrement operation requires", "What changes is declared with var, of i32 or u32."),
        (r"^the operand of the `\*` operator must be", "A power is pow(x, y)."),
        (r"^expected assignment or .*, found `\w", "What is declared begins with let or var, as var i = 3;."),
        (r"^expected .*, found `(?:\+\+|--)`", "Write i++ or i--: they stand behind, as statements."),
        (
            r"^Cannot apply the unary op|work with this value$",
            "`-` takes i32 and floats, `~` whole numbers, `!` bool.",
        ),
        (
            r"^invalid field accessor",
            "A vector has x, y, z and w as far as it is long, a struct its members.",
        ),
        (
            r"^expected `;`, found `(?:[dDFLU]|[uU]?[lL]+)`",
            "Numbers end in f, h, i or u, as 1.0f and 2u, or in nothing.",
        ),
        (
            r"^expected `;`, found `{`",
            "A block stands behind if, else if, else, for, while, loop, switch; none else.",
        ),
        (r"^expected `;`", "The statement before it ends with `;`."),
        (r"^expected `\)`, found `=`", "Values are compared by `==`; `=` is a statement."),
        (r"^expected `\)`", "What stands in parentheses has `,` between, and `)` behind."),
    )
}
"""What to do about a message of which naga says nothing more."""
_MISSING = re.compile(r"expected `.+`, found |expected \w+, found `[;)\]}]`")
"""What a message says before whose place something is missing; else what is there is wrong."""
_LOGICAL = re.compile(r"&&|\|\|")
_LET = re.compile(r"\blet\s+(\w+)[^;=]*=\s*$")
_JUDGED = r"\b(?:if|while)\b[\s(]*\b({0})\b[\s)]*\{{|;\s*({0})\s*;"
"""A name that alone is the condition of an `if`, a `while` or a `for`."""
_UNDEFINED = re.compile(r"`(\w+)` is not defined")
_NAMED = re.compile(r"\b([A-Za-z]\w*)(?=\s*[:=(])")
"""What is declared, assigned or called."""
_LOOKED_AT = 500
"""Characters before a mark, and names of a text, that are looked at."""
_FUNCTIONS = re.findall(
    r"\w+",
    "abs acos all any asin atan atan2 atomicAdd atomicAnd atomicLoad atomicMax atomicMin atomicOr atomicStore "
    "atomicXor bitcast ceil clamp cos countOneBits cross degrees determinant distance dot exp exp2 floor fma fract "
    "inverseSqrt length log log2 max min mix modf normalize pow radians reverseBits round select sign sin smoothstep "
    "sqrt step storageBarrier tan tanh transpose trunc workgroupBarrier",
)
"""Functions of WGSL that one may have meant."""


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
    reasons = [_worded(text) for note, text in remarks if not note]
    hint = _hint([_worded(text) for note, text in remarks if note])
    message = _message(_worded(title[1]), reasons, mark)[:_MOST]
    hint = hint or _advice(message, source)
    mark = _only_operator(source) if mark is None and _LOGICAL.search(message) else mark
    if mark is None:
        return KernelCompileError(message, hint=hint)
    if message.startswith(_NO_CONDITION):
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
    says = "" if mark is None or _SAYS_NOTHING.fullmatch(mark.says) else _worded(mark.says)
    return title if set(_WORD.findall(says)) <= set(_WORD.findall(title)) else f"{title}: {says}"


def _hint(notes: list[str]) -> str | None:
    """Notes as sentences; the types that are allowed are a list, of those that a kernel may have."""
    types = [note.removeprefix(_ALLOWED) for note in notes if note.startswith(_ALLOWED)]
    listed = ", ".join(each for each in types if not _HAD_BY_NO_KERNEL.search(each))
    text = " ".join([*(note for note in notes if not note.startswith(_ALLOWED)), listed]).strip()
    return f"{text[0].upper()}{text[1:].rstrip('.?')}." if text else None


def _advice(message: str, source: str) -> str | None:
    """What to do where naga does not say: by the kind of message, or the names that the text has."""
    if undefined := _UNDEFINED.fullmatch(message):
        if undefined[1] in FOREIGN_TYPES:
            return f"Write {FOREIGN_TYPES[undefined[1]]}."
        names = dict.fromkeys(found[1] for found in islice(_NAMED.finditer(source), _LOOKED_AT))
        return meant(undefined[1], [*(name for name in names if name != undefined[1]), *_FUNCTIONS]) or None
    return next((hint for pattern, hint in _ADVICE.items() if pattern.search(message)), None)


def _worded(text: str) -> str:
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return text


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
