"""What went wrong, told on stderr: words for people, and with `--json` a document for programs (RFC 9457), on one line.

Owns both forms, and the codes of what no server said. Must not know what commands do.
"""

from __future__ import annotations

import json
import sys

from kernelgate.errors import ApiError

TITLES = {
    "wrong_usage": "The command is not called so",
    "bad_argument": "A file or a value cannot be used",
    "extra_missing": "A package that the command needs is not installed",
}
"""What each code means that commands have of their own."""


class WrongUsage(Exception):
    """Arguments that a command does not take."""

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message)
        self.hint = f"`{command} --help` shows what there is."


def complain(problem: object, as_json: bool = False, code: str = "bad_argument") -> None:
    """Tell of a problem: an `ApiError`, or any other, which `code` is for."""
    if isinstance(problem, ApiError):
        text, document = str(problem), problem.document()
    else:
        hint = {"hint": problem.hint} if isinstance(problem, WrongUsage) else {}
        text = "\n".join([str(problem), *hint.values()])
        document = {"title": TITLES[code], "detail": str(problem), "code": code, **hint}
    told = json.dumps(document, ensure_ascii=False) if as_json else f"kernelgate: {text}"
    print(told, file=sys.stderr)
