"""Logins: browsers that may use a key without having it.

Owns the random names of logins, which are a cookie's value. The key that a login stands for is kept in memory alone:
a server that starts anew knows no logins. Must not know HTTP.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from host.clock import Clock, LoopClock

IDLE_S = 12 * 3600.0
"""Until a login that nobody uses ends."""
MOST = 1000
"""Logins at once; one more ends the one that was used least lately."""


@dataclass
class Login:
    """A login: the key's token, the token that forms and scripts of our pages send along, and when it was last used."""

    key: str
    csrf: str
    used: float

    def vouches(self, token: str) -> bool:
        """Whether a request that carries `token` comes from one of our pages."""
        return hmac.compare_digest(token.encode(), self.csrf.encode())


class Logins:
    """All logins, those used least lately first."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or LoopClock()
        self._logins: dict[bytes, Login] = {}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._logins)

    def begin(self, key: str) -> str:
        """The name of a new login with `key`."""
        name = secrets.token_urlsafe(32)
        self._drop_idle()
        while len(self._logins) >= MOST:
            del self._logins[next(iter(self._logins))]
        self._logins[_digest(name)] = Login(key, secrets.token_urlsafe(32), self._clock.now())
        return name

    def find(self, name: str) -> Login | None:
        """The login `name`, which is used now; None when there is none, or it has ended."""
        self._drop_idle()
        login = self._logins.pop(_digest(name), None)
        if login is not None:
            login.used = self._clock.now()
            self._logins[_digest(name)] = login
        return login

    def end(self, name: str) -> None:
        """End the login `name`, if there is one."""
        self._logins.pop(_digest(name), None)

    def _drop_idle(self) -> None:
        oldest = self._clock.now() - IDLE_S
        for name in [name for name, login in self._logins.items() if login.used <= oldest]:
            del self._logins[name]


def _digest(name: str) -> bytes:
    """What stands for a name here, so that no time tells how much of a name was right."""
    return hashlib.sha256(name.encode()).digest()
