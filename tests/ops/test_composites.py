"""Every row that is no elementwise one, on the device and in NumPy, against what NumPy has for it.

`SAMPLES` gives calls for each row, and what they must give; a row without samples, or without a test of its own, fails.
"""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.backward import backward, neural
from ops.composites import expand
from ops.dtypes import DTypeError
from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.graph import Graph, Node, TensorType
from ops.infer import infer, result_dtype
from ops.lower import GPU
from ops.lowering import attention
from ops.reference import DTYPES, dtype_name
from ops.rows import quantised
from ops.spec import FLOATS, check_attributes
from ops.table import TABLE, find
from ops.validate import validate
from tests.ops.composite_samples import PLACES, SAMPLES, Array, M, N, V, X
from tests.ops.neural_samples import NEURAL_SAMPLES
from tests.ops.sample import Sample

MIXED = ("f32", "f16", "i32", "i64", "u8", "bool")
TESTED_ELSEWHERE = {
    "sum", "mean", "max", "min", "argmax", "argmin", "softmax", "matmul", "concat", "full", "arange",
    "reshape", "permute", "transpose", "slice", "expand", "slice_scatter", "random_uniform", "random_normal",
    "random_integers", "dropout",
    *(row.name for row in quantised.ROWS),
}  # fmt: skip


def test_every_row_has_samples() -> None:
    rows = [row for row in TABLE.values() if row.namespace == "tensor" and row.kind != "elementwise"]
    assert {row.name for row in rows} <= SAMPLES.keys() | TESTED_ELSEWHERE


def scale_of(name: str, sample: Sample) -> Array | None:
    """What errors are relative to, where that is not the result."""
    row = TABLE[name]
    if row.relative == "sum":
        return np.abs(
            reference.apply(name, sample.attributes, [np.abs(np.nan_to_num(x)) for x in sample.inputs])
        )
    return np.maximum(np.abs(sample.expected), 1) if row.tolerance or name == "linspace" else None


CASES = [
    pytest.param(name, sample, id=f"{name}-{number}")
    for name, samples in SAMPLES.items()
    for number, sample in enumerate(samples)
]


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_a_row_gives_what_numpy_gives(name: str, sample: Sample, check: Any) -> None:
    meant = reference.apply(name, sample.attributes, sample.inputs)
    expected = np.asarray(sample.expected).astype(meant.dtype)
    assert meant.shape == expected.shape
    scale = scale_of(name, sample)
    check(name, sample.attributes, sample.inputs, expected, scale)
    np.testing.assert_allclose(meant, expected, rtol=2e-5, atol=1e-6)


def told_and_made(name: str, sample: Sample, given: tuple[str, ...]) -> tuple[str, str]:
    """The dtype of a result by the row, and that of the parts that the row is made of."""
    row = TABLE[name]
    types = [TensorType(x.shape, dtype) for x, dtype in zip(sample.inputs, given, strict=True)]
    nodes, result = expand(name, sample.attributes, types)
    for node in nodes:
        types += infer(node.op, node.attributes, [types[index] for index in node.inputs])
    return result_dtype(row, check_attributes(row, sample.attributes), given), types[result].dtype


COMPOSITES = [name for name in SAMPLES if TABLE[name].kind == "composite" and TABLE[name].inputs]


@pytest.mark.parametrize("name", COMPOSITES)
def test_a_composite_gives_the_dtype_that_its_row_tells(name: str) -> None:
    """As the page of ops says it, also where inputs are of several; classes and weights may be of any."""
    row, sample = TABLE[name], SAMPLES[name][0]
    count = len(sample.inputs)
    taken = (row.input_dtypes or (row.dtypes,) * count)[:count]
    for given in product(*([dtype for dtype in MIXED if dtype in each] for each in taken)):
        if name == "cross_entropy" and given[1] in FLOATS:
            continue  # these are no classes but probabilities, of another shape
        if name == "cosine_embedding_loss":
            given = (*given[:2], given[0])  # a target of 1 or -1 has no part in the result
        told, made = told_and_made(name, sample, given)
        assert told == made, given


