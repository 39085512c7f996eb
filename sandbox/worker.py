"""The life of a worker: one job, or the cells of one notebook, then the end.

Owns the loop of a forked process, from its first instruction to its last word, and the jobs of workers for scripts.
A worker never ends by itself after that word: the server measures it, then kills it. Must not know the zygote or the
pool.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import sys
import types
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import msgspec

from ops.wire import frame
from sandbox import library, values
from sandbox.console import CONSOLE
from sandbox.entry import result_of, value_of
from sandbox.errors import ScriptError, ValueFormError
from sandbox.failures import is_limit, record_of
from sandbox.frames import (
    Confine,
    Failed,
    Finished,
    Here,
    KernelJob,
    Output,
    Reflected,
    ScriptJob,
    ServerMessage,
    SignatureJob,
    Signed,
)
from sandbox.link import Link
from sandbox.origin import placed
from sandbox.policy import tracebacks
from sandbox.policy.compiler import FILENAME
from sandbox.signatures.annotations import signature_of
from sandbox.walls import rlimits
from shaders import reflect
from shaders.errors import ErrorRecord, KernelgateError

SETUP_FAILED = 70
_REHEARSAL = "def main(a, b):\n    return a + b\n"
_OUT_OF_MEMORY = frame(Failed(ErrorRecord("memory_limit", "the memory limit was reached")))


class Language(Protocol):
    """How scripts are understood: `restricted.py` or `native.py`, which explain the functions."""

    def begin(self, entered: Callable[[], None]) -> dict[str, Any]:
        """The script's globals."""
        ...

    def compiled(self, source: str, filename: str = ..., *, valued: bool = ...) -> types.CodeType:
        """The script's code."""
        ...

    def plain(self, result: Any) -> Any:
        """What leaves for `result`."""
        ...


