"""Digests of equally long messages on the device, against hashlib and the references of the other form."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError, ShapeError
from ops.graph import TensorType
from ops.infer import infer
from shaders.digest_rows import ROW_DIGESTS, row_blocks_a_pass
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


@pytest.mark.parametrize("algorithm", ROW_DIGESTS)
def test_long_rows_go_on_in_the_next_dispatch(device: Any, check: Any, algorithm: str) -> None:
    length = DIGESTS[algorithm].block_bytes * (row_blocks_a_pass(DIGESTS[algorithm]) + 1) + 7
    check("digest_rows", {"algorithm": algorithm, "bytes": length}, [rows(1, length // 4 + 2)])


def test_long_rows_may_lie_apart(device: Any) -> None:
    x = rows(3, 300_000)[::-2, 3:-5]
    found = device.run("digest_rows", {}, [x])
    assert found.astype(">u4").tobytes() == b"".join(hashlib.sha256(row.tobytes()).digest() for row in x)


@pytest.mark.full
@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_the_number_of_bits_of_a_message_may_take_more_than_a_word(device: Any, algorithm: str) -> None:
    x = np.zeros((1, (1 << 27) + 1), np.uint32)
    found = device.run("digest_rows", {"algorithm": algorithm}, [x])
    order = ">u4" if DIGESTS[algorithm].order == "big" else "<u4"
    assert found.astype(order).tobytes() == hashlib.new(algorithm, x.tobytes()).digest()


def test_what_is_no_matrix_or_longer_than_its_row_is_refused() -> None:
    with pytest.raises(AttributeValueError, match="bytes is 9"):
        infer("digest_rows", {"bytes": 9}, [TensorType((2, 2), "u32")])
    with pytest.raises(ShapeError, match="at most 1073741823 words"):
        infer("digest_rows", {}, [TensorType((1, 1 << 30), "u32")])
    with pytest.raises(ShapeError, match="words"):
        infer("digest_rows", {}, [TensorType((2,), "u32")])
