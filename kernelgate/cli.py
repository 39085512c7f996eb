"""The command `kernelgate`.

Owns what all commands share: the exit status, and where a command is found. The server's
commands (`serve`, `doctor`, `keys`, …) are found by entry point, so that it works where no server is installed; the
client's, in `kernelgate/commands/`, are imported when one is called, so that the server's need no extra. Must not
import the server's folders.

Exit statuses: 0 success, 1 a problem, 2 wrong usage, 130 after Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import entry_points

from kernelgate.environment import about_the_key
from kernelgate.errors import ApiError
from kernelgate.problems import WrongUsage, complain

SERVER_COMMANDS = {
    "serve": "Start the host.",
    "doctor": "Test what this machine offers.",
    "keys": "Make, list and revoke keys.",
    "backup": "Write all that is stored to a file.",
    "restore": "Restore such a file.",
}
_LISTED = {
    "script_not_found": "script",
    "kernel_not_found": "kernel",
    "run_not_found": "runs",
    "tensor_not_found": "tensor",
}
"""The command whose `list` has what is missing, by the code of its error."""
_EXTRA = ("typer", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the answer is the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    if given and given[0] in SERVER_COMMANDS:
        return _server_command(given[0], given[1:], as_json)
    try:
        commands = import_module("kernelgate.commands.tree")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA:
            raise
        return _lacks(f"this command needs {package}", "cli", as_json)
    return _client_command(lambda: commands.call(commands.tree(SERVER_COMMANDS), given), as_json)


def _client_command(call: Callable[[], int], as_json: bool) -> int:
    try:
        return call()
    except KeyboardInterrupt:
        return 130
    except WrongUsage as error:
        complain(error, as_json, "wrong_usage")
        return 2
    except ApiError as error:
        error.hint = _hint(error)
        complain(error, as_json)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else error, as_json)
    except (ValueError, TypeError) as error:
        complain(error, as_json)
    return 1


def _hint(error: ApiError) -> str | None:
    """What to do on the command line, where the server says what to do over HTTP."""
    if error.code == "unauthorized":
        return about_the_key()
    listed = _LISTED.get(error.code)
    if listed and (error.hint or "").startswith("GET "):
        return f"`kernelgate {listed} list` lists yours."
    return error.hint


def _server_command(name: str, arguments: list[str], as_json: bool) -> int:
    for entry in entry_points(group="kernelgate.commands", name=name):
        try:
            command: Callable[[list[str]], int] = entry.load()
        except ModuleNotFoundError as error:
            return _lacks(f"{name} needs the server ({error.name} is missing)", "server", as_json)
        return command(arguments)
    return _lacks(f"{name} needs the server", "server", as_json)


def _lacks(what: str, extra: str, as_json: bool) -> int:
    complain(f"{what}:\n    pip install 'kernelgate[{extra}]'", as_json, "extra_missing")
    return 1
