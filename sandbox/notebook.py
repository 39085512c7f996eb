"""Scripts in workers, alone or as the cells of a notebook, and how each of them ended.

Owns the job of a script, `Outcome`, and the worker that lives from cell to cell: between them it is stopped, so that it
costs no processor. Must not know where workers come from.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from sandbox import frames, values
from sandbox.errors import WorkerCrashedError
from sandbox.limits import Limits
from sandbox.services import Services
from sandbox.session import Session
from sandbox.worker_process import WorkerProcess
from shaders.errors import ErrorRecord, KernelgateError

T = TypeVar("T")
CPU_S = 3600.0
"""Of all cells of a notebook together: the kernel's limit cannot be raised again."""
_SMALL_BYTES = 1 << 16
_TIMED_OUT = frozenset(["wall_limit", "cpu_limit"])


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a script's run ended. Tensors in `result` are `TensorRef`s with handles of the run, not yet checked."""

    result: Any
    error: ErrorRecord | None
    status: Literal["succeeded", "failed", "timed_out"]
    level: str
    level_reason: str


async def script_job(
    source: str,
    inputs: dict[str, object],
    limits: Limits,
    environment: Mapping[str, str] | None,
    cell: int | None = None,
) -> frames.ScriptJob:
    """The job of a script. Raises `ValueFormError` for inputs that cannot enter."""
    packed = await _aside(not _is_small(inputs), values.pack, inputs, name="inputs")
    return frames.ScriptJob(source, packed, limits.output_bytes, dict(environment or {}), cell)


async def perform(
    session: Session,
    worker: WorkerProcess,
    services: Services,
    job: frames.ScriptJob,
    level: str,
    reason: str,
) -> Outcome:
    """Do a script's job; its failures and those of its limits are in the outcome. However it ends, `services` is told
    what it spent."""
    result: Any = None
    error: KernelgateError | None = None
    try:
        last = await session.converse(job)
        assert isinstance(last, frames.Finished)
        result = await _aside(len(last.result) > _SMALL_BYTES, values.unpack, last.result)
    except KernelgateError as caught:
        error = caught
    finally:
        services.spent(worker.cpu_s() * 1e3, worker.peak_bytes())
    return Outcome(
        result=result,
        error=error.record() if error is not None else None,
        status=_status(error),
        level=level,
        level_reason=reason,
    )


class Notebook:
    """A worker whose variables last from cell to cell. What kills a cell, or cancels it, ends the worker."""

    def __init__(
        self,
        worker: WorkerProcess,
        talk: Callable[[Limits, Services], Session],
        memory_mb: int,
        level: str,
        reason: str,
    ) -> None:
        self._worker = worker
        self._talk = talk
        self._memory_mb = memory_mb
        self._cells = 0
        self._cpu_s = 0.0
        self.level, self.reason = level, reason
        worker.pause()

    @property
    def is_alive(self) -> bool:
        """Whether there can be another cell."""
        return self._worker.is_alive

    async def run(
        self,
        source: str,
        inputs: dict[str, object],
        limits: Limits,
        services: Services,
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run a cell, as `WorkerPool.run_script` runs a script; for all cells together memory is limited, and the
        processor to `CPU_S`.

        Raises `WorkerCrashedError` when the worker is gone.
        """
        self._cells += 1
        cpu_s = min(limits.cpu_s, CPU_S - self._cpu_s)
        limits = Limits(limits.wall_s, cpu_s, self._memory_mb, limits.output_bytes)
        job = await script_job(source, inputs, limits, environment, self._cells)
        try:
            self._worker.resume()
        except OSError:
            raise WorkerCrashedError(
                "the worker of this notebook is gone", hint="Begin another one."
            ) from None
        try:
            session = self._talk(limits, services)
            return await perform(session, self._worker, services, job, self.level, self.reason)
        finally:
            self._cpu_s += self._worker.cpu_s()
            self._worker.pause()

    def close(self) -> None:
        """End the worker."""
        self._worker.close()


async def _aside(large: bool, work: Callable[..., T], *args: Any, **named: Any) -> T:
    """What `work` gives; in a thread when it is `large`, so that the loop goes on."""
    return await asyncio.to_thread(work, *args, **named) if large else work(*args, **named)


def _is_small(inputs: Mapping[str, object]) -> bool:
    return all(
        not isinstance(value, list | dict)
        and (not isinstance(value, str | bytes) or len(value) <= _SMALL_BYTES)
        for value in inputs.values()
    )


def _status(error: KernelgateError | None) -> Literal["succeeded", "failed", "timed_out"]:
    if error is None:
        return "succeeded"
    return "timed_out" if error.code in _TIMED_OUT else "failed"
