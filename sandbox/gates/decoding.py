"""Response bodies, decompressed piece by piece under a cap.

Owns the cap on decompressed bytes: no input, however small, makes more than one byte beyond it.
"""

from __future__ import annotations

import zlib

from sandbox.gates.errors import FetchFailed, FetchLimit

ACCEPTED = "gzip, deflate"
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_GZIP_START = b"\x1f"


class Body:
    """Collects a body of at most `limit` bytes, sent in `encoding` (the Content-Encoding, or None)."""

    def __init__(self, encoding: str | None, limit: int) -> None:
        coding = (encoding or "identity").strip().lower()
        if coding not in ("identity", "gzip", "x-gzip", "deflate", ""):
            raise FetchFailed(f"the response is coded as {coding[:40]!r}, which nobody asked for")
        self._limit = limit
        self._content = bytearray()
        self._started = False
        self._unzip = zlib.decompressobj(_GZIP_OR_ZLIB) if coding in ("gzip", "x-gzip", "deflate") else None
        self._raw_deflate_possible = coding == "deflate"

    def feed(self, piece: bytes) -> None:
        """Takes the next bytes from the wire."""
        self._started = self._started or bool(piece)
        while piece:
            room = self._limit - len(self._content) + 1
            if self._unzip is None:
                self._content += piece[:room]
                piece = b""
            else:
                piece = self._decompress(piece, room)
            if len(self._content) > self._limit:
                raise FetchLimit(f"the response's body has more than {self._limit} bytes")

    def _decompress(self, piece: bytes, room: int) -> bytes:
        """Adds at most `room` bytes; returns what is left of `piece`."""
        assert self._unzip is not None
        if self._unzip.eof:
            if not piece.startswith(_GZIP_START):
                return b""  # padding after the end, which everybody ignores
            self._unzip = zlib.decompressobj(_GZIP_OR_ZLIB)
        try:
            self._content += self._unzip.decompress(piece, room)
        except zlib.error as error:
            if not self._raw_deflate_possible:
                raise FetchFailed(f"the response's body is not what its header says: {error}") from None
            self._unzip = zlib.decompressobj(-zlib.MAX_WBITS)
            self._raw_deflate_possible = False
            return piece
        self._raw_deflate_possible = False
        return self._unzip.unused_data or self._unzip.unconsumed_tail

    def finish(self) -> bytes:
        """The whole body; `FetchFailed` when a compressed one was cut short."""
        if self._unzip is not None and not self._unzip.eof and self._started:
            raise FetchFailed("the response's compressed body ends too early")
        return bytes(self._content)
