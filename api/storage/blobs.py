"""Blobs: files in the data folder, named by the hash of their content.

Owns how one is written (to a temporary name, hashed while it arrives, synced, renamed), opened and checked. Must not
know what the bytes mean.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import mmap
import os
import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from api.errors import BlobCorrupt, StorageError, StorageFull
from api.storage.reserve import Reserve

PIECE = 1 << 20
CHECKED = 1 << 16
"""Blobs of which it is remembered that their content was checked."""


class BlobStore:
    """The folder of blobs. Disk work is done by a few threads, never by the event loop."""

    def __init__(self, folder: Path, reserve: Reserve | None = None) -> None:
        self.folder = folder
        self._reserve = reserve
        self._sound: OrderedDict[str, tuple[int, ...]] = OrderedDict()
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="blobs")
        self._held: Counter[str] = Counter()
        self._leaving: dict[str, object] = {}
        self._lock = threading.Lock()

    def open_folder(self) -> None:
        """Make the folder; remove what unfinished uploads left."""
        (self.folder / "new").mkdir(parents=True, exist_ok=True)
        for left in (self.folder / "new").iterdir():
            left.unlink()

    def close(self) -> None:
        """Wait for disk work in progress."""
        self._threads.shutdown()

    def path(self, digest: str) -> Path:
        """Where the blob `digest` is."""
        return self.folder / digest

    def digests(self) -> list[str]:
        """Every blob that is there."""
        return [path.name for path in self.folder.iterdir() if path.is_file()]

    def writer(self) -> BlobWriter:
        """A new blob to write, in an `async with` block; once finished it cannot be removed before the block ends.

        Raises `StorageFull` while the reserve is spent.
        """
        if self._reserve is not None:
            self._reserve.require()
        return BlobWriter(self, self.folder / "new" / secrets.token_hex(16), self._threads)

    def hold(self, digest: str) -> None:
        """Keep a blob that is about to be recorded from its removal, also from one that is under way."""
        with self._lock:
            self._held[digest] += 1
            self._leaving.pop(digest, None)

    def release(self, digest: str) -> None:
        """Undo one `hold`."""
        with self._lock:
            self._held[digest] -= 1
            if not self._held[digest]:
                del self._held[digest]

    def open(self, digest: str, nbytes: int) -> int:
        """A descriptor, for reading, of a blob of `nbytes` bytes. Raises `BlobCorrupt`, `StorageError`.

        Its content is hashed at the first reading, and again if the file was changed since.
        """
        with storage_errors():
            try:
                fd = os.open(self.path(digest), os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                raise BlobCorrupt.of(digest, "is missing from the data folder") from None
            try:
                self._check(digest, fd, nbytes)
            except BaseException:
                os.close(fd)
                raise
        return fd

    def is_sound(self, digest: str, nbytes: int) -> bool:
        """Whether the blob `digest` is there and what it should be."""
        try:
            os.close(self.open(digest, nbytes))
        except BlobCorrupt:
            return False
        return True

    def _check(self, digest: str, fd: int, nbytes: int) -> None:
        stat = os.fstat(fd)
        if stat.st_size != nbytes:
            raise BlobCorrupt.of(digest, f"has {stat.st_size} bytes instead of {nbytes}")
        seen = (stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns)
        if self._sound.get(digest) == seen:
            return
        with open(fd, "rb", closefd=False) as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
        if found != digest:
            raise BlobCorrupt.of(digest, f"has the content of {found[:16]}")
        self._sound[digest] = seen
        if len(self._sound) > CHECKED:
            self._sound.popitem(last=False)

    def map(self, digest: str, nbytes: int) -> mmap.mmap | bytes:
        """The bytes of a blob, mapped (its pages are read when they are used). Raises `BlobCorrupt`."""
        if nbytes == 0:
            return b""
        fd = self.open(digest, nbytes)
        try:
            return mmap.mmap(fd, nbytes, prot=mmap.PROT_READ)
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def removal(self, digest: str) -> Iterator[Callable[[], None]]:
        """What removes a blob to which no record refers, as is to be found out within the block.

        It removes none that is held, was held since the block began, or is removed by another block that began later.
        One that is gone already is not an error.
        """
        mine = object()

        def remove() -> None:
            with self._lock:
                if digest not in self._held and self._leaving.get(digest) is mine:
                    self.path(digest).unlink(missing_ok=True)

        with self._lock:
            if digest not in self._held:
                self._leaving[digest] = mine
        try:
            yield remove
        finally:
            with self._lock:
                if self._leaving.get(digest) is mine:
                    del self._leaving[digest]


class BlobWriter:
    """A blob that is being written: pieces are hashed and written by a thread while the next ones arrive."""

    def __init__(self, store: BlobStore, temporary: Path, threads: ThreadPoolExecutor) -> None:
        self._store = store
        self._temporary = temporary
        self._threads = threads
        self._hash = hashlib.sha256()
        self._pieces: list[bytes | memoryview] = []
        self._waiting = 0
        self._busy: asyncio.Future[None] | None = None
        self._fd = -1
        self._held: str | None = None
        self.size = 0

    async def __aenter__(self) -> BlobWriter:
        with storage_errors():
            self._fd = os.open(self._temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._busy is not None:
            await asyncio.wait([self._busy])
            self._busy.exception()
        os.close(self._fd)
        self._temporary.unlink(missing_ok=True)
        if self._held is not None:
            self._store.release(self._held)

    async def write(self, piece: bytes | memoryview) -> None:
        """Add `piece`, which must not change afterwards."""
        self._pieces.append(piece)
        self._waiting += len(piece)
        self.size += len(piece)
        if self._waiting >= PIECE:
            await self._flush()

    async def finish(self) -> str:
        """Sync the blob and give it its name, the digest."""
        await self._flush()
        if self._busy is not None:
            await self._busy
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._name)

    async def _flush(self) -> None:
        if self._busy is not None:
            await self._busy
        pieces, self._pieces, self._waiting = self._pieces, [], 0
        loop = asyncio.get_running_loop()
        self._busy = loop.run_in_executor(self._threads, self._append, pieces)

    def _append(self, pieces: list[bytes | memoryview]) -> None:
        with storage_errors():
            for piece in pieces:
                self._hash.update(piece)
                rest = memoryview(piece)
                while len(rest):
                    rest = rest[os.write(self._fd, rest) :]

    def _name(self) -> str:
        digest = self._hash.hexdigest()
        target = self._store.path(digest)
        with storage_errors():
            self._store.hold(digest)
            self._held = digest
            if self._store.is_sound(digest, self.size):
                self._temporary.unlink()
            else:
                os.fsync(self._fd)
                os.rename(self._temporary, target)
                sync_folder(target.parent)
        return digest


@contextlib.contextmanager
def storage_errors() -> Iterator[None]:
    """Turns an `OSError` of the block into a `StorageError` that says what failed."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull.of("the disk of the data folder is full") from error
        raise StorageError(f"the data folder failed: {error.strerror}") from error


def sync_folder(folder: Path) -> None:
    """Make a rename inside `folder` durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
