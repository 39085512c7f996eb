"""How long something took by this process's clock."""

from __future__ import annotations

import time


def since_ms(began: float) -> float:
    """Milliseconds since `began`, a time of `time.perf_counter`."""
    return (time.perf_counter() - began) * 1e3
