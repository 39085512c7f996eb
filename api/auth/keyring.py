"""The keys that are valid, as requests need them: whose a token is, and which are over.

Owns the form of a token (`kg_<id>_<secret>`) that is worth looking up, and for how long a key is remembered. Must not
know how keys are made or stored.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable, Collection, Mapping

from api.auth.identity import Identity
from api.auth.keys import ROLES, KeyRecord, find, hash_of, hashed
from api.errors import Unauthorized
from api.ids import iso
from api.quotas import Quotas
from api.storage.database import Database
from host.clock import Clock, LoopClock

CACHE_S = 2.0
REVOKED, EXPIRED = "key_revoked", "key_expired"
_TOKEN = re.compile(r"kg_([0-9a-f]{12})_([0-9a-f]{48})")


class Keyring:
    """The stored keys. A valid one is remembered for `CACHE_S` seconds: a revoked key works no longer than that.

    `defaults` are the quotas of each role; `wall` is the time that keys expire by.
    """

    def __init__(
        self,
        database: Database,
        defaults: Mapping[str, Quotas] | None = None,
        clock: Clock | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self.defaults = defaults or dict.fromkeys(ROLES, Quotas())
        self._clock = clock or LoopClock()
        self._wall = wall
        self._known: dict[str, tuple[float, Identity]] = {}

    async def check(self, token: str) -> Identity:
        """Whose `token` is. Raises `Unauthorized`, alike for a malformed, an unknown, a revoked and an expired one."""
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise _refused()
        digest = hash_of(token)
        known = self._known.get(digest)
        if known is None or known[0] <= self._clock.now():
            known = self._clock.now() + CACHE_S, await self._find(match.group(1), digest)
            self._known[digest] = known
        if known[1].expires_at is not None and known[1].expires_at <= iso(self._wall()):
            self._known.pop(digest, None)
            raise _refused()
        return known[1]

    async def identity(self, key_id: str) -> Identity:
        """Whoever works with a key. Raises `Unauthorized` when it is not valid any more."""
        record = await self._database.do(lambda db: find(db, key_id))
        if record is None or record.state(iso(self._wall())) != "valid":
            raise Unauthorized("the key that asked for this was revoked or has expired")
        return record.identity(self.defaults)

    async def over(self, key_ids: Collection[str]) -> dict[str, str]:
        """Those of these keys that are not valid any more, each with `key_revoked` or `key_expired`."""
        found = await self._database.do(lambda db: {key_id: find(db, key_id) for key_id in key_ids})
        moment = iso(self._wall())
        states = {key_id: record.state(moment) if record else "revoked" for key_id, record in found.items()}
        reasons = {"revoked": REVOKED, "expired": EXPIRED}
        return {key_id: reasons[state] for key_id, state in states.items() if state != "valid"}

    def forget(self, key_id: str) -> None:
        """Look a key up again when it is next used."""
        self._known = {digest: known for digest, known in self._known.items() if known[1].key_id != key_id}

    async def _find(self, key_id: str, digest: str) -> Identity:
        self._known.pop(digest, None)
        row = await self._database.do(lambda db: hashed(db, key_id))
        if row is None or not hmac.compare_digest(row.hash, digest) or row.revoked_at is not None:
            raise _refused()
        return KeyRecord(*row[1:]).identity(self.defaults)


def _refused() -> Unauthorized:
    return Unauthorized("the key is missing, unknown, revoked or expired")
