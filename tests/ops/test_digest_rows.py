"""Digests of equally long messages on the device, against hashlib and the references of the other form."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError, ShapeError
from ops.graph import TensorType
from ops.infer import infer
from shaders.digest_rows import ROW_DIGESTS, most_row_bytes
from shaders.digests import DIGESTS

LENGTHS = (0, 1, 4, 55, 56, 63, 64, 200)


def rows(count: int, words: int) -> np.ndarray:
    return np.random.default_rng(words).integers(0, 1 << 32, (count, words), np.uint32)


@pytest.mark.parametrize("algorithm", ROW_DIGESTS)
def test_every_digest_of_rows_is_the_one_of_the_same_bytes(device: Any, check: Any, algorithm: str) -> None:
    for length in (5, DIGESTS[algorithm].block_bytes):
        check("digest_rows", {"algorithm": algorithm, "bytes": length}, [rows(9, -(-length // 4) + 1)])


@pytest.mark.parametrize("length", LENGTHS)
def test_sha256_of_rows_is_hashlib_s(device: Any, length: int) -> None:
    x = rows(70, -(-length // 4) + length % 2)
    found = device.run("digest_rows", {"bytes": length}, [x])
    wanted = [hashlib.sha256(row.tobytes()[:length]).digest() for row in x]
    assert found.astype(">u4").tobytes() == b"".join(wanted)


def test_rows_may_lie_apart_and_there_may_be_none(device: Any, check: Any) -> None:
    check("digest_rows", {}, [rows(40, 32)[::-2, 3:19]])
    check("digest_rows", {"algorithm": "md5"}, [rows(0, 16)])
    check("digest_rows", {}, [rows(3, 0)])


def test_a_row_is_a_message_as_long_as_one_dispatch_can_hash_or_refused() -> None:
    most = most_row_bytes("sha256")
    assert infer("digest_rows", {}, [TensorType((2, most // 4), "u32")])[0].shape == (2, 8)
    with pytest.raises(ShapeError, match=f"at most {most} bytes"):
        infer("digest_rows", {}, [TensorType((2, most // 4 + 1), "u32")])
    with pytest.raises(AttributeValueError, match="bytes is 9"):
        infer("digest_rows", {"bytes": 9}, [TensorType((2, 2), "u32")])
    with pytest.raises(ShapeError, match="words"):
        infer("digest_rows", {}, [TensorType((2,), "u32")])
