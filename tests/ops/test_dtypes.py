"""How dtypes meet, and what scripts see of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ops.dtypes import BY_NAME, ROWS, dtype, promote
from ops.errors import AttributeValueError
from ops.reference import DTYPES

NUMPYS = [row for row in ROWS if row.name not in ("bf16", "u32")]
"""Dtypes that NumPy has, but for the one with which it makes i64 where PyTorch makes nothing."""


def test_dtypes_meet_in_the_smallest_that_holds_both() -> None:
    for one, other in itertools.product(NUMPYS, repeat=2):
        if {one.kind, other.kind} == {"int", "float"}:
            assert (
                promote(one, other).kind == "float"
            )  # PyTorch keeps the float, where NumPy takes a wider one
        else:
            assert promote(one, other).name == _name(np.promote_types(DTYPES[one.name], DTYPES[other.name]))


def _name(wanted: Any) -> str:
    return next(name for name, mine in DTYPES.items() if mine == wanted)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("f16 bf16", "f32"),
        ("bf16 i64", "bf16"),
        ("u32 i32", "i32"),
        ("u32 i8", "i32"),
        ("u32 u8", "u32"),
        ("u32 i64", "i64"),
        ("bool u8 i8 u16", "i32"),
    ],
)
def test_the_rest_meets_as_in_pytorch_or_as_documented(names: str, expected: str) -> None:
    for order in itertools.permutations(map(dtype, names.split())):
        assert promote(*order).name == expected


def test_scripts_have_every_dtype_by_pytorchs_names(torch: Any) -> None:
    assert (torch.long, torch.short, torch.half) == (torch.int64, torch.int16, torch.float16)
    assert [getattr(torch, name).itemsize for name in ("int64", "uint8", "int8", "uint16", "bfloat16")] == [
        8, 1, 1, 2, 2,
    ]  # fmt: skip
    x = torch.tensor([1.7, -2.0, 300.0])
    assert x.long().dtype is torch.int64
    assert (x.byte().tolist(), x.char().tolist(), x.short().tolist()) == (
        [1, 0, 255],
        [1, -2, 127],
        [1, -2, 300],
    )
    assert x.bfloat16().dtype is torch.bfloat16
    assert x.to(torch.uint16).int().dtype is torch.int32


def test_short_tensors_wrap_and_meet_numbers_as_in_pytorch(torch: Any) -> None:
    x = torch.tensor([250, 5], dtype=torch.uint8)
    assert (x + 10).dtype is torch.uint8
    assert (x + 10).tolist() == [4, 15]
    assert (x * x).tolist() == [36, 25]
    assert (x + 0.5).dtype is torch.float32
    assert (x - torch.tensor([1, 1], dtype=torch.int8)).dtype is torch.int16
    assert x.sum().dtype is torch.int32
    assert repr(x) == "tensor([250,   5], dtype=torch.uint8)"
    x += 7
    assert x.tolist() == [1, 12]


def test_i64_comes_in_and_goes_out_whole(torch: Any) -> None:
    x = torch.tensor([[1 << 62, -5], [(1 << 53) + 1, 0]], dtype=torch.int64)
    assert x.tolist() == [[1 << 62, -5], [(1 << 53) + 1, 0]]
    assert (x + 1)[1, 0].item() == (1 << 53) + 2
    assert (x + (1 << 40))[0, 1].item() == (1 << 40) - 5
    assert x.sum().item() == (1 << 62) + (1 << 53) - 4
    assert x.sum().dtype is torch.int64
    assert torch.arange(3, dtype=torch.int64).dtype is torch.int64
    rows = torch.tensor([10.0, 20.0, 30.0])
    assert rows[torch.tensor([2, -3], dtype=torch.int64)].tolist() == [30, 10]
    assert rows[torch.tensor([2, 0], dtype=torch.uint8)].tolist() == [30, 10]
    with pytest.raises(AttributeValueError, match="do not fit in i32") as caught:
        torch.tensor([1 << 40])
    assert "torch.int64" in str(caught.value.hint)


def test_bf16_is_rounded_to_the_nearest_as_it_comes_in(torch: Any) -> None:
    x = torch.tensor([1.0, 1.00390625, 1.01171875, float("nan"), 3e38, -0.1], dtype=torch.bfloat16)
    values = x.tolist()
    assert values[:3] == [1.0, 1.0, 1.015625]
    assert values[3] != values[3]
    assert values[5] == -0.10009765625
    assert (x[:2] + 1).tolist() == [2, 2]
    assert repr(x[:1]) == "tensor([1.], dtype=torch.bfloat16)"


def test_every_row_is_complete() -> None:
    for row in ROWS:
        assert BY_NAME[row.register].device_bytes >= 4
        assert row.wire_bytes == np.dtype(DTYPES[row.name]).itemsize
