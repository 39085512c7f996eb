"""A body as an array of byte strings: its lines, or blocks of one length.

Owns the two sinks that it goes to, as `api/tensors/strings.py` says what they hold. Must not know storage or HTTP.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from api.errors import MalformedTensor
from api.tensors.store import Sink

MOST_BYTES = (1 << 32) - 1
"""What an offset can say."""
_NEWLINE = 0x0A
_PIECE = 1 << 18


@dataclass(slots=True)
class Split:
    """Byte strings on their way to two sinks, of which none may get more than `limit` bytes."""

    data: Sink
    offsets: Sink
    limit: int
    count: int = 0
    nbytes: int = 0

    async def lines(self, pieces: AsyncIterator[bytes]) -> None:
        """Each line is a string, without its line feed; what follows the last one counts if it is not empty."""
        begun = 0
        async for piece in pieces:
            ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == _NEWLINE)
            await self._end(self.nbytes + ends - np.arange(len(ends)))
            await self._write(piece.replace(b"\n", b""))
            begun = len(piece) - 1 - int(ends[-1]) if len(ends) else begun + len(piece)
        if begun:
            await self._end(np.array([self.nbytes]))
        await self._finish()

    async def blocks(self, pieces: AsyncIterator[bytes], size: int) -> None:
        """Every `size` bytes are a string; the last may be shorter."""
        async for piece in pieces:
            await self._write(piece)
        for start in range(size, self.nbytes, size * _PIECE):
            await self._end(np.arange(start, min(start + size * _PIECE, self.nbytes), size))
        if self.nbytes:
            await self._end(np.array([self.nbytes]))
        await self._finish()

    @property
    def words(self) -> int:
        """How many u32 words the bytes take, one at least."""
        return max(1, -(-self.nbytes // 4))

    async def _write(self, piece: bytes) -> None:
        self.nbytes += len(piece)
        if self.nbytes > min(self.limit, MOST_BYTES):
            raise MalformedTensor(
                f"the strings have more than {min(self.limit, MOST_BYTES)} bytes", hint="Send fewer at once."
            )
        await self.data.write(piece)

    async def _end(self, offsets: npt.NDArray[np.int64]) -> None:
        """Strings end at these offsets."""
        if not self.count and len(offsets):
            await self.offsets.write(bytes(4))
        self.count += len(offsets)
        if 4 * (self.count + 1) > self.limit:
            raise MalformedTensor(
                f"the offsets of more than {self.count} strings have over {self.limit} bytes",
                hint="Send fewer at once.",
            )
        await self.offsets.write(offsets.astype("<u4").tobytes())

    async def _finish(self) -> None:
        if not self.count:
            await self.offsets.write(bytes(4))
        await self.data.write(bytes(4 * self.words - self.nbytes))
        await self.data.finish()
        await self.offsets.finish()
