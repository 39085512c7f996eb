"""Gradients of every op that has them, composites too: by finite differences of the reference in f64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.backward import backward, has_gradient, neural
from ops.backward.rules import RULES
from ops.gradient import is_differentiable
from ops.graph import Graph, Node, TensorType
from ops.reference import DTYPES, dtype_name
from ops.table import TABLE, find
from tests.ops.composite_samples import SAMPLES, X
from tests.ops.sample import Sample

DRAW = np.random.default_rng(7)
M, N, V = (DRAW.normal(size=shape).astype(np.float32) for shape in ((4, 5), (5, 3), (5,)))
BATCH = DRAW.normal(size=(4, 1, 2, 6)).astype(np.float32)
PLACES = np.array([2, 0, -1, 2], np.int32)
MORE: dict[str, list[Sample]] = {
    "sum": [Sample({"axes": axes}, [X], X) for axes in (None, 1, [0, 2])],
    "nansum": [Sample({"axes": 1}, [X], X)],
    "nanmean": [Sample({"axes": 1}, [X], X)],
    "mean": [Sample({"axes": axes, "keepdim": True}, [X], X) for axes in (None, 1, [0, 2])],
    "max": [Sample({"axes": axes}, [X], X) for axes in (None, 1)],
    "min": [Sample({"axes": [0, 2]}, [X], X)],
    "prod": [Sample({"axes": axes}, [np.where(np.abs(M) < 0.3, 0, M)], M) for axes in (None, 0, [0, 1])],
    "softmax": [Sample({"axis": axis}, [X], X) for axis in (0, -1)],
    "matmul": [
        Sample({}, [left, right], M)
        for left, right in ((M, N), (V, N), (M, V), (V, V), (X, N), (BATCH, X))
    ],
    "concat": [Sample({"axis": -1}, [M, M, M[:, :1]], M)],
    "reshape": [Sample({"shape": [5, -1]}, [M], M)],
    "permute": [Sample({"axes": [2, 0, -2]}, [X], X)],
    "transpose": [Sample({}, [X], X)],
    "expand": [Sample({"shape": [2, 4, 5]}, [M[:, :1]], M)],
    "slice": [Sample({"starts": [-1, 1], "stops": [-9, 9], "steps": [-2, 1]}, [M], M)],
    "slice_scatter": [Sample({"starts": [1], "stops": [4], "steps": [2]}, [M, V], M)],
    "take": [Sample({}, [V, np.array([4, 4, 0, 9], np.uint32)], V)],
    "cumprod": [Sample({"axis": axis}, [np.where(np.abs(M) < 0.5, 0, M)], M) for axis in (0, -1)],
    "compact": [Sample({}, [V, V > 0], V)],
    "add": [Sample({"alpha": 2.0}, [X, V], X)],
    "where": [Sample({}, [X > 0, X, V], X)],
    "mul": [Sample({}, [M, V], M), Sample({}, [M, PLACES[:, None]], M)],
    "lerp": [Sample({}, [M, V, V[:1]], M)],
    "masked_fill": [Sample({"value": 3.0}, [M, M > 0], M)],
    "cast": [Sample({"dtype": "f32"}, [M], M)],
}  # fmt: skip
CALLS = {name: [*SAMPLES.get(name, []), *MORE.get(name, [])] for name in {**SAMPLES, **MORE}}


def value_of(name: str, sample: Sample, arrays: list[np.ndarray]) -> np.ndarray:
    return reference.apply(name, sample.attributes, arrays)


def gradients_of(name: str, sample: Sample, arrays: list[np.ndarray], seed: np.ndarray) -> list[Any]:
    """What `backward` says the inputs' gradients are, computed by the reference."""
    types = [TensorType(array.shape, dtype_name(array.dtype)) for array in arrays]
    nodes, wanted = backward(name, sample.attributes, types)
    leaves = [
        Node("input", (), {"handle": number, "shape": list(array.shape), "dtype": dtype_name(array.dtype)})
        for number, array in enumerate([*arrays, seed])
    ]
    graph = Graph([*leaves, *nodes], [number for number in wanted if number is not None])
    found = iter(reference.evaluate(graph, dict(enumerate([*arrays, seed]))))
    return [None if number is None else next(found) for number in wanted]


def is_smooth(sample: Sample) -> bool:
    return (
        sample.smooth
        and all(np.isfinite(x).all() for x in sample.inputs)
        and any(x.dtype == np.float32 for x in sample.inputs)
    )


