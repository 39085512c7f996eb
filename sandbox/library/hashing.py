"""`hashing`: many digests at once, on the device.

Owns the view of `ops.hashing` and `ops.derivation`. Must not know how a hash is computed.
"""

from __future__ import annotations

from ops import derivation, hashing
from sandbox.policy import views


def install() -> None:
    """Provide `hashing`."""
    views.provide("hashing", lambda: {**hashing.namespace(), **derivation.NAMES})
