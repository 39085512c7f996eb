"""Device buffers that are used again: one pool, two families (storage, uniform), blocks in sizes of few kinds.

Owns when a block is created, shared, zeroed and destroyed. A block that changes its owner is zeroed before the new one
can see it; within an owner only where zeros are asked for. Must not know tensors: a block has an owner and a size.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal

from host.errors import DeviceOutOfMemory
from host.native import Buffer, Clear, Gpu
from host.tensors import DEVICE_OWNER, Budget

Family = Literal["storage", "uniform"]
_LEAST = 256
"""Bytes of the smallest block."""
_FINE = 1 << 20
"""Bytes above which sizes are eighths of powers of two, not powers alone."""
_LOOKED_AT = 16
"""The newest blocks of a shelf, among which one of the same owner is looked for: it need not be cleared."""


@lru_cache(maxsize=4096)
def bucket(nbytes: int, most: int) -> int:
    """The size of the block for `nbytes`: a power of two, above 1 MiB in eighths of one, at most `most`.

    So a block wastes at most an eighth where it matters.
    """
    nbytes = max(nbytes, 4)
    size = 1 << max(nbytes - 1, _LEAST - 1).bit_length()
    if size > _FINE:
        step = size >> 4
        size = -(-nbytes // step) * step
    return max(nbytes, min(size, most - most % 4))


def bindable(nbytes: int) -> int:
    """The size of a range that shows `nbytes` bytes to a kernel: whole vectors of 16 bytes, one at least."""
    return max((nbytes + 15) & ~15, 16)


class Block:
    """A buffer with one or more users, all of one owner; `shelf` has those of its kind that wait, oldest first."""

    __slots__ = ("buffer", "owner", "shelf", "size", "users")

    def __init__(self, buffer: Buffer, owner: str, shelf: dict[Block, None]) -> None:
        self.buffer, self.owner, self.shelf, self.users = buffer, owner, shelf, 1
        self.size = buffer.size


class Pool:
    """Blocks in use, and blocks that wait for use, oldest first.

    `on_destroy` is told of a buffer just before it goes. Clears that blocks need are collected: whoever submits next
    puts `take_clears()` first.
    """

    def __init__(
        self, gpu: Gpu, memory_bytes: int | None, pool_bytes: int, on_destroy: Callable[[Buffer], None]
    ) -> None:
        self._gpu = gpu
        self._budget = Budget(memory_bytes)
        self._pool_bytes = pool_bytes
        self._largest = gpu.limits["max_buffer_size"]
        self._on_destroy = on_destroy
        self._idle: OrderedDict[Block, None] = OrderedDict()
        self._shelves: defaultdict[tuple[Family, int], dict[Block, None]] = defaultdict(dict)
        self._clears: list[Clear] = []
        self.live_bytes = 0
        self.pooled_bytes = 0

    def take(self, owner: str, nbytes: int, family: Family = "storage", zero: bool = False) -> Block:
        """A block of at least `nbytes` bytes, with one user. Raises `DeviceOutOfMemory`.

        What it shows before it is written is zeros, or (unless `zero`) something of the same owner.
        """
        size = bucket(nbytes, self._largest)
        shelf = self._shelves[family, size]
        block = self._reuse(owner, shelf) if shelf else None
        if block is None:
            block = Block(self._create(size, family), owner, shelf)
        elif zero or block.owner != owner:
            self.owe_clear(block)
        block.owner, block.users = owner, 1
        self.live_bytes += size if owner != DEVICE_OWNER else 0
        return block

    def share(self, blocks: Sequence[Block]) -> None:
        """One more user of each of `blocks`."""
        for block in blocks:
            block.users += 1

    def give(self, blocks: Sequence[Block]) -> None:
        """One user less of each; after the last a block waits for the next taker, or goes when too much waits."""
        for block in blocks:
            block.users -= 1
            if not block.users:
                self._shelve(block)

    def take_clears(self) -> list[Clear]:
        """The clears that must run before anything else; the caller submits them."""
        clears, self._clears = self._clears, []
        return clears

    def flush(self) -> None:
        """Start the clears that wait, so that what is written after this call stays."""
        clears = self.take_clears()
        if clears:
            self._gpu.submit(clears)

    def owe_clear(self, block: Block) -> None:
        """Clear `block` before anything else: whoever dropped that clear has not done it."""
        self._clears.append(Clear(block.buffer, 0, block.size))

    def drop_clear(self, block: Block) -> bool:
        """Whether `block` waited for a clear, which whoever calls this promises to do itself, or to owe again."""
        if not self._clears:
            return False
        before = len(self._clears)
        self._clears = [clear for clear in self._clears if clear.buffer is not block.buffer]
        return len(self._clears) < before

    def close(self) -> None:
        """Destroy everything that waits."""
        while self._idle:
            self._destroy_oldest()

    def _reuse(self, owner: str, shelf: dict[Block, None]) -> Block:
        """The newest block that waits on a shelf; one of the same owner if it is among the last few."""
        block = next(reversed(shelf))
        if block.owner != owner:
            newest = islice(reversed(shelf), _LOOKED_AT)
            block = next((block for block in newest if block.owner == owner), block)
        self._forget(block)
        return block

    def _shelve(self, block: Block) -> None:
        self.live_bytes -= block.size if block.owner != DEVICE_OWNER else 0
        self.pooled_bytes += block.size
        self._idle[block] = None
        block.shelf[block] = None
        while self.pooled_bytes > self._pool_bytes:
            self._destroy_oldest()

    def _create(self, size: int, family: Family) -> Buffer:
        while self._idle and self._budget.lacks(size):
            self._destroy_oldest()
        self._budget.take(size)
        try:
            return self._gpu.create_buffer(size, family)
        except DeviceOutOfMemory:
            if self._idle:
                self.close()
                self._budget.give(size)
                return self._create(size, family)
            self._budget.give(size)
            raise

    def _forget(self, block: Block) -> None:
        del self._idle[block]
        del block.shelf[block]
        self.pooled_bytes -= block.size

    def _destroy_oldest(self) -> None:
        block = next(iter(self._idle))
        self._forget(block)
        self.drop_clear(block)
        self._budget.give(block.size)
        self._on_destroy(block.buffer)
        self._gpu.destroy(block.buffer)
