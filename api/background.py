"""Work that nobody waits for.

Owns the references that keep it alive, and what becomes of its errors. Must not know what it does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger("kernelgate")
_tasks: set[asyncio.Task[None]] = set()


def later(work: Coroutine[Any, Any, None], what: str) -> None:
    """Do `work` without waiting for it. That `what` failed goes to the log: a device was lost, and others say so."""
    task = asyncio.get_running_loop().create_task(work)
    _tasks.add(task)

    def forget(task: asyncio.Task[None]) -> None:
        _tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.warning("%s failed: %s", what, task.exception())

    task.add_done_callback(forget)
