"""What a script catches when the host says no.

Owns the exceptions, and the mark on an exception of Python's that stands for an error of the host's. Must not know
gates.
"""

from __future__ import annotations

from typing import TypeVar

from ops.loose import Json
from shaders.errors import ErrorRecord

E = TypeVar("E", bound=BaseException)


class PermissionDenied(PermissionError):
    """A gate is closed: which, what was `asked` of it, and the `grant` of a run that would open it."""

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        gate: str | None = None,
        asked: str | None = None,
        grant: dict[str, Json] | None = None,
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.gate = gate
        self.asked = asked
        self.grant = grant


class HostError(RuntimeError):
    """A request failed: `code` says how, as in the documentation of errors."""

    def __init__(self, record: ErrorRecord) -> None:
        super().__init__(record.message)
        self.message = record.message
        self.code = record.code
        self.hint = record.hint
        self.record = record


class BadScript(SyntaxError):
    """A stored script cannot be imported, because its text is not Python or the policy refuses it."""

    def __init__(self, record: ErrorRecord) -> None:
        super().__init__(record.message)
        self.record = record


def standing_for(record: ErrorRecord, error: E) -> E:
    """`error`, which a run that it ends reports as `record`'s, with its code and hint."""
    error._record = record  # type: ignore[attr-defined]
    return error


def record_behind(error: BaseException) -> ErrorRecord | None:
    """The host's error that `error` stands for."""
    record = getattr(error, "_record", None)
    return record if isinstance(record, ErrorRecord) else None


PermissionDenied.__module__ = HostError.__module__ = BadScript.__module__ = "builtins"
BadScript.__name__ = BadScript.__qualname__ = "SyntaxError"
