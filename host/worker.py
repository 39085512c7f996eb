"""The GPU thread of a device process, which alone touches the engine and writes the replies itself.

Short requests are done in the order in which they came; graphs and dispatches only take hold of their inputs then, and
are done in slices, owner by owner (`host/scheduler.py`). Owns that order, and what is announced: each slice, and each
request but the briefest, with `Started`. Must not know who owns what: it checks frames, the supervisor decides.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator

from host import ceiling, frames, priority
from host.elapsed import since_ms
from host.engine import Engine, EngineSettings, open_engine
from host.errors import Cancelled, DeviceFailed
from host.scheduler import Scheduler
from host.shared import Carriers, Source
from host.task import Task
from host.tensors import DEVICE_OWNER, checked_type, wire_bytes
from ops.wire import FrameError
from shaders.errors import ErrorRecord, KernelgateError

Post = Callable[[frames.DeviceMessage, int | None], None]
SealProcess = Callable[[str], tuple[tuple[str, ...], str]]
"""Puts up the operating system's walls when the driver is loaded and no stranger's byte has been seen. Takes the kind
of device; gives the fields of `frames.Seal`."""
_TELL_S = 0.1
"""Between two reports of how far a request is."""


class Worker(threading.Thread):
    """The GPU thread. `post` sends a reply, `over` is called when the thread is done."""

    def __init__(
        self, settings: EngineSettings, seal: SealProcess, post: Post, over: Callable[[], None]
    ) -> None:
        super().__init__(name="gpu", daemon=True)
        self.tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._settings, self._seal, self._post, self._over = settings, seal, post, over
        self._carriers = Carriers()
        self._scheduler: Scheduler[Task] = Scheduler()

    def run(self) -> None:
        """Open the engine and serve until the queue ends."""
        try:
            self._open_and_serve()
        finally:
            self._over()

    def _open_and_serve(self) -> None:
        try:
            engine = open_engine(self._settings)
        except KernelgateError as error:
            self._post(frames.Failed(0, error.record()), None)
        except Exception as error:
            traceback.print_exc()
            self._post(frames.Failed(0, _unexpected(error)), None)
        else:
            priority.lower()
            ceiling.limit(engine.info.kind, self._settings.memory_bytes)
            walls = frames.Seal(*self._seal(engine.info.kind))
            gc.freeze()
            self._post(frames.Ready(engine.info, walls), None)
            with contextlib.closing(engine):
                self._serve(engine)

    def _serve(self, engine: Engine) -> None:
        with contextlib.suppress(DeviceFailed):  # the reply has gone out; only a new process helps
            while self._take_in(engine):
                self._end_stopped(engine)
                if self._scheduler:
                    self._step(engine)

    def _take_in(self, engine: Engine) -> bool:
        """Do or begin what has come, for a slice's time at most; wait when there is nothing else. False at the end."""
        began = time.perf_counter()
        while True:
            try:
                task = self.tasks.get(block=not self._scheduler)
            except queue.Empty:
                return True
            if task is None:
                return False
            try:
                self._one(engine, task)
            finally:
                if task.fd is not None:
                    os.close(task.fd)
            if self._scheduler and since_ms(began) > self._settings.slice_ms:
                return True

    def _one(self, engine: Engine, task: Task) -> None:
        request = task.request
        if isinstance(request, frames.Release):
            self._carriers.release(request.carrier, request.keep)
            return
        if isinstance(request, frames.DropKernel):
            engine.drop_kernel(request.kernel)
            return
        with self._answering(engine, request):
            if not self._is_brief(engine, request):
                self._announce(request)
            if isinstance(request, frames.Download):
                self._download(engine, request)
            elif isinstance(request, frames.Job):
                self._begin(engine, task, request)
            else:
                if isinstance(request, frames.Free):
                    self._stop_makers(request.handles)
                usage = _perform(engine, task)
                self._post(frames.Done(request.id, usage, engine.memory()), None)

    def _announce(self, request: frames.Request, slice: bool = False) -> None:
        """Say that a step of `request` begins."""
        self._post(frames.Started(request.id, slice), None)

    def _is_brief(self, engine: Engine, request: frames.Request) -> bool:
        """Whether it is over before the server would have heard that it begins. Raises `UnknownHandle`.

        While other work is under way, elements are never copied unannounced: nobody's clock shall run for that.
        """
        if isinstance(request, frames.Free):
            return True
        if isinstance(request, frames.Upload):
            return not (request.descriptor or self._scheduler)
        return (
            isinstance(request, frames.Download)
            and not self._scheduler
            and wire_bytes(engine.type(request.handle)) <= frames.INLINE_BYTES
        )

    @contextlib.contextmanager
    def _answering(self, engine: Engine, request: frames.Request) -> Iterator[None]:
        """Say that a step of `request` failed if it does. Raises `DeviceFailed`, nothing else."""
        try:
            yield
        except KernelgateError as error:
            self._post(frames.Failed(request.id, error.record(), engine.memory()), None)
            if isinstance(error, DeviceFailed):
                raise
        except Exception as error:
            traceback.print_exc()
            self._post(frames.Failed(request.id, _unexpected(error), engine.memory()), None)

    def _begin(self, engine: Engine, task: Task, request: frames.Job) -> None:
        """Let work that is done in steps take hold of what it needs, and queue it."""
        _check_owner(request.owner)
        began = time.perf_counter()
        if isinstance(request, frames.RunGraph):
            task.work = engine.run_graph(request, task.stop)
        elif isinstance(request, frames.Explain):
            task.work = engine.explain(request.graph, request.wgsl, task.stop)
        else:
            task.work = engine.dispatch(request, task.stop)
        if self._advance(engine, task):
            task.spent_ms = since_ms(began)
            self._scheduler.add(request.owner, task, task.spent_ms)

    def _end_stopped(self, engine: Engine) -> None:
        """Cancelled work ends before anybody's next slice: what it holds is free, whoever's turn it is."""
        for task in self._scheduler.take_out(lambda task: task.stopped):
            with self._answering(engine, task.request):
                self._announce(task.request, slice=True)
                assert task.work is not None
                task.work.throw(Cancelled("the job was cancelled"))

    def _step(self, engine: Engine) -> None:
        """Take a step of the work whose turn it is."""
        owner, task = self._scheduler.next()
        began, is_over = time.perf_counter(), True
        try:
            with self._answering(engine, task.request):
                self._announce(task.request, task.slice)
                is_over = not self._advance(engine, task)
        finally:
            elapsed = since_ms(began)
            task.spent_ms += elapsed
            self._scheduler.stepped(owner, elapsed, is_over)

    def _advance(self, engine: Engine, task: Task) -> bool:
        """Take the next step of a task's work; whether there is more of it."""
        assert task.work is not None
        try:
            ahead = next(task.work)
        except StopIteration as over:
            self._post(_reply(task.request.id, over.value, engine.memory()), None)
            return False
        task.slice = not ahead.cold
        if ahead.fraction is not None and time.perf_counter() - task.told > _TELL_S:
            task.told = time.perf_counter()
            self._post(frames.Progressed(task.request.id, ahead.fraction), None)
        return True

    def _stop_makers(self, handles: list[int]) -> None:
        """A tensor that is freed before it exists shall not come to exist."""
        for task in self._scheduler:
            task.stopped |= not task.makes().isdisjoint(handles)

    def _download(self, engine: Engine, request: frames.Download) -> None:
        nbytes = wire_bytes(engine.type(request.handle))
        if nbytes <= frames.INLINE_BYTES:
            data = bytearray()
            engine.download(request.handle, data.extend)
            self._post(frames.Downloaded(request.id, nbytes, bytes(data)), None)
            return
        carrier = self._carriers.take(nbytes)
        position = 0

        def write(piece: memoryview) -> None:
            nonlocal position
            carrier.write(position, piece)
            position += len(piece)

        try:
            engine.download(request.handle, write)
        except BaseException:
            self._carriers.release(carrier.id, keep=not carrier.is_new)
            raise
        reply = frames.Downloaded(request.id, nbytes, carrier=carrier.id, descriptor=carrier.is_new)
        self._post(reply, carrier.fd if carrier.is_new else None)


