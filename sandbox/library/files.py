"""`open`: files as scripts know them, over the gate of files.

Owns `File`, the only file object that a script sees, and the raw file below CPython's own buffers, which no script
does: with a raw file of its own, or a buffer in its hands, a script could reach freed memory. Must not know paths'
meaning.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterable
from os import PathLike
from typing import Any, NoReturn
from weakref import WeakSet

from ops.loose import Piece, Target
from sandbox.library import filesystem
from sandbox.library.modes import Mode
from sandbox.policy import views
from sandbox.policy.classes import seal_class
from sandbox.policy.whole import Whole

BUFFER = 1 << 17
FARTHEST = 1 << 30  # beyond it no file ends
_BUFFERS = (io.BufferedReader, io.BufferedWriter, io.BufferedRandom)
_living: WeakSet[File] = WeakSet()


class _Raw(io.RawIOBase):
    """The bytes of the file at `path`. `end` is where it ends as far as this file knows."""

    def __init__(self, path: str, mode: Mode) -> None:
        super().__init__()
        self._path = path
        self._mode = mode
        self._end = self._open()
        self._position = self._end if mode.letter == "a" else 0

    def _open(self) -> int:
        """Do what opening does to the file; its size."""
        if self._mode.letter == "w":
            filesystem.write(self._path, b"", "replace")
            return 0
        if self._mode.letter == "x":
            filesystem.write(self._path, b"", "new")
            return 0
        if self._mode.letter == "a":
            filesystem.write(self._path, b"", "append")
        found = filesystem.stat(self._path)
        if found.kind == "folder":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self._path)
        return found.size

    def readable(self) -> bool:
        return self._living(self._mode.reads)

    def writable(self) -> bool:
        return self._living(self._mode.writes)

    def seekable(self) -> bool:
        return self._living(True)

    def _living(self, answer: bool) -> bool:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return answer

    def readinto(self, buffer: Any) -> int:
        data = filesystem.read(self._path, self._position, min(len(buffer), filesystem.CHUNK))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def readall(self) -> bytes:
        data = self._from(self._position)
        self._position += len(data)
        return data

    def write(self, buffer: Any) -> int:
        data = bytes(buffer[: filesystem.CHUNK])
        if self._mode.letter == "a":
            self._position = self._end
        if self._position + len(data) > FARTHEST:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), self._path)
        if self._position >= self._end:
            self._append(bytes(self._position - self._end) + data)
        else:
            content = bytearray(self._from(0))
            content[self._position : self._position + len(data)] = data
            self._replace(content)
        self._position += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == 2:
            self._end = filesystem.stat(self._path).size
        position = offset + (0, self._position, self._end)[whence]
        if position < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._position = position
        return position

    def tell(self) -> int:
        return self._position

    def truncate(self, size: int | None = None) -> int:
        size = self._position if size is None else size
        if not 0 <= size <= FARTHEST:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        content = bytearray(self._from(0)[:size])
        self._replace(content + bytes(size - len(content)))
        return size

    def _from(self, offset: int) -> bytes:
        pieces = []
        while piece := filesystem.read(self._path, offset, filesystem.CHUNK):
            pieces.append(piece)
            offset += len(piece)
            if offset >= self._end and len(piece) < filesystem.CHUNK:
                break
        return b"".join(pieces)

    def _append(self, data: bytes) -> None:
        for start in range(0, len(data), filesystem.CHUNK):
            piece = data[start : start + filesystem.CHUNK]
            filesystem.write(self._path, piece, "append")
            self._end += len(piece)

    def _replace(self, content: bytearray) -> None:
        filesystem.write(self._path, bytes(content[: filesystem.CHUNK]), "replace")
        self._end = min(len(content), filesystem.CHUNK)
        self._append(bytes(content[filesystem.CHUNK :]))


class File(Whole):
    """An open file, text or binary."""

    __slots__ = ("__weakref__", "_eager", "_inner", "_mode", "_name")

    def __init__(self, inner: Any, name: str, mode: str, eager: bool) -> None:
        if not isinstance(inner, (*_BUFFERS, io.TextIOWrapper)):
            raise TypeError("files are made by open()")
        self._inner = inner
        self._name = name
        self._mode = mode
        self._eager = eager
        _living.add(self)

    def __del__(self) -> None:
        inner = getattr(self, "_inner", None)
        if inner is not None and not inner.closed:
            filesystem.drop(inner)

    @property
    def name(self) -> str:
        """The path as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode as it was given."""
        return self._mode

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return bool(self._inner.closed)

    @property
    def encoding(self) -> str:
        """How text is encoded."""
        return str(self._text().encoding)

    @property
    def errors(self) -> str | None:
        """What is done about text that cannot be coded."""
        errors: str | None = self._text().errors
        return errors

    @property
    def newlines(self) -> str | tuple[str, ...] | None:
        """The ends of lines that were read so far."""
        newlines: str | tuple[str, ...] | None = self._text().newlines
        return newlines

    def read(self, size: int | None = -1, /) -> Piece:
        """Up to `size` characters or bytes; all that is left without one."""
        return self._inner.read(size)

    def readline(self, size: int = -1, /) -> Piece:
        """The next line."""
        return self._inner.readline(size)

    def readlines(self, hint: int = -1, /) -> list[Piece]:
        """The lines that are left."""
        lines: list[Any] = self._inner.readlines(hint)
        return lines

    def readinto(self, target: Target, /) -> int:
        """Read bytes into a bytearray; how many."""
        if self._is_text():
            raise AttributeError("a text file has no readinto()")
        data = self._inner.read(len(target))
        target[: len(data)] = data
        return len(data)

    def write(self, data: str | bytes | bytearray | memoryview, /) -> int:
        """Write text or bytes; how many characters or bytes."""
        if self._is_text():
            if not isinstance(data, str):
                raise TypeError(f"write() argument must be str, not {type(data).__name__}")
            given: Any = str.__str__(data)
        elif isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        else:
            given = bytes(memoryview(data))
        count: int = self._inner.write(given)
        if self._eager:
            self._inner.flush()
        return count

    def writelines(self, lines: Iterable[str | bytes], /) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to a position."""
        position: int = self._inner.seek(offset, whence)
        return position

    def tell(self) -> int:
        """The position."""
        position: int = self._inner.tell()
        return position

    def truncate(self, size: int | None = None, /) -> int:
        """Cut the file at `size`, or where it is; or fill it up with zeros."""
        cut: int = self._inner.truncate(size)
        return cut

    def flush(self) -> None:
        """Send what is buffered."""
        self._inner.flush()

    def close(self) -> None:
        """Send what is buffered, and end the use of the file."""
        self._inner.close()

    def readable(self) -> bool:
        """Whether it was opened to be read."""
        return bool(self._inner.readable())

    def writable(self) -> bool:
        """Whether it was opened to be written."""
        return bool(self._inner.writable())

    def seekable(self) -> bool:
        """Always."""
        return bool(self._inner.seekable())

    def isatty(self) -> bool:
        """Never."""
        return False

    def fileno(self) -> NoReturn:
        """There is no descriptor."""
        raise io.UnsupportedOperation("the file has no descriptor")

    def __iter__(self) -> File:
        iter(self._inner)  # raises when it is closed
        return self

    def __next__(self) -> Piece:
        return next(self._inner)

    def __enter__(self) -> File:
        self._inner.__enter__()
        return self

    def __exit__(self, *_error: object) -> None:
        self._inner.close()

    def __repr__(self) -> str:
        encoding = f" encoding={self.encoding!r}" if self._is_text() else ""
        return f"<file name={self._name!r} mode={self._mode!r}{encoding}>"

    def _is_text(self) -> bool:
        return isinstance(self._inner, io.TextIOWrapper)

    def _text(self) -> Any:
        if not self._is_text():
            raise AttributeError("a binary file has neither encoding nor newlines")
        return self._inner


