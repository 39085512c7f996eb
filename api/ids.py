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
    return f"{first_id(prefix, time.time())}{secrets.token_hex(10)}"


def first_id(prefix: str, seconds: float) -> str:
    """What sorts before all ids of the time `seconds` (of `time.time`) and later, and after all earlier ones."""
    return f"{prefix}_{int(seconds * 1000):012x}"


def now() -> str:
    """The time as ISO 8601 in UTC, to the millisecond."""
    return iso(time.time())


def iso(seconds: float) -> str:
    """The time `seconds` (of `time.time`), likewise: later ones sort after earlier ones."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
