"""`sys`, `io` redirection, `warnings` and `traceback`, as far as a script has any business with them.

Owns these views. Must not know how text leaves the process.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from sandbox.console import CONSOLE
from sandbox.policy import views
from sandbox.policy.tracebacks import script_traceback

MAX_RECURSION = 5000
_redirected: dict[str, list[Any]] = {"stdout": [], "stderr": []}
_COPIED = (
    "maxsize version version_info hexversion api_version byteorder float_info int_info hash_info getsizeof intern "
    "maxunicode getrefcount getrecursionlimit get_int_max_str_digits implementation copyright"
)


def stream(name: str) -> Any:
    """Where `print` writes now: the stream, or what the script redirected it to."""
    waiting = _redirected[name]
    return waiting[-1] if waiting else getattr(CONSOLE, name)


def leave(code: Any = None) -> NoReturn:
    """`sys.exit`, `exit` and `quit`."""
    raise SystemExit(code)


def set_recursion_limit(limit: int) -> None:
    """`sys.setrecursionlimit`, within bounds that the C stack holds."""
    sys.setrecursionlimit(max(100, min(int(limit), MAX_RECURSION)))


def exc_info() -> tuple[Any, Any, None]:
    """`sys.exc_info` without the traceback."""
    kind, error, _ = sys.exc_info()
    return kind, error, None


class _EmptyInput:
    """`sys.stdin`: nothing to read."""

    def read(self, _size: int = -1) -> str:
        """Nothing."""
        return ""

    def readline(self, _size: int = -1) -> str:
        """Nothing."""
        return ""

    def readlines(self) -> list[str]:
        """Nothing."""
        return []

    def isatty(self) -> bool:
        """Never."""
        return False

    def __iter__(self) -> Iterator[str]:
        return iter(())


def _sys() -> dict[str, Any]:
    members = {name: getattr(sys, name) for name in _COPIED.split() if hasattr(sys, name)}
    members.pop("implementation", None)
    return members | {
        "argv": ["script.py"],
        "path": [],
        "platform": "linux",
        "executable": "",
        "stdin": _EmptyInput(),
        "stdout": CONSOLE.stdout,
        "stderr": CONSOLE.stderr,
        "exit": leave,
        "exc_info": exc_info,
        "setrecursionlimit": set_recursion_limit,
        "getdefaultencoding": lambda: "utf-8",
    }


@contextlib.contextmanager
def _redirect(name: str, target: Any) -> Iterator[Any]:
    _redirected[name].append(target)
    try:
        yield target
    finally:
        _redirected[name].pop()


def warn(
    message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **_options: Any
) -> None:
    """`warnings.warn`: a line on stderr."""
    if isinstance(message, Warning):
        category = type(message)
    name = getattr(category or UserWarning, "__name__", "UserWarning")
    stream("stderr").write(f"<script>: {name}: {message}\n")


@contextlib.contextmanager
def _catch_warnings(*_args: Any, **_options: Any) -> Iterator[None]:
    yield


def _ignore(*_args: Any, **_options: Any) -> None:
    """Filters have no effect: every warning is shown."""


def _print_exc(*_args: Any, **_options: Any) -> None:
    stream("stderr").write(_format_exc())


def _format_exc(*_args: Any, **_options: Any) -> str:
    error = sys.exc_info()[1]
    return script_traceback(error) if error is not None else "NoneType: None\n"


def install() -> None:
    """Provide the views."""
    views.provide("sys", _sys)
    filters = {"filterwarnings": _ignore, "simplefilter": _ignore, "resetwarnings": _ignore}
    views.provide("warnings", lambda: {"warn": warn, "catch_warnings": _catch_warnings, **filters})
    views.provide("traceback", lambda: {"print_exc": _print_exc, "format_exc": _format_exc})
    views.replace(
        "contextlib",
        redirect_stdout=lambda target: _redirect("stdout", target),
        redirect_stderr=lambda target: _redirect("stderr", target),
    )
