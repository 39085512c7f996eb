"""Functions of elementwise rows as scripts call them: PyTorch's arguments, in-place forms, views that are written."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

from ops.dtypes import DTypeError
from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.table import TABLE
from ops.torch.tensor import node_of


def test_every_elementwise_row_has_a_method_a_function_and_an_in_place_form(torch: Any) -> None:
    for row in TABLE.values():
        if row.kind == "elementwise" and row.name not in ("where", "cast"):
            for name in (row.name, *row.aliases):
                assert callable(getattr(torch, name))
                assert callable(getattr(torch.Tensor, name))
                assert callable(getattr(torch.Tensor, f"{name}_"))


def test_functions_take_pytorchs_arguments(torch: Any) -> None:
    x, y = torch.tensor([4.0, -7.0]), torch.tensor([2.0, 2.0])
    for value, expected in (
        (torch.add(x, y, alpha=10), [24, 13]),
        (x.sub(y, alpha=0.5), [3, -8]),
        (torch.div(x, y, rounding_mode="floor"), [2, -4]),
        (torch.div(x, y, rounding_mode="trunc"), [2, -3]),
        (x // y, [2, -4]),
        (x % 3, [1, 2]),
        (7 // y, [3, 3]),
        (torch.clamp(x, min=-1), [4, -1]),
        (x.clamp(max=y), [2, -7]),
        (x.clip(-1, torch.tensor(1.0)), [1, -1]),
        (torch.lerp(x, end=y, weight=0.5), [3, -2.5]),
        (torch.addcmul(x, tensor1=x, tensor2=y, value=2), [20, -35]),
        (torch.addcdiv(x, x, y, value=2), [8, -14]),
        (torch.pow(x, exponent=2), [16, 49]),
        (x.masked_fill(x > 0, 9), [9, -7]),
        (x.masked_fill(x > 0, torch.tensor(9)), [9, -7]),
        (torch.nn.functional.leaky_relu(x, 0.5), [4, -3.5]),
        (torch.nn.functional.threshold(x, 0.0, 5.0), [4, 5]),
        (torch.nn.functional.softplus(x, beta=1.0, threshold=3.0)[:1], [4]),
        (torch.round(torch.tensor([1.256, -0.5]), decimals=2), pytest.approx([1.26, -0.5])),
        (torch.round(torch.tensor([125.0]), decimals=-1), [120]),
        (+x, [4, -7]),
    ):
        assert value.tolist() == expected
    weight = torch.tensor([0.5, 0.25])
    assert torch.nn.functional.prelu(torch.full((1, 2, 1, 1), -4.0), weight).flatten().tolist() == [-2, -1]
    assert torch.allclose(x, x + 1e-9)
    assert not torch.allclose(x, y)
    assert torch.allclose(torch.tensor(math.nan), torch.tensor(math.nan), equal_nan=True)
    with pytest.raises(AttributeValueError, match="no rounding mode"):
        torch.div(x, y, rounding_mode="up")
    with pytest.raises(AttributeValueError, match="a min, a max"):
        torch.clamp(x)


def test_numbers_that_are_floats_make_floats_of_integers(torch: Any) -> None:
    x = torch.tensor([1, 2])
    assert x.clamp(1.5, 9).tolist() == [1.5, 2.0]
    assert x.clamp(2, 9).dtype is torch.int32
    assert torch.add(x, x, alpha=0.5).tolist() == [1.5, 3.0]
    assert x.masked_fill(x > 1, 7.9).tolist() == [1, 7]


def test_in_place_forms_change_the_tensor_and_give_it(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    same = x
    assert x.add_(1).mul_(torch.tensor(2.0)).clamp_(max=7) is x
    x += 1
    x //= 2
    assert same is x
    assert same.tolist() == [2, 3, 4]
    assert torch.nn.functional.relu(x.neg_(), inplace=True) is x
    assert x.tolist() == [0, 0, 0]
    assert x.fill_(2).tolist() == [2, 2, 2]
    assert x.copy_(torch.tensor([5])).tolist() == [5, 5, 5]
    assert x.zero_().tolist() == [0, 0, 0]
    with pytest.raises(ShapeError, match="cannot become one of"):
        x.add_(torch.zeros(2, 3))
    with pytest.raises(DTypeError, match=r"int32 cannot become one of torch\.float32"):
        torch.tensor([1]).add_(0.5)


def test_a_copy_is_written_apart(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0])
    copies = [x.clone(), copy.copy(x), copy.deepcopy(x), x + 0]
    x.add_(1)
    assert all(each.tolist() == [1, 2] for each in copies)
    x.detach().add_(1)
    x.data.add_(1)
    assert x.tolist() == [4, 5]


def test_a_view_writes_through_and_sees_what_is_written(torch: Any) -> None:
    x = torch.arange(12).reshape(3, 4).clone()
    row, flipped, matrix, flat = x[1], x[:, 1::2], x.T, x.view(-1)
    corner = matrix.permute(1, 0)[2:, :1]
    row.add_(100)
    flat[11] = -1
    corner.fill_(7)
    assert x.tolist() == [[0, 1, 2, 3], [104, 105, 106, 107], [7, 9, 10, -1]]
    assert flipped.tolist() == [[1, 3], [105, 107], [9, -1]]
    assert matrix.tolist() == [[0, 104, 7], [1, 105, 9], [2, 106, 10], [3, 107, -1]]
    assert flat.tolist() == [0, 1, 2, 3, 104, 105, 106, 107, 7, 9, 10, -1]
    x[0] += 5
    x[:, 3] = torch.tensor([1, 2, 3])
    x[..., None][0, 0] = 50
    assert x.tolist() == [[50, 6, 7, 1], [104, 105, 106, 2], [7, 9, 10, 3]]
    with pytest.raises(GraphError, match="more than once"):
        x[:1].expand(3, 4).fill_(0)


def test_a_long_chain_of_views_is_no_burden(torch: Any) -> None:
    x = torch.zeros(2, 3)
    view = x
    for _ in range(2_000):
        view = view.T
    x[0, 1] = 1
    assert view.tolist() == [[0, 1, 0], [0, 0, 0]]


def test_one_slope_suits_a_tensor_of_any_rank(torch: Any) -> None:
    slope = torch.tensor([0.5])
    assert torch.nn.functional.prelu(torch.tensor(-2.0), slope).tolist() == -1
    assert torch.nn.functional.prelu(torch.tensor([[-2.0, 2.0]]), slope).tolist() == [[-1, 2]]


def test_bounds_that_are_tensors_leave_what_is_equal_alone_and_pass_nan_on(torch: Any) -> None:
    nan = math.nan
    x, low, high = (
        torch.tensor(each)
        for each in ([1.0, 2, 9, nan, 1, 1], [1.0, 3, 0, 0, nan, 0], [4.0, 4, 4, 4, 4, nan])
    )
    np.testing.assert_array_equal(torch.clamp(x, low, high).tolist(), [1, 3, 4, nan, nan, nan])
    np.testing.assert_array_equal(torch.clamp(x, max=high).tolist(), [1, 2, 4, nan, 1, nan])
    np.testing.assert_array_equal(
        torch.clamp_min(torch.tensor([1, 5]), torch.tensor([2, 2])).tolist(), [2, 5]
    )
    assert node_of(torch.clamp(x, low)).op == "where"  # `maximum` would share the gradient of what is equal


def test_integers_are_not_raised_to_negative_numbers(torch: Any) -> None:
    x = torch.tensor([1, 2])
    for refused in (lambda: x**-1, lambda: torch.pow(x, -2), lambda: x.pow_(-1), lambda: (x > 1) ** -1):
        with pytest.raises(AttributeValueError, match="to the power -"):
            refused()
    assert (x**-1.0).tolist() == [1, 0.5]
    assert (x.float() ** -1).tolist() == [1, 0.5]
    assert torch.pow(x, torch.tensor([-1, -1])).tolist() == [1, 0]
    assert (2**x).tolist() == [2, 4]


def test_bools_are_numbers_beside_numbers(torch: Any) -> None:
    x = torch.tensor([True, False])
    for value, dtype, expected in (
        (x**2, torch.int32, [1, 0]),
        (x // 2, torch.int32, [0, 0]),
        (x % 2, torch.int32, [1, 0]),
        (torch.fmod(x, 2), torch.int32, [1, 0]),
        (x // 0.5, torch.float32, [2, 0]),
        (torch.div(x, 2, rounding_mode="trunc"), torch.int32, [0, 0]),
        (torch.tensor([3, 4]) ** x, torch.int32, [3, 1]),
    ):
        assert (value.dtype, value.tolist()) == (dtype, expected)
    with pytest.raises(DTypeError, match="sub does not take bool"):
        x - 1


def test_a_condition_has_no_say_in_the_dtype(torch: Any) -> None:
    x, y = torch.tensor([1, 2], dtype=torch.uint8), torch.tensor([8, 9], dtype=torch.uint8)
    for condition in ([True, False], [1, 0], [-0.5, 0.0], torch.tensor([1 << 40, 0], dtype=torch.int64)):
        given = condition if isinstance(condition, torch.Tensor) else torch.tensor(condition)
        found = torch.where(given, x, y)
        assert (found.dtype, found.tolist()) == (torch.uint8, [1, 9])
    assert torch.where(torch.tensor([2.5, 0.0]), x, 7).dtype is torch.uint8
    assert torch.where(torch.tensor([True, False]), x, 7.5).tolist() == [1, 7.5]


def test_tolerances_of_0_ask_for_equal_numbers(torch: Any) -> None:
    x, y = (torch.tensor([1 << 53, (1 << 53) + each], dtype=torch.int64) for each in (1, 0))
    assert torch.isclose(x, y, rtol=0, atol=0).tolist() == [True, False]
    assert torch.isclose(x, y).tolist() == [True, True]
