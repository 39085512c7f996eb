"""`routines`: sorting, sums, search, random numbers and ciphers, on the device.

Owns the view of `ops.routines`. Must not know how a routine is computed.
"""

from __future__ import annotations

from ops import routines
from sandbox.policy import views


def install() -> None:
    """Provide `routines`."""
    views.provide("routines", routines.namespace)
