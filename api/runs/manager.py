"""Runs from submission to end: waiting, their turn, cancellation.

Owns the life of a run. Must not know HTTP, how a request is checked (`submission.py`), who is next (`queue.py`), how a
run is executed (`execution.py`) or when what is stored (`live.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec

from api.auth.acl import Level
from api.auth.identity import Identity
from api.auth.sharing import Sharing
from api.errors import RunNotFound, ServerRestarted, ServerStopping
from api.http.idempotency import conflict
from api.ids import new_id, now
from api.logs import DETAILS, ENDED, during
from api.metrics import Metrics
from api.runs import records
from api.runs.events import Event, EventLog
from api.runs.execution import Executor
from api.runs.live import LiveRun, LiveRuns
from api.runs.queue import FairQueue
from api.runs.records import RunRecord
from api.runs.sessions import Sessions
from api.runs.submission import Submission
from api.settings import Settings
from api.storage.database import Database
from api.tracing import describe, fail, span
from api.usage.accounts import Accounts
from sandbox.gates.grants import shown
from shaders.errors import ErrorRecord, KernelgateError

log = logging.getLogger("kernelgate")
_SHUTDOWN = ("server", ServerRestarted.code)
"""By whom and why runs are stopped when the server stops."""


class RunManager:
    """The runs of the server."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        executor: Executor,
        metrics: Metrics,
        sessions: Sessions,
        accounts: Accounts,
        sharing: Sharing,
    ) -> None:
        self._settings = settings
        self._database = database
        self._executor = executor
        self._metrics = metrics
        self._sessions = sessions
        self._accounts = accounts
        self._sharing = sharing
        self._live = LiveRuns(database)
        self._queue = FairQueue(settings.runs_at_once, settings.queue_length, settings.queue_length_of_key)
        self._keyed = asyncio.Lock()
        self._stopping = False

    def start(self) -> None:
        """Begin to store the events of live runs from time to time."""
        self._live.start()

    async def stop(self, drain_s: float) -> None:
        """Take no more runs, let those that run end for `drain_s` seconds, fail the rest; those that wait stay."""
        self._stopping = True
        self._queue.close()
        for live in self._live:
            if live.record.status == "queued":
                self._stop(live, *_SHUTDOWN)
        tasks = [live.task for live in self._live if live.task is not None]
        if tasks and drain_s:
            await asyncio.wait(tasks, timeout=drain_s)
        for live in self._live:
            self._stop(live, *_SHUTDOWN)
        if tasks:
            await asyncio.wait(tasks)
        await self._live.stop()

    async def submit(self, identity: Identity, submission: Submission) -> tuple[LiveRun | RunRecord, bool]:
        """Accept a run, or find the one that its idempotency key made; whether it is new.

        It is stored when this returns. Raises `QueueFull`, `QuotaExceeded`, `ServerStopping`, `IdempotencyConflict`.
        """
        if submission.idempotency_key is None:
            return await self._accept(identity, submission), True
        async with self._keyed:
            found = await self._same_key(identity, submission)
            if found is not None:
                return found, False
            return await self._accept(identity, submission), True

    async def find(self, identity: Identity, run_id: str, wanted: Level = "read") -> LiveRun | RunRecord:
        """A run, if `identity` may do with it what it wants.

        Raises `RunNotFound`, also for what it may not even see, and `AccessDenied`.
        """
        live = self._live.get(run_id)
        record = live.record if live else await self._database.do(lambda db: records.find_run(db, run_id))
        missing = RunNotFound(f"there is no run {run_id[:60]!r}", hint="GET /api/runs lists yours.")
        if record is None:
            raise missing
        await self._sharing.require(identity, record.target, wanted, missing)
        return live or record

    def freshen(self, summary: dict[str, Any]) -> dict[str, Any]:
        """A run's short form with the status that it has at this moment."""
        live = self._live.get(summary["id"])
        if live is None:
            return {**summary, "place": None}
        record = live.record
        shown = ("status", "started_at", "finished_at", "reason", "cancelled_by", "usage")
        return {**summary, **{name: getattr(record, name) for name in shown}, "place": live.place()}

    async def cancel(self, live: LiveRun, by: str, reason: str) -> None:
        """Stop a run and wait until its end is stored. One that has ended is left as it is."""
        self._stop(live, by, reason)
        await live.done.wait()

    def keys_at_work(self) -> set[str]:
        """The ids of the keys that have live runs."""
        return {live.identity.key_id for live in self._live}

    def by_owner(self) -> dict[str, Counter[str]]:
        """How many live runs each owner has, by status; of one who has none, none."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for live in self._live:
            counts[live.record.owner][live.record.status] += 1
        return counts

    def stop_of(self, key_id: str, reason: str) -> int:
        """Begin to cancel all live runs of a key, which is over for `reason`; how many there are."""
        theirs = [live for live in self._live if live.identity.key_id == key_id]
        for live in theirs:
            self._stop(live, "server", reason)
        return len(theirs)

    async def _same_key(self, identity: Identity, submission: Submission) -> LiveRun | RunRecord | None:
        key = submission.idempotency_key
        assert key is not None
        record = await self._database.do(lambda db: records.find_by_key(db, identity.owner, key))
        if record is None:
            return None
        if record.request_hash != submission.request_hash:
            raise conflict(f"run {record.id}")
        return self._live.get(record.id) or record

    async def _accept(self, identity: Identity, submission: Submission) -> LiveRun:
        if self._stopping:
            raise ServerStopping("the server is stopping and takes no new runs")
        self._queue.check(identity.key_id)
        if submission.session is not None:
            submission.session.check()
        self._accounts.of(identity).admit_run()
        record = RunRecord(
            id=new_id("run"),
            owner=identity.owner,
            script=submission.script,
            limits=submission.limits,
            grants=_shown(submission),
            created_at=now(),
            idempotency_key=submission.idempotency_key,
            request_hash=submission.request_hash,
            key_id=identity.key_id,
            kind="script" if submission.session is None else "cell",
        )
        if submission.session is not None:
            submission.session.claim(record.id)
        live = self._begin_life(record, identity, submission, EventLog(self._settings.events_per_run))
        stored = self._database.do(lambda db: records.insert_run(db, record), grows=True)
        live.task = asyncio.create_task(self._live_through(live, stored))
        try:
            await asyncio.shield(stored)
        except KernelgateError:
            self._stop(live, "server", "storage_error")
            raise
        return live

    def take_up(
        self, identity: Identity, record: RunRecord, submission: Submission, events: Iterable[Event]
    ) -> None:
        """Let a stored run wait once more, which waited when the server stopped; `events` are its stored ones."""
        self._accounts.of(identity).resume_run()
        log = EventLog(self._settings.events_per_run, events)
        live = self._begin_life(record, identity, submission, log)
        record.grants = _shown(submission)
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        stored.set_result(None)
        live.task = asyncio.create_task(self._live_through(live, stored))

    def _begin_life(
        self, record: RunRecord, identity: Identity, submission: Submission, events: EventLog
    ) -> LiveRun:
        ticket = self._queue.join(identity.key_id)
        live = LiveRun(record, identity, submission, events, ticket, partial(self._queue.position, ticket))
        self._live.add(live)
        place = live.place()
        record.asked = None if place is None else submission.asked
        events.add("status", {"status": "queued"} if place is None else {"status": "queued", "place": place})
        self._metrics.queue.set(self._queue.length)
        return live

    async def _live_through(self, live: LiveRun, stored: asyncio.Future[None]) -> None:
        """The whole life of a run; never raises."""
        with during(live), span("run", {"kind": live.record.kind}) as current:
            await self._live_until_over(live, stored)
            usage = {"device_ms": live.record.usage.device_ms, "dispatches": live.record.usage.dispatches}
            describe(current, {"status": live.record.status, **usage})
            if live.record.status in ("failed", "timed_out"):
                fail(current, live.record.reason or live.record.status)

    async def _live_until_over(self, live: LiveRun, stored: asyncio.Future[None]) -> None:
        try:
            async with self._queue.place(live.ticket):
                self._metrics.queue.set(self._queue.length)
                await self._executor.execute(live)
        except asyncio.CancelledError:
            if live.stop == _SHUTDOWN and live.record.asked is not None:
                await self._leave(live, stored)
                return
            self._cancelled(live)
        except KernelgateError as error:
            live.record.end("failed", error.record())
        except Exception:
            log.exception("run %s failed inside the server", live.record.id)
            live.record.end("failed", ErrorRecord("internal", "something failed inside the server"))
        self._metrics.queue.set(self._queue.length)
        await self._finish(live, stored)

    async def _leave(self, live: LiveRun, stored: asyncio.Future[None]) -> None:
        """The server stops while a run waits: the next one takes it up."""
        await asyncio.wait([stored])
        self._live.drop(live)
        live.events.leave()
        live.done.set()

    def _stop(self, live: LiveRun, by: str, reason: str) -> None:
        if live.record.live and live.task is not None and live.stop is None:
            live.stop = (by, reason)
            asyncio.get_running_loop().call_soon(
                live.task.cancel
            )  # after its first step, which sees to its end

    def _cancelled(self, live: LiveRun) -> None:
        by, reason = live.stop or _SHUTDOWN
        if (by, reason) == _SHUTDOWN:
            live.record.end("failed", ServerRestarted("the server stopped during the run").record())
        else:
            live.record.end("cancelled")
            live.record.cancelled_by = by
        live.record.reason = reason

    async def _finish(self, live: LiveRun, stored: asyncio.Future[None]) -> None:
        """Store the end of a run, then tell whoever waits. One that could not be stored as it began never was."""
        record = live.record
        try:
            await stored
        except Exception as error:
            log.error("run %s was not taken: %s", record.id, error)
            self._live.drop(live)
        else:
            live.events.add("status", {"status": record.status})
            self._metrics.runs.labels(record.kind, record.status).inc()
            _tell(record)
            live.events.close(record.document().decode())
            record.measure(live.events.all)
            await self._live.end(live)
        self._accounts.of(live.identity).run_over()
        if live.submission.session is not None:
            await self._sessions.release(live.submission.session, record)
        live.done.set()


def _shown(submission: Submission) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(shown(submission.grants)))


def _tell(record: RunRecord) -> None:
    """Say in the log how a run ended."""
    usage = {"wall_ms": record.usage.wall_ms, "device_ms": record.usage.device_ms}
    details = {"status": record.status, "kind": record.kind, "reason": record.reason, **usage}
    ENDED.info("%s: %s", record.id, record.status, extra={DETAILS: details})
