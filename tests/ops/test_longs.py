"""i64, which kernels have as pairs of words: NumPy's own int64, bit for bit, through each kind of op that takes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.dtypes import DTypeError
from ops.graph import TensorType
from ops.infer import infer

LEAST, MOST = -(1 << 63), (1 << 63) - 1
_NEAR = [0, 1, -1, 2, -3, 7, 31, 32, 33, 63, 64, (1 << 31) - 1, 1 << 31, -(1 << 31), (1 << 32) - 1, 1 << 32]
_FAR = [-(1 << 32), (1 << 53) + 1, -(1 << 40) - 5, MOST, LEAST, MOST - 1, LEAST + 1]
EDGES = np.int64([*_NEAR, *_FAR])


def longs(*shape: int) -> np.ndarray:
    """Numbers of all sizes."""
    values = np.random.default_rng(sum(shape))
    return values.integers(LEAST, MOST, shape, np.int64) >> values.integers(0, 64, shape)


def every_pair() -> tuple[np.ndarray, np.ndarray]:
    x = np.concatenate([EDGES, longs(40)])
    first, second = np.meshgrid(x, x, indexing="ij")
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


@pytest.mark.parametrize(
    ("op", "oracle"),
    [
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("maximum", np.maximum),
        ("minimum", np.minimum),
        ("eq", np.equal),
        ("ne", np.not_equal),
        ("lt", np.less),
        ("le", np.less_equal),
        ("gt", np.greater),
        ("ge", np.greater_equal),
        ("bitwise_and", np.bitwise_and),
        ("bitwise_or", np.bitwise_or),
        ("bitwise_xor", np.bitwise_xor),
        ("logical_and", np.logical_and),
    ],
)
def test_arithmetic_and_comparisons_are_numpys(device: Any, op: str, oracle: Any) -> None:
    x, y = every_pair()
    assert np.array_equal(device.run(op, {}, [x, y]), oracle(x, y))


@pytest.mark.parametrize(
    ("op", "of"),
    [
        ("floor_divide", lambda x, y: x // y),
        ("remainder", lambda x, y: x % y),
        ("trunc_divide", lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)),
        ("fmod", lambda x, y: abs(x) % abs(y) * (-1 if x < 0 else 1)),
    ],
)
def test_quotients_and_rests_are_those_of_pythons_integers(device: Any, op: str, of: Any) -> None:
    x, y = every_pair()
    by_zero = {"floor_divide": 0, "trunc_divide": 0}
    expected = [
        of(a, b) if b else by_zero.get(op, a)
        for a, b in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
    ]
    wrapped = np.array([value - (1 << 64) if value > MOST else value for value in expected], np.int64)
    assert np.array_equal(device.run(op, {}, [x, y]).ravel(), wrapped)


def test_powers_wrap_at_64_bits(device: Any) -> None:
    x, y = np.meshgrid(EDGES, np.int64([0, 1, 2, 3, 5, 31, 63, 64, 1 << 33]), indexing="ij")
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    exact = [pow(a, b, 1 << 64) for a, b in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)]
    assert np.array_equal(device.run("pow", {}, [x, y]).ravel(), np.array(exact, np.uint64).view(np.int64))
    below = device.run("pow", {}, [np.int64([1, -1, -1, 2, 0]), np.int64([-3, -3, -4, -1, -1])])
    assert below.tolist() == [1, -1, 1, 0, 0]


def test_shifts_reach_over_both_words(device: Any) -> None:
    x, places = np.meshgrid(EDGES, np.int64([0, 1, 31, 32, 33, 63, 64, 1 << 32, -1]), indexing="ij")
    x, places = np.ascontiguousarray(x), np.ascontiguousarray(places)
    is_far = (places > 63) | (places < 0)
    near = np.where(is_far, 0, places)
    assert np.array_equal(device.run("left_shift", {}, [x, places]), np.where(is_far, 0, x << near))
    right = device.run("right_shift", {}, [x, places])
    assert np.array_equal(right, np.where(is_far, x >> 63, x >> near))


@pytest.mark.parametrize(
    ("op", "oracle"),
    [
        ("neg", np.negative),
        ("abs", np.abs),
        ("sign", np.sign),
        ("bitwise_not", np.invert),
        ("floor", np.positive),
    ],
)
def test_functions_of_one_are_numpys(device: Any, op: str, oracle: Any) -> None:
    x = np.concatenate([EDGES, longs(100)])
    assert np.array_equal(device.run(op, {}, [x]), oracle(x))


@pytest.mark.parametrize("name", ["bool", "u8", "i8", "u16", "i16", "u32", "i32", "f16", "bf16", "f32"])
def test_i64_is_converted_to_every_dtype_and_back(check: Any, name: str) -> None:
    made = check("cast", {"dtype": name}, [np.concatenate([EDGES, longs(4096)])])
    check("cast", {"dtype": "i64"}, [made])


def test_f32_of_any_size_is_cut_to_i64_and_the_nearest_f32_comes_back(device: Any) -> None:
    bits = np.random.default_rng(1).integers(0, 1 << 32, 1 << 16, dtype=np.uint64).astype(np.uint32)
    x = np.concatenate([bits.view(np.float32), np.float32([0.99, -0.99, 2**62, 2.0**63, -(2.0**63), np.nan])])
    exact = [
        0 if v != v else int(max(-(2.0**63), min(v, 2.0**64))) if abs(v) < 2**70 else 0 for v in x.tolist()
    ]
    huge = np.abs(np.nan_to_num(x, nan=0)) >= 2.0**63
    expected = np.where(
        huge,
        np.where(x > 0, MOST, LEAST),
        np.array([0 if h else e for e, h in zip(exact, huge, strict=True)]),
    )
    assert np.array_equal(device.run("cast", {"dtype": "i64"}, [x]), expected)
    whole = np.concatenate([EDGES, longs(1 << 16)])
    assert np.array_equal(device.run("cast", {"dtype": "f32"}, [whole]), whole.astype(np.float32))


@pytest.mark.parametrize(
    ("op", "oracle"), [("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min)]
)
def test_reductions_are_exact_and_wrap(device: Any, op: str, oracle: Any) -> None:
    for x in (longs(7), longs(4, 9), longs(70_001), longs(64, 64).T):
        assert device.run(op, {}, [x]) == oracle(x)
    x = longs(40, 30)
    assert np.array_equal(device.run(op, {"axes": [0]}, [x]), oracle(x, axis=0))
    assert np.array_equal(device.run(op, {"axes": [1]}, [x]), oracle(x, axis=1))


def test_positions_of_extremes_are_found_among_numbers_that_f32_cannot_tell_apart(device: Any) -> None:
    x = (1 << 60) + np.random.default_rng(0).permutation(5000).astype(np.int64)
    assert device.run("argmax", {}, [x]) == np.argmax(x)
    assert device.run("argmin", {"axis": 0}, [x]) == np.argmin(x)
    assert device.run("argmin", {}, [EDGES]) == np.argmin(EDGES)
    assert device.run("argmax", {"axis": 1}, [longs(30, 70)]).tolist() == np.argmax(longs(30, 70), 1).tolist()


def test_arange_counts_beyond_32_bits(device: Any) -> None:
    given = {"count": 9, "start": (1 << 40) + 1, "step": 3_000_000_000, "dtype": "i64"}
    expected = np.arange(9, dtype=np.int64) * 3_000_000_000 + (1 << 40) + 1
    assert np.array_equal(device.run("arange", given, []), expected)
    assert device.run("full", {"shape": [3], "value": LEAST, "dtype": "i64"}, []).tolist() == [LEAST] * 3
    assert (
        device.run("clamp", {"min": -(1 << 35), "max": 1 << 40}, [EDGES]).tolist()
        == np.clip(EDGES, -(1 << 35), 1 << 40).tolist()
    )


KINDS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("concat", {}, [longs(3), np.arange(4, dtype=np.int32)]),
    ("concat", {"axis": 1}, [longs(3, 3), longs(3, 2)]),
    ("slice_scatter", {"starts": [1], "stops": [4]}, [longs(9), longs(3)]),
    ("gather", {}, [longs(9), np.int64([-1, 0, 3, 9, -9, LEAST, MOST, 1 << 32])]),
    ("index_select", {"axis": 1}, [longs(3, 5), np.int64([4, 0, -1])]),
    ("pad", {"before": [1], "after": [2], "value": -3}, [longs(4)]),
    ("pad", {"before": [2], "after": [2], "mode": "reflect"}, [longs(4)]),
    ("where", {}, [np.arange(9) % 2 == 0, longs(9), np.int32(3)]),
    ("masked_fill", {"value": 1 << 50}, [longs(9), np.arange(9) % 2 == 0]),
    ("any", {}, [longs(33)]),
    ("count_nonzero", {}, [longs(33)]),
    ("cumsum", {}, [longs(3000)]),
    ("cumprod", {"axis": 0}, [longs(9, 4)]),
    ("flip", {}, [longs(3, 5)]),
    ("roll", {"shifts": 2}, [longs(7)]),
    ("tril", {}, [longs(4, 4)]),
    ("stack", {}, [longs(4), longs(4)]),
    ("div", {}, [longs(33), np.int32(7)]),
    ("sqrt", {}, [np.abs(longs(33) >> 1)]),
    ("nan_to_num", {}, [longs(5)]),
    ("isnan", {}, [longs(5)]),
    ("add", {"alpha": 1 << 33}, [longs(5), longs(5)]),
    ("add", {}, [longs(8, 6).T, np.uint8(200)]),
    ("add", {}, [longs(8), np.float32(0.5)]),
    ("index_add", {"axis": 1}, [longs(3, 5), np.int64([4, 0]), longs(3, 2)]),
    ("index_copy", {}, [longs(5), np.int64([4, 0]), longs(2)]),
    ("index_fill", {"value": MOST >> 12}, [longs(5), np.int64([4, 0])]),
    ("masked_scatter", {}, [longs(5), np.arange(5) % 2 == 0, longs(5)]),
    ("topk", {"k": 3}, [longs(4, 9)]),
    ("topk_indices", {"k": 3, "largest": False}, [longs(4, 9)]),
    ("median", {}, [longs(4, 9)]),
    ("im2col", {"kernel_size": 2, "padding": 1}, [longs(1, 2, 3, 4)]),
    ("pixel_shuffle", {"upscale_factor": 2}, [longs(1, 4, 3, 2)]),
    ("pixel_unshuffle", {"downscale_factor": 2}, [longs(1, 1, 4, 6)]),
    ("channel_shuffle", {"groups": 2}, [longs(1, 4, 3)]),
]


@pytest.mark.parametrize(("op", "attributes", "arrays"), KINDS)
def test_every_kind_of_op_that_takes_i64_keeps_all_bits(
    check: Any, op: str, attributes: dict[str, Any], arrays: list[Any]
) -> None:
    check(op, attributes, [np.asarray(array) for array in arrays])


@pytest.mark.parametrize("shape", [(3000,), (5, 90), (3, 200), (90, 3), ()])
@pytest.mark.parametrize("descending", [False, True])
def test_sorting_is_by_both_words_and_stable(device: Any, shape: tuple[int, ...], descending: bool) -> None:
    """Many have the same lower word, or the same higher one, and some are equal."""
    draw = np.random.default_rng(len(shape))
    x = (draw.integers(-3, 4, shape) << 32) + draw.integers(-9, 9, shape)
    axis = 0 if len(shape) == 1 else -1
    order = np.argsort(-x if descending else x, axis, kind="stable") if shape else np.zeros((), np.int64)
    given = {"axis": axis, "descending": descending}
    assert np.array_equal(device.run("argsort", given, [x]), order)
    assert np.array_equal(device.run("sort", given, [x]), np.take_along_axis(x, order, axis) if shape else x)


def test_what_is_taken_kept_and_told_apart_keeps_all_bits(device: Any) -> None:
    x, keep = longs(701), np.random.default_rng(3).random(701) < 0.3
    kept = device.run("compact", {}, [x, keep])
    assert np.array_equal(kept, np.concatenate([x[keep], np.zeros(701 - keep.sum(), np.int64)]))
    places = np.uint32([700, 0, 701, 5, 0xFFFFFFFF])
    assert device.run("take", {}, [x, places]).tolist() == [x[700], x[0], 0, x[5], 0]
    assert device.run("take", {}, [x[:0], places]).tolist() == [0] * 5
    groups = np.repeat(np.int64([5, 5 + (1 << 32), 6, 5]), 30)
    assert device.run("run_starts", {}, [groups])[:5].tolist() == [0, 30, 60, 90, 120]


@pytest.mark.parametrize(
    ("reduce", "at"),
    [
        ("none", None),
        ("add", np.add.at),
        ("mul", np.multiply.at),
        ("max", np.maximum.at),
        ("min", np.minimum.at),
    ],
)
def test_writing_at_positions_is_exact(device: Any, reduce: str, at: Any) -> None:
    x, value = longs(90), longs(2000)
    index = np.random.default_rng(4).integers(0, 90, 2000)
    expected = x.copy()
    if at is None:
        expected[index] = value
    else:
        at(expected, index, value)
    assert np.array_equal(device.run("scatter", {"reduce": reduce}, [x, index, value]), expected)
    square, places = longs(9, 8), np.int64([[0, 3], [8, -1], [4, 4]])
    found = device.run("scatter", {"axis": 0, "reduce": reduce}, [square, places, np.int32(7)])
    wanted = square.copy()
    for row, column in np.ndindex(3, 2):
        spot = wanted[:, column]
        if at is None:
            spot[places[row, column]] = 7
        else:
            at(spot, [places[row, column]], 7)
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("op", ["matmul", "data.cummin", "hash.sha256", "cummax"])
def test_what_does_not_take_i64_says_so_and_what_to_do(op: str) -> None:
    with pytest.raises(DTypeError, match="does not take i64") as caught:
        infer(op, {}, [TensorType((4, 4), "i64")] * (2 if op in ("matmul", "hash.sha256") else 1))
    assert "convert with cast" in str(caught.value.hint)


def test_large_tensors_are_seen_through_windows(device: Any) -> None:
    count = device.device_class.binding // 8 + 1001
    if device.kind != "CPU":
        pytest.skip("too large for a test here")
    made = device.run("sum", {}, [np.arange(count, dtype=np.int64)])
    assert made == count * (count - 1) // 2