def _perform(engine: Engine, task: Task) -> frames.Usage:
    """Do a request that is done at once; what it cost."""
    request = task.request
    if isinstance(request, frames.Upload):
        _check_owner(request.owner)
        type = checked_type(request.dtype, request.shape)
        if wire_bytes(type) != request.nbytes:
            raise FrameError(f"an upload of {request.nbytes} bytes is not a {type.dtype} {list(type.shape)}")
        source = Source(request.nbytes, request.data, task.fd, request.offset)
        engine.upload(request.handle, request.owner, type, source)
    elif isinstance(request, frames.Free):
        engine.free(request.handles)
    elif isinstance(request, frames.AddKernel):
        began = time.process_time()
        engine.add_kernel(request.kernel, request.reflection, request.warm, request.constants)
        return frames.Usage(device_ms=(time.process_time() - began) * 1e3)
    return frames.Usage()


def _reply(id: int, made: frames.Usage | str, memory: frames.MemoryReport) -> frames.Done | frames.Explained:
    """The answer to a request whose work gave `made`."""
    return frames.Explained(id, made) if isinstance(made, str) else frames.Done(id, made, memory)


def _check_owner(owner: str) -> None:
    if owner == DEVICE_OWNER:
        raise FrameError("a tensor needs an owner")


def _unexpected(error: Exception) -> ErrorRecord:
    return ErrorRecord("internal", f"the device failed unexpectedly ({type(error).__name__})")
