"""Functions of bits on the device, against Python's own integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.torch.creation import tensor

WORDS = np.concatenate(
    [
        np.random.default_rng(3).integers(0, 1 << 32, 500, np.uint32),
        np.array([0, 1, 2, 3, 0x80000000, 0xFFFFFFFF, 0x55555555], np.uint32),
    ]
)


@pytest.mark.parametrize(
    ("op", "meaning"),
    [
        ("popcount", lambda x: x.bit_count()),
        ("clz", lambda x: 32 - x.bit_length()),
        ("ctz", lambda x: (x & -x).bit_length() - 1 if x else 32),
        ("reverse_bits", lambda x: int(f"{x:032b}"[::-1], 2)),
        ("gray_encode", lambda x: x ^ x >> 1),
        ("bitwise_not", lambda x: x ^ 0xFFFFFFFF),
    ],
)
def test_of_one_word(device: Any, op: str, meaning: Any) -> None:
    assert device.run(op, {}, [WORDS]).tolist() == [meaning(word) for word in WORDS.tolist()]


def test_a_gray_code_has_its_number_and_neighbours_differ_by_a_bit(device: Any) -> None:
    codes = device.run("gray_encode", {}, [WORDS])
    np.testing.assert_array_equal(device.run("gray_decode", {}, [codes]), WORDS)
    line = device.run("gray_encode", {}, [np.arange(4096, dtype=np.uint32)])
    assert np.all(device.run("popcount", {}, [line[1:] ^ line[:-1]]) == 1)


@pytest.mark.parametrize(("axes", "bits"), [("xy", 16), ("xyz", 10)])
def test_morton_codes_interleave(device: Any, axes: str, bits: int) -> None:
    op, count = f"morton{len(axes)}", len(axes)
    points = [np.roll(WORDS, shift) for shift in range(count)]
    codes = device.run(op, {}, points)
    for place, word in enumerate(codes.tolist()):
        expected = sum((int(point[place]) >> n & 1) << (count * n + axis) for axis, point in enumerate(points)
                       for n in range(bits))  # fmt: skip
        assert word == expected
    for axis, point in zip(axes, points, strict=True):
        np.testing.assert_array_equal(
            device.run(f"{op}_decode", {"axis": axis}, [codes]), point & ((1 << bits) - 1)
        )


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_shifts_have_no_surprises(device: Any, dtype: Any) -> None:
    values = WORDS[-7:].view(dtype)[:, None]
    places = np.array(
        [0, 1, 31, 32, 33, 1000, (1 << 31) - 1, *([-1, -32] if dtype == np.int32 else [])], dtype
    )
    left, right = (device.run(op, {}, [values, places[None]]) for op in ("left_shift", "right_shift"))
    for row, value in enumerate(values[:, 0].tolist()):
        for column, place in enumerate(places.tolist()):
            inside = 0 <= place < 32
            assert int(left[row, column]) & 0xFFFFFFFF == (value << place & 0xFFFFFFFF if inside else 0)
            assert int(right[row, column]) == (value >> place if inside else -1 if value < 0 else 0)


def test_scripts_have_the_operators(torch: Any) -> None:
    x = tensor([12, -5])
    assert [(x & 6).tolist(), (x | 3).tolist(), (x ^ 1).tolist()] == [[4, 2], [15, -5], [13, -6]]
    assert [(~x).tolist(), (x << 2).tolist(), (x >> 1).tolist()] == [[-13, 4], [48, -20], [6, -3]]
    assert torch.bitwise_left_shift(x, 1).tolist() == [24, -10]
    assert (tensor([True, False]) ^ tensor([True, True])).tolist() == [False, True]
