"""`Device`: a device that outlives its processes.

Owns the restart policy, the handles that are given out, and the kernels that each new process is told again when they
are needed. A process that dies or stalls is replaced at once; what was in flight fails with a clear error, what comes
meanwhile waits. Must not know users or grants: an owner is a string.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import sys
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from host import faults, frames
from host.child import Child, ChildSettings, Reply, open_child
from host.clock import Clock, LoopClock, sleep
from host.engine import EngineSettings
from host.errors import (
    AdapterNotFound,
    Cancelled,
    DeviceFailed,
    DeviceLeft,
    DeviceRestarted,
    DeviceTimeout,
    UnknownKernel,
)
from host.frames import DeviceInfo, MemoryReport, Seal, Usage
from host.meter import Charge, Meter
from host.shared import Shared, memory_file
from host.spare import Spare
from ops.graph import Graph
from shaders.errors import KernelgateError
from shaders.reflection import Reflection

log = logging.getLogger("kernelgate.device")

_COMPILE_ATTEMPTS = 8


@dataclass(frozen=True)
class DeviceSettings:
    """What a `Device` is told; times in seconds.

    `deadline_s` bounds each request in the device's own time: work in slices is stopped after it. A single step that
    takes too long gets the process killed: a slice after `watchdog_s`, one that may have to compile after `compile_s`
    (of a stranger's kernel after `first_s`, where given), any other after `deadline_s`. `host_steps` is as in
    `EngineSettings`. `fuel` is the budget of a kernel's invocation where a dispatch names none (None: measured at the
    start). `role` "compiler" is for a device that only tries new kernels. `failures` starts in a row may fail before
    requests are refused at once; after each the next start waits twice as long, from `backoff_s` up to
    `backoff_most_s`. `wait_s` is how long a request waits for a restart. `kernels` bounds how many are remembered.
    `module` is what a process runs (`ChildSettings`).
    """

    adapter: str | None = None
    role: Literal["device", "compiler"] = "device"
    memory_bytes: int | None = None
    pool_bytes: int = 1 << 30
    slice_ms: float = 20.0
    host_steps: bool = True
    fuel: int | None = None
    deadline_s: float = 30.0
    watchdog_s: float = 2.0
    compile_s: float = 30.0
    first_s: float | None = None
    start_s: float = 30.0
    takeup_s: float = 10.0
    exit_s: float = 2.0
    wait_s: float = 20.0
    failures: int = 4
    backoff_s: float = 0.25
    backoff_most_s: float = 30.0
    kernels: int = 4096
    python: str = sys.executable
    module: str = "host.process"
    clock: Clock = field(default_factory=LoopClock)

    def child(self) -> ChildSettings:
        """The part that one process needs."""
        engine = EngineSettings(
            self.adapter, self.memory_bytes, self.pool_bytes, self.slice_ms, self.host_steps, self.fuel
        )
        return ChildSettings(
            self.python, self.module, engine, self.watchdog_s, self.start_s, self.takeup_s, self.exit_s
        )


class Device:
    """A device and its life. All methods belong to the event loop that called `start()`.

    `generation` grows by one with each new process: tensors of an earlier one are gone (`unknown_handle`). Who meters
    requests tells `on_charge` what they cost.
    """

    def __init__(self, settings: DeviceSettings) -> None:
        self.settings = settings
        self.info: DeviceInfo | None = None
        self.seal = Seal()
        self.generation = 0
        self.on_charge: Charge = lambda usage: None
        self.restarts = 0
        self.state: Literal["starting", "ready", "restarting", "failed", "closed"] = "starting"
        self._child: Child | None = None
        self._spare: Spare | None = None
        self._waiters: set[asyncio.Future[None]] = set()
        self._restarter: asyncio.Task[None] | None = None
        self._kernels: OrderedDict[str, Reflection] = OrderedDict()
        self._handles = itertools.count(1)
        self._last_error: KernelgateError | None = None

    async def start(self) -> DeviceInfo:
        """Start the first process. Raises `AdapterNotFound` or `DeviceFailed`."""
        self.state = "starting"
        await self._bring_up()
        assert self.info is not None
        return self.info

    def keep_spare(self) -> None:
        """From now on keep a second process ready, which takes over at once when the one in use dies."""
        if self._spare is None and self.state != "closed":
            self._spare = Spare(self._open, self.settings.clock)
            self._spare.fill()

    async def close(self) -> None:
        """End the process and wait until it is gone. Pending requests fail."""
        self._enter("closed")
        if self._spare is not None:
            await self._spare.close()
        if self._restarter is not None:
            self._restarter.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._restarter
        if self._child is not None:
            await self._child.close()
            self._child = None

    @property
    def memory(self) -> MemoryReport:
        """Memory as the device last reported it."""
        return MemoryReport() if self._child is None else self._child.memory

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is none."""
        return None if self._child is None else self._child.pid

    @property
    def spare_pid(self) -> int | None:
        """The id of the process that stands ready; None while there is none."""
        return None if self._spare is None else self._spare.pid

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

        def make(id: int) -> frames.Upload:
            return frames.Upload(id, handle, owner, dtype, tuple(shape), nbytes, offset, descriptor=True)

        await self._ask(make, f"an upload of {nbytes:,} bytes", fd=fd, makes=[handle])

    async def upload_bytes(
        self, handle: int, owner: str, dtype: str, shape: Sequence[int], data: bytes
    ) -> None:
        """Make tensor `handle` from `data` (wire form): inside the frame when small, else by a memory file."""
        if len(data) > frames.INLINE_BYTES:
            fd = memory_file(data)
            with open(fd, "rb"):
                await self.upload(handle, owner, dtype, shape, fd, 0, len(data))
            return

        def make(id: int) -> frames.Upload:
            return frames.Upload(id, handle, owner, dtype, tuple(shape), len(data), data=data)

        await self._ask(make, f"an upload of {len(data):,} bytes", makes=[handle])

    async def download(self, handle: int) -> Shared:
        """The elements of tensor `handle` in wire form; close it soon. Raises `UnknownHandle`."""
        reply = await self._ask(lambda id: frames.Download(id, handle), "a download", needs=[handle])
        assert isinstance(reply, Shared)
        return reply

    async def free(self, handles: Sequence[int]) -> None:
        """Forget tensors. Unknown ones, and a device that has just been restarted, are not errors."""
        if handles and self._child is not None and self._child.alive:
            with contextlib.suppress(DeviceRestarted):
                await self._ask(lambda id: frames.Free(id, list(handles)), "freeing tensors", needs=handles)

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
        handles = list(outputs)
        needs = [index for index, node in enumerate(graph.nodes) if node.op == "input"]

        def make(id: int) -> frames.RunGraph:
            return frames.RunGraph(id, job, owner, graph, handles, self._deadline(deadline_s))

        return await self._run(job, make, "a graph", handles, meter, needs, self.settings.compile_s)

    async def explain(self, graph: Graph, wgsl: bool = False, meter: Meter | None = None) -> str:
        """How the device would compute `graph`, whose inputs need not exist; `wgsl`: with the source of kernels."""
        reply = await self._ask(lambda id: frames.Explain(id, graph, wgsl), "explaining a graph", meter=meter)
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
        handles = [tensor.handle for tensor in fresh]
        needs = _needed(steps, fresh)

        def make(id: int) -> frames.DispatchKernel:
            deadline, most = self._deadline(deadline_s), dict(most_fuel or {})
            return frames.DispatchKernel(
                id, job, owner, kernel, list(steps), list(fresh), fuel, most, deadline
            )

        try:
            step_s = self.settings.first_s or self.settings.compile_s
            return await self._run(job, make, "a kernel's dispatch", handles, meter, needs, step_s, kernel)
        except faults.Fault as fault:
            raise faults.of_kernel(fault) from None

    async def cancel(self, job: int) -> None:
        """Stop a job between two dispatches; it fails with `cancelled`. One that is over is no error."""
        if self._child is not None:
            self._child.post(frames.Cancel(0, job))

    async def _run(
        self,
        job: int,
        make: Callable[[int], frames.Request],
        what: str,
        makes: list[int],
        meter: Meter | None,
        needs: Collection[int],
        step_s: float,
        kernel: str | None = None,
    ) -> Usage:
        try:
            reply = await self._ask(make, what, step_s, makes=makes, needs=needs, kernel=kernel, meter=meter)
        except asyncio.CancelledError:
            await self.cancel(job)
            raise
        except Cancelled:
            if meter is None or not meter.exceeded:
                raise
            raise DeviceTimeout(
                f"{what} was stopped, as it had used all the device time that was left for it"
            ) from None
        assert isinstance(reply, frames.Done)
        return reply.usage

    async def _ask(
        self,
        make: Callable[[int], frames.Request],
        what: str,
        step_s: float | None = None,
        fd: int | None = None,
        makes: Sequence[int] = (),
        needs: Collection[int] = (),
        kernel: str | None = None,
        meter: Meter | None = None,
    ) -> Reply:
        """One request, once a process is ready. If the caller gives up, what it would have made is freed.

        If the process ends before it takes the request up, the next one gets it, unless it `needs` tensors, which are
        lost. A step that is no slice may take `step_s`; None: as long as a whole request.
        """
        step = self._deadline(step_s)
        child = await self._ready_child()
        try:
            return await self._ask_child(child, make, what, step, fd, makes, kernel, meter)
        except DeviceLeft:
            if needs:
                raise
        await child.gone()
        child = await self._ready_child()
        return await self._ask_child(child, make, what, step, fd, makes, kernel, meter)

    async def _ask_child(
        self,
        child: Child,
        make: Callable[[int], frames.Request],
        what: str,
        step_s: float,
        fd: int | None,
        makes: Sequence[int],
        kernel: str | None,
        meter: Meter | None,
    ) -> Reply:
        told = None
        if kernel is not None and kernel not in child.kernels:
            told = self._send_kernel(child, kernel)
        future = child.request(make, what, step_s, fd, meter)
        try:
            return await future
        except asyncio.CancelledError:
            if makes and child.alive:
                _ignore(child.request(lambda id: frames.Free(id, list(makes)), "freeing tensors", step_s))
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

        def make(id: int) -> frames.AddKernel:
            return frames.AddKernel(id, kernel, reflection)

        future = child.request(make, "compiling a kernel", self.settings.compile_s)
        future.add_done_callback(settled)
        return future

    async def _tell_kernel(
        self, kernel: str, reflection: Reflection, warm: bool, constants: dict[str, float] | None = None
    ) -> float:
        """Have a kernel compiled; the milliseconds that it took."""

        def make(id: int) -> frames.AddKernel:
            return frames.AddKernel(id, kernel, reflection, warm, constants or {})

        reply = await self._ask(make, "compiling a kernel", self.settings.compile_s)
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

    async def _ready_child(self) -> Child:
        """The process in use; waits for one that is being started, but not for ever."""
        if self._child is None and self.state in ("starting", "restarting"):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            timer = self.settings.clock.call_later(self.settings.wait_s, lambda: _wake(waiter))
            try:
                await waiter
            finally:
                timer.cancel()
                self._waiters.discard(waiter)
        if self._child is None:
            raise DeviceFailed("the device is closed") if self.state == "closed" else self._failure()
        return self._child

    def _enter(self, state: Literal["ready", "restarting", "failed", "closed"]) -> None:
        self.state = state
        if state != "restarting":
            for waiter in self._waiters:
                _wake(waiter)

    def _failure(self) -> KernelgateError:
        why = "it is still being restarted" if self._last_error is None else self._last_error.message
        return DeviceFailed(
            f"the device does not work: {why}", hint="`kernelgate doctor` shows what this machine has."
        )

    async def _open(self) -> Child:
        return await open_child(self.settings.child(), self.settings.clock, self._exited)

    async def _bring_up(self) -> None:
        self._use(await self._open())

    def _use(self, child: Child) -> None:
        self._child = child
        self.info, self.seal = child.info, child.seal
        self.generation += 1
        self._last_error = None
        self._enter("ready")

    def _exited(self, child: Child) -> None:
        """A process has ended. If it was the one in use, go on with the spare, or start the next."""
        if self.state == "closed" or (self._spare is not None and self._spare.lost(child)):
            return
        if child is self._child:
            self._child = None
            self.restarts += 1
            if not self._use_spare():
                self._enter("restarting")
                self._restarter = asyncio.get_running_loop().create_task(self._restart())

    def _use_spare(self) -> bool:
        """Let the spare take over, if one stands ready, and see to the next one."""
        spare = None if self._spare is None else self._spare.take()
        if spare is not None:
            self._use(spare)
        if self._spare is not None:
            self._spare.fill()
        return spare is not None

    async def _restart(self) -> None:
        failures = 0
        while self.state != "closed" and not self._use_spare():
            try:
                await self._bring_up()
            except KernelgateError as error:
                failures += 1
                self._last_error = error
                if failures >= self.settings.failures or isinstance(error, AdapterNotFound):
                    self._enter("failed")
                delay = min(self.settings.backoff_s * 2 ** (failures - 1), self.settings.backoff_most_s)
                log.warning("the device did not start (%s); next try in %g s", error, delay)
                await sleep(self.settings.clock, delay)
            else:
                log.info("the device was restarted")
                return


def _needed(steps: Sequence[frames.Step], fresh: Sequence[frames.Fresh]) -> set[int]:
    """The tensors that a dispatch must find."""
    bound = {each.handle for step in steps for each in step.arguments if isinstance(each, frames.Bound)}
    initial = {tensor.initial for tensor in fresh if tensor.initial is not None}
    return (bound - {tensor.handle for tensor in fresh}) | initial


def _ignore(future: asyncio.Future[Reply]) -> None:
    """Nobody waits for `future`; its error, if any, shows elsewhere."""
    future.add_done_callback(lambda done: done.cancelled() or done.exception())


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
