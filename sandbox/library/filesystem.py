"""Paths of a script and what lies there, by the gate of files, with CPython's errors.

Owns the reading of a path, every request about files but for their content's buffering, and the files that a script
dropped unclosed: their last bytes go out before anything else is asked. Must not know `open`, `os` or `pathlib`.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Callable
from io import IOBase
from typing import Any

import msgspec

from sandbox.gates.frames import (
    FileEntry,
    FileInfo,
    FileList,
    FileRead,
    FileRemove,
    FileStat,
    FileWrite,
    FolderMake,
)
from sandbox.library import gate
from sandbox.policy.denials import HostError, standing_for
from shaders.errors import ErrorRecord

CHUNK = 4 << 20  # of a file's content in one message
_ERRNO = {
    "file_not_found": errno.ENOENT,
    "file_exists": errno.EEXIST,
    "file_is_folder": errno.EISDIR,
    "file_not_folder": errno.ENOTDIR,
    "folder_not_empty": errno.ENOTEMPTY,
}
_SAID = {"file_quota": errno.EDQUOT, "file_refused": errno.EACCES}  # where the host's words say more
_dropped: list[IOBase] = []
_failures: list[BaseException] = []


def text_of(path: Any) -> str:
    """The text of a `str` or `Path`. Raises TypeError, or ValueError for a null byte."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"expected str or Path, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError("embedded null byte")
    return str.__str__(text)


def absolute(text: str) -> str:
    """The plain form of a path; relative ones begin at `/`, as links exist for nobody `..` is just arithmetic."""
    return posixpath.normpath(posixpath.join("/", text))


def read(path: str, offset: int, size: int) -> bytes:
    """Up to `size` bytes of a file from `offset`: fewer at its end, or where the host sends no more at once."""
    return _request(FileRead, path, offset=offset, size=size)


def write(path: str, data: bytes, how: str) -> None:
    """Replace a file's content, `append` to it, or make a `new` one; at most `CHUNK` bytes."""
    _request(FileWrite, path, data=data, how=how)


def stat(path: str) -> FileInfo:
    """What lies at `path`."""
    return gate.decode_info(_request(FileStat, path))


def entries(path: str) -> list[FileEntry]:
    """What a folder holds, sorted by name."""
    return gate.decode_entries(_request(FileList, path))


def make(path: str) -> None:
    """Make a folder."""
    try:
        _request(FolderMake, path)
    except IsADirectoryError:  # the granted folder itself
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None


def remove(path: str, folder: bool = False) -> None:
    """Remove a file, or an empty folder."""
    _request(FileRemove, path, folder=folder)


def kind(path: str) -> str | None:
    """`file`, `folder`, or None when there is nothing of that name, or nothing that could be opened."""
    try:
        return stat(path).kind
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.EACCES:  # a link or a device; a closed gate has no number
            return None
        raise


def make_all(path: str, exist_ok: bool) -> None:
    """Make a folder and those above it."""
    try:
        make(path)
    except FileNotFoundError:
        if not path:
            raise
        make_all(posixpath.dirname(absolute(path)), True)
        make(path)
    except (FileExistsError, PermissionError):
        if not (exist_ok and _is_folder(path)):
            raise


def _is_folder(path: str) -> bool:
    try:
        return kind(path) == "folder"
    except OSError:
        return False


def _request(request: Callable[..., msgspec.Struct], path: str, **fields: Any) -> bytes:
    close_dropped()
    if not path:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    try:
        return gate.ask(request, path=absolute(path), **fields)
    except HostError as error:
        raise _error(error.record, path) from None


def _error(record: ErrorRecord, path: str) -> Exception:
    """CPython's error for the host's, about `path` as the script wrote it."""
    if record.code in _ERRNO:
        number = _ERRNO[record.code]
        return standing_for(record, OSError(number, os.strerror(number), path))
    if record.code in _SAID:
        return standing_for(record, OSError(_SAID[record.code], record.message, path))
    return HostError(record)


def drop(file: IOBase) -> None:
    """Close `file` when it can be done: its owner may have been dropped in the middle of another request."""
    _dropped.append(file)


def close_dropped() -> None:
    """Close the files that a script dropped; what they could not write is kept for `finish`."""
    while _dropped:
        close(_dropped.pop(0))


def close(file: Any) -> None:
    """Close `file`; an error is kept for `finish`."""
    try:
        file.close()
    except Exception as error:
        _failures.append(error)


def finish() -> None:
    """Raise the first error of a file that was closed for the script."""
    close_dropped()
    if _failures:
        first = _failures[0]
        _failures.clear()
        raise first
