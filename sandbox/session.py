"""One job with one worker: the conversation, and the limits that end it.

Owns what a worker may say and when, and every kill. The worker is assumed to be controlled by an attacker, so that its
bytes, messages, output and time are all bounded here. Must not know where workers come from.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from contextlib import suppress

import msgspec

from ops.processes import signal_name
from ops.wire import FrameError, FrameReader, frame
from sandbox import budget, errors, frames
from sandbox.limits import Limits
from sandbox.services import Services, answer, denial
from sandbox.throttle import Throttle
from sandbox.worker_process import WorkerProcess
from shaders.errors import ErrorRecord, KernelgateError

_log = logging.getLogger("kernelgate.sandbox")

MAX_MESSAGES = 500_000
OUTPUT_SLACK = 1 << 16
CHUNK = 96 << 10
"""As in `sandbox/link.py`."""
STATUS_PATIENCE_S = 1.0
LAST_WORDS_S = 0.2
"""How long a worker over its time may take to say where its script is. Code that does not return cannot."""
SHORTEST_WATCH_S = 0.005
_YIELD_EVERY = 128
_OF_TEXT = (frames.Reflected, frames.Signed, frames.Rendered)
"""The last messages about a text that is not run."""


class Session:
    """One job. With `keep` the worker lives on when it has told how the job ended.

    `on_kill` is told the code of the limit, or crash, that ended the worker; not what other ends the job comes to.
    """

    def __init__(
        self,
        worker: WorkerProcess,
        limits: Limits,
        services: Services | None,
        max_frame: int,
        clock: Callable[[], float],
        *,
        keep: bool = False,
        on_kill: Callable[[str], None] = lambda code: None,
    ) -> None:
        self._worker = worker
        self._limits = limits
        self._services = services
        self._clock = clock
        self._keep = keep
        self._on_kill = on_kill
        self._told = False
        self._reader: FrameReader[frames.WorkerMessage] = FrameReader(
            frames.WorkerMessage, max_frame, budget.check
        )
        self._throttle = Throttle()
        self._loop = asyncio.get_running_loop()
        self._started = clock()
        self._verdict: asyncio.Future[Callable[[], KernelgateError]] = self._loop.create_future()
        self._watch_timer: asyncio.TimerHandle | None = None
        self._messages = 0
        self._output_bytes = 0
        self._refused: set[str] = set()
        self._here: frames.Here | None = None

    def wall_s(self) -> float:
        """Seconds since the session began."""
        return self._clock() - self._started

    async def converse(self, job: msgspec.Struct) -> frames.WorkerMessage:
        """Send `job` and serve the worker until its last message, `Finished`, `Failed` or one of `_OF_TEXT`.

        Raises the `KernelgateError` of the limit that fired, or what the worker died of. Unless the worker is kept, it
        is dead when this returns, however it does.
        """
        talk = self._loop.create_task(self._talk(job))
        try:
            self._watch()
            await asyncio.wait((talk, self._verdict), return_when=asyncio.FIRST_COMPLETED)
            if self._verdict.done():
                here = await self._last_words(talk)
                await self._stop()
                raise _placed(self._verdict.result()(), here)
            return talk.result()
        except KernelgateError as error:
            if error.code in errors.KILLS:
                self._on_kill(error.code)
            raise
        finally:
            if self._watch_timer is not None:
                self._watch_timer.cancel()
            if not (self._keep and self._told) or self._verdict.done():
                talk.add_done_callback(self._over)  # not awaited: this may be cancelled once more
                talk.cancel()
                await self._stop()
                await asyncio.wait((talk,))
            self._verdict.cancel()

    async def _stop(self) -> None:
        await self._worker.stop(STATUS_PATIENCE_S, at_work=not self._told)

    def _over(self, talk: asyncio.Task[frames.WorkerMessage]) -> None:
        if not talk.cancelled():
            talk.exception()  # seen, even if a limit fired first
        self._worker.close()

    # ------------------------------------------------------------------ limits
    def _watch(self) -> None:
        """Look at both clocks; come back when the nearer one can run out first."""
        cpu_left = self._limits.cpu_s - self._worker.cpu_s()
        wall_left = self._limits.wall_s - self.wall_s()
        if cpu_left <= 0:
            self._expire(self._cpu_error)
        elif wall_left <= 0:
            self._expire(self._wall_error)
        else:
            delay = max(SHORTEST_WATCH_S, min(cpu_left, wall_left))
            self._watch_timer = self._loop.call_later(delay, self._watch)

    def _wall_error(self) -> KernelgateError:
        return self._limits.wall_error(self.wall_s(), self._worker.cpu_s())

    def _cpu_error(self) -> KernelgateError:
        return self._limits.cpu_error(self._worker.cpu_s())

    def _memory_error(self) -> KernelgateError:
        return self._limits.memory_error(self._worker.peak_bytes())

    def _expire(self, error: Callable[[], KernelgateError]) -> None:
        """A clock ran out; `error` is asked for when the worker is dead, and what it used is known."""
        if not self._verdict.done():
            self._verdict.set_result(error)

    async def _last_words(self, talk: asyncio.Task[frames.WorkerMessage]) -> frames.Here | None:
        """Where the script is, if its worker tells in time. Nothing else is served any more."""
        talk.cancel()
        await asyncio.wait((talk,), timeout=LAST_WORDS_S)
        if self._services is None or not talk.done():
            return None
        self._worker.interrupt()
        with suppress(TimeoutError, OSError, FrameError):
            async with asyncio.timeout(LAST_WORDS_S):
                while data := await self._loop.sock_recv(self._worker.connection, CHUNK):
                    for message in self._throttle.timed(self._reader.feed(data)):
                        if isinstance(message, frames.Here):
                            return message
                    await asyncio.sleep(self._throttle.wait_s())
        return None

    # ------------------------------------------------------------------ conversation
    async def _talk(self, job: msgspec.Struct) -> frames.WorkerMessage:
        connection = self._worker.connection
        try:
            await self._loop.sock_sendall(connection, self._worker.first_words + frame(job))
            while True:
                data = await self._loop.sock_recv(connection, CHUNK)
                if not data:
                    break
                for message in self._throttle.timed(self._reader.feed(data)):
                    last = await self._take(message)
                    if last is not None:
                        return last
                await asyncio.sleep(self._throttle.wait_s())
        except OSError:  # the worker closed its end
            pass
        raise await self._cause_of_death()

    async def _take(self, message: frames.WorkerMessage) -> frames.WorkerMessage | None:
        """Handle one message; the message itself when it is the last."""
        self._messages += 1
        if self._messages > MAX_MESSAGES:
            raise errors.MessageLimitError(
                f"the run was stopped at its limit of {MAX_MESSAGES} messages; it sent {self._messages}",
                hint="Each request to the device or a gate is one, each report of progress, and each batch of output.",
            )
        if self._messages % _YIELD_EVERY == 0:
            await asyncio.sleep(0)
        if isinstance(message, frames.Failed):
            self._told = message.error.code != "memory_limit"
            if not (self._keep and self._told):
                await self._stop()
            raise self._failure(message.error)
        if self._services is None:
            if isinstance(message, _OF_TEXT):
                self._told = True
                return message
            raise FrameError(f"the worker sent {type(message).__name__} about a text")
        match message:
            case frames.Finished():
                self._told = True
                return message
            case frames.Output():
                await self._output(self._services, message)
            case frames.Progress():
                await self._services.progress(message.fraction, message.values)
            case frames.Here():
                self._here = message
            case frames.Free():
                await self._services.free(message.handles)
            case frames.Reflected() | frames.Signed() | frames.Rendered():
                raise FrameError(f"the worker sent {type(message).__name__} about a script")
            case _:
                await self._serve(self._services, message)
        return None

    async def _output(self, services: Services, message: frames.Output) -> None:
        self._output_bytes += len(message.text.encode("utf-8", "surrogatepass"))
        if self._output_bytes > self._limits.output_bytes + OUTPUT_SLACK:
            raise self._limits.output_error(self._output_bytes)
        await services.output(message.stream, message.text, message.cut)

    async def _serve(self, services: Services, request: frames.Request) -> None:
        """Answer a request, or refuse it. One at a time: what a worker sends meanwhile waits in its socket."""
        reply: msgspec.Struct
        try:
            reply = frames.Answer(request.id, await answer(services, request))
        except KernelgateError as error:
            self._refused.add(error.code)
            reply = frames.Refusal(request.id, error.record(), denial(error))
        except Exception:
            _log.exception("a service of a run failed")
            record = ErrorRecord("internal", "something failed inside Kernelgate")
            self._refused.add(record.code)
            reply = frames.Refusal(request.id, record)
        await self._loop.sock_sendall(self._worker.connection, frame(reply))

    # ------------------------------------------------------------------ ends
    def _failure(self, record: ErrorRecord) -> KernelgateError:
        """The error that a worker reports, as far as it may say so."""
        if record.code == "memory_limit":
            return _placed(self._memory_error(), self._here)
        allowed = record.code in _SCRIPT_CODES or record.code in self._refused
        if self._services is None:
            allowed = record.code.startswith(("kernel_", "template_", "script_syntax"))
        if not allowed:
            return errors.ScriptError(_cut(record.message) or "the script failed")
        return KernelgateError.from_record(
            msgspec.structs.replace(
                record,
                message=_cut(record.message) or "",
                hint=_cut(record.hint),
                snippet=_cut(record.snippet),
            )
        )

    async def _cause_of_death(self) -> KernelgateError:
        self._worker.cpu_s()
        status = await self._worker.status(STATUS_PATIENCE_S)
        if status is None:
            if not self._worker.is_settled:
                return FrameError("the worker closed its connection without an answer")
            return errors.WorkerCrashedError("the process that makes workers died", hint="Run it again.")
        if os.WIFSIGNALED(status):
            return self._killed_by(os.WTERMSIG(status))
        return FrameError(f"the worker ended with status {os.WEXITSTATUS(status)} without an answer")

    def _killed_by(self, number: int) -> KernelgateError:
        cpu = self._worker.cpu_s()
        if number in (signal.SIGXCPU, signal.SIGKILL) and cpu >= self._limits.cpu_s:
            return self._cpu_error()
        meaning = _MEANINGS.get(number, "native code ended it")
        return errors.WorkerCrashedError(f"the worker died of {signal_name(number)}: {meaning}")


_MEANINGS: dict[int, str] = {
    signal.SIGSYS: "it made a forbidden system call",
    signal.SIGKILL: "it was killed from outside, most likely for want of memory",
    signal.SIGSEGV: "native code crashed, or the stack was used up",
}
_TOLD_BY_OPS = ("shape_mismatch", "dtype_mismatch", "bad_attribute", "unknown_op", "graph_invalid")
_SCRIPT_CODES = frozenset(
    (
        "script_syntax",
        "script_denied",
        "script_error",
        "permission_denied",
        "value_unsupported",
        *_TOLD_BY_OPS,
    )
)
_MAX_TEXT = 8000
_MAX_NAME = 200


def _cut(text: str | None) -> str | None:
    return text if text is None else text[:_MAX_TEXT]


def _placed(error: KernelgateError, here: frames.Here | None) -> KernelgateError:
    """`error` at the place in the script that its worker tells."""
    if here is None:
        return error
    record = msgspec.structs.replace(
        error.record(), line=here.line, column=here.column, snippet=_cut(here.snippet)
    )
    if here.script is not None:
        record = msgspec.structs.replace(record, message=f"{record.message} (in {here.script[:_MAX_NAME]})")
    return KernelgateError.from_record(record)
