"""One granted folder of the host: reading, writing, listing beneath it. Blocking.

Owns which files are plain enough to touch (no links of either kind, no devices), atomic replacement, and the
translation of the system's errors. Must not know mounts, or what else a run was granted. A hard link is known by its
count, which somebody on the host who makes and unmakes links at that very moment can hide: they need write access to
the link's target for that (`fs.protected_hardlinks`), and so could as well copy it. No script can make a link.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Literal, Protocol

from sandbox.gates import errors
from sandbox.gates.frames import FileEntry, FileInfo, Kind
from sandbox.gates.grants import FileGrant
from sandbox.gates.opening import FOLDER, LOOK, Opener, opened
from sandbox.gates.paths import Parts, is_name
from sandbox.gates.quota import ledger
from shaders.errors import KernelgateError

How = Literal["replace", "append", "new"]

_BY_ERRNO: dict[int, tuple[type[KernelgateError], str]] = {
    errno.ENOENT: (errors.FileMissing, "no such file or folder"),
    errno.EEXIST: (errors.FileExists, "exists already"),
    errno.EISDIR: (errors.FileIsFolder, "is a folder"),
    errno.ENOTDIR: (errors.FileNotFolder, "a part of it is not a folder"),
    errno.ENOTEMPTY: (errors.FolderNotEmpty, "is not empty"),
    errno.ELOOP: (errors.FileRefused, "is or leads through a link"),
    errno.EXDEV: (errors.FileRefused, "lies on another file system"),
    errno.ENXIO: (errors.FileRefused, "is not a plain file"),
    errno.ENOSPC: (errors.FileQuota, "the host's disk is full"),
    errno.EDQUOT: (errors.FileQuota, "the host's own quota is used up"),
}


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Caps: bytes of one file written, bytes of one read, entries of one listing, bytes of all overlays of a run."""

    file_bytes: int = 64 << 20
    read_bytes: int = 4 << 20
    entries: int = 10_000
    overlay_bytes: int = 64 << 20


class Tree(Protocol):
    """What a mount can do; paths are parts below it. All raise the errors of `gates/errors.py`."""

    def read(self, parts: Parts, offset: int, size: int) -> bytes:
        """Up to `size` bytes of a file from `offset`, fewer only at its end or at the cap."""

    def write(self, parts: Parts, data: bytes, how: How) -> None:
        """Writes a file: at once or not at all, unless it appends."""

    def stat(self, parts: Parts) -> FileInfo:
        """What is there; a link or special file is refused."""

    def entries(self, parts: Parts) -> list[FileEntry]:
        """What a folder holds, sorted by name; names that no script could ask for are left out."""

    def make(self, parts: Parts) -> None:
        """Makes an empty folder."""

    def remove(self, parts: Parts, folder: bool) -> None:
        """Removes a file, or with `folder` an empty folder."""