CASES = [
    pytest.param(name, sample, id=f"{name}-{number}")
    for name, samples in sorted(CALLS.items())
    for number, sample in enumerate(samples)
    if is_smooth(sample) and find(name).result not in ("i32", "u32", "bool")
]


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_a_gradient_is_that_of_differences(
    name: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DTYPES, "f32", np.dtype(np.float64))
    draw = np.random.default_rng(3)
    arrays = [x.astype(np.float64) if x.dtype == np.float32 else x for x in sample.inputs]
    result = value_of(name, sample, arrays)
    if result.dtype != np.float64 or not np.isfinite(result).all():
        return
    seed = draw.normal(size=result.shape)
    found = gradients_of(name, sample, arrays, seed)
    for number, array in enumerate(arrays):
        if array.dtype != np.float64:
            assert found[number] is None
            continue
        way = draw.normal(size=array.shape)
        ends = [
            value_of(name, sample, [*arrays[:number], array + step * way, *arrays[number + 1 :]])
            for step in (1e-6, -1e-6)
        ]
        expected = float(np.sum(seed * (ends[0] - ends[1]))) / 2e-6
        mine = found[number]
        actual = 0.0 if mine is None else float(np.sum(mine * way))
        assert mine is None or mine.shape == array.shape
        assert actual == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_every_rule_is_checked() -> None:
    checked = {name for name, samples in CALLS.items() if any(map(is_smooth, samples))}
    assert RULES.keys() | neural.RULES.keys() <= checked
    assert all(is_differentiable(TABLE[name]) for name in ("add", "where", "lerp", "masked_fill"))


