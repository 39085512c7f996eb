"""Ops that share a name with PyTorch's mean what they mean there, by PyTorch's own samples."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("expecttest", reason="expecttest, which PyTorch's samples need, is not installed")

pytestmark = pytest.mark.full


REFUSED = {"float32": 0.0, "int32": 0.03, "int64": 0.45, "bool": 0.03}
"""The largest share of samples that may be refused by name: products, pools and losses take no i64."""


@pytest.mark.parametrize("dtype", REFUSED)
def test_no_sample_of_pytorch_s_is_wrong(dtype: str) -> None:
    from tests.judges.opinfo import tallies

    found = list(tallies(getattr(torch, dtype), set()))
    wrong = [f"{tally.name}: {line}" for tally in found for line in tally.wrong]
    refused = [f"{tally.name}: {line}" for tally in found for line in tally.refused]
    total = sum(tally.total for tally in found)
    assert not wrong, "\n".join(wrong)
    assert len(refused) <= REFUSED[dtype] * total, "\n".join(refused)
    assert total > 2000
