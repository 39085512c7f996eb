"""Room that is kept on the disk of the data folder, so that what makes room always finds some.

Owns the file `reserve`: it is given up when a deletion finds the disk full, and until it could be filled again nothing
that grows is stored, so that no other writer takes what deletions need. Must not know what is stored.
"""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

from api.errors import StorageFull

log = logging.getLogger("kernelgate")
LEAST_ROOM = 1 << 20
"""Bytes on the disk, below which it counts as full."""


class Reserve:
    """`nbytes` bytes of disk in the file `path`."""

    def __init__(self, path: Path, nbytes: int) -> None:
        self._path = path
        self._nbytes = nbytes
        self._lock = threading.Lock()
        self._spent = False

    @property
    def is_spent(self) -> bool:
        """Whether it was given up, and has not been filled since."""
        return self._spent

    def fill(self) -> None:
        """Take the room, if there is that much; else note that it is missing."""
        with self._lock:
            was_spent, self._spent = self._spent, not self._taken()
        if self._spent and not was_spent:
            log.error("there is no room for the reserve of %d bytes: nothing new is stored", self._nbytes)
        elif was_spent and not self._spent:
            log.warning("there is room again in the data folder")

    def spend(self) -> bool:
        """Give the room up for a deletion; whether there was any."""
        with self._lock:
            self._spent = True
            try:
                self._path.unlink()
            except OSError:
                return False
        log.error("the disk of the data folder is full: nothing new is stored until there is room")
        return True

    def is_needed(self) -> bool:
        """Whether the disk has no room beside the reserve, or the reserve is spent."""
        try:
            room = os.statvfs(self._path.parent)
        except OSError:
            return True
        return self._spent or room.f_bavail * room.f_frsize < LEAST_ROOM

    def require(self) -> None:
        """Raise `StorageFull` while the reserve is spent and cannot be filled."""
        if self._spent:
            self.fill()
        if self._spent:
            raise StorageFull.of("the disk of the data folder is full")

    def _taken(self) -> bool:
        """Whether the file has its size, after an attempt to give it that."""
        try:
            fd = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            os.ftruncate(fd, min(os.fstat(fd).st_size, self._nbytes))
            if self._nbytes:
                os.posix_fallocate(fd, 0, self._nbytes)
        except OSError:
            self._path.unlink(missing_ok=True)
            return False
        else:
            return True
        finally:
            os.close(fd)
