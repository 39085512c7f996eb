"""What the steps of a dispatch are bound to: tensors that exist, tensors that it makes, and uniforms.

Owns the blocks of one dispatch of a stranger's kernel, in its lease. Must not know how kernels run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from host.buffers import Block, bindable
from host.frames import Argument, Bound, Fresh, Uniform
from host.kernels import groups_of
from host.lease import Lease
from host.native import Command, Copy, Range
from host.steps import Checked, fresh_types
from host.tensors import Tensor, device_bytes
from host.transfers import Transfers
from ops.lowering.windows import ALIGNMENT
from shaders.reflection import Reflection


class Bindings:
    """Takes hold at once of the tensors that `steps` read and that the tensors of `fresh` begin as: whatever is freed
    meanwhile, they stay. `tensor` finds one by its handle, or raises `UnknownHandle`.

    `types` are those of the fresh tensors by handle.
    """

    def __init__(
        self,
        lease: Lease,
        steps: Sequence[Checked],
        fresh: Sequence[Fresh],
        tensor: Callable[[int], Tensor[Block]],
    ) -> None:
        self._lease, self._steps, self._fresh = lease, steps, fresh
        handles = {each.initial for each in fresh if each.initial is not None}
        handles |= {each.handle for each in self._arguments() if isinstance(each, Bound)}
        held = {handle: tensor(handle) for handle in handles - {each.handle for each in fresh}}
        self._blocks = {handle: each.storage for handle, each in held.items()}
        lease.share(list(self._blocks.values()))
        self.types = fresh_types(fresh, lambda handle: held[handle].type)
        self._sizes = {handle: device_bytes(each.type) for handle, each in held.items()}
        self._sizes |= {handle: device_bytes(type) for handle, type in self.types.items()}
        self._uniforms: dict[bytes, Range] = {}

    def make(self, transfers: Transfers) -> list[Command]:
        """Take the blocks of what is fresh, new ones zero, and of uniforms; the copies that come before all steps.

        Raises `DeviceOutOfMemory`.
        """
        copies: list[Command] = []
        for each in self._fresh:
            nbytes = self._sizes[each.handle]
            block = self._blocks[each.handle] = self._lease.take(nbytes, zero=each.initial is None)
            if each.initial is not None and nbytes:
                copies.append(Copy(self._blocks[each.initial].buffer, 0, block.buffer, 0, nbytes))
        self._fill_uniforms(transfers)
        return copies

    def groups(self, reflection: Reflection, step: Checked) -> list[list[Range]]:
        """What each binding that a step reaches is bound to, in the order of `groups_of`."""
        arguments = {info.name: argument for info, argument in step.pairs}
        return [
            [self._range(arguments[info.name]) for info in group]
            for group in groups_of(reflection, step.entry)
        ]

    def made(self) -> dict[int, Block]:
        """The blocks of the fresh tensors that are not temporary, by handle."""
        return {each.handle: self._blocks[each.handle] for each in self._fresh if not each.temporary}

    def _range(self, argument: Argument) -> Range:
        if isinstance(argument, Uniform):
            return self._uniforms[argument.data]
        return self._blocks[argument.handle].buffer, 0, self._sizes[argument.handle]

    def _fill_uniforms(self, transfers: Transfers) -> None:
        """Put the uniforms of all steps in one block, equal ones once."""
        data, begins = bytearray(), dict[bytes, int]()
        for each in self._arguments():
            if isinstance(each, Uniform) and each.data not in begins:
                begins[each.data] = len(data)
                data += each.data + bytes(-len(each.data) % ALIGNMENT)
        if begins:
            block = self._lease.take_uniform(len(data))
            transfers.put(block, bytes(data))
            for uniform, begin in begins.items():
                self._uniforms[uniform] = block.buffer, begin, bindable(len(uniform))

    def _arguments(self) -> list[Argument]:
        return [argument for step in self._steps for _, argument in step.pairs]
