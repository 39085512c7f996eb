"""Arrays of byte strings: their bytes one after the other, and where each begins.

Owns the two tensors that stand for them, as ops and kernels take them: the bytes in u32 words, the first byte lowest,
and one offset more than there are strings. Must not know where strings come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from api.tensors.values import InlineTensor

OFFSETS = "_offsets"
"""What the name of the second tensor ends in, behind that of the first."""


def texts_in(value: object) -> list[bytes] | None:
    """The byte strings in a list that has one and nothing else but text, which counts as UTF-8; else None."""
    if not isinstance(value, list) or not value or any(not isinstance(item, bytes | str) for item in value):
        return None
    return [item.encode() if isinstance(item, str) else item for item in value]


def packed(texts: Sequence[bytes]) -> tuple[InlineTensor, InlineTensor]:
    """The words of all `texts` (one at least), and their u32 offsets in bytes."""
    offsets = np.fromiter(accumulate(map(len, texts), initial=0), "<u4", len(texts) + 1)
    return words(b"".join(texts)), InlineTensor((len(offsets),), "u32", offsets.tobytes())


def words(data: bytes) -> InlineTensor:
    """Bytes as words, filled up with zeros; one at least."""
    data += bytes(-len(data) % 4 or (0 if data else 4))
    return InlineTensor((len(data) // 4,), "u32", data)
