"""A small `asyncio`: coroutines, tasks and their synchronisation; no loop, no transport, no subprocess.

Owns the list. Must not know the views beyond `provide`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from sandbox.policy import names, views

_NAMES = names.words("""
    sleep gather wait wait_for shield as_completed create_task ensure_future current_task timeout timeout_at TaskGroup
    Queue PriorityQueue LifoQueue QueueEmpty QueueFull Lock Event Condition Semaphore BoundedSemaphore Barrier
    TimeoutError CancelledError InvalidStateError FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED iscoroutine
    iscoroutinefunction
""")


def run(main: Any, *, debug: bool | None = None) -> Any:
    """`asyncio.run`."""
    return asyncio.run(main)


def _members() -> dict[str, Any]:
    members = {name: getattr(asyncio, name) for name in _NAMES if hasattr(asyncio, name)}
    return {**members, "run": run}


def install() -> None:
    """Provide `asyncio`."""
    views.provide("asyncio", _members)