class Worker:
    """One job, or one after the other. What can be made before it is known, is."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def serve(self) -> NoReturn:
        """Do the job that comes, and others that follow, until the server kills this process or closes the socket."""
        job = self._link.receive()
        if isinstance(job, Confine):
            rlimits.apply(job.limits, rlimits.address_space())
            job = self._link.receive()
        while True:
            self.work(job)
            job = self._link.receive()

    def work(self, job: ServerMessage) -> None:
        """Do `job`, and say how it ended."""
        raise NotImplementedError

    def answer(self, make: Callable[[], msgspec.Struct]) -> None:
        """Say what `make` gives for a text, or why it gives nothing."""
        try:
            self._link.send(make())
        except KernelgateError as error:
            self._link.send(Failed(error.record()))
        except RecursionError:
            self._link.send(Failed(ErrorRecord("kernel_limit", "the kernel nests too deeply")))
        except MemoryError:
            self._link.send_raw(_OUT_OF_MEMORY)


@dataclass(frozen=True, slots=True)
class Trade:
    """What the workers of one zygote do: `warm` is called in the zygote, `worker` in each fork, before it is sealed."""

    warm: Callable[[], None]
    worker: Callable[[Link], Worker]


class ScriptWorker(Worker):
    """Runs a script of `language`, or parses a kernel or a script."""

    def __init__(self, link: Link, language: Language) -> None:
        super().__init__(link)
        self._language = language
        library.connect(link)
        sys.stdout, sys.stderr = CONSOLE.stdout, CONSOLE.stderr  # for what the library prints
        sys.modules["__main__"] = types.ModuleType("__main__")
        self._main_ran = False
        self._space = language.begin(self._entered)
        signal.signal(signal.SIGUSR1, self._interrupted)
        # the pages that a job would write are this process's own before it comes
        language.compiled(_REHEARSAL)

    def _entered(self) -> None:
        self._main_ran = True

    def _interrupted(self, _number: int, running: types.FrameType | None) -> None:
        """The time is over, and the server asks where the script is."""
        with suppress(Exception):  # it is at any point, and may have used up its stack or its memory
            place = tracebacks.innermost(running) or tracebacks.awaiting()
            if place is not None:
                self._link.interject(_here(place))

    def work(self, job: ServerMessage) -> None:
        """Do a `ScriptJob`, a `KernelJob` or a `SignatureJob`."""
        if isinstance(job, ScriptJob):
            self._run(job)
        elif isinstance(job, KernelJob):
            self.answer(lambda: Reflected(reflect.reflect(job.source)))
        elif isinstance(job, SignatureJob):
            self.answer(lambda: Signed(signature_of(job.source)))

    def _run(self, job: ScriptJob) -> None:
        CONSOLE.open(self._emit, job.output_bytes)
        self._link.before = CONSOLE.flush
        if job.cell in (None, 1):
            random.seed()
        last: Finished | Failed
        try:
            last = Finished(self._result(job))
        except MemoryError as error:
            if is_limit(error):
                self._out_of_memory(error)
                return
            last = self._failed(error)
        except BaseException as error:
            last = self._failed(error)
        self._link.before()
        self._link.send(last)

    def _failed(self, error: BaseException) -> Failed:
        """What to say of `error`. What is left of the files that the script wrote goes out first."""
        with suppress(Exception):
            library.finish()
        return Failed(record_of(error))

    def _result(self, job: ScriptJob) -> bytes:
        tracebacks.remember(job.source)
        if job.cell is None:
            code = self._language.compiled(job.source)
        else:
            filename = f"<cell {job.cell}>"
            tracebacks.remember(job.source, filename)
            code = self._language.compiled(job.source, filename, valued=True)
        library.use_environment(job.environment)
        os.environ.clear()
        os.environ.update(job.environment)  # which native scripts read
        inputs = library.receive(values.unpack(job.inputs))
        try:
            if job.cell is None:
                exec(code, self._space)
                result = result_of(self._space, inputs, self._main_ran, code)
            else:
                result = value_of(code, self._space, inputs)
        except SystemExit as leaving:
            if leaving.code not in (None, 0):
                raise ScriptError(f"the script exited with status {str(leaving.code)[:200]}") from None
            result = self._space.get("result") if job.cell is None else None
        library.finish()
        try:
            return library.give(self._language.plain(result))
        except ValueFormError as error:
            is_assigned = result is self._space.get("result")
            raise placed(error, job.source, assigned=is_assigned, cell=job.cell is not None) from None

    def _out_of_memory(self, error: BaseException) -> None:
        """Let go of everything first; the message was made beforehand. Where the script was goes ahead of it."""
        last = tracebacks.last_instruction(error.__traceback__)
        error.__traceback__ = error.__context__ = None
        self._space.clear()
        with suppress(MemoryError):
            self._link.before()
            if last is not None:
                self._link.send(_here(tracebacks.place(*last)))
        self._link.send_raw(_OUT_OF_MEMORY)

    def _emit(self, stream: Any, text: str, cut: bool) -> None:
        self._link.send(Output(stream, text, cut))


def _here(place: tracebacks.Place) -> Here:
    other = None if place.filename == FILENAME else tracebacks.script_name(place.filename)
    return Here(place.line, place.column, tracebacks.snippet(place), other)


def become(connection_fd: int, seal: Callable[[Collection[int]], None], trade: Trade) -> NoReturn:
    """Be a worker, in a fresh fork of the zygote: its socket is all that it keeps.

    `seal(keep)` puts up the walls and closes every descriptor that is not in `keep`. What fails before it is told on
    the zygote's own stderr, and ends the process. The three standard descriptors lead nowhere, each by a pipe of the
    worker's own: of one that it shared, such as /dev/null, others would see the flags that a script sets.
    """
    try:
        os.dup2(os.pipe()[0], 0)  # at its end
        writer = os.pipe()[1]
        os.dup2(writer, 1)
        worker = trade.worker(Link(socket.socket(fileno=connection_fd)))
        os.dup2(writer, 2)
        seal((0, 1, 2, connection_fd))
    except BaseException as error:
        os.write(2, f"a worker could not be made: {error!r}\n".encode())
        os._exit(SETUP_FAILED)
    worker.serve()
