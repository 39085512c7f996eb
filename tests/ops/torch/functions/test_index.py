"""Functions that read and write at positions as scripts call them; PyTorch's rules where NumPy's differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import ShapeError


def test_scattering_has_pytorchs_forms(torch: Any) -> None:
    zeros, index = torch.zeros(2, 4), torch.tensor([[0, 1], [2, 2]])
    source = torch.tensor([[1.0, 2.0, 9.0], [3.0, 4.0, 9.0]])
    for value, expected in (
        (zeros.scatter(1, index, source), [[1, 2, 0, 0], [0, 0, 4, 0]]),
        (zeros.scatter(1, index, 5.0), [[5, 5, 0, 0], [0, 0, 5, 0]]),
        (zeros.scatter(1, index, source, reduce="add"), [[1, 2, 0, 0], [0, 0, 7, 0]]),
        (zeros.scatter_add(1, index, source), [[1, 2, 0, 0], [0, 0, 7, 0]]),
        ((zeros + 1).scatter_reduce(1, index, source, "prod"), [[1, 2, 1, 1], [1, 1, 12, 1]]),
        ((zeros + 1).scatter_reduce(1, index, source, "mean"), [[1, 1.5, 1, 1], [1, 1, 8 / 3, 1]]),
        (
            (zeros + 9).scatter_reduce(1, index, source, "amin", include_self=False),
            [[1, 2, 9, 9], [9, 9, 3, 9]],
        ),
        (torch.zeros(4).index_add(0, torch.tensor([1, 1]), torch.tensor([2.0, 3.0]), alpha=2), [0, 10, 0, 0]),
        (torch.zeros(4).index_fill(0, torch.tensor([1, -1]), 7), [0, 7, 0, 7]),
        (torch.zeros(4).index_copy(0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0])), [2, 0, 1, 0]),
        (
            torch.zeros(3).masked_scatter(torch.tensor([True, False, True]), torch.tensor([1.0, 2.0])),
            [1, 0, 2],
        ),
    ):
        np.testing.assert_allclose(value.tolist(), expected, rtol=1e-6)
    target = torch.zeros(4)
    assert target.scatter_add_(0, torch.tensor([3]), torch.tensor([1.0])) is target
    assert target.tolist() == [0, 0, 0, 1]


def test_a_tensor_of_rank_0_counts_as_one_of_one_element(torch: Any) -> None:
    x, first = torch.tensor(5), torch.tensor([0])
    assert torch.gather(x, 0, first).tolist() == [5]
    assert torch.gather(torch.tensor([5, 6]), 0, torch.tensor(1)).tolist() == 6
    assert torch.index_select(x, 0, first).tolist() == 5
    assert torch.masked_select(x, torch.tensor(True)).tolist() == [5]
    assert torch.cat([torch.zeros(0), torch.ones(1, 2)], dim=1).tolist() == [[1, 1]]


def test_a_mask_is_as_wide_as_what_it_hides(torch: Any) -> None:
    flags = torch.tensor([[True, False], [False, True]])
    found = torch.masked_scatter(torch.tensor([7, 8]), flags, torch.tensor([1, 2]))
    assert found.tolist() == [[1, 8], [7, 2]]


def test_extremes_of_bools_that_do_not_count_themselves_begin_at_the_other_end(torch: Any) -> None:
    x, places, source = torch.tensor([True, False]), torch.tensor([0, 1]), torch.tensor([False, True])
    assert x.scatter_reduce(0, places, source, "amax", include_self=False).tolist() == [False, True]
    assert x.scatter_reduce(0, places, source, "amin", include_self=False).tolist() == [False, True]


@pytest.mark.parametrize("shape", [(0,), (0, 4), (2, 0), (2, 0, 3)])
def test_no_positions_are_taken_in_any_shape(shape: tuple[int, ...], torch: Any) -> None:
    x, none = torch.arange(12).reshape(3, 4).float(), torch.zeros(*shape, dtype=torch.int64)
    found = torch.gather(x, 1, none)
    assert (found.shape, found.dtype) == (shape, torch.float32)
    for written in (
        x.scatter(0, none, torch.ones(*shape)),
        x.scatter(-1, none, 1.0),
        x.scatter_add(1, none, x),
        x.scatter_reduce(0, none, torch.ones(*shape), "mean"),
        x.scatter_reduce(0, none, torch.ones(*shape), "amax", include_self=False),
    ):
        assert written.tolist() == x.tolist()
    for axis in (2, -3):
        with pytest.raises(ShapeError, match="out of range"):
            torch.gather(x, axis, none)
        with pytest.raises(ShapeError, match="out of range"):
            torch.scatter(x, axis, none, 1.0)


def test_what_is_scattered_where_nothing_is_has_a_tensor_of_its_own(torch: Any) -> None:
    x = torch.zeros(2)
    written = x.scatter(0, torch.zeros(0, dtype=torch.int64), 1.0)
    written += 1
    assert (x.tolist(), written.tolist()) == ([0, 0], [1, 1])


def test_one_position_of_rank_0_selects_a_part_of_size_1(torch: Any) -> None:
    found = torch.index_select(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor(1))
    assert found.tolist() == [[2], [4]]


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "int64", "float16", "float32"])
def test_extremes_that_do_not_count_what_was_there_begin_beyond_every_number(name: str, torch: Any) -> None:
    low, high = (0, 255) if name == "uint8" else (-128, 127)
    x, places = torch.tensor([5, 5], dtype=getattr(torch, name)), torch.tensor([0, 1])
    source = torch.tensor([low, high], dtype=x.dtype)
    for reduce in ("amax", "amin"):
        assert x.scatter_reduce(0, places, source, reduce, include_self=False).tolist() == [low, high]


def test_extremes_of_wide_integers_begin_beyond_32_bits(torch: Any) -> None:
    x, source = torch.zeros(2, dtype=torch.int64), torch.tensor([-(1 << 40), 1 << 40], dtype=torch.int64)
    for reduce in ("amax", "amin"):
        found = x.scatter_reduce(0, torch.tensor([0, 1]), source, reduce, include_self=False)
        assert found.tolist() == [-(1 << 40), 1 << 40]
