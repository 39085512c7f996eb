"""What the client raises when the server says no, or when nobody answers.

Owns the exception classes of the public face. Must not know the server's own error classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """The server refused a request, or a run failed.

    `code` never changes for the same fault; `status` is the HTTP status (0 when none came). `line` and `column`
    (from 1) and `snippet` point into the script or kernel that was sent.
    """

    def __init__(self, problem: Mapping[str, Any], status: int = 0) -> None:
        self._problem = dict(problem)
        self.status = status or int(problem.get("status") or 0)
        self.code = str(problem.get("code") or "unknown")
        self.title = str(problem.get("title") or "")
        self.detail = str(problem.get("detail") or problem.get("message") or self.title)
        self.hint: str | None = problem.get("hint")
        self.line: int | None = problem.get("line")
        self.column: int | None = problem.get("column")
        self.snippet: str | None = problem.get("snippet")
        super().__init__(self.detail)

    def document(self) -> dict[str, Any]:
        """The problem document (RFC 9457), as the server sent it, with what is known besides."""
        hint = {"hint": self.hint} if self.hint else {}
        return {**self._problem, "title": self.title, "detail": self.detail, "code": self.code, **hint}

    def __str__(self) -> str:
        place = "" if self.line is None else f" (line {self.line}, column {self.column or 1})"
        parts = [f"{self.detail} [{self.code}]{place}", self.snippet, self.hint]
        return "\n".join(part for part in parts if part)


_NOBODY = "Start one with `kernelgate serve`, or name another address with KERNELGATE_URL."
_NO_TLS = "What answers there speaks no TLS: is the address one that begins with http://?"


class NoServer(ApiError):
    """Nobody answers at the address."""

    def __init__(self, url: str, reason: object) -> None:
        plain = "WRONG_VERSION_NUMBER" in str(reason)
        super().__init__(
            {
                "code": "no_server",
                "title": "No server answers",
                "detail": f"no Kernelgate answers at {url}: {reason}",
                "hint": _NO_TLS if plain else _NOBODY,
            }
        )
