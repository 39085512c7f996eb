"""Sessions: workers that keep a script's variables from call to call, as the cells of a notebook.

Owns which sessions there are, how long they stay idle, and how they end. Must not know how a cell is executed
(`api/runs/manager.py`), or what a worker is.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from api.auth.identity import Identity
from api.background import Recurrent, later
from api.errors import ServerStopping, SessionBusy, SessionNotFound, SessionOver, TooManySessions
from api.ids import new_id, now
from api.kernels.launcher import Launcher
from api.runs.events import EventLog
from api.runs.gates import Gatekeeper, RunGates
from api.runs.records import RunRecord
from api.runs.work import Work
from api.settings import RunLimits, Settings
from api.tensors.store import TensorStore
from api.usage.accounts import Accounts
from host.clock import Clock, LoopClock
from sandbox.gates.grants import Grants, shown
from sandbox.limits import Limits
from sandbox.pool import Notebook, Outcome, WorkerPool
from sandbox.services import Services

log = logging.getLogger("kernelgate")
SWEEP_S = 1.0
KEPT = 256
"""Sessions that are over and can still be asked for."""


@dataclass(eq=False, slots=True)
class LiveSession:
    """A session. `cell` is the run that it is at; `over` says why there will be no other."""

    id: str
    identity: Identity
    limits: RunLimits
    grants: Grants
    idle_s: float
    created_at: str
    work: Work
    gates: RunGates
    notebook: Notebook
    used: float
    used_at: str
    cells: int = 0
    cell: str | None = None
    over: str | None = None
    resources: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)

    @property
    def status(self) -> str:
        """`idle`, `busy` or `over`."""
        return "over" if self.over else "busy" if self.cell else "idle"

    def check(self) -> None:
        """Raise `SessionOver` or `SessionBusy` unless a cell can run."""
        if self.over is not None:
            raise SessionOver(
                f"session {self.id} is over, and its variables are gone: {self.over}",
                hint="Open another one.",
            )
        if self.cell is not None:
            raise SessionBusy(
                f"{self.cell} of session {self.id} has not ended", hint="Cells run one after the other."
            )

    def claim(self, run_id: str) -> None:
        """A cell is accepted. Raises as `check` does."""
        self.check()
        self.cell = run_id

    def begin(self, run_id: str, events: EventLog) -> None:
        """The cell that was accepted begins."""
        self.cells += 1
        self.work.tally.begin_part()
        self.gates.serve_run(run_id, events)

    async def run(
        self,
        source: str,
        inputs: dict[str, Any],
        limits: Limits,
        services: Services,
        environment: Mapping[str, str],
    ) -> Outcome:
        """Execute a cell, as `WorkerPool.run_script` does a script."""
        return await self.notebook.run(source, inputs, limits, services, environment)

    def document(self) -> dict[str, Any]:
        """What a client is told of it."""
        return {
            "id": self.id,
            "owner": self.identity.owner,
            "status": self.status,
            "reason": self.over,
            "cell": self.cell,
            "cells": self.cells,
            "limits": self.limits,
            "grants": msgspec.Raw(msgspec.json.encode(shown(self.grants))),
            "idle_s": self.idle_s,
            "level": self.notebook.level,
            "created_at": self.created_at,
            "used_at": self.used_at,
        }


class Sessions:
    """The sessions of the server, which end with it."""

    def __init__(
        self,
        settings: Settings,
        pool: WorkerPool,
        launcher: Launcher,
        tensors: TensorStore,
        gates: Gatekeeper,
        accounts: Accounts,
        clock: Clock | None = None,
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._launcher = launcher
        self._tensors = tensors
        self._gates = gates
        self._accounts = accounts
        self._clock = clock or LoopClock()
        self._sessions: dict[str, LiveSession] = {}
        self._opening: list[str] = []
        self._stopping = False
        self._sweeper = Recurrent(self.look, SWEEP_S, "ending idle sessions", clock)

    def start(self) -> None:
        """Begin to end idle sessions."""
        self._sweeper.start()

    async def stop(self) -> None:
        """Open no more, and end all."""
        self._stopping = True
        await self._sweeper.stop()
        await asyncio.gather(*(self._end(each, "the server stopped") for each in self._open()))

    async def open(
        self, identity: Identity, limits: RunLimits, grants: Grants, idle_s: float | None
    ) -> LiveSession:
        """A new session of a key. Raises `TooManySessions`, `ServerStopping`, and what a worker's start raises."""
        self._check_room(identity.key_id)
        self._opening.append(identity.key_id)
        session_id = new_id("ses")
        try:
            gates = await self._gates.open(session_id, identity, grants, EventLog(0))
            notebook = await self._pool.open_notebook(limits.memory_mb, native=bool(grants.native))
        finally:
            self._opening.remove(identity.key_id)
        work = Work(self._launcher, self._tensors, identity, self._accounts.of(identity), limits.handles)
        most = self._settings.session_idle_s
        session = LiveSession(
            session_id,
            identity,
            limits,
            grants,
            most if idle_s is None else min(idle_s, most),
            now(),
            work,
            gates,
            notebook,
            self._clock.now(),
            now(),
        )
        session.resources.callback(notebook.close)
        session.resources.push_async_callback(gates.close)
        session.resources.enter_context(work)
        self._forget()
        self._sessions[session_id] = session
        return session

    def find(self, identity: Identity, session_id: str) -> LiveSession:
        """A session that `identity` may see: of its key, or any if it is an admin's. Raises `SessionNotFound`."""
        session = self._sessions.get(session_id)
        if session is None or not _sees(identity, session):
            raise SessionNotFound(
                f"there is no session {session_id[:60]!r}", hint="GET /api/sessions lists those of your key."
            )
        return session

    def usable(self, identity: Identity, session_id: str) -> LiveSession:
        """A session of the key itself, for which a cell can run now: its grants are that key's. Raises
        `SessionNotFound`, `SessionOver`, `SessionBusy`."""
        session = self.find(identity, session_id)
        if session.identity.key_id != identity.key_id:
            raise SessionNotFound(f"session {session_id} is another key's", hint="Open one of your own.")
        return session

    def listed(self, identity: Identity) -> list[dict[str, Any]]:
        """The sessions that `identity` may see, newest first."""
        return [each.document() for each in reversed(self._sessions.values()) if _sees(identity, each)]

    async def close(self, session: LiveSession, by: str) -> None:
        """End a session at once, with the cell that it is at."""
        await self._end(session, f"it was closed by {by}")

    async def release(self, session: LiveSession, record: RunRecord) -> None:
        """A cell has ended, and with it the session if it had to be killed."""
        session.cell = None
        session.used, session.used_at = self._clock.now(), now()
        if not session.notebook.is_alive:
            why = f"{record.reason}" if record.reason else "its worker died"
            await self._end(session, f"its cell {record.id} was ended ({why})")

    def keys_at_work(self) -> set[str]:
        """The ids of the keys that have sessions."""
        return {each.identity.key_id for each in self._open()}

    def stop_of(self, key_id: str, reason: str) -> int:
        """Begin to end all sessions of a key, which is over for `reason`; how many there are."""
        theirs = [each for each in self._open() if each.identity.key_id == key_id]
        for session in theirs:
            later(self._end(session, reason), "the end of a session")
        return len(theirs)

    async def look(self) -> None:
        """End the sessions that have been idle for too long, or whose worker died."""
        moment = self._clock.now()
        for session in self._open():
            if session.cell is not None:
                continue
            if moment - session.used >= session.idle_s:
                await self._end(session, f"it was idle for its {session.idle_s:g} s")
            elif not session.notebook.is_alive:
                await self._end(session, "its worker died")

    async def _end(self, session: LiveSession, reason: str) -> None:
        if session.over is None:
            session.over = reason
            await session.resources.aclose()

    def _open(self) -> list[LiveSession]:
        return [each for each in self._sessions.values() if each.over is None]

    def _check_room(self, key_id: str) -> None:
        if self._stopping:
            raise ServerStopping("the server is stopping and opens no sessions")
        held = [each.identity.key_id for each in self._open()] + self._opening
        for count, most, whose in (
            (len(held), self._settings.sessions, "this server"),
            (held.count(key_id), self._settings.sessions_of_key, "this key"),
        ):
            if count >= most:
                raise TooManySessions(
                    f"{count} sessions of {whose} are open, the most that it may have", hint="Close one."
                )

    def _forget(self) -> None:
        """Let the oldest go that are over, when there are many."""
        over = [each.id for each in self._sessions.values() if each.over is not None]
        for session_id in over[: max(0, len(over) - KEPT)]:
            del self._sessions[session_id]


def _sees(identity: Identity, session: LiveSession) -> bool:
    return session.identity.key_id == identity.key_id or identity.role == "admin"
