"""Tensors larger than a binding may be: every op that takes them, against NumPy, with a binding of 64 KiB."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.layout import Layout
from ops.lower import CPU
from ops.lowering import attention, attention_tiles, windows

TINY = replace(CPU, binding=1 << 16)
SIDE = 300
"""Of a square of 360,000 bytes."""


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(0, 1, shape).astype(np.float32)


FORMS = {
    "contiguous": lambda: (normal(70_001), normal(70_001)),
    "even": lambda: (normal(1 << 17), normal(1 << 17)),
    "rows and columns": lambda: (normal(SIDE, SIDE), normal(SIDE, SIDE).T),
    "a row beside": lambda: (normal(SIDE, SIDE), normal(SIDE)),
    "a column beside": lambda: (normal(SIDE, SIDE), normal(SIDE, 1)),
    "a long row beside": lambda: (normal(3, 40_000), normal(40_000)),
    "a number beside": lambda: (normal(SIDE, SIDE), normal()),
    "backwards": lambda: (normal(70_000)[::-1], normal(70_000)),
    "every third": lambda: (normal(SIDE, 600)[:, ::3], normal(SIDE, 200)),
    "both transposed": lambda: (normal(SIDE, SIDE).T, normal(SIDE, SIDE).T),
    "axes of other orders": lambda: (
        normal(40, 50, 60).transpose(2, 0, 1),
        normal(50, 60, 40).transpose(1, 2, 0),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_elementwise_ops(tiny: Any, check: Any, form: str) -> None:
    check("add", {}, FORMS[form]())


@pytest.mark.parametrize("form", FORMS)
def test_halves(tiny: Any, check: Any, form: str) -> None:
    x, y = (array.astype(np.float16) for array in FORMS[form]())
    check("add", {}, [x, y])
    check("add", {}, [x, y.astype(np.float32)])


def test_reductions_and_products_of_halves(tiny: Any, check: Any) -> None:
    x = normal(SIDE, SIDE).astype(np.float16)
    scale = np.asarray(np.sum(np.abs(x.astype(np.float64))))
    check("sum", {"axes": [0]}, [x], scale=scale)
    check("matmul", {}, [x, x], scale=scale)
    check("concat", {"axis": 1}, [x, x[:, :101]])
    check("arange", {"count": 70_003, "step": 0.5, "dtype": "f16"}, [])


def test_a_ramp_goes_on_over_the_windows(tiny: Any, check: Any) -> None:
    check("arange", {"count": 70_003, "dtype": "i32"}, [])
    check("arange", {"count": 1 << 17, "dtype": "f32", "step": 0.5}, [])


def test_creation_and_copies(tiny: Any, check: Any) -> None:
    check("full", {"shape": [SIDE, SIDE], "value": 2.5}, [])
    check("reshape", {"shape": [SIDE * SIDE]}, [normal(SIDE, SIDE).T])
    check("slice", {"starts": [1, 5], "stops": [299, 290], "steps": [2, 3]}, [normal(SIDE, SIDE)])


def test_writes_and_joins(tiny: Any, check: Any) -> None:
    whole = {"starts": [0, 3], "stops": [SIDE, 250], "steps": [2, 1]}
    check("slice_scatter", whole, [normal(SIDE, SIDE), normal(150, 247)])
    check("cat", {"axis": 1}, [normal(SIDE, 100), normal(SIDE, 200)])
    check("cat", {"axis": 0}, [normal(30_000), normal(30_001)])


def test_a_small_part_of_a_large_result(tiny: Any, check: Any) -> None:
    check("cat", {"axis": 0}, [normal(40_000), normal(3), normal(0)])
    few = {"starts": [39_000], "stops": [39_003], "steps": [1]}
    check("slice_scatter", few, [normal(40_000), normal(3)])
    check("slice_scatter", few, [normal(40_000).astype(np.float16), normal(3).astype(np.float16)])


@pytest.mark.parametrize("axes", [None, [0], [1], [0, 2], [1, 2]])
@pytest.mark.parametrize("op", ["sum", "mean", "max", "prod", "count_nonzero"])
def test_reductions(tiny: Any, check: Any, op: str, axes: list[int] | None) -> None:
    x = np.random.default_rng(3).uniform(0.99, 1.01, (30, 50, 70)).astype(np.float32)
    check(op, {"axes": axes}, [x], scale=np.asarray(np.sum(np.abs(x))))


@pytest.mark.parametrize("axes", [None, [0], [1]])
def test_reductions_of_what_lies_otherwise(tiny: Any, check: Any, axes: list[int] | None) -> None:
    x = normal(SIDE, SIDE)
    scale = np.asarray(np.sum(np.abs(x)))
    check("sum", {"axes": axes}, [x.T], scale=scale)
    check("sum", {"axes": axes}, [x[::-1, ::-1]], scale=scale)
    check("max", {"axes": axes, "keepdim": True}, [np.broadcast_to(normal(SIDE, 1), (SIDE, SIDE))])


def test_a_reduction_with_a_large_result(tiny: Any, check: Any) -> None:
    x = normal(2, 200, 300)
    check("sum", {"axes": [0]}, [x], scale=np.abs(x).sum(0))
    check("sum", {"axes": [2]}, [x.transpose(1, 2, 0)], scale=np.abs(x).sum(0))


@pytest.mark.parametrize(
    ("shape", "axis"), [((SIDE, SIDE), 0), ((SIDE, SIDE), 1), ((50_000,), 0), ((3, 40_000), 1)]
)
def test_softmax(tiny: Any, check: Any, shape: tuple[int, ...], axis: int) -> None:
    check("softmax", {"axis": axis}, [normal(*shape)])
    check("log_softmax", {"axis": axis}, [normal(*shape)], scale=np.full(shape, 20.0))
    check("standardize", {"axes": [axis]}, [normal(*shape)], scale=np.full(shape, 4.0))


def test_attention(tiny: Any, check: Any) -> None:
    query, key, value = normal(2, 150, 80), normal(2, 170, 80), normal(2, 170, 90)
    check("attention", {"is_causal": True}, [query, key, value], scale=np.full((2, 150, 90), 4.0))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((SIDE, 200), (200, 70)),
        ((40, SIDE), (SIDE, 200)),
        ((SIDE, 150), (150, SIDE)),
        ((10, 40, 90), (10, 90, 40)),
        ((10, 40, 90), (90, 40)),
        ((SIDE, SIDE), (SIDE,)),
        ((SIDE,), (SIDE, SIDE)),
        ((40_000,), (40_000,)),
        ((3, 7000), (7000, 2)),
        ((7000, 3), (3, 2)),
    ],
)
@pytest.mark.parametrize("transposed", [False, True])
def test_products(
    tiny: Any, check: Any, left: tuple[int, ...], right: tuple[int, ...], transposed: bool
) -> None:
    a, b = normal(*left), normal(*right)
    if transposed:
        a, b = (np.asfortranarray(x) for x in (a, b))
    check("matmul", {}, [a, b], scale=np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))


def test_what_fits_is_not_cut() -> None:
    layout = Layout.contiguous((128, 128))
    assert windows.cut_axis(TINY, layout.shape, [layout]) is None
    assert windows.cut_axis(TINY, (128, 129), [Layout.contiguous((128, 129))]) == 0


def test_a_window_begins_where_every_adapter_allows() -> None:
    for offset in range(0, 300, 7):
        begin, nbytes, seen = windows.window(Layout((10, 10), (40, -3), offset + 27))
        assert begin % windows.ALIGNMENT == 0
        assert begin // 4 + seen.offset == offset + 27
        assert begin + nbytes >= 4 * (offset + 27 + 9 * 40 + 1)


@pytest.mark.parametrize(
    ("shape", "indices", "axis"),
    [
        ((50_000,), (70,), 0),
        ((40,), (60_001,), 0),
        ((SIDE, SIDE), (7, SIDE), 0),
        ((SIDE, SIDE), (200, 250), 1),
    ],
)
def test_gathering(
    tiny: Any, check: Any, shape: tuple[int, ...], indices: tuple[int, ...], axis: int
) -> None:
    size = shape[axis]
    index = np.random.default_rng(size).integers(-size - 1, size + 1, indices).astype(np.int32)
    check("gather", {"axis": axis}, [normal(*shape[::-1]).T, index])


@pytest.mark.parametrize(
    ("mode", "shape", "before", "after"),
    [
        ("constant", (50_000,), (30_000,), (20_001,)),
        ("constant", (SIDE, SIDE), (3, 7), (2, 250)),
        ("replicate", (SIDE, SIDE), (3, 7), (2, 250)),
        ("circular", (20_000,), (19_000,), (20_000,)),
        ("reflect", (20_000,), (19_000,), (19_999,)),
        ("reflect", (2, 20_000), (1, 9), (0, 11)),
    ],
)
def test_padding(
    tiny: Any, check: Any, mode: str, shape: tuple[int, ...], before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    attributes = {"before": list(before), "after": list(after), "mode": mode, "value": 3.0}
    check("pad", attributes, [normal(*shape)])


@pytest.mark.parametrize(("shape", "axis"), [((50_000,), 0), ((SIDE, SIDE), 0), ((2, 40_000), 1)])
def test_running_folds(tiny: Any, check: Any, shape: tuple[int, ...], axis: int) -> None:
    x = normal(*shape)
    scale = np.cumsum(np.abs(x.astype(np.float64)), axis)
    check("cumsum", {"axis": axis, "exclusive": True}, [x], scale=scale)
    check("cummax", {"axis": axis}, [x])


@pytest.mark.parametrize(
    ("reduce", "shape", "indices", "axis"),
    [
        ("none", (50_000,), (900,), 0),
        ("none", (90,), (40_000,), 0),
        ("add", (SIDE, SIDE), (150, 150), 1),
        ("add", (90,), (40_000,), 0),
    ],
)
def test_scattering(
    tiny: Any, check: Any, reduce: str, shape: tuple[int, ...], indices: tuple[int, ...], axis: int
) -> None:
    random = np.random.default_rng(5)
    index = random.integers(-shape[axis], shape[axis], indices).astype(np.int32)
    value = random.integers(-9, 9, indices).astype(np.float32)
    check("scatter", {"axis": axis, "reduce": reduce}, [normal(*shape).round(), index, value])


def test_longs_are_written_sorted_and_kept(tiny: Any, check: Any) -> None:
    """Half as many as words are seen through a window."""
    random = np.random.default_rng(6)
    x, value = random.integers(-(1 << 62), 1 << 62, (2, 20_000))
    index = random.integers(-20_000, 20_000, 20_000)
    check("scatter", {}, [x, index, value])
    check("scatter", {"reduce": "add"}, [x, index, value.astype(np.int32)])
    check("argsort", {"descending": True}, [x >> 50])
    check("compact", {}, [x, index > 0])
    check("take", {}, [x, np.abs(index).astype(np.uint32)])
    check("run_starts", {}, [np.sort(x >> 50)])


@pytest.mark.parametrize(("shape", "axis"), [((40_000,), 0), ((SIDE, SIDE), 0)])
def test_sorting(tiny: Any, check: Any, shape: tuple[int, ...], axis: int) -> None:
    x = normal(*shape)
    x.flat[::7] = x.flat[0]
    check("argsort", {"axis": axis, "descending": True}, [x])
    check("sort", {"axis": axis, "descending": False}, [(1000 * x).astype(np.int32)])


def test_sorting_what_has_more_chunks_than_can_be_counted_at_once(tiny: Any) -> None:
    x = np.random.default_rng(6).integers(0, 1 << 20, 270_001, np.int32)
    found = tiny.run("argsort", {}, [x])
    np.testing.assert_array_equal(found, np.argsort(x, stable=True))


@pytest.mark.parametrize(
    ("op", "shape", "axis"),
    [("argmin", (40_000,), None), ("argmax", (SIDE, SIDE), None), ("argmax", (SIDE, SIDE), 1)],
)
def test_searching(tiny: Any, check: Any, op: str, shape: tuple[int, ...], axis: int | None) -> None:
    x = normal(*shape).round(1)
    check(op, {"axis": axis}, [x.T])
    x.flat[[30_001, 30_003]] = np.nan
    check(op, {"axis": axis}, [x])


CONVOLUTIONS = {
    "outputs": ((1, 20, 9), (300, 20, 3), {}),
    "outputs of a product": ((1, 60, 9), (300, 60, 1), {"before": [0], "after": [0]}),
    "groups": ((2, 400, 7), (800, 20, 3), {"groups": 20}),
    "one output a group": ((1, 5000, 4), (5000, 1, 3), {"groups": 5000}),
    "one group and its outputs": ((1, 120, 6), (400, 60, 3), {"groups": 2}),
    "channels": ((1, 9000, 5), (1, 9000, 3), {}),
    "channels of two outputs": ((1, 9000, 5), (2, 9000, 5), {"dilation": [1], "before": [0], "after": [0]}),
    "taps": ((1, 2, 30_000), (3, 2, 29_997), {"before": [2], "after": [1]}),
    "taps apart": (
        (2, 1, 30_000),
        (1, 1, 9000),
        {"dilation": [3], "stride": [2], "before": [3], "after": [5]},
    ),
    "taps of two axes": ((1, 1, 260, 150), (2, 1, 259, 149), {}),
    "places": ((1, 2, 3, 20_000), (3, 2, 3, 5), {"stride": [1, 2]}),
    "places far apart": ((1, 1, 40_000), (5, 1, 3), {"stride": [13_000], "before": [-1], "after": [-2]}),
    "places and weights": ((2, 40, 30, 40), (60, 40, 3, 3), {"before": [1, 3], "after": [0, 2]}),
    "zeros alone": ((1, 1, 9), (2, 1, 3), {"before": [30_000], "after": [30_000]}),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions(tiny: Any, check: Any, case: str) -> None:
    shape, weights, given = CONVOLUTIONS[case]
    axes = len(shape) - 2
    ones = [1] * axes
    attributes = {"stride": ones, "dilation": ones, "before": ones, "after": ones, "groups": 1} | given
    x, weight = normal(*shape), normal(*weights)
    scale = reference.apply("convolution", attributes, [np.abs(x), np.abs(weight)])
    check("convolution", attributes, [x, weight], scale=scale)
    check("convolution", attributes, [np.asfortranarray(x), np.asfortranarray(weight)], scale=scale)


def test_a_transposed_convolution(tiny: Any, check: Any) -> None:
    x, weight, bias = normal(2, 120, 9), normal(120, 50, 4), normal(100)
    given = {"stride": 2, "padding": 1, "groups": 2}
    scale = reference.apply("conv_transpose", given, [np.abs(x), np.abs(weight), np.abs(bias)])
    check("conv_transpose", given, [x, weight, bias], scale=scale)


def test_a_part_that_fits_of_a_whole_that_does_not(tiny: Any, check: Any, monkeypatch: Any) -> None:
    """A little more than can be bound, of which less is read at a time, from one end to the other."""
    monkeypatch.setattr(attention, "_MOST_SCORES", dict.fromkeys(("cpu", "gpu"), 48 * 84))
    monkeypatch.setattr(attention_tiles, "suits", lambda *_: False)
    query, key, value = normal(2, 2, 3, 180, 8), normal(2, 2, 1, 7, 8), normal(2, 2, 1, 7, 4)
    check("attention", {}, [query, key, value], scale=np.full((2, 2, 3, 180, 4), 4.0))
    index = np.zeros((2, 2), np.int32)
    check("gather", {"axis": 0}, [normal(2, 9000), index])
