"""The blocks that one request takes, and those that a plan has while it runs.

Owns that all are given back, whatever happens, but for those that become tensors. Must not know what is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from host.buffers import Block, Pool
from host.plans import Plan, Ref, Stage
from host.tensors import DEVICE_OWNER

Place = tuple[Block, int]
Blocks = dict[Ref, Place]
"""The block of each buffer of a plan, and where in it its bytes begin."""


class Lease:
    """The blocks that one request takes: given back in the end, but for those that become tensors.

    `nbytes` is the most that the blocks which it took had together.
    """

    def __init__(self, pool: Pool, owner: str) -> None:
        self._pool, self._owner = pool, owner
        self._blocks: list[Block] = []
        self._held = 0
        self.nbytes = 0

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.give(self._blocks)

    def take(self, nbytes: int, zero: bool = False) -> Block:
        """A storage block of the request's owner."""
        return self._add(self._pool.take(self._owner, nbytes, zero=zero))

    def take_uniform(self, nbytes: int) -> Block:
        """A uniform block; its ranges are bound exactly, so nobody sees what it held before."""
        return self._add(self._pool.take(DEVICE_OWNER, nbytes, "uniform"))

    def share(self, blocks: Sequence[Block]) -> None:
        """One more user of blocks that exist."""
        self._pool.share(blocks)
        self._blocks += blocks

    def give(self, block: Block) -> None:
        """`block`, which was taken, is not needed any more."""
        self._blocks.remove(block)
        self._held -= block.size
        self._pool.give([block])

    def keep(self, blocks: Sequence[Block]) -> None:
        """Each of `blocks` has become a tensor, which is one more user: it outlives the request."""
        self._pool.share(blocks)

    def _add(self, block: Block) -> Block:
        self._blocks.append(block)
        self._held += block.size
        if self._held > self.nbytes:
            self.nbytes = self._held
        return block


class Holding:
    """The `blocks` of a plan's run as its stages come and go: at first what the plan is given, as its inputs."""

    def __init__(self, lease: Lease, plan: Plan, blocks: Blocks) -> None:
        self._lease, self._plan = lease, plan
        self.blocks = blocks

    def begin(self, stage: Stage) -> None:
        """Take what a stage begins with. Raises `DeviceOutOfMemory`."""
        for ref in stage.takes:
            self.blocks[ref] = (self._lease.take(self._plan.nbytes(ref)), 0)

    def end(self, stage: Stage) -> None:
        """Give back what is not needed after a stage, all steps of which are done."""
        for ref in stage.gives:
            self._lease.give(self.blocks.pop(ref)[0])