MOVING = (
    "flip roll tile repeat_interleave tril triu diagonal stack squeeze pad sort argsort topk gather scatter"
    " index_select masked_scatter index_copy"
)


@pytest.mark.parametrize("dtype", ["i32", "u32", "bool"])
@pytest.mark.parametrize("name", MOVING.split())
def test_what_moves_elements_takes_every_dtype(name: str, dtype: str, check: Any) -> None:
    for sample in SAMPLES[name]:
        reduced = str(sample.attributes.get("reduce", "none"))
        if reduced != "none" or sample.attributes.get("value"):
            continue
        inputs = [
            x if x.dtype != np.float32 else np.round(4 * np.abs(x)).astype(DTYPES[dtype])
            for x in sample.inputs
        ]
        actual = check(name, sample.attributes, inputs)
        assert dtype_name(actual.dtype) in (dtype, "u32", "i32")


def test_rows_of_every_length_are_sorted_and_summed(check: Any, device: Any) -> None:
    draw = np.random.default_rng(0)
    for rows, columns in ((3, 1), (700, 2), (5, 128), (5, 129), (3, 5000), (2, 1), (0, 4), (3, 0), (1, 300)):
        for dtype in ("f32", "i32", "u32"):
            words = draw.integers(0, 1 << 32, (rows, columns), np.uint32) & 0xF0FFF00F
            x = words.view(DTYPES[dtype])
            for descending in (False, True):
                for axis in (0, 1):
                    attributes = {"axis": axis, "descending": descending}
                    places = device.run("argsort", attributes, [x])
                    np.testing.assert_array_equal(places, reference.apply("argsort", attributes, [x]))
                    values = device.run("sort", attributes, [x])
                    expected = np.take_along_axis(x, places.astype(np.int64), axis)
                    np.testing.assert_array_equal(values.view(np.uint32), expected.view(np.uint32))
        x = draw.normal(size=(rows, columns)).astype(np.float32)
        for axis in (0, 1):
            scale = np.cumsum(np.abs(x).astype(np.float64), axis=axis)
            check("cumsum", {"axis": axis}, [x], scale=scale)
            check("cumsum", {"axis": axis, "exclusive": True}, [x], scale=scale)
            for name in ("cummax", "cummin"):
                check(name, {"axis": axis}, [x])
                check(name, {"axis": axis}, [(x * 100).astype(np.int32)])
        check("cumsum", {"axis": 0}, [(x * 100).astype(np.int32).T])


def test_running_folds_treat_nan_and_infinity_as_numpy_does(check: Any) -> None:
    x = np.float32([1, np.inf, 2, -np.inf, 3, np.nan, 4])
    for name in ("cumsum", "cumprod", "cummax", "cummin"):
        for size in (3, 7):
            check(name, {}, [x[:size]])


def test_a_running_sum_of_equal_numbers_does_not_drift(device: Any) -> None:
    x = np.full(1_000_000, 0.1, np.float32)
    exact = np.float64(np.float32(0.1)) * np.arange(1, x.size + 1)
    actual = device.run("cumsum", {}, [x])
    assert np.max(np.abs(actual - exact) / exact) < 1e-6


