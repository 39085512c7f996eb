"""What a request costs on the device, as its parent sees it.

Owns the time between `Started` and the answer, the budget and the allowance that it may not pass, and the one charge at
its end: what the device says, or, where it was stopped or killed, what was measured. Must not know processes.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Protocol

from host.clock import Clock, Timer
from host.frames import Usage

Charge = Callable[[Usage], None]
Report = Callable[[float], None]


class Allowance(Protocol):
    """Device time that several requests draw on, also at the same time."""

    def left_s(self) -> float:
        """Seconds that are left at this moment."""

    def spend(self, seconds: float) -> None:
        """The device worked for so long; what is negative was counted too much."""


class Meter:
    """The cost of one request. `charge` is called once, when it is over, even if nobody waits for it any more.

    With `budget_s` seconds used, or nothing left of `allowance`, the device is told to stop: both are looked at when a
    slice begins. `report` is told from time to time which fraction of the request is done.
    """

    def __init__(
        self,
        charge: Charge,
        budget_s: float | None = None,
        report: Report = lambda fraction: None,
        allowance: Allowance | None = None,
    ) -> None:
        self._charge, self._budget_s, self.report, self._allowance = charge, budget_s, report, allowance
        self._spent_s = 0.0
        self._since: float | None = None
        self._clock: Clock | None = None
        self._timer: Timer | None = None
        self._over = asyncio.Event()
        self.started = False
        self.exceeded = False
        self.overdrawn = False

    def run(self, clock: Clock, stop: Callable[[], None]) -> None:
        """The device works on the request from now; `stop` is called when the budget or the allowance is used up."""
        self.started = True
        self._clock = clock
        self._since = clock.now()
        budget_s = math.inf if self._budget_s is None else self._budget_s - self._spent_s
        allowed_s = math.inf if self._allowance is None else self._allowance.left_s()
        left = min(budget_s, allowed_s)
        if left < math.inf:
            overdrawn = allowed_s < budget_s
            self._timer = clock.call_later(max(left, 0.0), lambda: self._exceed(stop, overdrawn))

    def pause(self) -> None:
        """The device works on something else, or on nothing, from now."""
        if self._since is not None and self._clock is not None:
            elapsed_s = self._clock.now() - self._since
            self._spent_s += elapsed_s
            self._since = None
            if self._allowance is not None:
                self._allowance.spend(elapsed_s)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def settle(self, usage: Usage | None) -> None:
        """The request is over: it cost `usage`, or, where the device could not say, what was measured."""
        if usage is not None and self._allowance is not None:
            self._allowance.spend(usage.device_ms / 1e3 - self._spent_s)
        self._charge_once(usage, self._spent_s)

    def close(self) -> None:
        """Charge what was measured so far: nobody waits for the device's own figure.

        The allowance goes on to pay for the step in hand, until the device is done with it.
        """
        at_work_s = self._clock.now() - self._since if self._clock and self._since is not None else 0.0
        self._charge_once(None, self._spent_s + at_work_s)

    def _charge_once(self, usage: Usage | None, measured_s: float) -> None:
        if self._over.is_set():
            return
        self._over.set()
        if usage is not None or measured_s:
            self._charge(usage or Usage(device_ms=measured_s * 1e3))

    @property
    def is_over(self) -> bool:
        """Whether the charge was made."""
        return self._over.is_set()

    async def settled(self) -> None:
        """Return when the request is over, or at once if the device never took it up."""
        if self.started:
            await self._over.wait()

    def _exceed(self, stop: Callable[[], None], overdrawn: bool) -> None:
        self.exceeded, self.overdrawn = True, overdrawn
        stop()
