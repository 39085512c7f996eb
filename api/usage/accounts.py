"""What each key has used of its quotas: runs, device time, bytes on the device.

Owns the buckets and their headers. They live in memory: a server begins with full ones. Must not know HTTP, or what
a run is. What is kept in the database is counted there (`api/usage/stored.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from api.auth.identity import Identity
from api.errors import QuotaExceeded
from api.quotas import Quotas
from api.usage.holdings import Holdings
from api.usage.shares import MINUTE_S, Shares
from host.clock import Clock, LoopClock

WORTH = 0.1
"""The share of a minute's device time that is worth coming back for."""
FAILURES_A_MINUTE = 100
"""That the audit log tells of."""
KEPT = 1024


class Bucket:
    """An amount that fills evenly up to `capacity` within a minute. More may be taken than is there: a debt."""

    def __init__(self, capacity: float, clock: Clock) -> None:
        self.capacity = capacity
        self._clock = clock
        self._level = capacity
        self._at = clock.now()

    @property
    def level(self) -> float:
        """What is in it now; below zero is a debt."""
        now = self._clock.now()
        self._level = min(self.capacity, self._level + self.capacity * (now - self._at) / MINUTE_S)
        self._at = now
        return self._level

    def take(self, amount: float) -> None:
        """Take `amount` out, or put back what is negative."""
        self._level = min(self.level - amount, self.capacity)

    def wait_s(self, wanted: float) -> float:
        """Seconds until `wanted` is in it, if nothing is taken; a minute where nothing ever is."""
        missing = min(wanted, self.capacity) - self.level
        return max(missing, 0.0) / self.capacity * MINUTE_S if self.capacity else MINUTE_S


class Account:
    """The use of one key. To a `Meter` it is an allowance: the device time that the key has left."""

    def __init__(self, owner: str, quotas: Quotas, holdings: Holdings, shares: Shares, clock: Clock) -> None:
        self.owner, self.quotas, self.holdings, self._shares = owner, quotas, holdings, shares
        self.runs = 0
        self._started = None if quotas.runs_a_minute is None else Bucket(quotas.runs_a_minute, clock)
        self._failures = Bucket(FAILURES_A_MINUTE, clock)
        self._device = None if quotas.device_ms_a_minute is None else Bucket(quotas.device_ms_a_minute, clock)

    def admit_run(self) -> None:
        """Count a run that begins to wait; `run_over` is called at its end. Raises `QuotaExceeded`."""
        self.check_at_once()
        self.check_a_minute()
        if self._started is not None:
            self._started.take(1)
        self.runs += 1

    def check_at_once(self) -> None:
        """Raise `QuotaExceeded` if as many runs wait or run as may."""
        most = self.quotas.runs_at_once
        if most is not None and self.runs >= most:
            raise QuotaExceeded.of("runs_at_once", most, self.runs, retry_after_s=1)

    def check_a_minute(self) -> None:
        """Raise `QuotaExceeded` if as many runs have begun as may."""
        if self._started is not None and self._started.level < 1:
            used = self._started.capacity - math.floor(self._started.level)
            raise QuotaExceeded.of(
                "runs_a_minute", self._started.capacity, used, retry_after_s=self._started.wait_s(1)
            )

    def resume_run(self) -> None:
        """Count a run that was admitted before the server's restart."""
        self.runs += 1

    def run_over(self) -> None:
        """A run that was admitted has ended."""
        self.runs -= 1

    def admit_failure(self) -> bool:
        """Whether one more failure or denial goes to the audit log: not so many that they drown the rest."""
        if self._failures.level < 1:
            return False
        self._failures.take(1)
        return True

    @property
    def bounds_device(self) -> bool:
        """Whether the key's device time is bounded."""
        return self._device is not None

    def left_s(self) -> float:
        """Seconds of device time that the key has at this moment."""
        return math.inf if self._device is None else self._device.level / 1e3

    def spend(self, seconds: float) -> None:
        """The device worked for the key; what is negative was counted too much."""
        if self._device is not None:
            self._device.take(seconds * 1e3)

    def worked(self, milliseconds: float) -> None:
        """The device worked for the key, all told, whether that is bounded or not."""
        self._shares.add(self.owner, milliseconds)

    def check_device(self) -> None:
        """Raise `QuotaExceeded` if no device time is left."""
        if self.left_s() <= 0:
            raise self.out_of_device()

    def out_of_device(self) -> QuotaExceeded:
        """The error for work that has no device time left, or was stopped when there was none."""
        assert self._device is not None
        capacity = self._device.capacity
        return QuotaExceeded.of(
            "device_ms_a_minute",
            capacity,
            round(capacity - self._device.level, 1),
            retry_after_s=self._device.wait_s(capacity * WORTH),
        )

    def excess(self, more: int) -> int:
        """By how many bytes `more` on the device would be over the quota."""
        most = self.quotas.resident_bytes
        return 0 if most is None else max(0, self.holdings.bytes(self.owner) + more - most)

    def check_resident(self, more: int) -> None:
        """Raise `QuotaExceeded` if `more` bytes on the device are over the quota."""
        if self.excess(more):
            assert self.quotas.resident_bytes is not None
            used = self.holdings.bytes(self.owner)
            raise QuotaExceeded.of("resident_bytes", self.quotas.resident_bytes, used, more)

    def headers(self) -> dict[str, str]:
        """`RateLimit` and `RateLimit-Policy` of the quotas by the minute; nothing where none is bounded."""
        buckets = {"runs_a_minute": self._started, "device_ms_a_minute": self._device}
        known = {name: bucket for name, bucket in buckets.items() if bucket is not None}
        return _headers(known) if known else {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing is to be remembered."""
        buckets = [each for each in (self._started, self._device, self._failures) if each is not None]
        return not self.runs and all(bucket.level >= bucket.capacity for bucket in buckets)


class Accounts:
    """The accounts of all keys that were used lately."""

    def __init__(self, holdings: Holdings, clock: Clock | None = None) -> None:
        self._holdings = holdings
        self._clock = clock or LoopClock()
        self.shares = Shares(self._clock)
        self._accounts: dict[str, Account] = {}

    def of(self, identity: Identity) -> Account:
        """The account of a key."""
        account = self._accounts.get(identity.key_id)
        if account is None:
            if len(self._accounts) >= KEPT:
                self._accounts = {key: each for key, each in self._accounts.items() if not each.is_idle}
            account = Account(identity.owner, identity.quotas, self._holdings, self.shares, self._clock)
            self._accounts[identity.key_id] = account
        return account


def _headers(buckets: Mapping[str, Bucket]) -> dict[str, str]:
    """As draft-ietf-httpapi-ratelimit-headers-09 writes them: what is left, and the seconds until all is back."""
    units = {"device_ms_a_minute": ';qu="device-ms"'}
    policy = [
        f'"{name}";q={math.floor(each.capacity)};w={MINUTE_S:g}{units.get(name, "")}'
        for name, each in buckets.items()
    ]
    left = [
        f'"{name}";r={max(0, math.floor(each.level))};t={math.ceil(each.wait_s(each.capacity))}'
        for name, each in buckets.items()
    ]
    return {"RateLimit-Policy": ", ".join(policy), "RateLimit": ", ".join(left)}
