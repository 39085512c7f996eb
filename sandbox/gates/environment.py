"""The gate for environment variables: named values, and nothing of the server's own environment.

Owns which values a run sees. They are data of the run, sent along with its script; what is asked for later is not
granted, and is asked only so that the denial is on record.
"""

from __future__ import annotations

from typing import NoReturn

from sandbox.gates.errors import PermissionDenied
from sandbox.gates.grants import Grants


def values(grants: Grants) -> dict[str, str]:
    """The variables that a run with `grants` sees."""
    return {name: value for name, value in grants.env.items() if value is not None}


def deny(name: str) -> NoReturn:
    """Raise the `PermissionDenied` of a name that did not come along."""
    raise PermissionDenied("env", repr(name), {"env": {name: None}})
