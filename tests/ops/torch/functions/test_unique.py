"""Distinct elements and distinct parts along an axis, against NumPy."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest

X = np.random.default_rng(5).integers(0, 2, (6, 3, 2)).astype(np.int32)
"""So few values that parts of every axis repeat."""


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_distinct_parts_of_an_axis_are_numpys(axis: int, torch: Any) -> None:
    expected = np.unique(X, return_inverse=True, return_counts=True, axis=axis)
    found = torch.unique(torch.tensor(X), return_inverse=True, return_counts=True, dim=axis)
    for mine, its in zip(found, expected, strict=True):
        assert mine.tolist() == its.tolist()


@pytest.mark.parametrize("columns", [1, 2, 5, 8, 9])
def test_parts_of_any_size_are_told_apart(columns: int, torch: Any) -> None:
    x = np.random.default_rng(columns).integers(-1, 2, (40, columns)).astype(np.float32)
    assert torch.unique(torch.tensor(x), dim=0).tolist() == np.unique(x, axis=0).tolist()


def test_distinct_elements_are_those_of_all_axes(torch: Any) -> None:
    x = torch.tensor([[3, 1], [3, 2]])
    assert torch.unique(x).tolist() == [1, 2, 3]
    found = torch.unique(x, return_inverse=True, return_counts=True)
    assert [part.tolist() for part in found] == [[1, 2, 3], [[2, 0], [2, 1]], [1, 1, 2]]
    assert torch.unique(torch.tensor(7), return_counts=True)[1].tolist() == [1]


def test_repeats_of_neighbours_go_along_any_axis(torch: Any) -> None:
    x = np.int32([[1, 1, 2], [1, 1, 2], [0, 0, 2], [1, 1, 2]])
    rows = torch.unique_consecutive(torch.tensor(x), return_inverse=True, return_counts=True, dim=0)
    assert [part.tolist() for part in rows] == [[[1, 1, 2], [0, 0, 2], [1, 1, 2]], [0, 0, 1, 2], [2, 1, 1]]
    assert torch.unique_consecutive(torch.tensor(x), dim=1).tolist() == x[:, 1:].tolist()
    flat = torch.unique_consecutive(torch.tensor(x), return_counts=True)
    runs = [(value, len(list(run))) for value, run in groupby(x.reshape(-1).tolist())]
    assert list(zip(*(part.tolist() for part in flat), strict=True)) == runs


def test_a_nan_is_like_no_other_part(torch: Any) -> None:
    x = torch.tensor([[float("nan"), 1], [float("nan"), 1], [0, 1], [0, 1]])
    assert torch.unique(x, dim=0).shape == (3, 2)


def test_nothing_has_no_parts(torch: Any) -> None:
    empty = torch.zeros(0, 3)
    for function in (torch.unique, torch.unique_consecutive):
        assert function(empty).tolist() == []
        assert function(empty, dim=0).shape == (0, 3)
