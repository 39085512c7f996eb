"""The pool of workers: the one way in which the server runs strangers' text.

Owns which jobs there are, and what each asks of the walls. A worker is taken (`sandbox/stock.py`) for one job or
notebook, and killed after it. Must not know what a run is stored as, or how a session goes.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import msgspec

from ops.wire import FrameError
from sandbox import frames
from sandbox.errors import (
    CpuLimitError,
    MemoryLimitError,
    NativeRefusedError,
    SandboxWeakError,
    WallLimitError,
)
from sandbox.limits import Limits
from sandbox.notebook import CPU_S, Notebook, Outcome, perform, script_job
from sandbox.services import Services
from sandbox.session import Session
from sandbox.signatures.form import Signature
from sandbox.stock import Stock
from sandbox.walls.rlimits import WorkerLimits
from sandbox.worker_process import WorkerProcess
from shaders.reflection import Reflection
from shaders.template import Scalar, TemplateLimitError

__all__ = ["Notebook", "Outcome", "PoolSettings", "WorkerPool"]

_log = logging.getLogger("kernelgate.sandbox")
NATIVE_LEVELS = frozenset(["full", "hardened"])
INNER_SIZE = 2
KERNEL_LIMITS = Limits(wall_s=5.0, cpu_s=5.0, memory_mb=256, output_bytes=0)
SIGNATURE_LIMITS = Limits(wall_s=20.0, cpu_s=10.0, memory_mb=1024, output_bytes=0)
TEMPLATE_LIMITS = Limits(wall_s=5.0, cpu_s=1.0, memory_mb=128, output_bytes=0)
RENDERED_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How the pool works.

    `size`: ready workers; `python`: the interpreter; `max_frame`: the longest message of a worker in bytes;
    `recycle_after`: workers that one zygote makes, as they share its hash seed and address layout; `clock`: what the
    wall clock is read from, the loop's time when None. `allow_weak`: run scripts even at level `process`.
    `allow_native`: run native scripts, at the levels of `NATIVE_LEVELS`. `trade`: what the workers do
    (`sandbox/zygote.py`). `kernel_limits` are for each parsing of a kernel, `template_limits` for each rendering.
    `on_kill`: is told the code of each error that ended a worker before it was done, whatever its job.
    """

    size: int = 4
    python: str = sys.executable
    max_frame: int = frames.MAX_MESSAGE
    recycle_after: int = 20_000
    clock: Callable[[], float] | None = None
    allow_weak: bool = False
    allow_native: bool = False
    trade: Literal["restricted", "native", "template"] = "restricted"
    kernel_limits: Limits = KERNEL_LIMITS
    template_limits: Limits = TEMPLATE_LIMITS
    on_kill: Callable[[str], None] = lambda code: None


