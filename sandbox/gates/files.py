"""The gate for files: serves requests on the folders that a run was granted, and reports each of them.

Owns the script's view of the file system (which path is which folder), modes, and the threads that wait for disks.
Must not know workers: it gets records of `gates/frames.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from sandbox.gates.errors import FileIsFolder, FileRefused, PermissionDenied, grant_for
from sandbox.gates.folder import FileLimits, Folder, Tree
from sandbox.gates.frames import (
    FileAnswer,
    FileEntry,
    FileInfo,
    FileList,
    FileRead,
    FileRemove,
    FileRequest,
    FileStat,
    FileWrite,
    FolderMake,
)
from sandbox.gates.grants import FileGrant, Mode
from sandbox.gates.opening import Opener, best
from sandbox.gates.overlay import Memory, Overlay
from sandbox.gates.paths import Parts, children, find, split
from shaders.errors import KernelgateError

_FARTHEST = 1 << 60


@dataclass(slots=True)
class FileEvent:
    """One operation, done or denied.

    `bytes` is what it read or wrote, `denied` the code of its error, `grant` what would have opened the gate.
    """

    operation: str
    path: str
    bytes: int = 0
    ms: float = 0.0
    denied: str | None = None
    reason: str | None = None
    grant: dict[str, object] | None = None


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(4, thread_name_prefix="files")


class FilesGate:
    """The folders of one run. `executor` waits for the disk; `opener` is for tests and for systems without openat2."""

    def __init__(
        self,
        grants: Sequence[FileGrant],
        *,
        limits: FileLimits | None = None,
        on_event: Callable[[FileEvent], None] = lambda event: None,
        executor: Executor | None = None,
        opener: Opener | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._on_event = on_event
        self._executor = executor
        self._clock = clock
        limits, opener = limits or FileLimits(), opener or best()
        memory = Memory(limits.overlay_bytes)
        self._overlays: list[Overlay] = []
        self._mounts = mounts(grants)
        self._trees: dict[str, Tree] = {}
        for grant in grants:
            tree: Tree = Folder(grant, limits, opener)
            if grant.mode == "overlay":
                tree = Overlay(grant, limits, Folder(grant, limits, opener), memory)
                self._overlays.append(tree)
            self._trees[grant.path] = tree

    async def serve(self, request: FileRequest) -> FileAnswer:
        """The answer to `request` as its record says. Raises `PermissionDenied` or another error of the gates."""
        event, start = FileEvent(_operation(request), _printable(request.path)), self._clock()
        try:
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._executor or _threads(), self._answer, request)
            event.bytes = len(request.data) if isinstance(request, FileWrite) else 0
            event.bytes = len(answer) if isinstance(answer, bytes) else event.bytes
        except KernelgateError as error:
            event.denied, event.reason, event.grant = error.code, error.message, grant_for(error)
            raise
        finally:
            event.ms = (self._clock() - start) * 1000
            self._on_event(event)
        return answer

    def changes(self) -> dict[str, bytes | None]:
        """What the run wrote to its overlays, by the script's paths (`Overlay.changes`)."""
        return {path: content for overlay in self._overlays for path, content in overlay.changes().items()}

    def _answer(self, request: FileRequest) -> FileAnswer:
        found = opening(self._mounts, request)
        if found is None:
            return self._above(request)
        grant, rest = found
        return _perform(self._trees[grant.path], rest, request)

    def _above(self, request: FileRequest) -> FileAnswer:
        """Answers for the folders that exist only because a granted one lies below them."""
        names = children(self._mounts, split(request.path))
        if isinstance(request, FileRead):
            raise FileIsFolder(f"{request.path} is a folder")
        if isinstance(request, FileList):
            return [FileEntry(name, "folder") for name in names]
        return FileInfo("folder", 0, 0.0)


def mounts(grants: Sequence[FileGrant]) -> dict[Parts, FileGrant]:
    """Grants by the script's path of their folder."""
    return {split(grant.path): grant for grant in grants}


def opening(mounted: Mapping[Parts, FileGrant], request: FileRequest) -> tuple[FileGrant, Parts] | None:
    """The grant that opens `request`, and the path below its folder; None for a folder above granted ones.

    Raises `PermissionDenied`, and `FileRefused` for what is no path.
    """
    parts = split(request.path)
    found = find(mounted, parts)
    writes = isinstance(request, FileWrite | FolderMake | FileRemove)
    if found is None and (writes or (parts and not children(mounted, parts))):
        raise _denied(request, "/" + "".join(parts[:1]), "rw" if writes else "ro")
    if found is not None and writes and found[0].mode == "ro":
        raise _denied(request, found[0].path, "rw")
    return found


def _perform(tree: Tree, parts: Parts, request: FileRequest) -> FileAnswer:
    match request:
        case FileRead(offset=offset, size=size):
            if not (0 <= offset <= _FARTHEST and size >= 0):
                raise FileRefused(f"there is no range of {size} bytes from {offset}")
            return tree.read(parts, offset, size)
        case FileWrite(data=data, how=how):
            tree.write(parts, data, how)
        case FileStat():
            return tree.stat(parts)
        case FileList():
            return tree.entries(parts)
        case FolderMake():
            tree.make(parts)
        case FileRemove(folder=folder):
            tree.remove(parts, folder)
    return None


def _denied(request: FileRequest, folder: str, mode: Mode) -> PermissionDenied:
    asked = f"{_operation(request).replace('_', ' ')} of {_printable(request.path)}"
    return PermissionDenied("files", asked, {"files": [{"path": folder, "mode": mode}]})


def _operation(request: FileRequest) -> str:
    return str(request.__struct_config__.tag)


def _printable(path: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in path[:200])
