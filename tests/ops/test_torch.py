"""Rows against PyTorch, where it is installed: what they mean at edge values, by every name that the two share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.spec import OpSpec
from tests.ops.agreement import agree, error_scale
from tests.ops.test_elementwise import EDGES, ROWS

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

OTHERWISE = {
    "masked_fill": "it has no value of its own there",
    "threshold": "it has no values of its own there",
    "where": "its condition must be bool there",
    "nan_to_num": "it takes no bools there with numbers of ours",
    "cast": "it is a method of another form there",
    "hardsigmoid": "it has no attributes there",
}


def ordinary(line: np.ndarray) -> np.ndarray:
    """Without numbers at which PyTorch's own steps overflow or lose bits: some sizes near the ends of f32."""
    if line.dtype != np.float32:
        return line
    size = np.abs(line)
    return line[(size == 0) | ~np.isfinite(size) | ((size > 1e-18) & (size < 1e18) & (size != 89))]


def function_of(row: OpSpec) -> Any:
    """What PyTorch calls by the row's name or an alias, in the functional module first."""
    for name in (row.name, *row.aliases):
        for space in (torch.nn.functional, torch.special, torch):
            if hasattr(space, name):
                return getattr(space, name)
    return None


SHARED = [row for row in ROWS if function_of(row) is not None and row.name not in OTHERWISE]


def test_most_rows_share_a_name() -> None:
    assert len(SHARED) > 80


@pytest.mark.parametrize("row", SHARED, ids=lambda row: row.name)
def test_a_row_means_what_pytorch_means(row: OpSpec) -> None:
    function = function_of(row)
    for name in row.dtypes:
        if name not in ("f32", "i32", "bool"):
            continue  # PyTorch has hardly any op for u32, and others are stored in ways of ours
        count = len(row.inputs)
        lines = [
            ordinary(EDGES[name]).reshape([-1 if axis == number else 1 for axis in range(count)])
            for number in range(count)
        ]
        try:
            expected = function(*(torch.from_numpy(line) for line in lines)).numpy()
        except (RuntimeError, NotImplementedError):
            continue  # it takes fewer dtypes, or refuses to divide by 0
        actual = reference.apply(row.name, {}, lines)
        if expected.dtype == np.int64:
            expected = expected.astype(np.int32)
        right = agree(actual, expected, max(row.tolerance, 3e-7), error_scale(row, {}, lines, actual))
        wrong = np.argwhere(~right)
        shown = [
            tuple(float(np.broadcast_to(line, actual.shape)[tuple(at)]) for line in lines) for at in wrong[:4]
        ]
        assert not len(wrong), (name, len(wrong), shown, actual[~right][:4], expected[~right][:4])
