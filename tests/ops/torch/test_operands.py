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


def test_a_quotient_takes_numbers_that_the_dtype_of_integers_does_not_hold(torch: Any) -> None:
    u, i, w = (torch.tensor([50], dtype=each) for each in (torch.uint8, torch.int8, torch.int32))
    for value, expected in (
        (u / -2, -25),
        (u / 1000, 0.05),
        (1000 / u, 20),
        (i / 200, 0.25),
        (w / (1 << 31), 50 / 2**31),
        (torch.div(u, 400), 0.125),
        (torch.xlogy(i, 1), 0),
        (torch.hypot(u, -120.0), 130),
        (u / torch.tensor(1000), 0.05),
    ):
        assert value.dtype is torch.float32
        assert value.tolist() == pytest.approx([expected], rel=1e-6)
    with pytest.raises(AttributeValueError, match="does not fit"):
        torch.div(w, 1 << 40, rounding_mode="floor")


def test_a_tensor_of_rank_0_has_a_say_only_by_its_kind(torch: Any) -> None:
    half, byte = torch.tensor([1.5, 2.5], dtype=torch.float16), torch.tensor([1, 2], dtype=torch.uint8)
    flag = torch.tensor([True, False])
    for value, dtype, expected in (
        (half * torch.tensor(2.0), torch.float16, [3, 5]),
        (torch.tensor(2.0) * half, torch.float16, [3, 5]),
        (half + torch.tensor(1), torch.float16, [2.5, 3.5]),
        (byte + torch.tensor(1, dtype=torch.int64), torch.uint8, [2, 3]),
        (byte + torch.tensor(300, dtype=torch.int64), torch.uint8, [45, 46]),
        (byte + torch.tensor(0.5), torch.float32, [1.5, 2.5]),
        (byte + torch.tensor(0.5, dtype=torch.float16), torch.float16, [1.5, 2.5]),
        (flag + torch.tensor(1), torch.int32, [2, 1]),
        (torch.where(flag, byte, torch.tensor(5)), torch.uint8, [1, 5]),
        (torch.maximum(byte, torch.tensor(2)), torch.uint8, [2, 2]),
        (torch.tensor(1.5, dtype=torch.float16) + torch.tensor(1.0), torch.float32, 2.5),
        (half * torch.tensor([2.0]), torch.float32, [3, 5]),
    ):
        assert (value.dtype, value.tolist()) == (dtype, expected)
