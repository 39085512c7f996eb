"""The error that crosses every wall of Kernelgate, and its serialised form.

Owns the base class and the registry of stable codes; it lives in the lowest folder because every folder
raises it. Must not know HTTP: `api/http/problems.py` is the one place that maps codes to statuses.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec


class ErrorRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error as it travels between processes and into a run's record."""

    code: str
    message: str
    hint: str | None = None
    line: int | None = None
    column: int | None = None
    snippet: str | None = None


class KernelgateError(Exception):
    """Base of every error that a user may see.

    A subclass has a `code` that never changes and a `title` that says what the code means. The message
    names the thing and the limit; the hint says what to do next, where none is given the `remedy` of the class; line
    and column (both from 1) and the snippet with its caret point into the user's own text.
    """

    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something failed inside Kernelgate"
    remedy: ClassVar[str | None] = None
    _classes: ClassVar[dict[str, type[KernelgateError]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "code" in cls.__dict__:
            other = KernelgateError._classes.setdefault(cls.code, cls)
            if other.__qualname__ != cls.__qualname__ or other.__module__ != cls.__module__:
                raise TypeError(f"two error classes claim the code {cls.code!r}")

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        line: int | None = None,
        column: int | None = None,
        snippet: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.remedy
        self.line = line
        self.column = column
        self.snippet = snippet

    def record(self) -> ErrorRecord:
        """The serialised form of this error."""
        return ErrorRecord(self.code, self.message, self.hint, self.line, self.column, self.snippet)

    @staticmethod
    def from_record(record: ErrorRecord) -> KernelgateError:
        """The error that `record` describes, of its own class when this process has imported that class."""
        cls = KernelgateError._classes.get(record.code)
        if cls is None:
            error = KernelgateError(record.message)
            error.code = record.code  # type: ignore[misc]  # an unknown code keeps its name
        else:
            error = cls.__new__(cls)
            KernelgateError.__init__(error, record.message)
        error.hint, error.line, error.column, error.snippet = (
            record.hint,
            record.line,
            record.column,
            record.snippet,
        )
        return error

    @staticmethod
    def catalogue() -> dict[str, type[KernelgateError]]:
        """Every code that this process has imported, with its class."""
        return dict(KernelgateError._classes)


def lines_of(source: str) -> list[str]:
    """The lines of a text, each with its line feed, as Python and jinja2 count them: `str.splitlines` sees more."""
    *lines, last = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [f"{each}\n" for each in lines] + [last] * bool(last)


def caret(source: str, line: int, column: int) -> str:
    """The source line `line` with a caret under `column` (both from 1); long lines are cut to a window."""
    lines = [each.rstrip("\n") for each in lines_of(source)]
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    start = max(0, column - 1 - 60) if len(text) > 120 else 0
    window = text[start : start + 120].expandtabs(1)
    pad = max(0, min(column - 1 - start, len(window)))
    return f"{window}\n{' ' * pad}^"
