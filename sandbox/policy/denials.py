"""What a script catches when it asks for something that it was not granted.

Owns the exception. Must not know gates.
"""

from __future__ import annotations


class PermissionDenied(PermissionError):
    """A gate is closed. `hint` names the grant that would open it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


PermissionDenied.__module__ = "builtins"
