"""`sys`, `io` redirection and `traceback`, as far as a script has any business with them.

Owns these views. Must not know how text leaves the process.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from sandbox.console import CONSOLE
from sandbox.policy import views
from sandbox.policy.tracebacks import exception_only, script_traceback

MAX_RECURSION = 5000
_redirected: dict[str, list[Any]] = {"stdout": [], "stderr": []}
_COPIED = (
    "maxsize version version_info hexversion api_version byteorder float_info int_info hash_info getsizeof intern "
    "maxunicode getrefcount getrecursionlimit get_int_max_str_digits "
    "set_int_max_str_digits exception copyright"
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


def _format_exception(error: Any, value: Any = None, *_args: Any, **_options: Any) -> list[str]:
    """`traceback.format_exception`, of an exception or of its type and itself."""
    return script_traceback(_exception(error, value)).splitlines(keepends=True)


def _format_exception_only(error: Any, value: Any = None, **_options: Any) -> list[str]:
    return exception_only(_exception(error, value))


def _print_exception(error: Any, value: Any = None, *_args: Any, file: Any = None, **_options: Any) -> None:
    (stream("stderr") if file is None else file).write(script_traceback(_exception(error, value)))


def _exception(error: Any, value: Any) -> BaseException:
    given = error if isinstance(error, BaseException) else value
    if not isinstance(given, BaseException):
        raise TypeError(f"Exception expected for value, {type(given).__name__} found")
    return given


def _print_exc(*_args: Any, file: Any = None, **_options: Any) -> None:
    (stream("stderr") if file is None else file).write(_format_exc())


def _format_exc(*_args: Any, **_options: Any) -> str:
    error = sys.exc_info()[1]
    return script_traceback(error) if error is not None else "NoneType: None\n"


def _traceback() -> dict[str, Any]:
    return {
        "print_exc": _print_exc,
        "format_exc": _format_exc,
        "print_exception": _print_exception,
        "format_exception": _format_exception,
        "format_exception_only": _format_exception_only,
    }


def install() -> None:
    """Provide the views."""
    views.provide("sys", _sys)
    views.provide("traceback", _traceback)
    views.replace(
        "contextlib",
        redirect_stdout=lambda target: _redirect("stdout", target),
        redirect_stderr=lambda target: _redirect("stderr", target),
    )
