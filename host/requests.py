"""The requests that a device process has not answered, and the watch over it.

Owns which of them the process works on, by what it announces, and how long it may: until it takes up the oldest, until
the step in hand is over, and until a request has had all its steps. Must not know processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from host import frames
from host.clock import Clock
from host.deadline import Deadline
from host.errors import DeviceHung, DeviceLeft, DeviceRestarted
from host.meter import Meter
from host.shared import Shared
from ops.wire import FrameError
from shaders.errors import KernelgateError

LOST = "Tensors on the device are lost; upload or compute them again."
"""The hint of whoever lost the device."""
_OVERSLEPT_S = 1.0
"""A timer that rings so late says that this process was kept from running, not that the device hangs."""
_ROOM = 2
"""A request's steps may take so many times what the process itself allows them: between them it does what is brief."""

Reply = frames.Done | frames.Explained | Shared


@dataclass(slots=True)
class Pending:
    """A request without an answer; `what` names it in errors.

    `step_s` bounds a step of it that is no slice, `limit_s` the step in hand. `left_s` bounds all that are left; None:
    it has one step.
    """

    future: asyncio.Future[Reply]
    what: str
    meter: Meter
    stop: Callable[[], None]
    step_s: float
    left_s: float | None = None
    limit_s: float = 0.0
    started: bool = False


def room_s(deadline_s: float, step_s: float) -> float:
    """What all steps of a request may take that the process stops after `deadline_s`, at the end of a step."""
    return _ROOM * (deadline_s + step_s)


class Requests:
    """`overrun` is told what is late, and then ends the process. A slice may take `watchdog_s`, the oldest request may
    wait `takeup_s` while nothing runs.
    """

    def __init__(
        self, clock: Clock, watchdog_s: float, takeup_s: float, overrun: Callable[[str], None]
    ) -> None:
        self._clock, self._watchdog_s, self._takeup_s = clock, watchdog_s, takeup_s
        self._overrun = overrun
        self._pending: dict[int, Pending] = {}
        self._current: Pending | None = None
        self._late: Pending | None = None
        self._deadline = Deadline(clock, self._ring)
        self._seen = 0.0

    def __bool__(self) -> bool:
        return bool(self._pending)

    def add(self, id: int, pending: Pending) -> None:
        """A request was sent."""
        self._pending[id] = pending
        if len(self._pending) == 1:
            self._watch()

    def start(self, id: int, slice: bool) -> None:
        """The process begins a step of a request, and works on nothing else. Raises `FrameError`."""
        pending = self._pending.get(id)
        if pending is None:
            raise FrameError(f"the device took up request {id}, which was not asked")
        if pending.started and pending.left_s is None:
            raise FrameError(f"the device took up request {id} again, which has one step")
        pending.limit_s = self._watchdog_s if slice else pending.step_s
        self._turn_to(pending)
        self._watch()

    def progress(self, id: int, fraction: float) -> None:
        """The process says how far a request is. Raises `FrameError`."""
        if id not in self._pending or not 0 <= fraction <= 1:
            raise FrameError(f"the device is {fraction} through request {id}")
        self._pending[id].meter.report(fraction)

    def settle(self, id: int, outcome: Reply | KernelgateError) -> None:
        """The process answered a request. Raises `FrameError`."""
        pending = self._pending.pop(id, None)
        if pending is None:
            raise FrameError(f"the device answered request {id}, which was not asked")
        if pending is self._current:
            self._turn_to(None)
        pending.meter.settle(outcome.usage if isinstance(outcome, frames.Done) else None)
        self._watch()
        if pending.future.done():
            if isinstance(outcome, Shared):
                outcome.close()
        elif isinstance(outcome, KernelgateError):
            pending.future.set_exception(outcome)
        else:
            pending.future.set_result(outcome)

    def unwatch(self) -> None:
        """The process answers nothing any more, and need not be watched."""
        self._deadline.close()

    def fail(self, crash: Callable[[str], KernelgateError]) -> None:
        """The process is gone: fail what it has not answered. It died of itself in what `crash` is told, if in any."""
        for pending in self._pending.values():
            if pending.started:
                pending.meter.pause()
                pending.meter.settle(None)
            if not pending.future.done():
                pending.future.set_exception(self._why(pending, crash))
        self._pending.clear()

    def _why(self, pending: Pending, crash: Callable[[str], KernelgateError]) -> KernelgateError:
        if not pending.started:
            left = DeviceLeft(f"the device was restarted before it took up {pending.what}", hint=LOST)
            left.was_next = self._current is None and pending is self._oldest()
            return left
        if pending is self._late:
            return DeviceHung(
                f"{_overrun(pending)}, so the device was restarted",
                hint="Do less in one request: how long one may take is for who runs the server to say.",
            )
        if pending is not self._current:
            return DeviceRestarted(f"the device was restarted during {pending.what}", hint=LOST)
        return crash(pending.what)

    def _oldest(self) -> Pending:
        return next(iter(self._pending.values()))

    def _turn_to(self, pending: Pending | None) -> None:
        """The device works on `pending` from now, and on nothing else."""
        if self._current is not None:
            self._count(self._current)
            self._current.meter.pause()
        self._current, self._seen = pending, self._clock.now()
        if pending is not None:
            pending.started = True
            pending.meter.run(self._clock, pending.stop)

    def _count(self, current: Pending) -> None:
        """Take what has passed off what the request in hand may take: at most a step, or else we did not look."""
        now = self._clock.now()
        if current.left_s is not None:
            current.left_s -= min(now - self._seen, current.limit_s + _OVERSLEPT_S)
        self._seen = now

    def _watch(self) -> None:
        """Set the deadline: to what the step in hand may take, or to when the oldest request must be taken up."""
        current = self._current
        if not self._pending:
            self._deadline.lift()
        elif current is None:
            self._deadline.move(self._takeup_s)
        else:
            self._count(current)
            left_s = current.limit_s if current.left_s is None else min(current.limit_s, current.left_s)
            self._deadline.move(left_s)

    def _ring(self, late_s: float) -> None:
        """The device is late, unless this process was itself kept from running: then the device was too, perhaps."""
        if late_s > _OVERSLEPT_S:
            self._watch()
            return
        if self._current is not None:
            self._count(self._current)
        self._late = self._current or self._oldest()
        self._overrun(self._late.what)


def _overrun(late: Pending) -> str:
    if late.left_s is not None and late.left_s <= 0:
        return f"{late.what} ran on beyond its limit"
    return f"a step of {late.what} ran longer than {late.limit_s:g} s"
