"""One device process as its parent sees it: from spawn to exit, never restarted.

Owns the link to it, and what its end says to those who wait. The process itself is `host/spawn.py`, what it was asked
is in `host/requests.py`, and when it is late with that it is killed. Must not know restarts.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from host import ceiling, frames
from host.clock import Clock
from host.engine import EngineSettings
from host.errands import Errand
from host.errors import DeviceCrashed, DeviceFailed, DeviceLeft
from host.link import Link, pair
from host.meter import Meter
from host.requests import LOST, Pending, Reply, Requests, room_s
from host.shared import Shared, Windows
from host.spawn import Ending, Spawned
from ops.wire import FrameError
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate.device")

REPLY_LIMIT = 16 << 20
"""Bytes of a frame from a device at most."""


@dataclass(frozen=True)
class ChildSettings:
    """How a device process is started and watched; times in seconds.

    `module` is what it runs: `host.process`, or one that puts walls around that. `watchdog_s` is how long a slice may
    take, `start_s` how long the process may take to be ready, `takeup_s` how long the oldest request may wait for the
    GPU thread when nothing runs, `exit_s` how long a shutdown may take before it becomes a kill.
    """

    python: str
    module: str
    engine: EngineSettings
    watchdog_s: float = 2.0
    start_s: float = 30.0
    takeup_s: float = 10.0
    exit_s: float = 2.0


class Child:
    """A device process. `on_exit` is called once, after every pending request has been failed."""

    def __init__(self, settings: ChildSettings, clock: Clock, on_exit: Callable[[Child], None]) -> None:
        self._settings, self._clock, self._on_exit = settings, clock, on_exit
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[frames.DeviceInfo] = self._loop.create_future()
        self._exited: asyncio.Future[None] = self._loop.create_future()
        self._requests = Requests(clock, settings.watchdog_s, settings.takeup_s, self._overrun)
        self._reaper: asyncio.Task[None] | None = None
        self._windows = Windows(self._unread)
        self._next_id = 1
        self.memory = frames.MemoryReport()
        self.seal = frames.Seal()
        self.kernels: set[str] = set()
        self._process, self._link = self._spawn()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def info(self) -> frames.DeviceInfo:
        """What the adapter is; the process must be ready."""
        return self._ready.result()

    @property
    def alive(self) -> bool:
        """Whether requests can still be sent."""
        return self._reaper is None

    async def ready(self) -> frames.DeviceInfo:
        """Wait until the device is open. Raises what it failed with, `DeviceFailed` for a crash or a timeout."""
        timer = self._clock.call_later(self._settings.start_s, self.kill)
        try:
            return await asyncio.shield(self._ready)
        finally:
            timer.cancel()

    def post(self, message: frames.Request) -> None:
        """Send a message that has no reply."""
        self._link.send(message)

    async def gone(self) -> None:
        """Return when the process has ended and `on_exit` has been called."""
        await asyncio.shield(self._exited)

    def request(self, errand: Errand) -> asyncio.Future[Reply]:
        """Send a request now; the future ends with its reply. Its kernel and its tensors are the caller's to see to."""
        future: asyncio.Future[Reply] = self._loop.create_future()
        if not self.alive:
            future.set_exception(
                DeviceLeft(f"the device is being restarted, so {errand.what} was not begun", hint=LOST)
            )
            return future
        id, self._next_id = self._next_id, self._next_id + 1
        message = errand.make(id)
        meter = errand.meter or Meter(lambda usage: None)
        pending = Pending(future, errand.what, meter, lambda: self._stop(message), errand.step_s)
        if isinstance(message, frames.Job):
            deadline_s = math.inf if message.deadline_s is None else message.deadline_s
            pending.left_s = room_s(deadline_s, errand.step_s)
        self._link.send(message, errand.fd)
        self._requests.add(id, pending)
        return future

    def _stop(self, message: frames.Request) -> None:
        if self.alive and isinstance(message, frames.Job):
            self.post(frames.Cancel(0, message.job))

    def kill(self) -> None:
        """Kill the process; `on_exit` follows."""
        self._process.kill()

    async def close(self) -> None:
        """Shut the process down, or kill it when it does not go in time, and wait until it is gone."""
        self.post(frames.Shutdown(0))
        timer = self._clock.call_later(self._settings.exit_s, self.kill)
        try:
            await asyncio.shield(self._exited)
        finally:
            timer.cancel()

    def _spawn(self) -> tuple[Spawned, Link[frames.DeviceMessage]]:
        ours, theirs = pair()
        settings, fd = self._settings, theirs.fileno()
        engine = msgspec.json.encode(settings.engine).decode()
        command = [settings.python, "-P", "-m", settings.module, str(fd), str(os.getpid()), engine]
        with theirs:
            try:
                process = Spawned(command, fd)
            except BaseException:
                ours.close()
                raise
        return process, Link(ours, frames.DeviceMessage, REPLY_LIMIT, self._receive, self._hung_up)

    def _receive(self, message: frames.DeviceMessage, fd: int | None) -> None:
        if isinstance(message, frames.Downloaded):
            if fd is not None:
                self._windows.add(message.carrier, fd)
            self._requests.settle(message.id, self._elements(message))
        elif isinstance(message, frames.Done):
            self.memory = message.memory
            self._requests.settle(message.id, message)
        elif isinstance(message, frames.Explained):
            self._requests.settle(message.id, message)
        elif isinstance(message, frames.Started):
            self._requests.start(message.id, message.slice)
        elif isinstance(message, frames.Progressed):
            self._requests.progress(message.id, message.fraction)
        elif isinstance(message, frames.Ready):
            self._opened(message)
        elif message.id:
            self.memory = message.memory
            self._requests.settle(message.id, KernelgateError.from_record(message.error))
        elif not self._ready.done():
            self._ready.set_exception(KernelgateError.from_record(message.error))

    def _elements(self, message: frames.Downloaded) -> Shared:
        if message.data or not message.nbytes:
            return Shared(memoryview(message.data))
        return self._windows.open(message.carrier, message.nbytes)

    def _opened(self, message: frames.Ready) -> None:
        if self._ready.done():
            raise FrameError("the device is ready again")
        self.seal = message.seal
        self._ready.set_result(message.info)

    def _overrun(self, what: str) -> None:
        """`what` was asked of it is late."""
        log.warning("killing device process %d: %s is late", self.pid, what)
        self.kill()

    def _unread(self, carrier: int) -> None:
        """On any thread: nobody reads `carrier` any more."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._release, carrier)

    def _release(self, carrier: int) -> None:
        if self.alive:
            self.post(frames.Release(0, carrier, self._windows.free(carrier)))

    def _hung_up(self, error: Exception | None) -> None:
        """The process is about to be gone, or has broken the protocol and must go."""
        if error is not None:
            log.error("device process %d broke the protocol: %s", self.pid, error)
            self.kill()
        self._requests.unwatch()
        self._reaper = self._loop.create_task(self._reap())

    async def _reap(self) -> None:
        timer = self._clock.call_later(self._settings.exit_s, self.kill)
        ending = await self._process.end()
        timer.cancel()
        self._windows.close()
        self._fail_pending(ending)
        self._exited.set_result(None)
        self._on_exit(self)

    def _fail_pending(self, ending: Ending) -> None:
        words = self._process.last_words()
        if not self._process.was_killed and (self._requests or not self._ready.done()):
            log.warning("device process %d is gone: %s\n%s", self.pid, ending, words)
        if not self._ready.done():
            self._ready.set_exception(DeviceFailed(f"the device process did not start: {ending}", hint=words))
        self._ready.exception()  # mark as seen: nobody may be waiting
        self._requests.fail(lambda what: self._crash(what, ending))

    def _crash(self, what: str, ending: Ending) -> DeviceCrashed:
        crash = DeviceCrashed(f"the device process was lost during {what}: {ending}", hint=LOST)
        crash.signal = ending.signal
        crash.starved = ceiling.was_short(
            self._process.last_words(),
            ending.peak_bytes,
            self._process.inherited_bytes,
            self._settings.engine.memory_bytes,
        )
        return crash

    def last_words(self) -> str:
        """The end of what the process wrote to its standard error."""
        return self._process.last_words()


async def open_child(settings: ChildSettings, clock: Clock, on_exit: Callable[[Child], None]) -> Child:
    """A process that is ready. Raises `AdapterNotFound` or `DeviceFailed`; then it is gone."""
    try:
        child = Child(settings, clock, on_exit)
    except OSError as error:
        raise DeviceFailed(
            f"the device process could not be started: {error}",
            hint="The system has no room for another process, no descriptors left, or no such program.",
        ) from None
    try:
        await child.ready()
        if not child.alive:
            raise DeviceFailed("the device process ended as soon as it was ready", hint=child.last_words())
    except BaseException:
        child.kill()
        await asyncio.shield(child.close())
        raise
    return child
