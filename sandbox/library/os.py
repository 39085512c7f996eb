"""`os` and `os.path`: the arithmetic of paths, what lies there by the gate of files, and the granted values.

Owns the lists of what there is. Must not know requests.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import Any

from sandbox.library import environment, filesystem
from sandbox.library.status import Status
from sandbox.policy import views
from sandbox.policy.classes import seal_class

_PURE = "basename dirname splitext split isabs commonpath commonprefix"
_CONSTANTS = "sep altsep extsep curdir pardir pathsep"


def exists(path: Any) -> bool:
    """Whether there is something."""
    return filesystem.kind(filesystem.text_of(path)) is not None


def isfile(path: Any) -> bool:
    """Whether it is a file."""
    return filesystem.kind(filesystem.text_of(path)) == "file"


def isdir(path: Any) -> bool:
    """Whether it is a folder."""
    return filesystem.kind(filesystem.text_of(path)) == "folder"


def getsize(path: Any) -> int:
    """Bytes of the file."""
    return filesystem.stat(filesystem.text_of(path)).size


def getmtime(path: Any) -> float:
    """Seconds since 1970 of the last change."""
    return filesystem.stat(filesystem.text_of(path)).modified


def join(path: Any, *others: Any) -> str:
    """One path after the other; an absolute one begins anew."""
    return posixpath.join(filesystem.text_of(path), *map(filesystem.text_of, others))


def normpath(path: Any) -> str:
    """The path in plain form."""
    return posixpath.normpath(filesystem.text_of(path))


def abspath(path: Any) -> str:
    """The path from the root, in plain form."""
    return filesystem.absolute(filesystem.text_of(path))


def relpath(path: Any, start: Any = "/") -> str:
    """The way from `start` to `path`."""
    return posixpath.relpath(abspath(path), abspath(start))


def fspath(path: Any) -> str:
    """The text of a path."""
    return filesystem.text_of(path)


def listdir(path: Any = ".") -> list[str]:
    """The names in a folder, sorted."""
    return [entry.name for entry in filesystem.entries(filesystem.text_of(path))]


def mkdir(path: Any, mode: int = 0o777) -> None:
    """Make a folder in an existing one."""
    filesystem.make(filesystem.text_of(path))


def makedirs(name: Any, mode: int = 0o777, exist_ok: bool = False) -> None:
    """Make a folder and those above it."""
    filesystem.make_all(filesystem.text_of(name), exist_ok)


def remove(path: Any) -> None:
    """Remove a file."""
    filesystem.remove(filesystem.text_of(path))


def rmdir(path: Any) -> None:
    """Remove an empty folder."""
    filesystem.remove(filesystem.text_of(path), folder=True)


def stat(path: Any) -> Status:
    """Size, kind and last change."""
    return Status(filesystem.stat(filesystem.text_of(path)))


def walk(top: Any, topdown: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder from `top` down, with the names of the folders and of the files in it; none where `top` is none."""
    folder = filesystem.text_of(top)
    try:
        entries = filesystem.entries(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    folders = [entry.name for entry in entries if entry.kind == "folder"]
    files = [entry.name for entry in entries if entry.kind != "folder"]
    if topdown:
        yield folder, folders, files
    for name in folders:
        yield from walk(posixpath.join(folder, name), topdown)
    if not topdown:
        yield folder, folders, files


def getenv(key: str, default: Any = None) -> Any:
    """The granted value of that name."""
    return environment.ENVIRONMENT.get(key, default)


def _path() -> dict[str, Any]:
    members = {name: getattr(posixpath, name) for name in (*_PURE.split(), *_CONSTANTS.split())}
    for function in (exists, isfile, isdir, getsize, getmtime, join, normpath, abspath, relpath):
        members[function.__name__] = function
    return {**members, "realpath": abspath, "expanduser": fspath}


def _os() -> dict[str, Any]:
    members: dict[str, Any] = {name: getattr(posixpath, name) for name in _CONSTANTS.split()}
    for function in (listdir, mkdir, makedirs, remove, rmdir, stat, walk, getenv, fspath):
        members[function.__name__] = function
    return {
        **members,
        "unlink": remove,
        "environ": environment.ENVIRONMENT,
        "linesep": "\n",
        "name": "posix",
        "error": OSError,
        "getcwd": lambda: "/",
        "cpu_count": lambda: 1,
        "urandom": os.urandom,
    }


def install() -> None:
    """Provide `os` and `os.path`."""
    seal_class(Status)
    seal_class(environment.Environment)
    views.provide("os.path", _path)
    views.provide("os", _os)
