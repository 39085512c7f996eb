"""What a run does once it is its turn: its script in a worker, with its device work and its gates.

Owns what the script is given, and what of its outcome goes into the record. Must not know who is next, or when what is
stored: but for its beginning, after which no other server may begin it again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from api.ids import now
from api.kernels.launcher import Launcher
from api.kernels.store import KernelStore
from api.metrics import Metrics
from api.runs import records
from api.runs.gates import Gatekeeper, RunGates
from api.runs.live import LiveRun
from api.runs.records import RunRecord, Usage
from api.runs.services import RunServices
from api.runs.submission import Submission
from api.runs.work import Work
from api.scripts.store import ScriptStore
from api.settings import RunLimits, Settings
from api.storage.database import Database
from api.tensors import values
from api.tensors.store import TensorStore
from api.tensors.values import TensorId, TensorValue
from api.usage.accounts import Accounts
from api.usage.fuel import bounds
from ops.graph import TensorRef
from sandbox.limits import Limits
from sandbox.pool import Outcome, WorkerPool


class Executor:
    """Executes runs. `ready` returns when device and workers are up."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        pool: WorkerPool,
        launcher: Launcher,
        kernels: KernelStore,
        scripts: ScriptStore,
        tensors: TensorStore,
        gates: Gatekeeper,
        accounts: Accounts,
        metrics: Metrics,
        ready: Callable[[], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._database = database
        self._pool = pool
        self._launcher = launcher
        self._kernels = kernels
        self._scripts = scripts
        self._tensors = tensors
        self._gates = gates
        self._accounts = accounts
        self._metrics = metrics
        self._ready = ready

    async def execute(self, live: LiveRun) -> None:
        """Run the script of `live`, and put into its record how it ended and what it cost.

        Raises `KernelgateError` when the run fails before its script does, or its result cannot be kept.
        """
        record, submission = live.record, live.submission
        record.status = "running"
        record.started_at = now()
        live.events.add("status", {"status": "running"})
        began = time.perf_counter()
        if record.asked is not None:  # it waited: once it runs, no other server may begin it again
            record.asked = None
            await self._database.do(lambda db: records.begin_run(db, record), frees=True)
        await self._ready()
        record.level, record.level_reason = self._pool.level, self._pool.reason
        if submission.session is not None:
            session = submission.session
            session.begin(record.id, live.events)
            await self._perform(live, session.work, session.gates, session.run, began)
            return
        gates = await self._gates.open(record.id, live.identity, submission.grants, live.events)
        account = self._accounts.of(live.identity)
        run = partial(self._pool.run_script, native=bool(submission.grants.native))
        with Work(self._launcher, self._tensors, live.identity, account, submission.limits.handles) as work:
            try:
                await self._perform(live, work, gates, run, began)
            finally:
                await gates.close()

    async def _perform(
        self, live: LiveRun, work: Work, gates: RunGates, run: Callable[..., Awaitable[Outcome]], began: float
    ) -> None:
        """Execute the script of a run by `run`, with its device work and gates; keep what it cost and changed."""
        record, submission = live.record, live.submission
        live.services = services = RunServices(
            work,
            submission.limits,
            self._settings,
            self._kernels,
            self._scripts,
            self._tensors,
            live.events,
            gates,
            bounds(self._settings, submission.grants, submission.limits),
            submission.home,
        )
        try:
            inputs = await self._admit(work, submission)
            limits = _worker_limits(submission.limits)
            await self._take(
                record, await run(submission.script, inputs, limits, services, gates.environment), services
            )
        finally:
            await work.tally.settle()
            self._account(record, work, services, began)
            if gates.has_overlay:
                record.files = msgspec.Raw(await asyncio.to_thread(gates.files))

    async def _admit(self, work: Work, submission: Submission) -> dict[str, Any]:
        """The inputs with each tensor held by `work` and named by its local handle."""
        if not submission.given:
            return submission.inputs
        refs: dict[TensorValue, TensorRef] = {}
        for value in submission.given:
            if value not in refs:
                known = submission.tensors[value.id] if isinstance(value, TensorId) else value
                refs[value] = await work.admit(known)
        return await asyncio.to_thread(values.map_tensors, submission.inputs, refs.__getitem__)

    async def _take(self, record: RunRecord, outcome: Outcome, services: RunServices) -> None:
        """Put the outcome of a script into its record."""
        record.level, record.level_reason = outcome.level, outcome.level_reason
        if outcome.error is not None:
            record.end(outcome.status, outcome.error)
            return
        record.result = msgspec.Raw(await services.result(outcome.result))
        record.end(outcome.status)

    def _account(self, record: RunRecord, work: Work, services: RunServices, began: float) -> None:
        wall_ms = (time.perf_counter() - began) * 1000
        record.usage = Usage(
            wall_ms=round(wall_ms, 3),
            cpu_ms=round(services.cpu_ms, 3),
            device_ms=round(work.tally.device_ms, 3),
            peak_bytes=services.peak_bytes,
            dispatches=work.tally.dispatches,
            threads=work.tally.threads,
            bytes=work.tally.bytes,
        )
        record.stdout, record.stderr, record.output_cut = services.stdout, services.stderr, services.cut
        self._metrics.duration.labels(record.kind).observe(wall_ms / 1000)


def _worker_limits(limits: RunLimits) -> Limits:
    return Limits(limits.wall_s, limits.cpu_s, limits.memory_mb, limits.output_bytes)
