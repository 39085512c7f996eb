"""Tensors that are nowhere but on the device, while they had to leave it: their elements, in files.

Owns the folder `spill`, which does not outlive the server, and the bound on its bytes. Must not know devices.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from api.errors import StorageError, StorageFull
from api.storage.blobs import storage_errors
from api.storage.reserve import Reserve

_NEW = os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC


class Spill:
    """At most `most_bytes` bytes of elements in files of `folder`, by the tensors' ids."""

    def __init__(self, folder: Path, most_bytes: int, reserve: Reserve) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._reserve = reserve
        self._sizes: dict[str, int] = {}
        self._coming = 0

    def open_folder(self) -> None:
        """Make the folder; remove what an earlier server left."""
        self._folder.mkdir(exist_ok=True)
        for left in self._folder.iterdir():
            left.unlink()

    def __contains__(self, tensor_id: str) -> bool:
        return tensor_id in self._sizes

    async def put(self, tensor_id: str, elements: memoryview) -> None:
        """Keep the elements of a tensor. Raises `StorageFull`, `StorageError`."""
        size = len(elements)
        if sum(self._sizes.values()) + self._coming + size > self._most_bytes:
            raise StorageFull.of(f"{size:,} bytes are more than is left of spill_bytes")
        self._coming += size
        try:
            await asyncio.to_thread(self._write, self._folder / tensor_id, elements)
            self._sizes[tensor_id] = size
        finally:
            self._coming -= size

    def open(self, tensor_id: str) -> int:
        """A descriptor, for reading, of the elements of a tensor that is in here."""
        with storage_errors():
            return os.open(self._folder / tensor_id, os.O_RDONLY | os.O_CLOEXEC)

    def drop(self, tensor_id: str) -> None:
        """Forget a tensor, if it is in here."""
        if self._sizes.pop(tensor_id, None) is not None:
            (self._folder / tensor_id).unlink(missing_ok=True)

    def _write(self, path: Path, elements: memoryview) -> None:
        self._reserve.require()
        try:
            with storage_errors(), open(os.open(path, _NEW, 0o600), "wb") as file:
                file.write(elements)
        except StorageError:
            path.unlink(missing_ok=True)
            raise
