"""What other WebGPU libraries compute wrongly, or refuse: here each is right.

They were found by running or reading webgpu-torch, wonnx, moxwebgpu and volvoxai; every case is one of theirs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ops.backward import backward
from ops.errors import UnknownOpError
from ops.graph import TensorType
from ops.table import find

RANDOM = np.random.default_rng(11)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


def gradients(device: Any, op: str, attributes: dict[str, Any], *arrays: np.ndarray) -> list[np.ndarray]:
    """The gradients of an op's inputs on the device, for a gradient of ones."""
    types = [TensorType(array.shape, "f32") for array in arrays]
    nodes, wanted = backward(op, attributes, types)
    shape = np.asarray(device.run(op, attributes, list(arrays))).shape
    values = [*arrays, np.ones(shape, np.float32)]
    for node in nodes:
        values.append(device.run(node.op, node.attributes, [values[index] for index in node.inputs]))
    return [values[index] for index in wanted if index is not None]


def test_alpha_reaches_the_gradient(device: Any) -> None:
    x, y = gradients(device, "add", {"alpha": 3}, f32(1, 2), f32(3, 4))
    assert (x.tolist(), y.tolist()) == ([1, 1], [3, 3])
    assert gradients(device, "sub", {"alpha": 3}, f32(1), f32(3))[1].tolist() == [-3]


@pytest.mark.parametrize("right", [(4,), (1, 4), (3, 1), (1, 1), ()])
def test_the_gradient_of_a_broadcast_operand_has_its_shape(right: tuple[int, ...], device: Any) -> None:
    left = normal(3, 4)
    _, mine = gradients(device, "mul", {}, left, normal(*right))
    assert mine.shape == right
    np.testing.assert_allclose(mine.sum(), left.sum(), rtol=1e-5)


def test_folds_along_axes_have_gradients(device: Any) -> None:
    for axes in (0, [0, 1], -1):
        assert gradients(device, "sum", {"axes": axes}, normal(2, 3))[0].tolist() == [[1] * 3] * 2
    assert gradients(device, "prod", {}, f32(2, 0, 3))[0].tolist() == [0, 6, 0]
    assert gradients(device, "norm", {}, f32(0, 0))[0].tolist() == [0, 0]
    assert gradients(device, "max", {"axes": 1}, f32(1, 5, 5, 2).reshape(2, 2))[0].tolist() == [
        [0, 1],
        [1, 0],
    ]


def test_softmax_s_gradient_takes_the_whole_row(device: Any) -> None:
    (mine,) = gradients(device, "softmax", {}, normal(2, 5))
    np.testing.assert_allclose(mine, 0, atol=1e-6)


def test_views_joins_and_products_pass_gradients_on(device: Any) -> None:
    x = normal(2, 3)
    for op, attributes in (
        ("reshape", {"shape": [6]}),
        ("permute", {"axes": [1, 0]}),
        ("flatten", {}),
        ("unsqueeze", {"axis": 0}),
        ("slice", {"starts": [0], "stops": [2]}),
        ("transpose", {}),
        ("squeeze", {}),
        ("expand", {"shape": [2, 3]}),
        ("cast", {"dtype": "f32"}),
        ("pad", {"before": [0, 1], "after": [1, 0]}),
    ):
        assert gradients(device, op, attributes, x)[0].tolist() == np.ones_like(x).tolist()
    assert [part.tolist() for part in gradients(device, "concat", {}, x, x)] == [np.ones_like(x).tolist()] * 2
    for op, *shapes in (
        ("matmul", (2, 3), (3, 4)),
        ("mm", (2, 3), (3, 4)),
        ("mv", (2, 3), (3,)),
        ("dot", (3,), (3,)),
        ("bmm", (2, 2, 3), (2, 3, 4)),
        ("linear", (5, 3), (4, 3), (4,)),
    ):
        assert [
            each.shape for each in gradients(device, op, {}, *(normal(*shape) for shape in shapes))
        ] == shapes


