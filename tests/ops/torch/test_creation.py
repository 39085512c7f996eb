"""Tensors made of data, ranges and one value."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ops.errors import AttributeValueError, GraphError, ShapeError
from shaders.errors import KernelgateError


def test_a_tensor_of_a_tensor_is_written_to_apart_and_as_tensor_is_the_same(
    torch: Any, numpy_engine: Any
) -> None:
    x = torch.tensor([1, 2])
    copy, same = torch.tensor(x), torch.as_tensor(x)
    x.zero_()
    assert (copy.tolist(), same.tolist()) == ([1, 2], [0, 0])
    assert torch.as_tensor([1, 2], dtype=torch.float32).dtype is torch.float32


def test_a_gradient_that_nothing_would_record_is_refused(torch: Any) -> None:
    for data in ([1.0], torch.ones(1)):
        with pytest.raises(GraphError, match="not recorded"):
            torch.tensor(data, requires_grad=True)


def test_data_have_the_dtype_that_pytorch_gives_in_32_bits(torch: Any) -> None:
    for data, dtype in (
        ([1, 2], torch.int32),
        ([1, 2.0], torch.float32),
        ([True, False], torch.bool),
        ([True, 2], torch.int32),
        ([], torch.float32),
        (3, torch.int32),
        ([[1.5], [2.5]], torch.float32),
    ):
        assert torch.tensor(data).dtype is dtype
        assert torch.tensor(data).tolist() == data
    assert torch.tensor([1.7, -1.7], dtype=torch.int32).tolist() == [1, -1]
    assert torch.tensor([0, 3], dtype=torch.bool).tolist() == [False, True]
    assert torch.tensor([1, 2], dtype=torch.uint32).tolist() == [1, 2]
    assert torch.tensor([1e39]).tolist() == [math.inf]
    assert torch.tensor([torch.tensor(1.5), 2]).tolist() == [1.5, 2]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ([[1], [2, 3]], ShapeError),
        ([[1], 2], ShapeError),
        (["a"], AttributeValueError),
        ([None], AttributeValueError),
        ([1 << 31], AttributeValueError),
        ([[[[[[[[[1]]]]]]]]], ShapeError),
        ([1 + 2j], AttributeValueError),
    ],
)
def test_data_that_make_no_tensor_are_refused(data: Any, error: type[KernelgateError], torch: Any) -> None:
    with pytest.raises(error):
        torch.tensor(data)
    with pytest.raises(AttributeValueError, match="do not fit in u32"):
        torch.tensor([-1], dtype=torch.uint32)
    with pytest.raises(AttributeValueError, match="do not fit in i32"):
        torch.tensor([math.nan], dtype=torch.int32)


def test_tensors_of_a_range_or_one_value(torch: Any) -> None:
    assert torch.arange(2, 11, 3).tolist() == [2, 5, 8]
    assert torch.arange(5, 0, -2).tolist() == [5, 3, 1]
    assert torch.arange(0, 1, 0.25).tolist() == [0, 0.25, 0.5, 0.75]
    assert torch.arange(3, 1).tolist() == []
    assert torch.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert torch.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert torch.zeros(2, 2).tolist() == torch.zeros((2, 2)).tolist() == [[0, 0], [0, 0]]
    assert torch.ones(2, dtype=torch.int32).tolist() == [1, 1]
    assert torch.full((2,), 7).dtype is torch.int32
    assert torch.full((2,), 0.5).tolist() == [0.5, 0.5]
    assert torch.zeros_like(torch.tensor([1, 2])).dtype is torch.int32
    assert torch.zeros(()).item() == 0
    with pytest.raises(AttributeValueError, match="step that is not 0"):
        torch.arange(1, 2, 0)
    with pytest.raises(ShapeError):
        torch.zeros(-1)


def test_whole_numbers_of_a_range_are_cut_off_as_pytorch_does(torch: Any) -> None:
    assert torch.arange(-0.9, 2.1, 2.0, dtype=torch.int32).tolist() == [0, 2]
    assert torch.arange(-0.9, 2.1, 2.0, dtype=torch.int64).tolist() == [0]
    far = 1 << 59
    assert torch.arange(0, 2 * far + 1, far, dtype=torch.int64).tolist() == [0, far, 2 * far]
    assert torch.arange(2 * far, -1, -far, dtype=torch.int64).tolist() == [2 * far, far, 0]
    with pytest.raises(AttributeValueError, match="a step that is not 0"):
        torch.arange(0, 1, 0.5, dtype=torch.int64)
    assert torch.linspace(4.3, -3, 8, dtype=torch.int32).tolist() == [4, 3, 2, 1, 0, -1, -2, -3]
    exact = [int(7 * number / 49) for number in range(50)]
    assert torch.linspace(0, 7, 50, dtype=torch.int32).tolist() == exact
    assert torch.linspace(0, 1 << 30, 5, dtype=torch.int32).tolist() == [n << 28 for n in range(5)]
    assert torch.randint(3, (2,), dtype=torch.float32).dtype == torch.float32
