"""What every routine means, in NumPy and plain Python.

Owns the list by name. A routine's reference takes its attributes and its inputs' arrays, and gives an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from ops import reference_keyed as keyed
from ops.attributes import Attributes

Array = npt.NDArray[Any]

ROUTINES: dict[str, Callable[[Attributes, list[Array]], Array]] = {
    "hmac_sha256": keyed.hmac_sha256,
    "pbkdf2_sha256": keyed.pbkdf2_sha256,
    "hkdf_sha256": keyed.hkdf_sha256,
    "merkle": keyed.merkle,
    "find_nonce": keyed.find_nonce,
}