def test_kinks_and_quotients_have_the_right_gradient(device: Any) -> None:
    assert gradients(device, "relu", {}, f32(-2, 0, 3))[0].tolist() == [0, 0, 1]
    _, y = gradients(device, "div", {}, f32(6), f32(2))
    assert y.tolist() == [-1.5]
    assert gradients(device, "clamp", {"min": -1, "max": 1}, f32(-2, 0.5, 2))[0].tolist() == [0, 1, 0]
    for op in ("pow", "maximum", "minimum"):
        assert len(gradients(device, op, {}, f32(2, 3), f32(3, 2))) == 2
    for op, slope in (("sin", math.cos(0.5)), ("cos", -math.sin(0.5))):
        np.testing.assert_allclose(gradients(device, op, {}, f32(0.5)), [[slope]], rtol=1e-5)


def test_the_powers_of_negative_numbers(check: Any) -> None:
    check("pow", {}, [f32(-2, -2, -2, -8), f32(2, 3, 0.5, -1)], f32(4, -8, math.nan, -0.125))
    check("pow", {}, [np.array([2, 3], np.int32), f32(0.5, 2)])
    check("pow", {}, [f32(-3, 0, 2), np.float32(2)], f32(9, 0, 4))


def test_zeros_and_nan_keep_their_say(check: Any) -> None:
    signed = check("copysign", {}, [f32(1, 1, -2), f32(-0.0, 0.0, 3)])
    assert signed.tolist() == [-1, 1, 2]
    check("xlogy", {}, [f32(0, 0, 0, 2), f32(0, -1, math.nan, 3)], f32(0, 0, math.nan, 2 * math.log(3)))
    check("sinc", {}, [f32(0, 0.5, 1)])
    check("frac", {}, [f32(-1.25, 1.25)], f32(-0.25, 0.25))
    check("hypot", {}, [f32(3e30, 3e-30), f32(4e30, 4e-30)], f32(5e30, 5e-30))


def test_activations_have_the_constants_of_onnx_and_torch(check: Any) -> None:
    x = f32(-4, -1, 0, 1, 4)
    relu6 = np.clip(x + 3, 0, 6)
    check("hardsigmoid", {}, [x], relu6 / 6)
    check("hardsigmoid", {"alpha": 0.2, "beta": 0.5}, [x], np.clip(np.float32(0.2) * x + 0.5, 0, 1))
    check("hardswish", {}, [x], x * relu6 / 6)
    check("leaky_relu", {}, [x], np.where(x < 0, np.float32(0.01) * x, x))
    check("prelu", {}, [x, f32(0.25)], np.where(x < 0, 0.25 * x, x))
    wide = x.astype(np.float64)
    exact = wide * (1 + np.array(list(map(math.erf, wide / math.sqrt(2))))) / 2
    by_tanh = wide * (1 + np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3))) / 2
    check("gelu", {}, [x], exact.astype(np.float32), scale=np.abs(wide) + 1e-3)
    check("gelu", {"approximate": "tanh"}, [x], by_tanh.astype(np.float32), scale=np.abs(wide) + 1e-3)
    check("clamp", {"min": -2, "max": 2}, [x], f32(-2, -1, 0, 1, 2))
    check("Clip", {"max": 0}, [x], f32(-4, -1, 0, 0, 0))


def test_stable_forms_hold(check: Any) -> None:
    check("softplus", {}, [f32(100, -100, 1000)], f32(100, 3.783506e-44, 1000))
    check("logsumexp", {}, [f32(1000, 1000)], np.float32(1000 + math.log(2)))
    check("logaddexp", {}, [f32(1000, -1000), f32(1000, -1000)], f32(1000.6931, -999.3069))
    check("logaddexp2", {}, [f32(2000), f32(2000)], f32(2001))
    check("log1p", {}, [f32(1e-10, -1e-10)], f32(1e-10, -1e-10))
    check("expm1", {}, [f32(1e-10, -1e-10)], f32(1e-10, -1e-10))
    check("erf", {}, [f32(0.5, 1, 2)], f32(*map(math.erf, (0.5, 1, 2))))


