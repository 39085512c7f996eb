"""`struct.Struct` without its ways to write into a buffer.

Owns that class. Must not know the views beyond `replace`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from sandbox.policy import views


class Struct:
    """A compiled `struct` format."""

    __slots__ = ("_real",)

    def __init__(self, format: str | bytes) -> None:
        self._real = struct.Struct(format)

    @property
    def format(self) -> str:
        """The format that was given."""
        return self._real.format

    @property
    def size(self) -> int:
        """The bytes of one record."""
        return self._real.size

    def pack(self, *values: Any) -> bytes:
        """As `struct.pack`."""
        return self._real.pack(*values)

    def unpack(self, buffer: Any) -> tuple[Any, ...]:
        """As `struct.unpack`."""
        return self._real.unpack(buffer)

    def unpack_from(self, buffer: Any, offset: int = 0) -> tuple[Any, ...]:
        """As `struct.unpack_from`."""
        return self._real.unpack_from(buffer, offset)

    def iter_unpack(self, buffer: Any) -> Iterator[tuple[Any, ...]]:
        """As `struct.iter_unpack`."""
        return self._real.iter_unpack(buffer)


def install() -> None:
    """Put the class into the view."""
    views.replace("struct", Struct=Struct)
