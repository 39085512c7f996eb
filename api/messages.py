"""Bytes in a request as the tensors that ops take them for.

Owns how bytes and lists of them become words and offsets. Must not know ops.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from api import values
from api.values import InlineTensor


def is_bytes(value: Any) -> bool:
    """Whether a JSON value is `{"$bytes": …}`."""
    return isinstance(value, dict) and value.keys() == {"$bytes"}


def of_bytes(value: Any, where: str, limit: int) -> InlineTensor:
    """One `{"$bytes": …}` as u32 words, the first byte lowest, filled up with zeros. Raises `InvalidRequest`."""
    return _words(values.parse(value, where, limit))


def of_list(messages: Sequence[Any], where: str, limit: int) -> tuple[list[InlineTensor], int]:
    """Many `{"$bytes": …}` as two tensors, their bytes in words and where each begins; and the longest's size.

    Raises `InvalidRequest`.
    """
    given: list[bytes] = values.parse(list(messages), where, limit)
    offsets = array("I", accumulate(map(len, given), initial=0))
    placed = InlineTensor((len(offsets),), "u32", offsets.tobytes())
    return [_words(b"".join(given)), placed], max(map(len, given), default=0)


def _words(data: bytes) -> InlineTensor:
    filled = data + bytes(-len(data) % 4)
    return InlineTensor((len(filled) // 4,), "u32", filled)