def open(
    file: str | PathLike[str] | int,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> File:
    """Open a file in a granted folder, as CPython's `open` does; text is UTF-8 unless `encoding` says otherwise."""
    if isinstance(file, int):
        raise PermissionError(errno.EACCES, "there are no descriptors to open", str(int(file)))
    given, wanted = filesystem.text_of(file), Mode.parse(mode)
    wanted.check(buffering, encoding, errors, newline)
    raw = _Raw(given, wanted)
    buffered: Any = _buffered(raw, buffering if buffering > 1 else BUFFER)
    if not wanted.binary:
        coding = "utf-8" if encoding is None else str.__str__(encoding)
        buffered = io.TextIOWrapper(buffered, coding, errors, newline, line_buffering=buffering == 1)
    return File(buffered, given, str.__str__(mode), eager=buffering == 0)


def _buffered(raw: Any, size: int) -> io.BufferedIOBase:
    if raw.readable() and raw.writable():
        return io.BufferedRandom(raw, size)
    return io.BufferedReader(raw, size) if raw.readable() else io.BufferedWriter(raw, size)


def finish() -> None:
    """Close every file that the script left open. Raises the first error of those that were closed for it."""
    for file in list(_living):
        filesystem.close(file)
    filesystem.finish()


def install() -> None:
    """Provide `io.open`, beside the builtin."""
    seal_class(File)
    views.replace("io", open=open, UnsupportedOperation=io.UnsupportedOperation)
