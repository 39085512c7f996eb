"""Who asks, and the most that whoever asks may grant to a run.

Owns the bounds of a key's grants and what they are where it says nothing. Must not know how keys are stored.
"""

from __future__ import annotations

import msgspec

from api.quotas import Quotas
from sandbox.gates.grants import Grants, parse

DEFAULT = {"kernels": ["**"], "tensors": ["**"]}
"""What a key's grants have where they say nothing of it: all that access lists let it use. A run must ask for it."""


class Identity(msgspec.Struct, frozen=True):
    """Who asks: a key, the owner whose objects it uses, its role, and the most that its runs may be granted.

    A `maximum` of None is no bound. `scopes` are the routes that it may use, `quotas` how much it may use,
    `expires_at` is when it ends (None: never).
    """

    key_id: str
    owner: str
    role: str
    maximum: Grants | None = Grants()
    groups: tuple[str, ...] = ()
    scopes: frozenset[str] = frozenset()
    quotas: Quotas = Quotas()
    expires_at: str | None = None


def maximum(role: str, grants: str | None) -> Grants | None:
    """The most that a key's runs may be granted. Without grants of its own an admin has no bound, a user the default:
    our ops, and the kernels and tensors that access lists let it use."""
    return default_grants(role) if grants is None else stored_grants(grants)


def parse_maximum(data: object) -> Grants:
    """The grants of a key that JSON-like `data` describes. Raises `GrantError` that names the field."""
    return parse({**DEFAULT, **data} if isinstance(data, dict) else data)


USERS = parse_maximum({})


def stored_grants(grants: str) -> Grants:
    """A key's own grants, stored without what is the default."""
    return parse_maximum(msgspec.json.decode(grants))


def default_grants(role: str) -> Grants | None:
    """The grants of a key that has none of its own; None is no bound."""
    return None if role == "admin" else USERS
