"""What a piece of device work costs, and the meters of its requests.

Owns the sums, and the end of work that nobody pays for any more. Must not know what is computed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator

from api.usage.accounts import Account
from host.errors import DeviceTimeout
from host.frames import Usage
from host.meter import Charge, Meter, Report

_SETTLE_S = 0.03
"""A slice, and some more: a step that compiles, which nothing interrupts, is not waited for."""


class Tally:
    """The figures since the last `begin_part`. `account` pays, and bounds the device time; `on_charge` is told too."""

    def __init__(self, account: Account, on_charge: Charge) -> None:
        self._account, self._on_charge = account, on_charge
        self._meters: list[Meter] = []
        self.begin_part()

    def begin_part(self) -> None:
        """Count from zero: a new part of the work begins."""
        self.device_ms = 0.0
        self.dispatches = self.threads = self.bytes = self.peak_bytes = 0

    def usage(self, began: float) -> dict[str, float]:
        """What the work cost since `began` (of `time.perf_counter`), for an answer."""
        return {
            "wall_ms": round((time.perf_counter() - began) * 1000, 3),
            "device_ms": round(self.device_ms, 3),
            "peak_bytes": self.peak_bytes,
            "dispatches": self.dispatches,
            "threads": self.threads,
            "bytes": self.bytes,
        }

    def meter(self, budget_s: float | None, report: Report = lambda fraction: None) -> Meter:
        """A meter for the next request, which may take `budget_s` seconds; `report` is told how far it is."""
        self._meters = [meter for meter in self._meters if not meter.is_over]
        allowance = self._account if self._account.bounds_device else None
        self._meters.append(Meter(self._count, budget_s, report, allowance))
        return self._meters[-1]

    @contextlib.contextmanager
    def paid(self) -> Iterator[None]:
        """Device work within the key's device time. Raises `QuotaExceeded`, also for what was stopped at its end."""
        self._account.check_device()
        try:
            yield
        except DeviceTimeout:
            if any(meter.overdrawn for meter in self._meters):
                raise self._account.out_of_device() from None
            raise

    async def settle(self) -> None:
        """Wait until the device says what stopped requests cost; for about a slice, then what was measured counts."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE_S):
                await asyncio.gather(*(meter.settled() for meter in self._meters))
        for meter in self._meters:
            meter.close()

    def _count(self, usage: Usage) -> None:
        self._on_charge(usage)
        self._account.worked(usage.device_ms)
        self.device_ms += usage.device_ms
        self.dispatches += usage.dispatches
        self.threads += usage.threads
        self.bytes += usage.bytes
        self.peak_bytes = max(self.peak_bytes, usage.peak_bytes)
