"""From an exception to what its author may read: their own frames, with line, column and caret.

Owns the reading of traceback objects. Frames that are not the script's are left out, private names are shown as
written. Must not know processes.
"""

from __future__ import annotations

import itertools
import linecache
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.policy.compiler import FILENAME, character_column
from sandbox.policy.denials import HostError
from sandbox.policy.names import unmangle
from shaders.errors import KernelgateError, caret, lines_of

MAX_FRAMES = 20
MAX_TEXT = 2000
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
            line, column = _position(code, chain.tb_lasti)
            line = line or chain.tb_lineno or 1
            source = _sources[code.co_filename]
            offset = character_column(source, line, column) if column is not None else 1
            yield Place(code.co_filename, line, offset, unmangle(code.co_name))
        chain = chain.tb_next


def _position(code: types.CodeType, instruction: int) -> tuple[int | None, int | None]:
    position = next(itertools.islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    return position[0], position[2]


def snippet(place: Place) -> str:
    """The line of `place` with a caret under its column."""
    return caret(_sources.get(place.filename, ""), place.line, place.column)


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
