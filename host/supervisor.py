"""`Device`: what can be asked of a device that outlives its processes (`host/lineage.py`).

Owns the handles that are given out, and the kernels that each new process is told again when they are needed. What is
in flight when a process dies fails with a clear error, what comes meanwhile waits. Must not know users or grants: an
owner is a string.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from host import errands, faults, frames
from host.child import Child
from host.errands import Errand
from host.errors import (
    Cancelled,
    DeviceCrashed,
    DeviceFailed,
    DeviceLeft,
    DeviceRestarted,
    DeviceTimeout,
    UnknownKernel,
)
from host.frames import Usage
from host.lineage import Lineage
from host.meter import Charge, Meter
from host.requests import LOST, Reply
from host.settings import DeviceSettings
from host.shared import Shared, memory_file
from ops.graph import Graph
from shaders.reflection import Reflection

__all__ = ["Device", "DeviceSettings"]

_COMPILE_ATTEMPTS = 8
"""How often a kernel is tried while others, which wait with it, end the compiler."""


class Device(Lineage):
    """A device and its life. All methods belong to the event loop that called `start()`.

    Tensors of an earlier process are gone (`unknown_handle`). Who meters requests tells `on_charge` what they cost.
    """

    def __init__(self, settings: DeviceSettings) -> None:
        super().__init__(settings)
        self.on_charge: Charge = lambda usage: None
        self._kernels: OrderedDict[str, Reflection] = OrderedDict()
        self._handles = itertools.count(1)

    def new_handle(self) -> int:
        """A number that names a tensor to be made, unique for the life of this object. On any thread."""
        return next(self._handles)

    async def upload(
        self, handle: int, owner: str, dtype: str, shape: Sequence[int], fd: int, offset: int, nbytes: int
    ) -> None:
        """Make tensor `handle` from `nbytes` bytes (wire form) at `offset` of regular file or memory file `fd`."""
        if not nbytes:
            await self.upload_bytes(handle, owner, dtype, shape, b"")
            return
        file = (fd, offset, nbytes)
        await self._ask(errands.upload_file(handle, owner, dtype, shape, file, self.settings.deadline_s))

    async def upload_bytes(
        self, handle: int, owner: str, dtype: str, shape: Sequence[int], data: bytes
    ) -> None:
        """Make tensor `handle` from `data` (wire form): inside the frame when small, else by a memory file."""
        if len(data) > frames.INLINE_BYTES:
            fd = memory_file(data)
            with open(fd, "rb"):
                await self.upload(handle, owner, dtype, shape, fd, 0, len(data))
            return
        await self._ask(errands.upload(handle, owner, dtype, shape, data, self.settings.deadline_s))

    async def download(self, handle: int) -> Shared:
        """The elements of tensor `handle` in wire form; close it soon. Raises `UnknownHandle`."""
        reply = await self._ask(errands.download(handle, self.settings.deadline_s))
        assert isinstance(reply, Shared)
        return reply

    async def free(self, handles: Sequence[int]) -> None:
        """Forget tensors. Unknown ones, and a device that has just been restarted, are not errors."""
        if handles and self._child is not None and self._child.alive:
            with contextlib.suppress(DeviceRestarted):
                await self._ask(errands.free(handles, self.settings.deadline_s, needs=handles))

    async def add_kernel(
        self,
        kernel_hash: str,
        reflection: Reflection,
        warm: bool = False,
        constants: Mapping[str, float] | None = None,
    ) -> float:
        """Compile a kernel, and with `warm` dispatch it once; the milliseconds of processor time that it took.

        Raises `KernelCompileError`. A "device" remembers the kernel and tells it to each new process; what it knows
        already takes no time. A "compiler" tries it, with `constants` for its overrides: a crash, too long a time and
        too much memory are `KernelCompilerCrashed`, `…Timeout` and `…Memory`, and other kernels that wait meanwhile are
        tried again by themselves.
        """
        if self.settings.role == "compiler":
            return await self._try_kernel(kernel_hash, reflection, warm, dict(constants or {}))
        self._remember(kernel_hash, reflection)
        if not warm and self.has_kernel(kernel_hash):
            return 0.0
        try:
            return await self._tell_kernel(kernel_hash, reflection, warm)
        except faults.Fault as fault:
            raise faults.of_kernel(fault) from None

    def has_kernel(self, kernel_hash: str) -> bool:
        """Whether the process in use has compiled a kernel."""
        return self._child is not None and kernel_hash in self._child.kernels

    def drop_kernel(self, kernel_hash: str) -> None:
        """Forget a kernel; an unknown one is ignored."""
        self._kernels.pop(kernel_hash, None)
        if self._child is not None and kernel_hash in self._child.kernels:
            self._child.kernels.discard(kernel_hash)
            self._child.post(frames.DropKernel(0, kernel_hash))

    async def run_graph(
        self,
        job: int,
        owner: str,
        graph: Graph,
        outputs: Sequence[int],
        deadline_s: float | None = None,
        meter: Meter | None = None,
    ) -> Usage:
        """Compute `graph`; its n-th output becomes tensor `outputs[n]`, owned by `owner`.

        `meter` is told what it costs, however it ends. Raises `DeviceTimeout` when the meter's budget is used up.
        """
        deadline_s, step_s = self._deadline(deadline_s), self.settings.compile_s
        errand = errands.run_graph(job, owner, graph, outputs, deadline_s, step_s, meter)
        return _usage(await self._run(job, errand))

    async def explain(
        self, job: int, owner: str, graph: Graph, wgsl: bool = False, meter: Meter | None = None
    ) -> str:
        """How the device would compute `graph`, whose inputs need not exist; `wgsl`: with the source of kernels."""
        deadline_s, step_s = self.settings.deadline_s, self.settings.compile_s
        errand = errands.explain(job, owner, graph, wgsl, deadline_s, step_s, meter)
        reply = await self._run(job, errand)
        assert isinstance(reply, frames.Explained)
        return reply.text

    async def dispatch(
        self,
        job: int,
        owner: str,
        kernel: str,
        steps: Sequence[frames.Step],
        fresh: Sequence[frames.Fresh] = (),
        deadline_s: float | None = None,
        fuel: int | None = None,
        most_fuel: Mapping[str, int] | None = None,
        meter: Meter | None = None,
    ) -> Usage:
        """Do `steps` of a kernel that was added, in order; those of `fresh` that are not temporary become tensors owned
        by `owner`.

        `fuel` is the budget of each invocation; None: the device's own. `most_fuel` bounds it, by whose bound it is.
        Raises `FuelExhausted` or `DriverLoopLimit` when a loop drew the last of it; then nothing was made. Raises
        `KernelFault` when the kernel took the device process with it. `meter` is as in `run_graph`.
        """
        if kernel not in self._kernels:
            raise UnknownKernel(
                f"there is no kernel {kernel[:80]!r}", hint="Add the kernel before dispatching it."
            )
        self._kernels.move_to_end(kernel)
        request = frames.DispatchKernel(
            0,
            job,
            owner,
            kernel,
            list(steps),
            list(fresh),
            fuel,
            dict(most_fuel or {}),
            self._deadline(deadline_s),
        )
        errand = errands.dispatch(request, self.settings.first_s or self.settings.compile_s, meter)
        try:
            return _usage(await self._run(job, errand))
        except faults.Fault as fault:
            raise faults.of_kernel(fault) from None

    async def cancel(self, job: int) -> None:
        """Stop a job between two dispatches; it fails with `cancelled`. One that is over is no error."""
        if self._child is not None:
            self._child.post(frames.Cancel(0, job))

    async def _run(self, job: int, errand: Errand) -> Reply:
        """Work in slices, which is cancelled if the caller gives up."""
        try:
            return await self._ask(errand)
        except asyncio.CancelledError:
            await self.cancel(job)
            raise
        except Cancelled:
            if errand.meter is None or not errand.meter.exceeded:
                raise
            raise DeviceTimeout(
                f"{errand.what} was stopped, as it had used all the device time that was left for it"
            ) from None

    async def _ask(self, errand: Errand) -> Reply:
        """One request, once a process is ready. If the caller gives up, what it would have made is freed.

        If the process ends before it takes the request up, the next one gets it, unless it needs tensors, which are
        lost. Raises `DeviceCrashed` if that one too ends as it comes to it.
        """
        child = await self._ready_child()
        try:
            return await self._ask_child(child, errand)
        except DeviceLeft as left:
            if errand.needs:
                raise
            was_next = left.was_next
        await child.gone()
        child = await self._ready_child()
        try:
            return await self._ask_child(child, errand)
        except DeviceLeft as left:
            if was_next and left.was_next:
                raise DeviceCrashed(
                    f"two device processes were lost as they came to {errand.what}", hint=LOST
                ) from None
            raise

    async def _ask_child(self, child: Child, errand: Errand) -> Reply:
        told = None
        if errand.kernel is not None and errand.kernel not in child.kernels:
            told = self._send_kernel(child, errand.kernel)
        future = child.request(errand)
        try:
            return await future
        except asyncio.CancelledError:
            if errand.makes and child.alive:
                _ignore(child.request(errands.free(errand.makes, errand.step_s)))
            raise
        except DeviceLeft:
            why = None if told is None else told.exception()
            if isinstance(why, faults.Fault):  # it never came to the request, by the fault of its own kernel
                raise why from None
            raise

    def _deadline(self, deadline_s: float | None) -> float:
        return self.settings.deadline_s if deadline_s is None else deadline_s

    def _send_kernel(self, child: Child, kernel: str) -> asyncio.Future[Reply]:
        """Tell `child` a kernel that an earlier process compiled, ahead of the request that needs it."""
        reflection = self._kernels[kernel]
        child.kernels.add(kernel)

        def settled(future: asyncio.Future[Reply]) -> None:
            if future.cancelled() or future.exception() is not None:
                child.kernels.discard(kernel)

        future = child.request(errands.add_kernel(kernel, reflection, self.settings.compile_s))
        future.add_done_callback(settled)
        return future

    async def _tell_kernel(
        self, kernel: str, reflection: Reflection, warm: bool, constants: dict[str, float] | None = None
    ) -> float:
        """Have a kernel compiled; the milliseconds that it took."""
        reply = await self._ask(
            errands.add_kernel(kernel, reflection, self.settings.compile_s, warm, constants)
        )
        if self._child is not None:
            self._child.kernels.add(kernel)
        assert isinstance(reply, frames.Done)
        return reply.usage.device_ms

    async def _try_kernel(
        self, kernel: str, reflection: Reflection, warm: bool, constants: dict[str, float]
    ) -> float:
        for _ in range(_COMPILE_ATTEMPTS):
            try:
                elapsed = await self._tell_kernel(kernel, reflection, warm, constants)
            except faults.Fault as fault:
                raise faults.of_new_kernel(fault, self.settings.compile_s) from None
            except DeviceRestarted:
                continue  # another kernel's fault
            self.drop_kernel(kernel)
            return elapsed
        raise DeviceFailed("the compiler was restarted again and again by other kernels", hint="Try again.")

    def _remember(self, kernel: str, reflection: Reflection) -> None:
        self._kernels[kernel] = reflection
        self._kernels.move_to_end(kernel)
        while len(self._kernels) > self.settings.kernels:
            self.drop_kernel(next(iter(self._kernels)))


def _usage(reply: Reply) -> Usage:
    """What work cost."""
    assert isinstance(reply, frames.Done)
    return reply.usage


def _ignore(future: asyncio.Future[Reply]) -> None:
    """Nobody waits for `future`; its error, if any, shows elsewhere."""
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