def test_many_values_for_one_place_are_added_up_exactly_alike(device: Any) -> None:
    draw = np.random.default_rng(0)
    index = np.where(draw.random(50_000) < 0.5, 3, draw.integers(0, 1000, 50_000)).astype(np.int32)
    value = draw.random(50_000).astype(np.float32)
    x = np.zeros(1000, np.float32)
    first, second = (device.run("scatter", {"reduce": "add"}, [x, index, value]) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    exact = np.bincount(index, value.astype(np.float64), 1000)
    np.testing.assert_allclose(first, exact, rtol=1e-6)
    last = device.run("scatter", {}, [x, index, value])
    expected = x.copy()
    expected[index] = value
    np.testing.assert_array_equal(last, expected)
    whole = device.run(
        "scatter", {"reduce": "add"}, [x.astype(np.int32), index, (value * 100).astype(np.int32)]
    )
    np.testing.assert_array_equal(whole, np.bincount(index, (value * 100).astype(np.int32), 1000))


REFUSED: list[tuple[str, dict[str, Any], list[Array], type[Exception], str]] = [
    ("gather", {"axis": 0}, [X, PLACES], ShapeError, "do not fit"),
    ("gather", {"axis": 0}, [X, X], DTypeError, "does not take f32 as index"),
    ("gather", {"axis": 3}, [X, PLACES], ShapeError, "out of range"),
    ("scatter", {"axis": 0}, [V, PLACES, np.zeros(4, np.float32)], ShapeError, "broadcast"),
    ("scatter", {"axis": 0, "reduce": "xor"}, [V, PLACES, V], AttributeValueError, "must be one of"),
    ("pad", {"before": [1], "after": [1]}, [X], ShapeError, "takes 3 numbers"),
    ("pad", {"before": [5], "after": [0], "mode": "reflect"}, [V], ShapeError, "too much"),
    ("pad", {"before": [6], "after": [0], "mode": "circular"}, [V], ShapeError, "too much"),
    ("pad", {"before": [-3], "after": [-3]}, [V], ShapeError, "leaves nothing"),
    ("diagonal", {}, [V], ShapeError, "out of range"),
    ("diagonal", {"axis1": 0}, [X], ShapeError, "between two axes"),
    ("topk", {"k": 6}, [V], AttributeValueError, "k is 6"),
    *(("topk", {"k": 1, "axis": axis}, [V], ShapeError, "out of range") for axis in (1, -2)),
    ("quantile", {"q": 1.5}, [V], AttributeValueError, "from 0 to 1"),
    ("median", {"axis": 0}, [V[:0]], AttributeValueError, "no value"),
    ("mm", {}, [X, M], ShapeError, "2 and 2 axes"),
    ("bmm", {}, [X, X[:2].transpose(0, 2, 1)], ShapeError, "one size"),
    ("einsum", {"equation": "ij,jk->ik"}, [M], AttributeValueError, "names 2 operands of 1"),
    ("einsum", {"equation": "ij->ijj"}, [M], AttributeValueError, "repeats a label"),
    ("einsum", {"equation": "i-j"}, [M], AttributeValueError, "no equation"),
    ("einsum", {"equation": "i"}, [M], ShapeError, "does not name the axes"),
    ("einsum", {"equation": "ij,ij"}, [M, N], ShapeError, "has sizes"),
    ("einsum", {"equation": "x" * 300}, [M], AttributeValueError, "at most 256"),
    ("roll", {"shifts": [1, 2], "axes": 0}, [X], AttributeValueError, "2 shifts for 1 axes"),
    ("narrow", {"axis": 0, "start": 3, "length": 2}, [X], ShapeError, "beyond axis"),
    ("tril", {}, [V], ShapeError, "at least 2 axes"),
    ("rotary_embedding", {"rotary_dim": 3}, [X], AttributeValueError, "cannot turn 3 of 5"),
    ("selective_scan", {}, [M, N, N, N, N], ShapeError, "decay .channels, states."),
    ("expert_weights", {"k": 1, "temperature": 0}, [M], AttributeValueError, "above 0"),
    ("expert_linear", {}, [M, M, X], ShapeError, "share"),
    ("profile", {"axis": 1}, [X], ShapeError, "axis of space"),
    (
        "non_max_suppression",
        {"max_output": 257},
        [X[..., :4], X.transpose(0, 2, 1)],
        AttributeValueError,
        "0 to 256",
    ),
    ("non_max_suppression", {"max_output": 1}, [X, X], ShapeError, "boxes, 4"),
    ("bilinear", {}, [M, M, X], ShapeError, "a weight .outputs"),
    ("glu", {"axis": -1}, [X], ShapeError, "whose size is odd"),
    ("multi_margin_loss", {}, [M, PLACES[:2]], ShapeError, "1 targets for each"),
    ("grid_sample", {}, [X[None], X[None]], ShapeError, "places .batch"),
    ("affine_grid", {"size": [2, 3, 4, 5]}, [X], ShapeError, "matrices"),
    ("lp_pool", {"kernel_size": 2, "norm_type": 0}, [X], AttributeValueError, "above 0"),
    ("max_unpool", {"output_size": 9}, [X, PLACES], ShapeError, "a place for each"),
    ("var", {}, [PLACES], DTypeError, "does not take i32"),
    ("var", {}, [X, X], GraphError, "takes 1 inputs"),
    ("sum", {"axis": 0, "axes": 1}, [X], AttributeValueError, "given twice"),
    ("roll", {"shifts": None}, [X], AttributeValueError, "shifts is null"),
    ("roll", {"axes": [0, 1]}, [X], AttributeValueError, "1 shifts for 2 axes"),
    ("linear_recurrence", {}, [np.float32(1), np.float32(1)], ShapeError, "a scalar has no axes"),
    ("repeat_interleave", {"repeats": 2, "axis": 0}, [np.float32(1)], ShapeError, "a scalar has no axes"),
    ("take_along_dim", {"axis": 0}, [np.float32(1), np.int32(0)], ShapeError, "a scalar has no axes"),
    ("quantize_per_channel", {}, [np.float32(1)] * 3, ShapeError, "a scalar has no axes"),
    ("einsum", {"equation": "i,i->"}, [X, X > 0], DTypeError, "does not take bool"),
]


@pytest.mark.parametrize(
    ("name", "attributes", "shape"),
    [
        ("adaptive_max_pool", {"output_size": [10**6]}, (1, 3)),
        ("adaptive_avg_pool", {"output_size": [10**6, 7]}, (3, 4, 5)),
        ("local_response_norm", {"size": 2_000}, (1, 1_000, 1)),
    ],
)
def test_a_large_number_makes_no_large_graph(
    name: str, attributes: dict[str, Any], shape: tuple[int, ...]
) -> None:
    nodes, _ = expand(name, attributes, [TensorType(shape, "f32")])
    assert len(nodes) < 100


def test_a_large_number_takes_no_time() -> None:
    began = time.process_time()
    with pytest.raises(ShapeError, match="at most"):
        expand("adaptive_max_pool", {"output_size": [20_000_000]}, [TensorType((1000, 3), "f32")])
    assert time.process_time() - began < 1


@pytest.mark.parametrize(("name", "attributes", "inputs", "error", "message"), REFUSED)
def test_what_cannot_be_is_refused_by_name(
    name: str, attributes: dict[str, Any], inputs: list[Array], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        reference.apply(name, attributes, inputs)


def test_torch_s_and_numpy_s_names_of_attributes_will_do() -> None:
    for names in ({"dim": 1, "keepdims": True}, {"axis": 1, "keepdim": True}, {"axes": 1, "keepdim": True}):
        assert reference.apply("sum", names, [X]).shape == (4, 1, 5)
    assert reference.apply("argmax", {"dim": 1}, [X]).shape == (4, 5)
    assert reference.apply("flip", {"dims": [0]}, [X])[0, 0, 0] == X[3, 0, 0]
    assert reference.apply("transpose", {"dim0": 0, "dim1": 1}, [X]).shape == (6, 4, 5)


def test_a_graph_holds_no_composite() -> None:
    leaf = Node("input", (), {"handle": 1, "shape": [3], "dtype": "f32"})
    with pytest.raises(GraphError, match=r"var is made of other ops"):
        validate(Graph([leaf, Node("var", (0,))], [1]))
    for name in SAMPLES:
        for sample in SAMPLES[name][:2]:
            types = [TensorType(x.shape, dtype_name(x.dtype)) for x in sample.inputs]
            nodes, _ = expand(name, sample.attributes, types)
            assert all(find(node.op).kind != "composite" for node in nodes)


def test_attention_in_blocks_of_queries_is_the_same(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for most in (1, 700, 3000):
        monkeypatch.setattr(attention, "_MOST_SCORES", {"cpu": most, "gpu": most})
        draw = np.random.default_rng(most)
        query, key, value, mask = (
            draw.normal(size=shape).astype(np.float32)
            for shape in ((2, 3, 37, 8), (2, 3, 41, 8), (2, 3, 41, 5), (3, 1, 41))
        )
        for is_causal in (False, True):
            scale = np.full((2, 3, 37, 5), 2.0)
            check("attention", {"is_causal": is_causal}, [query, key, value, mask], scale=scale)


def test_gradients_of_attention_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    arrays = [draw.normal(size=shape).astype(np.float32) for shape in ((3, 20, 4), (3, 30, 4), (3, 30, 2))]
    seed = draw.normal(size=(3, 20, 2)).astype(np.float32)
    types = [TensorType(array.shape, "f32") for array in arrays]
    found = []
    for most in (1 << 20, 200):
        monkeypatch.setattr(neural, "_MOST_SCORES", most)
        nodes, wanted = backward("attention", {"is_causal": True}, types)
        leaves = [
            Node("input", (), {"handle": n, "shape": list(array.shape), "dtype": "f32"})
            for n, array in enumerate([*arrays, seed])
        ]
        graph = Graph([*leaves, *nodes], [number for number in wanted if number is not None])
        found.append(reference.evaluate(graph, dict(enumerate([*arrays, seed]))))
    for whole, parts in zip(*found, strict=True):
        np.testing.assert_allclose(whole, parts, rtol=1e-4, atol=1e-5)


def test_the_row_of_padding_gets_no_gradient() -> None:
    index, weight = np.int32([0, 2, 2]), np.ones((3, 2), np.float32)
    types = [TensorType(index.shape, "i32"), TensorType(weight.shape, "f32")]
    for padding, expected in ((2, [[1, 1], [0, 0], [0, 0]]), (None, [[1, 1], [0, 0], [2, 2]])):
        nodes, (none, wanted) = backward("embedding", {"padding_idx": padding}, types)
        assert none is None
        assert wanted is not None
        leaves = [
            Node("input", (), {"handle": n, "shape": list(array.shape), "dtype": dtype_name(array.dtype)})
            for n, array in enumerate([index, weight, np.ones((3, 2), np.float32)])
        ]
        inputs = {0: index, 1: weight, 2: np.ones((3, 2), np.float32)}
        (gradient,) = reference.evaluate(Graph([*leaves, *nodes], [wanted]), inputs)
        assert gradient.tolist() == expected


def test_rows_too_long_for_one_kernel_are_standardised(check: Any) -> None:
    draw = np.random.default_rng(0)
    for rows, columns in ((2, 200_000), (70, 21_000), (65, 19_000)):
        x = draw.normal(3, 2, (rows, columns)).astype(np.float32)
        for name, attributes in (("standardize", {"axes": [1]}), ("log_softmax", {})):
            check(name, attributes, [x], scale=np.full(x.shape, 20.0))


@pytest.mark.parametrize("name", ["standardize", "layer_norm", "log_softmax", "softmin", "attention"])
def test_kernels_for_gpus_give_the_same(name: str, device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "device_class", GPU)
    for sample in NEURAL_SAMPLES[name]:
        actual = device.run(name, sample.attributes, sample.inputs)
        np.testing.assert_allclose(actual, sample.expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", sorted(NEURAL_SAMPLES.keys() - {"embedding"}))
def test_rows_of_networks_take_f16(name: str, check: Any) -> None:
    for sample in NEURAL_SAMPLES[name][:4]:
        inputs = [x.astype(np.float16) if x.dtype == np.float32 else x for x in sample.inputs]
        actual = check(name, sample.attributes, inputs, scale=np.full(sample.expected.shape, 64.0))
        assert actual.dtype == np.float16
        np.testing.assert_allclose(actual, sample.expected, rtol=2e-2, atol=5e-2)


def test_a_search_along_an_axis_of_nothing_beside_finds_nothing() -> None:
    assert reference.apply("argmax", {"axis": 1}, [np.zeros((0, 3), np.float32)]).shape == (0,)
