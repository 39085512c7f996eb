"""A granted folder whose writes are kept apart, in memory, and given back when the run ends. Blocking.

Owns what was changed. The host's folder below is only ever read.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from enum import Enum

from sandbox.gates import errors
from sandbox.gates.folder import FileLimits, Folder, How
from sandbox.gates.frames import FileEntry, FileInfo, Kind
from sandbox.gates.grants import FileGrant
from sandbox.gates.paths import Parts
from shaders.errors import KernelgateError


@dataclass(slots=True)
class Memory:
    """The bytes that all overlays of one run hold. `lock` is held during each operation on any of them."""

    limit: int
    held: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Mark(Enum):
    FOLDER = "made here"
    GONE = "removed here"


@dataclass(slots=True)
class _File:
    content: bytearray
    modified: float


_Entry = _File | _Mark


class Overlay:
    """The folder of `grant` with changes over `below`, which none of them reaches."""

    def __init__(self, grant: FileGrant, limits: FileLimits, below: Folder, memory: Memory) -> None:
        self._grant = grant
        self._limits = limits
        self._below = below
        self._memory = memory
        self._over: dict[Parts, _Entry] = {}
        self._held = 0

    def changes(self) -> dict[str, bytes | None]:
        """Every path that differs: its content, or None when it was removed; a new folder ends in a slash."""
        with self._memory.lock:
            return dict(self._change(parts, entry) for parts, entry in sorted(self._over.items()))

    def read(self, parts: Parts, offset: int, size: int) -> bytes:
        """As `Folder.read`."""
        with self._memory.lock:
            entry = self._entry(parts)
            if isinstance(entry, _File):
                end = offset + min(size, self._limits.read_bytes)
                return bytes(entry.content[offset:end])
            if entry is _Mark.FOLDER:
                raise errors.FileIsFolder(f"{self._shown(parts)} is a folder")
            return self._below.read(parts, offset, size)

    def stat(self, parts: Parts) -> FileInfo:
        """As `Folder.stat`."""
        with self._memory.lock:
            return self._stat(parts)

    def entries(self, parts: Parts) -> list[FileEntry]:
        """As `Folder.entries`, with what was changed."""
        with self._memory.lock:
            return self._entries(parts)

    def write(self, parts: Parts, data: bytes, how: How) -> None:
        """As `Folder.write`, in memory."""
        with self._memory.lock:
            kind = self._kind(parts)
            if kind == "folder":
                raise errors.FileIsFolder(f"{self._shown(parts)} is a folder")
            if how == "new" and kind is not None:
                raise errors.FileExists(f"{self._shown(parts)} exists already")
            self._require_parent(parts)
            entry = self._over.get(parts)
            if how == "append" and isinstance(entry, _File):
                self._hold(parts, len(entry.content) + len(data), len(data))
                entry.content += data
                entry.modified = time.time()
                return
            before = self._copy_up(parts) if how == "append" and kind is not None else bytearray()
            size = len(before) + len(data)
            self._hold(parts, size, size - (len(entry.content) if isinstance(entry, _File) else 0))
            self._over[parts] = _File(before + data, time.time())

    def make(self, parts: Parts) -> None:
        """As `Folder.make`, in memory."""
        with self._memory.lock:
            if self._kind(parts) is not None:
                raise errors.FileExists(f"{self._shown(parts)} exists already")
            self._require_parent(parts)
            self._hold(parts, 0, 0)
            self._over[parts] = _Mark.FOLDER

    def remove(self, parts: Parts, folder: bool) -> None:
        """As `Folder.remove`, in memory."""
        with self._memory.lock:
            if not parts:
                raise errors.FileIsFolder(f"{self._grant.path} is the granted folder itself")
            kind = self._stat(parts).kind
            if folder and kind != "folder":
                raise errors.FileNotFolder(f"{self._shown(parts)} is not a folder")
            if not folder and kind == "folder":
                raise errors.FileIsFolder(f"{self._shown(parts)} is a folder")
            if folder and self._entries(parts):
                raise errors.FolderNotEmpty(f"{self._shown(parts)} is not empty")
            entry = self._over.get(parts)
            self._hold(parts, 0, -len(entry.content) if isinstance(entry, _File) else 0)
            if self._kind_below(parts):
                self._over[parts] = _Mark.GONE
            else:
                del self._over[parts]

    def _entry(self, parts: Parts) -> _Entry | None:
        """What was put over the name, or None; `FileMissing` when it was removed."""
        entry = self._over.get(parts)
        if entry is _Mark.GONE:
            raise errors.FileMissing(f"{self._shown(parts)}: no such file or folder")
        return entry

    def _stat(self, parts: Parts) -> FileInfo:
        entry = self._entry(parts)
        if isinstance(entry, _File):
            return FileInfo("file", len(entry.content), entry.modified)
        return FileInfo("folder", 0, 0.0) if entry is _Mark.FOLDER else self._below.stat(parts)

    def _kind(self, parts: Parts) -> Kind | None:
        try:
            return self._stat(parts).kind
        except (errors.FileMissing, errors.FileNotFolder):
            return None

    def _entries(self, parts: Parts) -> list[FileEntry]:
        entry = self._entry(parts)
        if isinstance(entry, _File):
            raise errors.FileNotFolder(f"{self._shown(parts)} is not a folder")
        fresh = entry is _Mark.FOLDER and self._kind_below(parts) != "folder"
        names = {} if fresh else {found.name: found for found in self._below.entries(parts)}
        for path, over in self._over.items():
            if path and path[:-1] == parts:
                names.pop(path[-1], None)
                if over is not _Mark.GONE:
                    names[path[-1]] = FileEntry(path[-1], "file" if isinstance(over, _File) else "folder")
        return [names[name] for name in sorted(names)]

    def _kind_below(self, parts: Parts) -> Kind | None:
        try:
            return self._below.stat(parts).kind
        except KernelgateError:
            return None

    def _require_parent(self, parts: Parts) -> None:
        if not parts:
            raise errors.FileIsFolder(f"{self._grant.path} is the granted folder itself")
        if self._stat(parts[:-1]).kind != "folder":
            raise errors.FileNotFolder(f"{self._shown(parts[:-1])} is not a folder")

    def _copy_up(self, parts: Parts) -> bytearray:
        content = bytearray()
        while piece := self._below.read(parts, len(content), self._limits.read_bytes):
            content += piece
            self._check_size(len(content))
        return content

    def _hold(self, parts: Parts, size: int, added: int) -> None:
        """Counts `added` bytes for a file that will have `size`; `FileQuota` when a limit does not allow it."""
        self._check_size(size)
        if added > 0 and self._held + added > self._grant.quota_bytes:
            raise errors.FileQuota(
                f"{self._grant.path} would hold more than {self._grant.quota_bytes} changed bytes"
            )
        if added > 0 and self._memory.held + added > self._memory.limit:
            raise errors.FileQuota(f"the run's overlays would hold more than {self._memory.limit} bytes")
        if parts not in self._over and len(self._over) >= self._grant.quota_files:
            raise errors.FileQuota(
                f"{self._grant.path} would hold more than {self._grant.quota_files} changed names"
            )
        self._held += added
        self._memory.held += added

    def _check_size(self, size: int) -> None:
        if size > self._limits.file_bytes:
            raise errors.FileQuota(f"a file would have {size} bytes; the limit is {self._limits.file_bytes}")

    def _change(self, parts: Parts, entry: _Entry) -> tuple[str, bytes | None]:
        path = self._shown(parts)
        if isinstance(entry, _File):
            return path, bytes(entry.content)
        return (path, None) if entry is _Mark.GONE else (f"{path}/", b"")

    def _shown(self, parts: Parts) -> str:
        return "/".join((self._grant.path.rstrip("/"), *parts)) or "/"
