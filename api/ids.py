"""Identifiers and times.

Owns their form: a prefix, 12 hex digits of the time and 20 random ones, so that ids sort by age and cannot be
guessed. Must not know what they name.
"""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime


def new_id(prefix: str) -> str:
    """A new id such as `run_…`; later ones sort after earlier ones (to the millisecond)."""
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


def now() -> str:
    """The time as ISO 8601 in UTC, to the millisecond."""
    return stamp(datetime.now(UTC))


def stamp(time: datetime) -> str:
    """`time`, which is in UTC, in the form of `now`: later ones sort after earlier ones."""
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
