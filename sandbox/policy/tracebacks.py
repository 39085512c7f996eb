"""From an exception to what its author may read: their own frames, with line, column and caret.

Owns the reading of traceback objects. Frames that are not the script's are left out, private names are shown as
written. Must not know processes.
"""

from __future__ import annotations

import ast
import asyncio
import itertools
import linecache
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandbox.policy.compiler import FILENAME, character_column
from sandbox.policy.denials import HostError
from sandbox.policy.names import unmangle
from shaders.errors import KernelgateError, caret, lines_of

MAX_FRAMES = 20
MAX_TEXT = 2000
Instruction = tuple[types.CodeType, int, int | None]
"""A code object, an offset in it, and the line if it is known."""
_sources: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a script: file, line and column (from 1), and the function around it."""

    filename: str
    line: int
    column: int
    function: str


def remember(source: str, filename: str = FILENAME) -> None:
    """Keep `source`, so that places in `filename` can be shown."""
    _sources[filename] = source


def show_to_library() -> None:
    """Let Python's own tracebacks show the lines of the scripts that are kept."""
    for filename, source in _sources.items():
        linecache.cache[filename] = (len(source), None, lines_of(source), filename)


def source_of(filename: str) -> str:
    """The kept text of a script; of one that is not kept, none."""
    return _sources.get(filename, "")


def is_script(filename: str) -> bool:
    """Whether code of `filename` is a script's."""
    return filename in _sources


def stored_filename(name: str) -> str:
    """What tracebacks call stored script `name`."""
    return f"<script {name}>"


def script_name(filename: str) -> str:
    """What people call the script behind a traceback's `filename`."""
    return filename.strip("<>")


def places(chain: types.TracebackType | None) -> list[Place]:
    """The script's own frames of `chain`, outermost first; the middle of a long chain is left out."""
    found = list(_places(chain))
    return found if len(found) <= MAX_FRAMES else found[: MAX_FRAMES // 2] + found[-MAX_FRAMES // 2 :]


def _places(chain: types.TracebackType | None) -> Iterator[Place]:
    while chain is not None:
        code = chain.tb_frame.f_code
        if code.co_filename in _sources:
            yield place(code, chain.tb_lasti, chain.tb_lineno)
        chain = chain.tb_next


def last_instruction(chain: types.TracebackType | None) -> Instruction | None:
    """The script's innermost instruction in `chain`, for `place`. Makes next to nothing: memory may be used up."""
    found = None
    while chain is not None:
        if chain.tb_frame.f_code.co_filename in _sources:
            found = chain
        chain = chain.tb_next
    return (found.tb_frame.f_code, found.tb_lasti, found.tb_lineno) if found is not None else None


def innermost(frame: types.FrameType | None) -> Place | None:
    """Where the script is that `frame` runs, or was called by; None where that is no script."""
    while frame is not None and frame.f_code.co_filename not in _sources:
        frame = frame.f_back
    return place(frame.f_code, frame.f_lasti, frame.f_lineno) if frame is not None else None


def awaiting() -> Place | None:
    """Where a task of the running loop waits: of several the one that is first in the text. None without a loop."""
    tasks = asyncio.all_tasks() if asyncio._get_running_loop() is not None else ()
    found = [place for task in tasks if (place := _awaits(task.get_coro())) is not None]
    return min(found, key=lambda place: (place.filename != FILENAME, place.line), default=None)


def _awaits(coroutine: Any) -> Place | None:
    found = None
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        found = innermost(frame) or found
        coroutine = coroutine.cr_await
    return found


def place(code: types.CodeType, instruction: int, known_line: int | None) -> Place:
    """The place of an instruction of a script's `code`: where its expression begins, or the index of a subscript."""
    nowhere = (None, None, None, None)
    position = next(itertools.islice(code.co_positions(), instruction // 2, None), nowhere)
    line, column = position[0] or known_line or 1, 1
    if (offset := position[2]) is not None:
        source = _sources[code.co_filename]
        if position[0] == position[1]:
            offset += _index_in(_line(source, line)[offset : position[3]])
        column = character_column(source, line, offset)
    return Place(code.co_filename, line, column, unmangle(code.co_name))


def _line(source: str, line: int) -> bytes:
    return source.split("\n")[line - 1].encode()


def _index_in(expression: bytes) -> int:
    """Where the bracket of an index stands, if `expression` is a subscript: `y[x[i]]` and `y` begin alike."""
    if not expression.endswith(b"]"):
        return 0
    try:
        node = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    return expression.rfind(b"[", 0, node.slice.col_offset) if isinstance(node, ast.Subscript) else 0


def snippet(place: Place) -> str:
    """The line of `place` with a caret under its column."""
    return caret(source_of(place.filename), place.line, place.column)


def describe(error: BaseException) -> str:
    """`Type: message`, with private names as written; never raises, whatever the exception's `__str__` does.

    Errors of ours say the message alone: their classes are no names that scripts know.
    """
    if isinstance(error, KernelgateError | HostError):
        return error.message[:MAX_TEXT]
    kind = unmangle(type(error).__qualname__)
    try:
        text = str(error)
    except BaseException:
        return kind
    return unmangle(f"{kind}: {text}" if text else kind)[:MAX_TEXT]


def script_traceback(error: BaseException) -> str:
    """As CPython prints it, with what it was raised from, but the script's own frames only."""
    show_to_library()
    report = traceback.TracebackException.from_exception(error)
    waiting: list[traceback.TracebackException | None] = [report]
    while waiting:
        part = waiting.pop()
        if part is not None:
            part.stack[:] = [frame for frame in part.stack if is_script(frame.filename)]
            waiting += [part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())]
    return unmangle("".join(report.format()))


def exception_only(error: BaseException) -> list[str]:
    """`traceback.format_exception_only`."""
    report = traceback.TracebackException.from_exception(error)
    return [unmangle(line) for line in report.format_exception_only()]
