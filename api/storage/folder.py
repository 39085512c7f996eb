"""The data folder: who has it.

Owns its lock, and the mark of a restoration that has not ended. Must not know what is in the folder.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from api.errors import StorageError

RESTORING = "restoring"


def take(folder: Path) -> int:
    """Make the folder, if need be, and take it for this process: a descriptor, which gives it back when closed.

    Raises `StorageError` when another process has it, or a restoration was interrupted; OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if (folder / RESTORING).exists():
            raise StorageError(
                f"a restoration into the data folder {folder} was interrupted",
                hint="Remove the folder, and restore again.",
            )
    except BlockingIOError:
        os.close(fd)
        raise StorageError(
            f"another Kernelgate uses the data folder {folder}", hint="Stop it, or set KERNELGATE_DATA."
        ) from None
    except StorageError:
        os.close(fd)
        raise
    return fd
