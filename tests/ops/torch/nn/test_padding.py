"""Layers that put more around tensors, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError

X = np.random.default_rng(1).normal(size=(2, 3, 4, 5, 6)).astype(np.float32)
MODES = {"ReflectionPad": "reflect", "ReplicationPad": "edge", "CircularPad": "wrap", "ZeroPad": "constant"}


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("name", MODES)
def test_more_is_put_around_the_last_axes(torch: Any, name: str, rank: int) -> None:
    x = X[(0,) * (3 - rank)]
    pairs = [(1, 2), (0, 1), (3, 0)][:rank]
    ends = [(0, 0)] * 2 + pairs[::-1]
    layer = getattr(torch.nn, f"{name}{rank}d")
    expected = np.pad(x, ends, mode=MODES[name])  # type: ignore[call-overload]
    assert layer(tuple(sum(pairs, ())))(torch.tensor(x)).tolist() == expected.tolist()
    alike = np.pad(x, [(0, 0)] * 2 + [(2, 2)] * rank, mode=MODES[name])  # type: ignore[call-overload]
    assert layer(2)(torch.tensor(x)).tolist() == alike.tolist()


def test_a_value_of_one_s_own_is_put_around(torch: Any) -> None:
    layer = torch.nn.ConstantPad1d((1, 2), 3.5)
    assert layer(torch.zeros(1, 1, 2)).tolist() == [[[3.5, 0, 0, 3.5, 3.5]]]


def test_another_number_of_ends_is_refused(torch: Any) -> None:
    with pytest.raises(AttributeValueError, match="one number or 4, not 2"):
        torch.nn.ZeroPad2d((1, 2))
