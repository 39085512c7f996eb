"""A small `asyncio`: coroutines, tasks and their synchronisation, a façade of the loop; no transport, no subprocess.

Owns the list. Must not know the views beyond `provide`.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from sandbox.policy import names, views
from sandbox.policy.classes import seal_class
from sandbox.policy.whole import Whole

_NAMES = names.words("""
    sleep gather wait wait_for shield as_completed create_task ensure_future current_task timeout timeout_at
    TaskGroup Queue PriorityQueue LifoQueue QueueEmpty QueueFull Lock Event Condition Semaphore BoundedSemaphore
    Barrier TimeoutError CancelledError InvalidStateError BrokenBarrierError QueueShutDown FIRST_COMPLETED
    FIRST_EXCEPTION ALL_COMPLETED iscoroutine iscoroutinefunction
""")


def run(main: Any, *, debug: bool | None = None) -> Any:
    """`asyncio.run`."""
    return asyncio.run(main)


async def to_thread(function: Any, /, *args: Any, **options: Any) -> Any:
    """`asyncio.to_thread`, in this thread, as there is no other."""
    await asyncio.sleep(0)
    return function(*args, **options)


class Timer(Whole):
    """A call that was put off."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Any) -> None:
        if not isinstance(handle, asyncio.Handle):
            raise TypeError("a timer is made by call_soon() and call_later()")
        self._handle = handle

    def cancel(self) -> None:
        """Do not call it."""
        self._handle.cancel()

    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return bool(self._handle.cancelled())


class Loop(Whole):
    """The event loop as scripts see it: one that runs while `run` does."""

    __slots__ = ()

    def time(self) -> float:
        """Seconds of its clock."""
        return time.monotonic()

    def is_running(self) -> bool:
        """Whether it runs."""
        return asyncio._get_running_loop() is not None

    def is_closed(self) -> bool:
        """It is ready whenever it is needed."""
        return False

    def close(self) -> None:
        """It is closed by itself."""

    def create_task(self, coroutine: Any, *, name: str | None = None, **_options: Any) -> Any:
        """`asyncio.create_task`."""
        return asyncio.create_task(coroutine, name=name)

    def create_future(self) -> Any:
        """A future of this loop."""
        return asyncio.get_running_loop().create_future()

    def call_soon(self, callback: Any, *args: Any) -> Timer:
        """Call it at the next turn."""
        return Timer(asyncio.get_running_loop().call_soon(callback, *args))

    def call_later(self, delay: float, callback: Any, *args: Any) -> Timer:
        """Call it in `delay` seconds."""
        return Timer(asyncio.get_running_loop().call_later(delay, callback, *args))

    def run_in_executor(self, _executor: Any, function: Any, *args: Any) -> Any:
        """`to_thread` as a task."""
        return asyncio.create_task(to_thread(function, *args))

    def run_until_complete(self, awaitable: Any) -> Any:
        """Run it to its end."""
        return asyncio.run(_awaited(awaitable))


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


LOOP = Loop()


def get_running_loop() -> Loop:
    """`asyncio.get_running_loop`."""
    asyncio.get_running_loop()
    return LOOP


def get_event_loop() -> Loop:
    """`asyncio.get_event_loop`; there is always one."""
    return LOOP


def _members() -> dict[str, Any]:
    members = {name: getattr(asyncio, name) for name in _NAMES if hasattr(asyncio, name)}
    functions = (run, to_thread, get_running_loop, get_event_loop)
    return {
        **members,
        **{function.__name__: function for function in functions},
        "new_event_loop": get_event_loop,
        "set_event_loop": lambda loop: None,
    }


def install() -> None:
    """Provide `asyncio`."""
    seal_class(Loop)
    seal_class(Timer)
    views.provide("asyncio", _members)
