"""What a script catches when the host says no.

Owns the exceptions. Must not know gates.
"""

from __future__ import annotations

from shaders.errors import ErrorRecord


class PermissionDenied(PermissionError):
    """A gate is closed. `hint` names the grant that would open it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class HostError(RuntimeError):
    """A request failed: `code` says how, as in the documentation of errors."""

    def __init__(self, record: ErrorRecord) -> None:
        super().__init__(record.message)
        self.code = record.code
        self.hint = record.hint
        self.record = record


class BadScript(SyntaxError):
    """A stored script can not be imported, because its text is not Python or the policy refuses it."""

    def __init__(self, record: ErrorRecord) -> None:
        super().__init__(record.message)
        self.record = record


PermissionDenied.__module__ = HostError.__module__ = BadScript.__module__ = "builtins"
BadScript.__name__ = BadScript.__qualname__ = "SyntaxError"
