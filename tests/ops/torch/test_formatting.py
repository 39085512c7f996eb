"""Tensors as text."""

from __future__ import annotations

import math
from typing import Any

import pytest

TEXTS = [
    ([1.0, 2.0], "tensor([1., 2.])"),
    ([1.5, -2.0, 100.25], "tensor([  1.5000,  -2.0000, 100.2500])"),
    ([1e-5, 1.0], "tensor([1.0000e-05, 1.0000e+00])"),
    ([1e9, 2.0], "tensor([1.0000e+09, 2.0000e+00])"),
    ([math.nan, 1.0, math.inf], "tensor([nan, 1., inf])"),
    ([1.5, -math.inf], "tensor([1.5000,   -inf])"),
    ([0.0, 0.0], "tensor([0., 0.])"),
    ([1, 20], "tensor([ 1, 20], dtype=torch.int32)"),
    ([True, False], "tensor([ True, False])"),
    ([[1.0, 2.0], [3.0, 4.0]], "tensor([[1., 2.],\n        [3., 4.]])"),
    ([[[1]], [[2]]], "tensor([[[1]],\n\n        [[2]]], dtype=torch.int32)"),
    (2.5, "tensor(2.5000)"),
    (3, "tensor(3, dtype=torch.int32)"),
    (True, "tensor(True)"),
    ([], "tensor([])"),
]
"""As PyTorch 2 prints them."""


@pytest.mark.parametrize(("data", "text"), TEXTS)
def test_tensors_print_as_pytorchs_do(data: Any, text: str, torch: Any) -> None:
    assert repr(torch.tensor(data)) == str(torch.tensor(data)) == text


def test_large_tensors_print_their_edges(torch: Any, numpy_engine: Any) -> None:
    assert repr(torch.arange(2000)) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999], dtype=torch.int32)"
    lines = repr(torch.arange(10_000.0).reshape(100, 100)).splitlines()
    assert lines[0] == "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01, 9.8000e+01,"
    assert lines[1] == "         9.9000e+01],"
    assert "        ...," in lines
    assert all(graph.nodes[-1].op == "concat" for graph in numpy_engine.graphs)
    assert repr(torch.zeros(0, 3)) == "tensor([], size=(0, 3))"
    assert repr(torch.arange(0)) == "tensor([], dtype=torch.int32)"
    wide = repr(torch.arange(40))
    assert max(map(len, wide.splitlines())) <= 80
    assert wide.endswith("38, 39], dtype=torch.int32)")
    assert repr(torch.arange(34)).endswith("32, 33],\n       dtype=torch.int32)")
    assert repr(torch.zeros(2, 3).shape) == "torch.Size([2, 3])"
