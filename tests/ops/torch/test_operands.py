"""Numbers beside tensors."""

from __future__ import annotations

from typing import Any

import pytest

from ops.errors import AttributeValueError, GraphError


def test_numbers_take_the_dtype_of_the_tensors_that_they_meet(torch: Any) -> None:
    i, f, b = torch.tensor([1, 2]), torch.tensor([1.5, 2.5]), torch.tensor([True, False])
    u = torch.tensor([1, 2], dtype=torch.uint32)
    for value, dtype, expected in (
        (i + 1, torch.int32, [2, 3]),
        (i + 1.5, torch.float32, [2.5, 3.5]),
        (f + 1, torch.float32, [2.5, 3.5]),
        (b + 1, torch.int32, [2, 1]),
        (b + True, torch.bool, [True, True]),
        (u + 1, torch.uint32, [2, 3]),
        (u - 2, torch.uint32, [(1 << 32) - 1, 0]),
        (2 - i, torch.int32, [1, 0]),
        (1 / i, torch.float32, [1.0, 0.5]),
        (2**i, torch.int32, [2, 4]),
        (i / i, torch.float32, [1.0, 1.0]),
        (i < 1.5, torch.bool, [True, False]),
        (torch.where(b, i, 0.5), torch.float32, [1.0, 0.5]),
        (torch.maximum(i, 2), torch.int32, [2, 2]),
    ):
        assert value.dtype is dtype
        assert value.tolist() == expected
    with pytest.raises(AttributeValueError, match="does not fit"):
        i + (1 << 40)
    with pytest.raises(GraphError, match="not str"):
        torch.add(i, "1")
    with pytest.raises(TypeError):
        i + "1"
