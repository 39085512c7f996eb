"""Convolutions by minimal filtering: every form against sums in f64, what is not finite, and which are computed so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from host import convolutions, winograd
from host.hands import Tiles
from ops.dtypes import dtype as dtype_of
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import MAPPED, HostConvolution, lower

ERROR = 2e-6
"""As docs/numerics.md has it: of the sum in which all taps of a channel are as large as its largest."""
FORMS: dict[str, Any] = {
    "plain": ((1, 64, 56, 56), 64, (1, 1), (1, 1)),
    "of odd sizes, in a batch": ((3, 33, 23, 27), 35, (1, 1), (1, 1)),
    "with nothing around": ((1, 32, 27, 40), 32, (0, 0), (0, 0)),
    "with more above than below": ((2, 32, 20, 21), 40, (2, 0), (0, 1)),
    "surrounded by more than its taps see": ((1, 40, 19, 22), 33, (4, 5), (5, 4)),
    "wider than a tile": ((1, 32, 17, 150), 36, (1, 1), (1, 1)),
}


def task_of(form: Any, stride: int = 1, dilation: int = 1, groups: int = 1, taps: int = 3) -> HostConvolution:
    shape, outputs, before, after = form
    shapes = [shape, (outputs, shape[1] // groups, taps, taps)]
    pair = {"stride": [stride] * 2, "dilation": [dilation] * 2, "before": list(before), "after": list(after)}
    attributes = {**pair, "groups": groups}
    (output,) = infer("convolution", attributes, [TensorType(shape, "f32") for shape in shapes])
    operands = [(Layout.contiguous(shape), dtype_of("f32")) for shape in shapes]
    (task,) = lower("convolution", attributes, operands, output, MAPPED).dispatches
    assert isinstance(task, HostConvolution)
    return task


def drawn(form: Any) -> tuple[Any, Any]:
    shape, outputs, *_ = form
    draw = np.random.default_rng(7)
    return draw.standard_normal(shape, np.float32), draw.standard_normal(
        (outputs, shape[1], 3, 3), np.float32
    )


def found(form: Any, x: Any, weight: Any) -> Any:
    task = task_of(form)
    assert winograd.suits(task)
    target = np.full(task.target.layout.shape, 7e7, np.float32)
    tiles, job = Tiles(task), winograd.convolution(task, [x[:, None], weight[None], target])
    with np.errstate(all="ignore"):
        while (tile := tiles.take()) is not None:
            image, groups, (rows, columns) = tile
            there = target[image, groups, :, rows.start : rows.stop, columns.start : columns.stop]
            assert (there == np.float32(7e7)).all(), "written by another tile"
            job.compute(tile)
    assert not (target == np.float32(7e7)).any()
    return target[:, 0]


def exact(form: Any, x: Any, weight: Any) -> Any:
    """The sums in f64, tap by tap."""
    before, after = form[2:]
    around = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *zip(before, after, strict=True)))
    height, width = (size - 2 for size in around.shape[2:])
    made = np.zeros((len(x), len(weight), height * width))
    with np.errstate(all="ignore"):
        for down, across in np.ndindex(3, 3):
            seen = around[:, :, down : down + height, across : across + width].reshape(*x.shape[:2], -1)
            made += weight[:, :, down, across].astype(np.float64) @ seen
    return made.reshape(*made.shape[:2], height, width)


def assert_is_right(form: Any, x: Any, weight: Any) -> None:
    largest = np.broadcast_to(np.abs(weight).max((2, 3), keepdims=True), weight.shape)
    error = np.abs(found(form, x, weight) - exact(form, x, weight))
    assert np.all(error <= ERROR * exact(form, np.abs(x), largest))


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_right(name: str) -> None:
    assert_is_right(FORMS[name], *drawn(FORMS[name]))


def test_operands_may_lie_in_any_order() -> None:
    form = FORMS["of odd sizes, in a batch"]
    x, weight = drawn(form)
    channels_last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    turned = np.ascontiguousarray(weight.transpose(3, 2, 1, 0)).transpose(3, 2, 1, 0)
    assert np.array_equal(found(form, channels_last, turned), found(form, x, weight))


def test_whole_numbers_are_exact() -> None:
    form, draw = FORMS["of odd sizes, in a batch"], np.random.default_rng(3)
    x, weight = (draw.integers(-9, 10, array.shape).astype(np.float32) for array in drawn(form))
    assert np.array_equal(found(form, x, weight), exact(form, x, weight))


@pytest.mark.parametrize("scale", [1e-30, 1e-18, 1e15, 1e30])
def test_numbers_of_any_size_are_right(scale: float) -> None:
    form = FORMS["of odd sizes, in a batch"]
    x, weight = drawn(form)
    assert_is_right(form, x * np.float32(scale), weight)


def test_the_error_is_that_of_the_largest_tap_and_not_more() -> None:
    form = FORMS["of odd sizes, in a batch"]
    dense, weight = drawn(form)
    weight[:, :, 1, 1] *= np.float32(1e-6)
    x = np.zeros_like(dense)
    x[:, :, ::4, ::4] = dense[:, :, ::4, ::4]
    assert_is_right(form, x, weight)


def test_sums_that_only_filtering_overflows_are_right() -> None:
    form = FORMS["of odd sizes, in a batch"]
    x, weight = (np.abs(array) for array in drawn(form))
    x, weight = np.where(x > 0.5, np.float32(3e38), 0), weight * np.float32(1e-3)
    x[:, 1:] = 0
    assert_is_right(form, x, weight)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("operand", ["x", "weight"])
def test_what_is_not_finite_comes_out_where_the_sums_have_it(operand: str, value: float) -> None:
    form = FORMS["of odd sizes, in a batch"]
    x, weight = drawn(form)
    if operand == "x":
        x[1, 2, 5, 6] = x[1, 3, 6, 6] = value
    else:
        weight[3, 2, 1, 0] = value
    actual, expected = found(form, x, weight), exact(form, x, weight)
    is_finite = np.isfinite(expected)
    assert 0 < (~is_finite).sum() < expected.size / 20
    assert np.array_equal(actual[~is_finite], expected[~is_finite].astype(np.float32), equal_nan=True)
    assert np.allclose(actual[is_finite], expected[is_finite], rtol=1e-4, atol=1e-4)


def test_only_tiles_that_are_not_finite_are_computed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    form = FORMS["plain"]
    computed: list[convolutions.Tile] = []
    x, weight = drawn(form)
    plain = found(form, x, weight)
    plainly = convolutions.Convolution.compute

    def compute(job: convolutions.Convolution, tile: convolutions.Tile) -> None:
        computed.append(tile)
        plainly(job, tile)

    monkeypatch.setattr(convolutions.Convolution, "compute", compute)
    assert np.array_equal(found(form, x, weight), plain)
    assert not computed
    x[0, 9, 20, 20] = np.inf
    found(form, x, weight)
    assert [20 in rows for _, _, (rows, _) in computed] == [True]


def test_a_tile_s_buffers_are_bounded() -> None:
    for form in (*FORMS.values(), ((1, 128, 128, 999), 128, (1, 1), (1, 1))):
        for _, _, (rows, columns) in winograd.tiles(task_of(form)):
            pairs = -(-len(rows) // 2) * (len(columns) // 2 + 1)
            elements = winograd._ELEMENTS[0] * form[0][1] + winograd._ELEMENTS[1] * form[1]
            assert pairs * elements <= winograd._TILE or len(rows) <= 2


def test_only_large_convolutions_of_three_by_three_taps_are_computed_so() -> None:
    plain = FORMS["plain"]
    assert winograd.suits(task_of(plain))
    others = [
        task_of(plain, stride=2),
        task_of(plain, dilation=2),
        task_of(plain, groups=2),
        task_of(plain, taps=5),
        task_of(((1, 31, 56, 56), 64, (1, 1), (1, 1))),
        task_of(((1, 64, 56, 56), 15, (1, 1), (1, 1))),
        task_of(((1, 256, 56, 56), 256, (1, 1), (1, 1))),
        task_of(((1, 128, 20, 20), 128, (1, 1), (1, 1))),
        task_of(((8, 64, 15, 56), 64, (1, 1), (1, 1))),
    ]
    assert not any(map(winograd.suits, others))
