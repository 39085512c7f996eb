"""The form of the server's commands: what they take, what they print, and how they end when something is wrong.

Must not know what a command does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from api.errors import MalformedJson
from api.http.body import parse_json
from shaders.errors import KernelgateError

Command = Callable[[Sequence[str]], int]


def command(run: Command) -> Command:
    """`run`, which ends with status 1 and says why where something is wrong, or 2 where it is called wrongly."""

    @wraps(run)
    def whole(argv: Sequence[str]) -> int:
        as_json = "--json" in argv
        try:
            return run(argv)
        except _WrongUsage as error:
            _complain(as_json, "wrong_usage", "The command is not called so", str(error), error.hint)
            return 2
        except KernelgateError as error:
            _complain(as_json, error.code, error.title, error.message, error.hint)
        except OSError as error:
            told = f"{error.filename}: {error.strerror}" if error.filename else str(error)
            _complain(as_json, "bad_argument", "A file or a value cannot be used", told)
        return 1

    return whole


class _WrongUsage(Exception):
    """Arguments that a command does not take."""

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message)
        self.hint = f"`{command} --help` shows what there is."


class Parser(argparse.ArgumentParser):
    """Says of wrong usage what is wrong, not all that is right."""

    def error(self, message: str) -> NoReturn:
        raise _WrongUsage(message, self.prog)


def _complain(as_json: bool, code: str, title: str, detail: str, hint: str | None = None) -> None:
    """Tell of a problem on stderr, as the client's commands do: in words, or as a document on one line."""
    if as_json:
        document = {"title": title, "detail": detail, "code": code} | ({"hint": hint} if hint else {})
        print(msgspec.json.encode(document).decode(), file=sys.stderr)
    else:
        print(f"kernelgate: {detail}", *([hint] if hint else []), sep="\n", file=sys.stderr)


def json_file(path: Path) -> Any:
    """What a file of JSON holds. Raises OSError, `MalformedJson`."""
    try:
        return parse_json(path.read_bytes())
    except MalformedJson as error:
        raise MalformedJson(f"{path} is not valid JSON: {error.message}") from None


def add_json(parser: argparse.ArgumentParser) -> None:
    """Let a command take `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")


def tell(as_json: bool, document: Any, text: str) -> None:
    """Print `document` as JSON, or else `text`."""
    print(msgspec.json.encode(document).decode() if as_json else text)
