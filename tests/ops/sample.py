"""A call of a row, for tests that go through the table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """A call, and what it must give. Where its inputs lie at a corner or a jump, it is not smooth."""

    attributes: dict[str, Any]
    inputs: list[np.ndarray]
    expected: np.ndarray = field(compare=False)
    smooth: bool = True
