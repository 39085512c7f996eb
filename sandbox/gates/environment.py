"""The gate for environment variables: named values, and nothing of the server's own environment.

Owns which values a run sees. They are data of the run, sent along with its script; nothing is asked later.
"""

from __future__ import annotations

from sandbox.gates.errors import PermissionDenied
from sandbox.gates.grants import Grants


def values(grants: Grants) -> dict[str, str]:
    """The variables that a run with `grants` sees."""
    return {name: value for name, value in grants.env.items() if value is not None}


def missing(name: str) -> PermissionDenied:
    """The error for a variable that a script insists on and was not granted."""
    return PermissionDenied("env", repr(name[:128]), {"env": {name[:128]: None}})
