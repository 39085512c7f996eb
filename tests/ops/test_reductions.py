"""Reductions, searches and softmax on the device: every axis, dtype, length and layout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ops.dtypes import DTypeError, dtype
from ops.errors import ShapeError
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, DeviceClass, lower
from ops.reference import DTYPES, dtype_name, narrow
from ops.reference.bfloat import opened
from ops.spec import OpSpec
from ops.table import TABLE

FOLDS = [row for row in TABLE.values() if row.kind == "reduction"]
SEARCHES = [row for row in TABLE.values() if row.kind == "search"]
LENGTHS = [1, 3, 4, 31, 32, 33, 1000, 1024, 1025, 4096, 5000, 100_003, 3_000_001]


def sample(shape: tuple[int, ...], name: str, seed: int = 0) -> np.ndarray:
    """Random values of a dtype."""
    draw = np.random.default_rng(seed)
    if dtype(name).kind == "float":
        return narrow(draw.normal(0.3, 1, shape), name)
    if name == "bool":
        return draw.integers(0, 2, shape).astype(np.bool_)
    ends = np.iinfo(DTYPES[name])
    return draw.integers(ends.min, ends.max, shape, DTYPES[name], endpoint=True)


def fold(check: Any, row: OpSpec, array: np.ndarray, **attributes: Any) -> np.ndarray:
    """Check a fold, with errors relative to the sum of absolute values; products are of numbers near 1."""
    scale = None
    name, wide = dtype_name(array.dtype), opened(array)
    if row.name == "prod" and wide.dtype.kind == "f":
        near = np.where(np.isfinite(wide) & (wide != 0), np.sign(wide) * np.exp2(wide / 64), wide)
        array = narrow(near, name)
    elif row.tolerance:
        axes = attributes.get("axes")
        axes = tuple(axes) if isinstance(axes, list) else axes
        keep = attributes.get("keepdim", False)
        scale = np.abs(wide.astype(np.float64)).sum(axis=axes, keepdims=keep)
        if row.name == "mean":
            scale = scale / (array.size / max(scale.size, 1))
    return check(row.name, attributes, [array], scale=scale)


@pytest.mark.parametrize("name", list(DTYPES))
@pytest.mark.parametrize("row", FOLDS, ids=lambda row: row.name)
def test_a_fold_is_right_over_any_axes(row: OpSpec, name: str, check: Any) -> None:
    if name not in row.dtypes:
        with pytest.raises(DTypeError, match=f"does not take {name}"):
            check(row.name, {}, [sample((2,), name)])
        return
    array = sample((6, 8, 5, 4), name)
    for axes in (None, 0, 1, -1, [0, 1], [1, 2], [0, 2], [3, 1], [0, 1, 2, 3]):
        for keepdim in (False, True):
            fold(check, row, array, axes=axes, keepdim=keepdim)


@pytest.mark.parametrize("row", [*FOLDS, *SEARCHES], ids=lambda row: row.name)
@pytest.mark.parametrize("length", LENGTHS)
def test_a_row_of_any_length_is_folded(row: OpSpec, length: int, check: Any) -> None:
    array = sample((length,), "f32")
    if row.kind == "search":
        check(row.name, {}, [array])
    else:
        fold(check, row, array)


@pytest.mark.parametrize("row", [*FOLDS, *SEARCHES], ids=lambda row: row.name)
def test_a_fold_reads_any_layout(row: OpSpec, check: Any) -> None:
    base = sample((48, 64, 4), "f32")
    views = [
        base.transpose(2, 1, 0),
        base[::-1, 3:40, ::2],
        base[1:, ::-3],
        np.broadcast_to(base[:, :1], base.shape),
        base[5:6, 4:8, 1:2],
        np.broadcast_to(base[0, 0, 0], (3, 5)),
    ]
    for view in views:
        for axis in (None, 0, view.ndim - 1):
            if row.kind == "search":
                check(row.name, {"axis": axis}, [view])
            else:
                fold(check, row, view, axes=axis)


@pytest.mark.parametrize("row", [*FOLDS, *SEARCHES], ids=lambda row: row.name)
def test_nan_and_infinities_follow_pytorch(row: OpSpec, check: Any) -> None:
    inf, nan = math.inf, math.nan
    rows = [
        [1, nan, 3, nan],
        [inf, 1, 2, inf],
        [-inf, -inf, -inf, -inf],
        [0.0, -0.0, 0.0, -0.0],
        [inf, -inf, 0, 1],
    ]
    array = np.array(rows, np.float32)
    check(row.name, {"axis" if row.kind == "search" else "axes": 1}, [array])
    check(row.name, {"axis" if row.kind == "search" else "axes": 0}, [array[:, :3]])


@pytest.mark.parametrize("name", ["f32", "i32", "u32"])
@pytest.mark.parametrize("row", SEARCHES, ids=lambda row: row.name)
def test_a_search_finds_the_first_of_equals_in_any_dtype(row: OpSpec, name: str, check: Any) -> None:
    wide = sample((3, 5000), name)
    few = (sample((7, 6, 5), "u32", 1) % 3).astype(DTYPES[name])
    for array in (wide, few, few.transpose(2, 0, 1), np.zeros((2, 2000), DTYPES[name])):
        for axis in (None, 0, -1):
            for keepdim in (False, True):
                check(row.name, {"axis": axis, "keepdim": keepdim}, [array])


def test_scalars_and_empty_axes_have_sensible_values(check: Any) -> None:
    scalar, empty = np.float32(3).reshape(()), np.zeros((2, 0, 3), np.float32)
    for row in FOLDS:
        check(row.name, {}, [scalar])
        check(row.name, {"axes": 0}, [scalar])
    for row in SEARCHES:
        check(row.name, {"axis": -1}, [scalar])
    check("sum", {"axes": 1}, [empty], np.zeros((2, 3), np.float32))
    check("mean", {"axes": [1]}, [empty], np.full((2, 3), np.nan, np.float32))
    check("sum", {}, [empty], np.zeros((), np.float32))
    check("sum", {"axes": 0, "keepdim": True}, [empty])
    check("max", {"axes": 0}, [empty], np.zeros((0, 3), np.float32))
    check("argmax", {"axis": 2}, [empty], np.zeros((2, 0), np.int32))
    for op in ("max", "min", "argmax", "argmin"):
        with pytest.raises(ShapeError, match="empty axis has no value"):
            check(op, {}, [empty])


def test_integer_sums_wrap_and_bools_are_counted(check: Any) -> None:
    check("sum", {}, [np.full(3, 1 << 30, np.int32)], np.array(-(1 << 30), np.int32))
    check("sum", {}, [np.full(3, 3 << 30, np.uint32)], np.array(1 << 30, np.uint32))
    check("sum", {}, [np.arange(2001) % 3 == 0], np.array(667, np.int32))


def test_a_sum_of_sixteen_million_is_within_four_units_of_the_last_place(device: Any) -> None:
    values = np.random.default_rng(0).random(1 << 24, dtype=np.float32)
    exact = math.fsum(values.tolist())
    actual = float(device.run("sum", {}, [values]))
    assert abs(actual - exact) <= 4 * np.spacing(np.float32(exact))
    equal = np.full(1 << 22, 0.1, np.float32)
    exact = float(np.float32(0.1)) * equal.size
    assert abs(float(device.run("sum", {}, [equal])) - exact) <= 1e-6 * exact


@pytest.mark.parametrize("shape", [(7,), (5, 33), (3, 4, 5), (2, 2000), (1, 1), (4, 0), (0, 4), ()])
def test_softmax_is_right_along_any_axis(shape: tuple[int, ...], check: Any) -> None:
    array = sample(shape, "f32") * 10
    for axis in range(-len(shape), len(shape)) or [0]:
        check("softmax", {"axis": axis}, [array])
        check("softmax", {"axis": axis}, [array.T])


def test_softmax_survives_huge_values_and_spreads_nan(check: Any) -> None:
    inf, nan = math.inf, math.nan
    rows = [[1e38, -1e38, 0], [1, nan, 2], [inf, 0, 1], [-inf, 0, 1], [-inf, -inf, -inf], [1000, 1001, 1002]]
    array = np.array(rows, np.float32)
    check("softmax", {"axis": 1}, [array])
    check("softmax", {"axis": 0}, [np.ascontiguousarray(array.T)])


def test_softmax_of_a_row_too_long_for_one_kernel_takes_several(device: Any) -> None:
    array = sample((2, 3000), "f32")
    (output,) = infer("softmax", {}, [TensorType((2, 3000), "f32")])
    short = DeviceClass("cpu", CPU.lanes, 500)
    lowering = lower("softmax", {}, [(Layout.contiguous((2, 3000)), dtype("f32"))], output, short)
    assert len(lowering.dispatches) > 3
    actual = device.compute(lowering, [array.view(np.uint32).reshape(-1)], output)
    raised = np.exp(array.astype(np.float64) - array.max(axis=1, keepdims=True))
    np.testing.assert_allclose(actual, raised / raised.sum(axis=1, keepdims=True), rtol=2e-6)
