"""What a folder holds, against its quota.

Owns the count of bytes and entries below a folder, shared by all runs that write to it at the same time, so that
together they stay within the quota as one would. It is counted once, when the first of them writes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from sandbox.gates.errors import FileQuota
from sandbox.gates.grants import FileGrant


class Ledger:
    """The bytes and entries (files and folders) of one folder. `lock` is held while something changes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.bytes = 0
        self.entries = 0
        self.counted = False

    @contextmanager
    def change(self, grant: FileGrant, added_bytes: int, added_entries: int) -> Iterator[None]:
        """Checks that the change keeps to the quota, lets the block do it, and counts it if the block succeeds."""
        if added_bytes > 0 and self.bytes + added_bytes > grant.quota_bytes:
            raise FileQuota(
                f"{grant.path} would hold {self.bytes + added_bytes} bytes of {grant.quota_bytes}"
            )
        if added_entries > 0 and self.entries + added_entries > grant.quota_files:
            raise FileQuota(f"{grant.path} would hold more than {grant.quota_files} files and folders")
        yield
        self.bytes += added_bytes
        self.entries += added_entries

    def count(self, root: int) -> None:
        """Counts what lies below the folder `root`, once."""
        if self.counted:
            return
        for _, folders, files, descriptor in os.fwalk(".", dir_fd=root):
            self.entries += len(folders) + len(files)
            self.bytes += sum(_size(name, descriptor) for name in files)
        self.counted = True


_ledgers: WeakValueDictionary[str, Ledger] = WeakValueDictionary()
_ledgers_lock = threading.Lock()


def ledger(folder: str) -> Ledger:
    """The ledger of the host's folder `folder`; the same one for as long as somebody holds it."""
    with _ledgers_lock:
        return _ledgers.setdefault(folder, Ledger())


def _size(name: str, folder: int) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_size
    except OSError:
        return 0
