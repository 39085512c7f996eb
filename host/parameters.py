"""The uniform structs of all steps of a plan, in one block on the device.

Owns when the block is written: only when numbers differ from the last run's, and never while a run reads it.
"""

from __future__ import annotations

from host.buffers import Block, Pool
from host.plans import Plan, Step
from host.structure import Scalars
from host.tensors import DEVICE_OWNER
from host.transfers import Transfers
from ops.lowering.windows import ALIGNMENT
from ops.wgsl import scalar
from shaders.pack import pack_scalar


class Parameters:
    """The structs of a plan. `offsets` gives for each step where its own begins, in bytes."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._block: Block | None = None
        self._bits = b""
        structs, self.offsets = bytearray(), list[int]()
        for step in plan.steps:
            self.offsets.append(len(structs))
            if isinstance(step, Step):
                structs += step.params + bytes(-len(step.params) % ALIGNMENT)
        self._structs = bytes(structs)

    @property
    def nbytes(self) -> int:
        """What the device has of it now."""
        return 0 if self._block is None else self._block.size

    def block(self, pool: Pool, transfers: Transfers, scalars: Scalars, bits: bytes) -> Block | None:
        """The block with these scalars, whose bits are `bits` (`Structure`); None where no step has a struct.

        Whoever shares the block keeps it as it is. Raises `DeviceOutOfMemory`.
        """
        if not self._structs:
            return None
        if self._block is not None and self._bits == bits:
            return self._block
        structs = self._filled(scalars)
        if self._block is None or self._block.users > 1:
            fresh = pool.take(DEVICE_OWNER, len(self._structs), "uniform")
            self.give(pool)
            self._block = fresh
        self._bits = bits
        transfers.put(self._block, structs)
        return self._block

    def give(self, pool: Pool) -> None:
        """Give the block back, if there is one."""
        if self._block is not None:
            pool.give([self._block])
            self._block = None

    def _filled(self, scalars: Scalars) -> bytes:
        structs = bytearray(self._structs)
        for step, offset in zip(self._plan.steps, self.offsets, strict=True):
            for start, number, type in step.gaps if isinstance(step, Step) else ():
                value = pack_scalar(scalar(scalars[number], type), type)
                structs[offset + start : offset + start + len(value)] = value
        return bytes(structs)
