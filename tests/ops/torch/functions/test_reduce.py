"""Functions that fold along axes take what PyTorch's take, tensors of rank 0 too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError, ShapeError
from ops.torch.tensor import apply

X = np.float32([[3, 1, 2], [0.5, 4, 2]])


def test_a_tensor_of_rank_0_has_one_element_along_its_axis(torch: Any) -> None:
    x = torch.tensor(5.0)
    for found in (x.topk(1), torch.kthvalue(x, 1), x.median(dim=0), x.sort(), torch.cummax(x, 0)):
        assert [(part.shape, part.item()) for part in found] == [((), 5), ((), 0)]


@pytest.mark.parametrize("name", ["uint8", "int16", "int64", "float32"])
def test_running_folds_have_the_dtype_that_is_asked_for_and_wrap_in_it(name: str, torch: Any) -> None:
    x, dtype = torch.tensor([200, 100, 3]), getattr(torch, name)
    for function, oracle in ((torch.cumsum, np.cumsum), (torch.cumprod, np.cumprod)):
        found = function(x, 0, dtype=dtype)
        assert found.dtype is dtype
        assert found.tolist() == oracle(np.array([200, 100, 3]), dtype=name).tolist()
        assert function(x > 100, 0).tolist() == oracle([1, 0, 0]).tolist()


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_quantiles_lie_where_numpys_do(interpolation: str, torch: Any) -> None:
    x = torch.tensor(X)
    for part in (0, 0.3, 0.5, 1):
        expected = np.quantile(X, part, axis=1, method=interpolation)
        np.testing.assert_allclose(x.quantile(part, 1, interpolation=interpolation).tolist(), expected, 1e-6)
    parts = torch.tensor([0.25, 0.75])
    found = torch.quantile(x, parts, dim=0, keepdim=True, interpolation=interpolation)
    expected = np.quantile(X, [0.25, 0.75], axis=0, keepdims=True, method=interpolation)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.tolist(), expected, 1e-6)


def test_a_quantile_that_is_an_element_does_not_mind_infinite_neighbours(torch: Any) -> None:
    x = torch.tensor([1.0, float("inf")])
    assert (x.quantile(0.0).item(), x.quantile(1.0).item()) == (1, float("inf"))


def test_differences_go_on_before_and_after(torch: Any) -> None:
    x, before, after = torch.tensor([1, 4, 9]), torch.tensor([0]), torch.tensor([10, 10])
    assert torch.diff(x, prepend=before, append=after).tolist() == [1, 3, 5, 1, 0]
    assert torch.diff(x, 2, -1, before).tolist() == [2, 2]
    assert torch.diff(x, 0, prepend=before).tolist() == [1, 4, 9]
    assert torch.diff(x[:1], 3).tolist() == []
    with pytest.raises(ShapeError, match="at least 1 axis"):
        torch.diff(torch.tensor(1))


def test_spreads_and_means_take_whether_they_are_unbiased_in_place_of_an_axis(torch: Any) -> None:
    variance, mean = torch.var_mean(torch.tensor(X), False)
    np.testing.assert_allclose([variance.item(), mean.item()], [X.var(), X.mean()], 1e-6)
    spread, _ = torch.std_mean(torch.tensor(X), 1, True, True)
    np.testing.assert_allclose(spread.tolist(), X.std(1, ddof=1, keepdims=True), 1e-6)
    assert np.isnan(torch.zeros(0).var().item())
    assert np.isnan(torch.zeros(0, 3).std(0).tolist()).all()


def test_a_fold_with_a_dtype_gives_that_dtype(torch: Any) -> None:
    flags = torch.tensor([[True, False], [True, True]])
    assert flags.prod(1, dtype=torch.bool).tolist() == [False, True]
    assert flags.sum(dtype=torch.float32).tolist() == 3.0


def test_bools_have_extremes_with_positions(torch: Any) -> None:
    flags = torch.tensor([[False, True], [False, False]])
    for found, values, places in (
        (flags.max(1), [True, False], [1, 0]),
        (flags.min(0), [False, False], [0, 1]),
        (torch.cummax(flags, 1), [[False, True], [False, False]], [[0, 1], [0, 1]]),
    ):
        assert (found.values.tolist(), found.indices.tolist()) == (values, places)
    assert torch.logsumexp(torch.tensor([0, 0]), 0).item() == pytest.approx(np.log(2))


def test_weights_that_are_counted_make_floats(torch: Any) -> None:
    counts = torch.bincount(torch.tensor([2, 0, 2]), torch.tensor([1, 2, 3]))
    assert (counts.tolist(), counts.dtype) == ([2, 0, 4], torch.float32)


def test_the_median_along_an_axis_with_nans_is_the_first_of_them(torch: Any) -> None:
    nan = float("nan")
    found = torch.tensor([[nan, 1, nan], [3, nan, 1], [3, 1, 2]]).median(dim=1)
    np.testing.assert_array_equal(found.values.tolist(), [nan, nan, 2])
    assert found.indices.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_median_of_nothing_and_of_a_nan_is_nan(dtype: str, torch: Any) -> None:
    for x in ([], [1, float("nan"), 2]):
        found = torch.tensor(x, dtype=getattr(torch, dtype)).median()
        assert (found.shape, found.dtype) == ((), getattr(torch, dtype))
        assert np.isnan(found.item())
    assert torch.zeros(2, 0).median().shape == ()
    for refused in (lambda: torch.zeros(0, dtype=torch.int32).median(), lambda: torch.zeros(2, 0).median(1)):
        with pytest.raises((AttributeValueError, ShapeError)):
            refused()


def test_the_spread_of_equal_numbers_is_a_root_with_a_slope(torch: Any) -> None:
    x = torch.ones(3)
    for found in (torch.std(x), torch.std_mean(x)[0]):
        assert torch.explain(found) == torch.explain(apply("std", [x]))
        assert found.item() == 0