def test_equal_extremes_share_the_gradient_and_zeros_leave_a_product_s_alone() -> None:
    ones, two = np.float32(1), Sample({}, [np.float32([2, 5, 5])], X)
    assert gradients_of("max", two, two.inputs, ones)[0].tolist() == [0, 0.5, 0.5]
    zero = Sample({}, [np.float32([2, 0, 3])], X)
    assert gradients_of("prod", zero, zero.inputs, ones)[0].tolist() == [0, 6, 0]
    none = Sample({}, [np.zeros(3, np.float32)], X)
    for axis in (0, -1):
        running = Sample({"axis": axis}, [np.float32([2, 0, 3, 0, 4])], X)
        (found,) = gradients_of("cumprod", running, running.inputs, np.ones(5, np.float32))
        assert found.tolist() == [1, 8, 0, 0, 0]
    for name in ("norm", "std"):
        assert gradients_of(name, none, none.inputs, ones)[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("p", [-1, 0.5, 1, 1.5, 2, 3])
def test_a_zero_has_gradient_0_in_every_norm(p: float) -> None:
    for x in ([0, 0], [0, 4]):
        sample = Sample({"p": p}, [np.float32(x)], X)
        (found,) = gradients_of("norm", sample, sample.inputs, np.float32(1))
        assert found.tolist() == [0, float(p > 0 and x[1] > 0)]


@pytest.mark.parametrize("p", [1, 2, 3])
def test_a_window_that_comes_to_0_has_gradient_0(p: float) -> None:
    sample = Sample({"norm_type": p, "kernel_size": 2}, [np.float32([[[0, 0, 0, 4]]])], X)
    (found,) = gradients_of("lp_pool", sample, sample.inputs, np.ones((1, 1, 2), np.float32))
    np.testing.assert_allclose(found, [[[0, 0, float(p == 1), 1]]], 1e-6)


def test_an_infinite_element_leaves_others_without_a_say_in_logsumexp() -> None:
    sample = Sample({}, [np.float32([np.inf, 0, 1])], X)
    (found,) = gradients_of("logsumexp", sample, sample.inputs, np.float32(1))
    assert found.tolist()[1:] == [0, 0]


ONE = np.float32([1])
AT_THE_MARGIN = {
    "hinge_embedding_loss": ({}, [ONE, -ONE], [-1]),
    "margin_ranking_loss": ({"margin": 1.0}, [ONE, ONE * 0, ONE], [-1, 1]),
    "triplet_margin_loss": ({"margin": 0.0, "p": 1}, [ONE, ONE * 0, ONE * 0], [0, -1, 1]),
}
"""Losses whose hinge is at its point: attributes, inputs, and what PyTorch gives as gradients of the floats."""


@pytest.mark.parametrize("name", AT_THE_MARGIN)
def test_what_is_exactly_at_the_margin_still_has_a_gradient_as_in_pytorch(name: str) -> None:
    attributes, inputs, expected = AT_THE_MARGIN[name]
    sample = Sample({**attributes, "reduction": "sum"}, inputs, X)
    found = gradients_of(name, sample, inputs, np.float32(1))
    assert [each.item() for each in found[: len(expected)]] == expected


def test_what_folds_into_a_place_shares_the_gradient_of_an_extreme_and_a_zero_takes_a_product_s() -> None:
    places = np.int32([0, 0, 1])
    for reduce, x, value, there, put in (
        ("max", [5, 1], [5, 2, 3], [0.5, 0], [0.5, 0, 1]),
        ("min", [9, 3], [5, 5, 3], [0, 0.5], [0.5, 0.5, 0.5]),
        ("mul", [0, 4], [2, 3, 5], [6, 5], [0, 0, 4]),
        ("mul", [2, 0], [0, 3, 0], [0, 0], [6, 0, 0]),
    ):
        sample = Sample({"axis": 0, "reduce": reduce}, [np.float32(x), places, np.float32(value)], X)
        found = gradients_of("scatter", sample, sample.inputs, np.ones(2, np.float32))
        assert [found[0].tolist(), found[2].tolist()] == [there, put]


def test_what_dropout_left_out_gets_no_gradient_and_the_rest_its_factor() -> None:
    sample = Sample({"p": 0.25, "key": [1, 2]}, [X], X)
    kept = value_of("dropout", sample, [X]) / X
    assert set(np.unique(kept.round(5))) == {np.float32(0), np.float32(4 / 3).round(5)}
    np.testing.assert_allclose(gradients_of("dropout", sample, [X], X)[0], X * kept, rtol=1e-6)


def test_the_gradient_of_a_half_is_f32_and_that_of_its_value() -> None:
    for dtype in ("f16", "bf16"):
        x, y = (
            reference.apply("cast", {"dtype": dtype}, [np.float32(each)])
            for each in ([1, 2, 3], [0.5, -4, 8])
        )
        found = gradients_of("mul", Sample({}, [x, y], X), [x, y], np.float32([1, 1, 2]))
        assert [each.dtype for each in found] == [np.float32, np.float32]
        assert [each.tolist() for each in found] == [[0.5, -4, 16], [1, 2, 6]]
    down = Sample({"dtype": "f16"}, [np.float32([1, 2])], X)
    assert gradients_of("cast", down, down.inputs, np.float32([3, 4]))[0].tolist() == [3, 4]


def test_a_running_extreme_gives_its_gradient_to_the_last_of_equal_elements() -> None:
    for name, x in (("cummax", [1, 3, 3, 2]), ("cummin", [3, 1, 1, 2])):
        sample = Sample({"axis": 0}, [np.float32(x)], X)
        (found,) = gradients_of(name, sample, sample.inputs, np.float32([1, 10, 100, 1000]))
        assert found.tolist() == [1, 10, 1100, 0]


def test_gradients_run_on_the_device(device: Any) -> None:
    types = [TensorType((4, 5), "f32"), TensorType((5, 3), "f32")]
    nodes, (left, right) = backward("matmul", {}, types)
    values: list[Any] = [M, N, np.ones((4, 3), np.float32)]
    for node in nodes:
        values.append(device.run(node.op, node.attributes, [values[index] for index in node.inputs]))
    assert left is not None
    assert right is not None
    np.testing.assert_allclose(values[left], np.ones((4, 3)) @ N.T, rtol=1e-5)
    np.testing.assert_allclose(values[right], M.T @ np.ones((4, 3)), rtol=1e-5)


def test_the_gradient_of_a_row_may_be_divided_by_how_often_it_was_looked_up() -> None:
    index = np.int32([[2, 0], [2, 2]])
    sample = Sample({"scale_grad_by_freq": True, "padding_idx": 0}, [index, M], X)
    grad = gradients_of("embedding", sample, sample.inputs, np.ones((2, 2, 5), np.float32))[1]
    assert grad.tolist() == [[0] * 5, [0] * 5, [1] * 5, [0] * 5]


def test_the_page_says_who_has_a_gradient() -> None:
    known = {name for name, samples in CALLS.items() if any(map(is_smooth, samples))}
    rows = [row for row in TABLE.values() if row.namespace == "tensor" and row.kind != "elementwise"]
    claimed = {row.name for row in rows if has_gradient(row)}
    quantised = {"dequantize_per_tensor", "dequantize_per_channel", "linear_int8", "conv_int8"}
    assert claimed <= known | quantised | {"dropout"}
    assert not claimed & {"argmax", "eye", "one_hot", "topk_indices", "quantize_per_tensor", "int_matmul"}
