"""What `os.stat` and `Path.stat` answer.

Owns that object. Must not know where it comes from.
"""

from __future__ import annotations

import stat
from typing import Any

from sandbox.gates.frames import FileInfo
from sandbox.policy.whole import Whole


class Status(Whole):
    """Size in bytes, kind, and the time of the last change of a file or folder, called as CPython calls them."""

    __slots__ = ("_info",)

    def __init__(self, info: Any) -> None:
        if not isinstance(info, FileInfo):
            raise TypeError("a status is asked for by stat()")
        self._info = info

    @property
    def st_size(self) -> int:
        """Bytes."""
        return self._info.size

    @property
    def st_mtime(self) -> float:
        """Seconds since 1970 of the last change."""
        return self._info.modified

    @property
    def st_mode(self) -> int:
        """The kind, as in `stat.S_ISDIR`; permissions are what the grant gives."""
        return stat.S_IFDIR if self._info.kind == "folder" else stat.S_IFREG

    def __repr__(self) -> str:
        return f"os.stat_result(st_mode={self.st_mode:#o}, st_size={self.st_size}, st_mtime={self.st_mtime})"
