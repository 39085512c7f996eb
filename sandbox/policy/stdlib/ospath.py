"""`os` and `os.path`: the arithmetic of paths, and an empty environment. Files wait for their gate.

Owns the lists. Must not know gates: they will provide these modules in their own way.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from typing import Any, NoReturn

from sandbox.policy import views
from sandbox.policy.denials import PermissionDenied

_PATH = "join basename dirname splitext split normpath isabs commonpath commonprefix sep pardir curdir extsep"
_CLOSED_PATH = "exists isfile isdir islink getsize getmtime realpath"
_CLOSED = "listdir mkdir makedirs remove unlink rename replace rmdir stat scandir walk"


def closed(function: str) -> Callable[..., NoReturn]:
    """A function of the files gate, which this run was not granted."""

    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise PermissionDenied(f"{function}(): the run has no grant for files")

    return refuse


def _path() -> dict[str, Any]:
    members = {name: getattr(posixpath, name) for name in _PATH.split()}
    members["abspath"] = lambda path: posixpath.normpath(posixpath.join("/", path))
    return {**members, **{name: closed(f"os.path.{name}") for name in _CLOSED_PATH.split()}}


def _os() -> dict[str, Any]:
    environment: dict[str, str] = {}
    members: dict[str, Any] = {
        "environ": environment,
        "getenv": environment.get,
        "sep": "/",
        "linesep": "\n",
        "pathsep": ":",
        "name": "posix",
        "getcwd": lambda: "/",
        "cpu_count": lambda: 1,
        "urandom": os.urandom,
    }
    return {**members, **{name: closed(f"os.{name}") for name in _CLOSED.split()}}


def install() -> None:
    """Provide `os` and `os.path`."""
    views.provide("os.path", _path)
    views.provide("os", _os)
