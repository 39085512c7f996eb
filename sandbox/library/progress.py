"""`progress(fraction, **values)`: how far the script is.

Owns that function. Must not know who listens.
"""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from sandbox.frames import Progress
from sandbox.link import Link
from sandbox.policy import views

MAX_VALUES = 32
MAX_TEXT = 1000
_link: Link | None = None


def connect(link: Link) -> None:
    """Speak over `link`."""
    global _link
    _link = link


def progress(fraction: float | None = None, /, **values: float | str | SupportsFloat | None) -> None:
    """Report how far the script is (0 to 1), and named values: numbers, bools, strings or None."""
    if fraction is not None:
        fraction = float(fraction)
        if not math.isfinite(fraction):
            raise ValueError("progress(): the fraction must be a finite number")
    if len(values) > MAX_VALUES:
        raise ValueError(f"progress(): at most {MAX_VALUES} values")
    shown = {str.__str__(name): _shown(name, value) for name, value in values.items()}
    if _link is not None:
        _link.before()
        _link.send(Progress(fraction, shown))


def _shown(name: str, value: Any) -> int | float | str | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if hasattr(value, "item") and not isinstance(value, int | float | str):
        value = value.item()
    if isinstance(value, int):
        if abs(value) >= 1 << 63:
            raise ValueError(f"progress(): {name} is too large")
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)[:MAX_TEXT]
    raise TypeError(
        f"progress(): {name} must be a number, a string, a bool or None, not {type(value).__name__}"
    )


def install() -> None:
    """Provide `import progress`, beside the builtin."""
    views.provide("progress", lambda: {"progress": progress})