def test_norms_have_an_epsilon_of_their_own_and_any_axes(check: Any) -> None:
    x = normal(2, 6, 3, 4)
    for eps in (1e-6, 1e-3, 1.0):
        wide = x.astype(np.float64)
        centred = wide - wide.mean(-1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
        check(
            "layer_norm",
            {"normalized_shape": [4], "eps": eps},
            [x],
            expected.astype(np.float32),
            np.full(x.shape, 2),
        )
    check("group_norm", {"num_groups": 2}, [x, normal(6), normal(6)], scale=np.full(x.shape, 8))
    check("log_softmax", {"axis": 1}, [x * 30], scale=np.full(x.shape, 300))
    embedded = check("embedding", {}, [np.array([[2, 0], [1, 1]], np.int32), normal(3, 5)])
    assert embedded.shape == (2, 2, 5)


def test_attention_is_causal_only_when_asked_and_right_in_every_head(check: Any) -> None:
    query, key, value = normal(2, 4, 6, 8), normal(2, 4, 6, 8) + 1, normal(2, 4, 6, 8)
    for is_causal in (False, True):
        scores = query.astype(np.float64) @ key.transpose(0, 1, 3, 2) / math.sqrt(8)
        if is_causal:
            scores = np.where(np.tri(6) > 0, scores, -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        expected = (shares / shares.sum(-1, keepdims=True)) @ value
        attributes = {"is_causal": is_causal}
        check(
            "attention", attributes, [query, key, value], expected.astype(np.float32), np.full(query.shape, 2)
        )


def test_the_gradient_of_softmax_takes_the_sum_of_its_row(check: Any) -> None:
    x, grad = normal(3, 4), normal(3, 4)[::-1]
    nodes, (wanted,) = backward("softmax", {"axis": -1}, [TensorType((3, 4), "f32")])
    values: list[Any] = [x, grad]
    for node in nodes:
        values.append(check(node.op, node.attributes, [values[index] for index in node.inputs]))
    y = np.exp(x.astype(np.float64)) / np.exp(x.astype(np.float64)).sum(-1, keepdims=True)
    expected = y * (grad - (grad * y).sum(-1, keepdims=True))
    assert wanted is not None
    np.testing.assert_allclose(values[wanted], expected, atol=1e-6)


def test_comparisons_and_logic_give_bools(check: Any) -> None:
    for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Not", "Xor"):
        row = find(op)
        assert check(row.name, {}, [f32(0, 1, 2), f32(1, 1, 0)][: len(row.inputs)]).dtype == np.bool_


def test_a_rows_broadcast_never_wins_over_a_columns(check: Any) -> None:
    square, row, column = normal(3, 3), normal(3), normal(3, 1)
    check("add", {}, [square, row], square + row)
    check("add", {}, [square, column], square + column)
    check("add", {}, [normal(2, 1, 4), normal(3, 1)])


@pytest.mark.parametrize(
    ("left", "right"),
    [((n, n), (n, n)) for n in (3, 5, 6, 7, 10)]
    + [((1, k), (k, 6)) for k in (3, 5, 6)]
    + [((2, 1, 3, 5), (4, 5, 7)), ((4, 3), (3,)), ((3,), (3, 4))],
)
def test_products_of_odd_sizes_and_broadcast_batches(left: Any, right: Any, check: Any) -> None:
    x, y = normal(*left), normal(*right)
    wide = x.astype(np.float64) @ y
    check("matmul", {}, [x, y], wide.astype(np.float32), scale=np.abs(x).astype(np.float64) @ np.abs(y))


def test_a_scaled_product_with_a_bias(check: Any) -> None:
    x, y, z = normal(2, 4), normal(2, 3), normal(3, 4)
    expected = 0.5 * x.astype(np.float64) + 2 * (y.astype(np.float64) @ z)
    check("addmm", {"beta": 0.5, "alpha": 2}, [x, y, z], expected.astype(np.float32), np.full((2, 4), 20))
    check("addmm", {"beta": 0.5, "alpha": 2}, [x, normal(3, 2).T, normal(4, 3).T], scale=np.full((2, 4), 20))
    check("linear", {}, [normal(5, 3), normal(4, 3), normal(4)])


def test_joins_and_positions_along_every_axis(check: Any) -> None:
    parts = [normal(2, 3, 4), normal(2, 3, 4)]
    for axis in (0, 1, 2):
        check("concat", {"axis": axis}, parts, np.concatenate(parts, axis))
        index = np.array([2, 0, -1], np.int32) if axis else np.array([1, 0], np.int32)
        check("index_select", {"axis": axis}, [parts[0], index], np.take(parts[0], index, axis))
        check("softmax", {"axis": axis}, [parts[0]])
        check("argmax", {"axis": axis}, [parts[0]], np.argmax(parts[0], axis).astype(np.int32))
        check("mean", {"axes": axis}, [parts[0]])
        check("topk", {"k": 2, "axis": axis}, [parts[0]])
        places = np.zeros((2, 3, 4), np.int32)
        check("gather", {"axis": axis}, [parts[0], places], np.take_along_axis(parts[0], places, axis))
        check("max", {"axes": axis}, [np.array([[[-5, -7]]], np.int32)])
        check("cumsum", {"axis": axis}, [parts[0]], scale=np.cumsum(np.abs(parts[0]), axis))


def test_padding_of_one_end_and_in_every_mode(check: Any) -> None:
    x = normal(2, 3)
    check("pad", {"before": [0, 0], "after": [0, 2]}, [x], np.pad(x, ((0, 0), (0, 2))))
    check(
        "pad",
        {"before": [0, 2], "after": [1, 0], "value": 7},
        [x],
        np.pad(x, ((0, 1), (2, 0)), constant_values=7),
    )
    check(
        "pad",
        {"before": [1, 2], "after": [1, 2], "mode": "reflect"},
        [x],
        np.pad(x, ((1, 1), (2, 2)), "reflect"),
    )


def test_slices_with_steps_and_many_axes(check: Any) -> None:
    x = normal(2, 3, 4, 5, 2)
    attributes = {"starts": [0, -1, 1], "stops": [9, -9, 4], "steps": [1, -1, 2], "axes": [0, 1, 3]}
    check("slice", attributes, [x], x[:, ::-1, :, 1:4:2])
    check("permute", {"axes": [4, 2, 0, 1, 3]}, [x], x.transpose(4, 2, 0, 1, 3))


def test_an_expansion_by_a_new_axis(check: Any) -> None:
    x = normal(2, 2)
    check("expand", {"shape": [2, 2, 2]}, [x], np.broadcast_to(x, (2, 2, 2)))
    check("squeeze", {"axes": [0]}, [x[None]], x)
    check("unsqueeze", {"axis": -1}, [x], x[..., None])
    check("where", {}, [x > 0, x, x.T], np.where(x > 0, x, x.T))
    check("one_hot", {"num_classes": 3}, [np.array([[2, 0]], np.int32)], np.eye(3, dtype=np.int32)[[[2, 0]]])
    check("cast", {"dtype": "i32"}, [f32(-1.9, 1.9)], np.array([-1, 1], np.int32))
    check("reshape", {"shape": [4]}, [x.T], x.T.reshape(4))


def test_products_with_a_vector_on_either_side_have_the_right_rank(check: Any) -> None:
    x, v = normal(3, 4), normal(4)
    assert check("matmul", {}, [x, v]).shape == (3,)
    assert check("matmul", {}, [v, x.T]).shape == (3,)
    assert check("matmul", {}, [v, v]).shape == ()


def test_more_elements_than_one_dimension_of_workgroups_holds(device: Any) -> None:
    x = np.arange(17_000_000, dtype=np.int32)
    np.testing.assert_array_equal(device.run("neg", {}, [x]), -x)


def test_parts_of_unequal_sizes_add_up(torch: Any) -> None:
    x = torch.arange(12).reshape(2, 6)
    assert [part.tolist() for part in x.split([1, 3, 2], dim=1)] == [
        part.tolist() for part in np.split(np.arange(12).reshape(2, 6), [1, 4], axis=1)
    ]
    assert torch.cat(x.split([1, 3, 2], 1), 1).tolist() == x.tolist()
    assert x.clone().zero_().tolist() == [[0] * 6] * 2


def test_a_value_that_is_used_again_and_again_is_computed_once(torch: Any, numpy_engine: Any) -> None:
    y = torch.tensor([1.0])
    for _ in range(60):
        y = y + y
    assert y.item() == 2.0**60
    assert sum(len(graph.nodes) for graph in numpy_engine.graphs) < 130


def test_an_op_that_is_not_here_is_an_error_and_never_left_out() -> None:
    for name in ("NoSuchOp", "tensor.no_such_op"):
        with pytest.raises(UnknownOpError):
            find(name)
