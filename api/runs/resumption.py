"""Runs that waited when the server stopped: they are taken up again, or fail with the reason.

Owns what happens to stored runs at the start of a server. Must not know how a run is executed.
"""

from __future__ import annotations

import logging

from api.auth.keyring import Keyring
from api.errors import ServerRestarted
from api.runs import records
from api.runs.events import select_events
from api.runs.manager import RunManager
from api.runs.records import RunRecord
from api.runs.submission import Desk
from api.storage.database import Database
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate")


async def resume(database: Database, keys: Keyring, desk: Desk, runs: RunManager) -> None:
    """Fail what was running, and let what waited wait again, in the order in which it came."""
    error = ServerRestarted("the server stopped during the run").record()
    lost = await database.do(lambda db: records.end_interrupted(db, error), frees=True)
    waiting = await database.do(records.waiting_runs)
    for record in waiting:
        await _take_up(record, database, keys, desk, runs)
    if lost or waiting:
        log.info("%d runs were interrupted, %d that waited are taken up", lost, len(waiting))


async def _take_up(
    record: RunRecord, database: Database, keys: Keyring, desk: Desk, runs: RunManager
) -> None:
    """Check a run as when it was asked for: its key, its grants and its tensors may be gone."""
    try:
        identity = await keys.identity(record.key_id or "")
        submission = await desk.again(identity, record)
    except KernelgateError as error:
        reason = error.record()
        await database.do(lambda db: records.end_stored(db, record.id, reason), frees=True)
        return
    events = await database.do(lambda db: select_events(db, record.id, after=0))
    runs.take_up(identity, record, submission, events)
