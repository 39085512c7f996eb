"""The heavy lane: a second device process, for kernels that take long to compile.

Owns the copies of what a dispatch reads and writes, which live on the device that everybody shares. Must not know
which kernels are heavy.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from api.background import later
from api.kernels.standby import Standby
from host import frames
from host.clock import Clock
from host.supervisor import Device
from ops.graph import TensorType
from shaders.reflection import Reflection


class Lane:
    """At most one device beside `main`; `make` gives a new one, not started."""

    def __init__(
        self, main: Device, make: Callable[[], Device], idle_s: float, clock: Clock | None = None
    ) -> None:
        self._main = main
        self._standby = Standby(make, idle_s, clock)

    @property
    def device(self) -> Device | None:
        """The device; None while there is none."""
        return self._standby.device

    @contextlib.asynccontextmanager
    async def borrow(self, types: Mapping[int, TensorType]) -> AsyncIterator[Copying]:
        """The lane, for dispatches over tensors of `main` whose types these are. Raises why it does not start."""
        async with self._standby.borrow() as device:
            yield Copying(self._main, device, types)

    async def close(self) -> None:
        """End the process."""
        await self._standby.close()


class Copying:
    """The lane as a `Device` to dispatch on: tensors are those of `main`, copied there and back."""

    def __init__(self, main: Device, lane: Device, types: Mapping[int, TensorType]) -> None:
        self._main, self._lane, self._types = main, lane, types

    def has_kernel(self, kernel: str) -> bool:
        """As `Device.has_kernel`, on the lane."""
        return self._lane.has_kernel(kernel)

    async def add_kernel(self, kernel: str, reflection: Reflection) -> float:
        """As `Device.add_kernel`, on the lane."""
        return await self._lane.add_kernel(kernel, reflection)

    async def dispatch(
        self,
        job: int,
        owner: str,
        kernel: str,
        steps: Sequence[frames.Step],
        fresh: Sequence[frames.Fresh] = (),
        **more: Any,
    ) -> frames.Usage:
        """As `Device.dispatch`, with the same handles, options and errors."""
        there = {handle: self._lane.new_handle() for handle in self._types}
        there |= {tensor.handle: self._lane.new_handle() for tensor in fresh}
        try:
            for handle, type in self._types.items():
                await _copy(self._main, handle, self._lane, there[handle], owner, type.dtype, type.shape)
            usage = await self._lane.dispatch(
                job, owner, kernel, _steps_there(steps, there), _fresh_there(fresh, there), **more
            )
            await self._bring_back(owner, [tensor for tensor in fresh if not tensor.temporary], there)
            return usage
        finally:
            later(self._lane.free(list(there.values())), "freeing tensors of the heavy lane")

    async def _bring_back(self, owner: str, made: Iterable[frames.Fresh], there: Mapping[int, int]) -> None:
        """Make tensors of the lane tensors of `main`: all, or none."""
        done = []
        try:
            for tensor in made:
                done.append(tensor.handle)
                await _copy(
                    self._lane,
                    there[tensor.handle],
                    self._main,
                    tensor.handle,
                    owner,
                    tensor.dtype,
                    tensor.shape,
                )
        except BaseException:
            later(self._main.free(done), "freeing tensors")
            raise


async def _copy(
    source: Device, handle: int, target: Device, new: int, owner: str, dtype: str, shape: Sequence[int]
) -> None:
    with await source.download(handle) as shared:
        data = bytes(shared.view)
    await target.upload_bytes(new, owner, dtype, shape, data)


def _steps_there(steps: Sequence[frames.Step], there: Mapping[int, int]) -> list[frames.Step]:
    return [
        msgspec.structs.replace(step, arguments=[_argument_there(each, there) for each in step.arguments])
        for step in steps
    ]


def _argument_there(argument: frames.Argument, there: Mapping[int, int]) -> frames.Argument:
    if isinstance(argument, frames.Bound):
        return frames.Bound(argument.name, there[argument.handle])
    return argument


def _fresh_there(fresh: Sequence[frames.Fresh], there: Mapping[int, int]) -> list[frames.Fresh]:
    return [
        msgspec.structs.replace(
            tensor,
            handle=there[tensor.handle],
            initial=None if tensor.initial is None else there[tensor.initial],
        )
        for tensor in fresh
    ]
