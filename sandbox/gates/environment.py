"""The gate for environment variables: named values, and nothing of the server's own environment.

Owns which values a run sees. They are data of the run, sent along with its script; nothing is asked later.
"""

from __future__ import annotations

from sandbox.gates.grants import Grants


def values(grants: Grants) -> dict[str, str]:
    """The variables that a run with `grants` sees."""
    return {name: value for name, value in grants.env.items() if value is not None}