class Folder:
    """The folder of `grant`, opened anew for each operation, so that nothing has to be closed."""

    def __init__(self, grant: FileGrant, limits: FileLimits, opener: Opener) -> None:
        self._grant = grant
        self._limits = limits
        self._opener = opener
        self._ledger = ledger(grant.folder)

    def read(self, parts: Parts, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`, fewer only at the end of the file or at the cap."""
        with self._root(parts) as root, self._file(root, parts, os.O_RDONLY) as file:
            left = min(size, self._limits.read_bytes)
            pieces = []
            while left > 0 and (piece := os.pread(file, left, offset)):
                pieces.append(piece)
                left -= len(piece)
                offset += len(piece)
            return b"".join(pieces)

    def stat(self, parts: Parts) -> FileInfo:
        """What is there; a link or special file is refused."""
        with self._root(parts) as root, _closing(self._opener(root, parts, LOOK)) as found:
            status = os.fstat(found)
            if not stat.S_ISDIR(status.st_mode):
                _require_plain(status)
            return FileInfo(_kind(status.st_mode), status.st_size, status.st_mtime)

    def entries(self, parts: Parts) -> list[FileEntry]:
        """The entries, sorted by name; names that no script could ask for are left out."""
        flags = os.O_RDONLY | os.O_DIRECTORY
        with (
            self._root(parts) as root,
            _closing(self._opener(root, parts, flags)) as folder,
            os.scandir(folder) as scan,
        ):
            found = [_entry(entry) for entry in islice(scan, self._limits.entries + 1)]
        if len(found) > self._limits.entries:
            raise errors.FileRefused(f"the folder has more than {self._limits.entries} entries")
        return sorted((entry for entry in found if is_name(entry.name)), key=lambda entry: entry.name)

    def write(self, parts: Parts, data: bytes, how: How) -> None:
        """Writes a file: at once or not at all, unless it appends."""
        with self._changing(parts) as (root, parent, name):
            if how == "append":
                self._append(root, parts, data)
                return
            old = _size(parent, name)
            if how == "new" and old is not None:
                raise OSError(errno.EEXIST, "")
            entries = 0 if old is not None else 1
            self._check_size(len(data))
            with self._ledger.change(self._grant, len(data) - (old or 0), entries):
                _replace(parent, name, data, new=how == "new")

    def make(self, parts: Parts) -> None:
        """Makes an empty folder."""
        with self._changing(parts) as (_, parent, name), self._ledger.change(self._grant, 0, 1):
            os.mkdir(name, 0o700, dir_fd=parent)

    def remove(self, parts: Parts, folder: bool) -> None:
        """Removes the name, whatever it is; of a link that is the link."""
        with self._changing(parts) as (_, parent, name):
            size = 0 if folder else (_size(parent, name) or 0)
            with self._ledger.change(self._grant, -size, -1):
                if folder:
                    os.rmdir(name, dir_fd=parent)
                elif stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
                    raise OSError(errno.EISDIR, "")
                else:
                    os.unlink(name, dir_fd=parent)

    def _append(self, root: int, parts: Parts, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND
        try:
            with self._file(root, parts, flags) as file:
                self._check_size(os.fstat(file).st_size + len(data))
                with self._ledger.change(self._grant, len(data), 0):
                    _write_all(file, data)
        except FileNotFoundError:
            self._check_size(len(data))
            flags |= os.O_CREAT | os.O_EXCL
            with (
                self._ledger.change(self._grant, len(data), 1),
                _closing(self._opener(root, parts, flags, 0o600)) as file,
            ):
                _write_all(file, data)

    def _check_size(self, size: int) -> None:
        if size > self._limits.file_bytes:
            raise errors.FileQuota(f"a file would have {size} bytes; the limit is {self._limits.file_bytes}")

    @contextmanager
    def _root(self, parts: Parts) -> Iterator[int]:
        """The granted folder; the system's errors inside become ours."""
        try:
            with opened(self._opener, self._grant.folder) as root:
                yield root
        except OSError as error:
            kind, what = _BY_ERRNO.get(error.errno or 0, (errors.FileRefused, os.strerror(error.errno or 0)))
            raise kind(f"{_shown(self._grant, parts)}: {what}") from None

    @contextmanager
    def _file(self, root: int, parts: Parts, flags: int) -> Iterator[int]:
        with _closing(self._opener(root, parts, flags)) as file:
            _require_plain(os.fstat(file))
            yield file

    @contextmanager
    def _changing(self, parts: Parts) -> Iterator[tuple[int, int, str]]:
        """The granted folder, the folder that the last part is in, and that part; nobody else changes either."""
        if not parts:
            raise errors.FileIsFolder(f"{self._grant.path} is the granted folder itself")
        with (
            self._ledger.lock,
            self._root(parts) as root,
            _closing(self._opener(root, parts[:-1], FOLDER)) as parent,
        ):
            self._ledger.count(root)
            yield root, parent, parts[-1]


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _require_plain(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, "")
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ENXIO, "")
    if status.st_nlink > 1:
        raise errors.FileRefused("a file with a second name (a hard link) is not opened")


def _kind(mode: int) -> Kind:
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _entry(entry: os.DirEntry[str]) -> FileEntry:
    if entry.is_symlink():
        return FileEntry(entry.name, "other")
    plain = entry.is_file(follow_symlinks=False)
    return FileEntry(
        entry.name, "folder" if entry.is_dir(follow_symlinks=False) else "file" if plain else "other"
    )


def _size(parent: int, name: str) -> int | None:
    """The size of what bears the name, or None when nothing does."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_size
    except FileNotFoundError:
        return None


def _replace(parent: int, name: str, data: bytes, new: bool) -> None:
    """Puts a new file in the place of the name, which is never opened: a link there is replaced, not followed."""
    temporary = f".kernelgate-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with _closing(os.open(temporary, flags, 0o600, dir_fd=parent)) as file:
            _write_all(file, data)
        if new:
            os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        else:
            os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=parent)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _shown(grant: FileGrant, parts: Parts) -> str:
    return "/".join((grant.path.rstrip("/"), *parts)) or "/"
