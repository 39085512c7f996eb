"""One device process as its parent sees it: from spawn to exit, never restarted.

Owns the process, the link to it, the requests that it has not answered, and the watch over them: when none is taken up
in time, or a step of one runs past its deadline, the process is killed. Must not know restarts.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from host import ceiling, frames
from host.clock import Clock
from host.deadline import Deadline
from host.engine import EngineSettings
from host.errors import DeviceCrashed, DeviceFailed, DeviceHung, DeviceLeft, DeviceRestarted
from host.link import Link, pair
from host.meter import Meter
from host.shared import Shared, Windows
from ops import processes
from ops.wire import FrameError
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate.device")

REPLY_LIMIT = 16 << 20
_PASSED = (
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
)
_PASSED_PREFIXES = ("LC_", "VK_", "LP_", "MESA_", "GALLIUM_", "NVIDIA_", "CUDA_", "OPENBLAS_", "OMP_")
_OURS = {  # no layer that asks for a screen, no shader of a stranger's in the home folder, no threads of BLAS's own
    "NODEVICE_SELECT": "1",
    "MESA_SHADER_CACHE_DISABLE": "true",
    "__GL_SHADER_DISK_CACHE": "0",
    "OPENBLAS_NUM_THREADS": "1",
}
_OVERSLEPT_S = 1.0
_HINT = "Tensors on the device are lost; upload or compute them again."

_MEANINGS: dict[int, str] = {signal.SIGSYS: ", as it made a system call that its walls forbid"}

Reply = frames.Done | frames.Explained | Shared


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


@dataclass(slots=True)
class _Pending:
    """A request without an answer. `limit_s` bounds the step in hand, `step_s` any that is no slice."""

    future: asyncio.Future[Reply]
    what: str
    step_s: float
    meter: Meter
    stop: Callable[[], None]
    limit_s: float = 0.0
    started: bool = False


class Child:
    """A device process. `on_exit` is called once, after every pending request has been failed."""

    def __init__(self, settings: ChildSettings, clock: Clock, on_exit: Callable[[Child], None]) -> None:
        self._settings, self._clock, self._on_exit = settings, clock, on_exit
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[frames.DeviceInfo] = self._loop.create_future()
        self._exited: asyncio.Future[None] = self._loop.create_future()
        self._pending: dict[int, _Pending] = {}
        self._current: _Pending | None = None
        self._late: _Pending | None = None
        self._deadline = Deadline(clock, self._overrun)
        self._reaper: asyncio.Task[None] | None = None
        self._stderr: deque[bytes] = deque(maxlen=16)
        self._killed = False
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

    def request(
        self,
        make: Callable[[int], frames.Request],
        what: str,
        step_s: float,
        fd: int | None = None,
        meter: Meter | None = None,
    ) -> asyncio.Future[Reply]:
        """Send a request now; the future ends with its reply. `make` gets its id, `what` names it in errors.

        A step of it that is no slice may take `step_s`. `meter` counts what it costs; when its budget is used up, the
        request's job is cancelled.
        """
        future: asyncio.Future[Reply] = self._loop.create_future()
        if not self.alive:
            future.set_exception(
                DeviceLeft(f"the device is being restarted, so {what} was not begun", hint=_HINT)
            )
            return future
        id, self._next_id = self._next_id, self._next_id + 1
        message = make(id)
        meter = meter or Meter(lambda usage: None)
        self._pending[id] = _Pending(future, what, step_s, meter, lambda: self._stop(message))
        self._link.send(message, fd)
        if len(self._pending) == 1:
            self._watch()
        return future

    def _stop(self, message: frames.Request) -> None:
        if self.alive and isinstance(message, frames.RunGraph | frames.DispatchKernel):
            self.post(frames.Cancel(0, message.job))

    def kill(self) -> None:
        """Kill the process; `on_exit` follows."""
        self._killed = True
        if self._process.returncode is None:  # its id is its own until `_wait` returns
            os.kill(self.pid, signal.SIGKILL)

    async def close(self) -> None:
        """Shut the process down, or kill it when it does not go in time, and wait until it is gone."""
        self.post(frames.Shutdown(0))
        timer = self._clock.call_later(self._settings.exit_s, self.kill)
        try:
            await asyncio.shield(self._exited)
        finally:
            timer.cancel()

    def _spawn(self) -> tuple[subprocess.Popen[bytes], Link[frames.DeviceMessage]]:
        ours, theirs = pair()
        try:
            engine = msgspec.json.encode(self._settings.engine).decode()
            process = subprocess.Popen(
                [
                    self._settings.python,
                    "-P",
                    "-m",
                    self._settings.module,
                    str(theirs.fileno()),
                    str(os.getpid()),
                    engine,
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                env=child_environment(),
                cwd="/",
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        self._loop.add_reader(process.stderr.fileno(), self._read_stderr)
        link: Link[frames.DeviceMessage] = Link(
            ours, frames.DeviceMessage, REPLY_LIMIT, self._receive, self._hung_up
        )
        return process, link

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(BlockingIOError):
            text = os.read(self._process.stderr.fileno(), 4096)
            if text:
                self._stderr.append(text)
            else:
                self._loop.remove_reader(self._process.stderr.fileno())

    def _receive(self, message: frames.DeviceMessage, fd: int | None) -> None:
        if isinstance(message, frames.Downloaded):
            if fd is not None:
                self._windows.add(message.carrier, fd)
            data = message.data
            self._settle(
                message.id, Shared(memoryview(data)) if data or not message.nbytes else self._window(message)
            )
        elif isinstance(message, frames.Done):
            self.memory = message.memory
            self._settle(message.id, message)
        elif isinstance(message, frames.Explained):
            self._settle(message.id, message)
        elif isinstance(message, frames.Started):
            self._start(message)
        elif isinstance(message, frames.Progressed):
            self._progressed(message)
        elif isinstance(message, frames.Ready):
            self.seal = message.seal
            if not self._ready.done():
                self._ready.set_result(message.info)
        elif message.id:
            self._settle(message.id, KernelgateError.from_record(message.error))
        elif not self._ready.done():
            self._ready.set_exception(KernelgateError.from_record(message.error))

    def _window(self, message: frames.Downloaded) -> Shared:
        return self._windows.open(message.carrier, message.nbytes)

    def _start(self, message: frames.Started) -> None:
        pending = self._pending.get(message.id)
        if pending is None:
            raise FrameError(f"the device took up request {message.id}, which was not asked")
        pending.limit_s = self._settings.watchdog_s if message.slice else pending.step_s
        self._turn_to(pending)
        self._watch()

    def _progressed(self, message: frames.Progressed) -> None:
        if message.id not in self._pending or not 0 <= message.fraction <= 1:
            raise FrameError(f"the device is {message.fraction} through request {message.id}")
        self._pending[message.id].meter.report(message.fraction)

    def _settle(self, id: int, outcome: Reply | KernelgateError) -> None:
        pending = self._pending.pop(id, None)
        if pending is None:
            raise FrameError(f"the device answered request {id}, which was not asked")
        if pending is self._current:
            self._turn_to(None)
        pending.meter.settle(outcome.usage if isinstance(outcome, frames.Done) else None)
        self._watch()
        if pending.future.done():
            if isinstance(outcome, Shared):
                outcome.close()
        elif isinstance(outcome, KernelgateError):
            pending.future.set_exception(outcome)
        else:
            pending.future.set_result(outcome)

    def _turn_to(self, pending: _Pending | None) -> None:
        """The device works on `pending` from now, and on nothing else."""
        if self._current is not None:
            self._current.meter.pause()
        self._current = pending
        if pending is not None:
            pending.started = True
            pending.meter.run(self._clock, pending.stop)

    def _watch(self) -> None:
        """Set the deadline: to what the step in hand may take, or to when the oldest request must be taken up."""
        if not (self._pending and self.alive):
            self._deadline.lift()
        elif self._current is not None:
            self._deadline.move(self._current.limit_s)
        else:
            self._deadline.move(self._settings.takeup_s)

    def _overrun(self, late_s: float) -> None:
        """The device is late, unless this process was itself kept from running: then the device was too, perhaps."""
        if late_s > _OVERSLEPT_S:
            self._watch()
            return
        self._late = pending = self._current or next(iter(self._pending.values()))
        log.warning("killing device process %d: %s is late", self.pid, pending.what)
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
        self._reaper = self._loop.create_task(self._reap())

    async def _reap(self) -> None:
        timer = self._clock.call_later(self._settings.exit_s, self.kill)
        try:
            status, peak_bytes = await self._loop.run_in_executor(None, self._wait)
        except RuntimeError:  # the loop is closing, and has no threads any more
            self.kill()
            status, peak_bytes = self._wait()
        timer.cancel()
        assert self._process.stderr is not None
        self._read_stderr()
        self._loop.remove_reader(self._process.stderr.fileno())
        self._process.stderr.close()
        self._windows.close()
        self._deadline.close()
        self._fail_pending(max(-status, 0), peak_bytes)
        self._exited.set_result(None)
        self._on_exit(self)

    def _wait(self) -> tuple[int, int]:
        """On a thread of its own: wait for the end; the status as `Popen` has it, and the most memory that it had."""
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode, processes.peak_bytes(usage)

    def _fail_pending(self, number: int, peak_bytes: int) -> None:
        how = f"it was ended by {signal.Signals(number).name}" if number else "it ended"
        how += _MEANINGS.get(number, "")
        if not self._killed and (self._pending or not self._ready.done()):
            log.warning("device process %d is gone: %s\n%s", self.pid, how, self.last_words())
        if not self._ready.done():
            self._ready.set_exception(
                DeviceFailed(f"the device process did not start: {how}", hint=self.last_words())
            )
        self._ready.exception()  # mark as seen: nobody may be waiting
        for pending in self._pending.values():
            if pending.started:
                pending.meter.pause()
                pending.meter.settle(None)
            if not pending.future.done():
                pending.future.set_exception(self._why(pending, how, number, peak_bytes))
        self._pending.clear()

    def _why(self, pending: _Pending, how: str, number: int, peak_bytes: int) -> KernelgateError:
        if not pending.started:
            return DeviceLeft(f"the device was restarted before it took up {pending.what}", hint=_HINT)
        if pending is self._late:
            return DeviceHung(
                f"a step of {pending.what} ran longer than {pending.limit_s:g} s, so the device was restarted",
                hint="Do less in one request, or ask for a longer limit.",
            )
        if pending is not self._current:
            return DeviceRestarted(f"the device was restarted during {pending.what}", hint=_HINT)
        crash = DeviceCrashed(f"the device process was lost during {pending.what}: {how}", hint=_HINT)
        crash.signal = number
        crash.starved = ceiling.was_short(self.last_words(), peak_bytes, self._settings.engine.memory_bytes)
        return crash

    def last_words(self) -> str:
        """The end of what the process wrote to its standard error."""
        return b"".join(self._stderr)[-2000:].decode(errors="replace").strip()


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


def child_environment() -> dict[str, str]:
    """What a device process may know of ours: where libraries and drivers are, and no secret."""
    kept = {k: v for k, v in os.environ.items() if k in _PASSED or k.startswith(_PASSED_PREFIXES)}
    path = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, path)), **_OURS}
