"""Who bounds the fuel of a kernel's invocation: the server, the key, the run.

Owns the names under which errors tell of these bounds. What a request asks for itself, and what the device gives one
that asks for nothing, is not here.
"""

from __future__ import annotations

from api.settings import RunLimits, Settings
from sandbox.gates.grants import Grants


def bounds(settings: Settings, grants: Grants | None, limits: RunLimits | None = None) -> dict[str, int]:
    """The most fuel an invocation may have, by whose bound it is. The least counts.

    `grants` are a run's, or outside of runs what the key may have at most; None is no bound.
    """
    found = {"the server's max_fuel": settings.max_fuel}
    if grants is not None and grants.fuel is not None:
        found["the key's grants.fuel"] = grants.fuel
    if limits is not None:
        found["the run's limits.fuel"] = limits.fuel
    return found
