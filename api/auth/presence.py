"""Who is at work: the keys whose requests and runs are under way, and the end of that when a key is over.

Owns the sweep that finds keys which were revoked on the command line or have expired. Must not know why a request
takes long, or how a run is stopped.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection, Iterator
from typing import Protocol

from api.auth.keyring import REVOKED, Keyring
from api.background import Recurrent
from host.clock import Clock

log = logging.getLogger("kernelgate")
SWEEP_S = 1.0


class Endable(Protocol):
    """A request that is under way."""

    def end(self, reason: str) -> None:
        """End it soon: its key is over."""


class Workers(Protocol):
    """What goes on when the request that began it is answered."""

    def keys_at_work(self) -> Collection[str]:
        """The ids of the keys that something goes on for."""

    def stop_of(self, key_id: str, reason: str) -> int:
        """Stop all that goes on for a key; how much that was."""


class Presence:
    """The work of all keys. While the `sweeper` runs, a key that is over is found within `SWEEP_S`."""

    def __init__(self, keys: Keyring, workers: Collection[Workers], clock: Clock | None = None) -> None:
        self._keys = keys
        self._workers = workers
        self._requests: dict[str, set[Endable]] = {}
        self.sweeper = Recurrent(self.look, SWEEP_S, "looking for keys that are over", clock)

    @contextlib.contextmanager
    def present(self, key_id: str, request: Endable) -> Iterator[None]:
        """A block during which `request` of a key is under way."""
        self._requests.setdefault(key_id, set()).add(request)
        try:
            yield
        finally:
            self._requests[key_id].discard(request)
            if not self._requests[key_id]:
                del self._requests[key_id]

    def end(self, key_id: str, reason: str = REVOKED, but: Endable | None = None) -> None:
        """A key is over: it is asked for again, its runs are stopped and its requests end, `but` the one at hand."""
        self._keys.forget(key_id)
        stopped = sum(workers.stop_of(key_id, reason) for workers in self._workers)
        requests = self._requests.get(key_id, set()) - {but}
        for request in requests:
            request.end(reason)
        if stopped or requests:
            log.info(
                "%s: %s; %d runs and sessions and %d requests end", key_id, reason, stopped, len(requests)
            )

    async def look(self) -> None:
        """End what keys do that are over."""
        at_work = {*self._requests, *(key for workers in self._workers for key in workers.keys_at_work())}
        if at_work:
            for key_id, reason in (await self._keys.over(at_work)).items():
                self.end(key_id, reason)