class WorkerPool:
    """Runs scripts, and renders and parses kernels, in workers.

    Native scripts, and templates, have a pool of their own inside, which is made at the first of them.
    """

    def __init__(self, settings: PoolSettings) -> None:
        self._settings = settings
        command = [settings.python, "-I", "-m", "sandbox.zygote", settings.trade]
        self._stock = Stock(command, settings.size, settings.recycle_after, self._tell_level)
        self._inner: dict[str, WorkerPool] = {}
        self._rendering = asyncio.Semaphore(RENDERED_AT_ONCE)

    @property
    def level(self) -> str:
        """The level of the walls around workers."""
        return self._stock.level

    @property
    def reason(self) -> str:
        """Why the level is not a higher one."""
        return self._stock.reason

    @property
    def modules(self) -> tuple[str, ...]:
        """What is loaded in a worker."""
        return self._stock.modules

    @property
    def zygote_pid(self) -> int | None:
        """The process that the pool started, from which all workers come."""
        return self._stock.zygote_pid

    @property
    def runs_scripts(self) -> bool:
        """Whether scripts run at the level that workers are made at."""
        return self.level != "process" or self._settings.allow_weak

    async def start(self) -> None:
        """Start the zygote and the first workers. Raises `WorkerCrashedError`."""
        await self._stock.start()

    async def close(self) -> None:
        """End every process of the pool, and wait until they are gone."""
        await self._stock.close()
        for inner in self._inner.values():
            await inner.close()

    async def run_script(
        self,
        source: str,
        inputs: dict[str, object],
        limits: Limits,
        services: Services,
        environment: Mapping[str, str] | None = None,
        *,
        native: bool = False,
    ) -> Outcome:
        """Run a script, which sees `environment` as `os.environ`; with `native` as plain CPython with NumPy.

        Cancelling the caller kills the worker at once. Failures of the script and of its limits are in the outcome;
        raises `ValueFormError` for inputs that cannot enter, `WorkerCrashedError` when no worker can be made,
        `SandboxWeakError` when this machine has no walls, `NativeRefusedError` when it runs no native scripts.
        """
        await self._stock.live_zygote()
        if native:
            self.check_native()
            return await self._pool_of("native").run_script(source, inputs, limits, services, environment)
        self._check_walls()
        job = await script_job(source, inputs, limits, environment)
        worker = await self._begun(limits.memory_mb, limits.cpu_s)
        try:
            session = self._talk(worker, limits, services)
            return await perform(session, worker, services, job, self.level, self.reason)
        finally:
            self._stock.refill()

    async def open_notebook(self, memory_mb: int, *, native: bool = False) -> Notebook:
        """A worker that keeps its variables from cell to cell; `close` it. Raises as `run_script` does."""
        await self._stock.live_zygote()
        if native:
            self.check_native()
            return await self._pool_of("native").open_notebook(memory_mb)
        self._check_walls()
        worker = await self._begun(memory_mb, CPU_S)
        self._stock.refill()
        return Notebook(worker, partial(self._talk, worker, keep=True), memory_mb, self.level, self.reason)

    def check_native(self) -> None:
        """Raise `NativeRefusedError` unless native scripts run here, as far as is known before the pool starts."""
        if not self._settings.allow_native:
            raise NativeRefusedError(
                "native scripts are off: the setting allow_native is false",
                hint="Leave grants.native out, or ask the server's owner for KERNELGATE_ALLOW_NATIVE=true.",
            )
        if self.zygote_pid is not None and self.level not in NATIVE_LEVELS:
            raise NativeRefusedError(
                f"native scripts run at the levels full and hardened only, and this server is at {self.level}: "
                f"{self.reason}",
                hint="Leave grants.native out; an ordinary script has `import numpy` too.",
            )

    def _pool_of(self, trade: Literal["native", "template"]) -> WorkerPool:
        self._stock.check_open()
        if trade not in self._inner:
            size = min(INNER_SIZE, self._settings.size)
            self._inner[trade] = WorkerPool(replace(self._settings, size=size, trade=trade))
        return self._inner[trade]

    def _check_walls(self) -> None:
        if self._settings.trade == "native":
            self.check_native()
        if not self.runs_scripts:
            what = (
                "templates are not rendered" if self._settings.trade == "template" else "scripts are not run"
            )
            raise SandboxWeakError(
                f"{what} at level {self.level}: {self.reason}",
                hint="The owner of the server can allow it with --allow-weak-sandbox.",
            )

    async def render(self, template: str, params: Mapping[str, Scalar]) -> str:
        """The text of a kernel's template: as little to be trusted as what a client sends.

        Raises `TemplateSyntaxError`, `TemplateError`, `TemplateLimitError`, `WorkerCrashedError` and, on a machine
        without walls, `SandboxWeakError`.
        """
        if self._settings.trade != "template":
            return await self._pool_of("template").render(template, params)
        await self._stock.live_zygote()
        self._check_walls()
        job = frames.TemplateJob(template, dict(params))
        try:
            async with self._rendering:
                last = await self._of_text(job, self._settings.template_limits)
        except (WallLimitError, CpuLimitError, MemoryLimitError) as error:
            raise TemplateLimitError(
                f"the template was given up: {error.message}", hint="Write fewer and shorter loops."
            ) from None
        if not isinstance(last, frames.Rendered):
            raise FrameError(f"the worker sent {type(last).__name__} about a template")
        return last.source

    async def reflect(self, source: str) -> Reflection:
        """Parse a kernel's WGSL. Raises `KernelgateError`s of what is wrong with it, or of the limits."""
        last = await self._of_text(frames.KernelJob(source), self._settings.kernel_limits)
        if not isinstance(last, frames.Reflected):
            raise FrameError(f"the worker sent {type(last).__name__} about a kernel")
        return last.reflection

    async def sign(self, source: str) -> Signature:
        """The signature of a script, which is parsed and not run.

        Raises `ScriptSyntaxError` for text that is not Python, `FrameError`, and the errors of the limits.
        """
        last = await self._of_text(frames.SignatureJob(source), SIGNATURE_LIMITS)
        if not isinstance(last, frames.Signed):
            raise FrameError(f"the worker sent {type(last).__name__} about a script's text")
        return last.signature

    async def _of_text(self, job: msgspec.Struct, limits: Limits) -> frames.WorkerMessage:
        """The last message about a job with a text that is not run."""
        worker = await self._begun(limits.memory_mb, limits.cpu_s)
        try:
            return await self._talk(worker, limits, None).converse(job)
        finally:
            self._stock.refill()

    def _talk(
        self, worker: WorkerProcess, limits: Limits, services: Services | None, *, keep: bool = False
    ) -> Session:
        settings = self._settings
        clock = settings.clock or asyncio.get_running_loop().time
        return Session(
            worker, limits, services, settings.max_frame, clock, keep=keep, on_kill=settings.on_kill
        )

    async def _begun(self, memory_mb: int, cpu_s: float) -> WorkerProcess:
        """A worker with the kernel's limits on it."""
        return await self._stock.take(WorkerLimits(memory_bytes=memory_mb << 20, cpu_s=cpu_s))

    def _tell_level(self) -> None:
        trade, reason = self._settings.trade, self.reason or "nothing is missing"
        _log.info("%s workers are made at level %s (%s)", trade, self.level, reason)
        if self.level == "process":
            allowed = (
                "run all the same, as allow_weak_sandbox is set"
                if self._settings.allow_weak
                else "are refused"
            )
            _log.warning("there is no wall around workers: scripts %s", allowed)
