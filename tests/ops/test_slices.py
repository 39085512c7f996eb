"""Work cut into dispatches: none is long, and together they compute what one would."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.dtypes import dtype
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, Lowering, lower
from ops.lowering.builder import MAX_GROUPS, Builder
from shaders.spec import FIRST_THREAD, KernelSpec, Param
from tests.ops.test_digests import noise, pack

SMALL = replace(CPU, work=1 << 14)
SOURCE = np.random.default_rng(5)
WORDS = SOURCE.integers(0, 1 << 32, 20_000, np.uint32)
FLOATS = SOURCE.normal(0, 1, (40, 500)).astype(np.float32)
TEXTS = noise([*range(200), 3000])
CASES: dict[str, tuple[dict[str, Any], list[np.ndarray]]] = {
    "mul": ({}, [FLOATS, FLOATS]),
    "transpose": ({"axis0": 0, "axis1": 1}, [FLOATS]),
    "sum": ({"axes": [0]}, [FLOATS]),
    "argmax": ({"axis": 0}, [FLOATS]),
    "softmax": ({"axis": 1}, [FLOATS]),
    "sort": ({}, [WORDS]),
    "cumsum": ({}, [WORDS]),
    "histogram": ({"bins": 64}, [WORDS % 64]),
    "compact": ({}, [WORDS, WORDS % 3 == 0]),
    "sha256": ({"max_bytes": 3000}, pack(TEXTS)),
    "sha3_256": ({}, pack(TEXTS)),
    "blake3": ({}, pack(TEXTS)),
    "hmac_sha512": ({}, [*pack(TEXTS), *pack([b"key"])]),
    "pbkdf2_sha1": ({"iterations": 50}, [*pack(TEXTS[:70]), *pack([b"salt"])]),
    "merkle": ({}, [WORDS.reshape(-1, 8)]),
    "levenshtein": ({"max_bytes": 200}, [*pack(TEXTS[:200]), *pack(TEXTS[199::-1])]),
    "find_bytes": ({"size": 5000}, [WORDS, *pack([b"ab", b"\x00"])]),
    "bloom_build": ({"bits": 5000}, pack(TEXTS)),
    "philox": ({"count": 5000}, []),
    "aes_ctr": ({}, [WORDS[:5000], WORDS[:4], WORDS[:4]]),
    "base64_encode": ({"size": 5000}, [WORDS]),
}


def lowered(op: str) -> Lowering:
    attributes, arrays = CASES[op]
    types = [TensorType(array.shape, reference.dtype_name(array.dtype)) for array in arrays]
    (output,) = infer(op, attributes, types)
    layouts = [(Layout.contiguous(type.shape), dtype(type.dtype)) for type in types]
    return lower(op, attributes, layouts, output, SMALL)


@pytest.mark.parametrize("op", CASES)
def test_pieces_together_compute_the_whole(device: Any, check: Any, op: str) -> None:
    attributes, arrays = CASES[op]
    whole, device.device_class = device.device_class, SMALL
    try:
        check(op, attributes, arrays, scale=np.abs(FLOATS).sum(axis=0) if op == "sum" else None)
    finally:
        device.device_class = whole


@pytest.mark.parametrize("op", CASES)
def test_no_piece_is_longer_than_a_dispatch_may_be_or_it_is_one_workgroup(op: str) -> None:
    pieces = lowered(op).dispatches
    assert len(pieces) > 2
    assert all(piece.work <= SMALL.work or prod(piece.workgroups) == 1 for piece in pieces)


@pytest.mark.parametrize("groups", [1, MAX_GROUPS, MAX_GROUPS + 1, 10 * MAX_GROUPS + 7, 3_000_001])
def test_no_thread_is_counted_twice(groups: int) -> None:
    builder = Builder(replace(CPU, work=3 * MAX_GROUPS * 64 * 5 + 999))
    builder.spread(KernelSpec("k", (), (), "", (Param("count"),)), 64 * groups, [], {"count": 1}, each=5)
    end = 0
    for piece in builder.dispatches:
        assert piece.params[FIRST_THREAD] == end
        end += 64 * prod(piece.workgroups)
        assert all(0 < side <= MAX_GROUPS for side in piece.workgroups)
    assert end >= 64 * groups
    assert end - 64 * prod(builder.dispatches[-1].workgroups) < 64 * groups
