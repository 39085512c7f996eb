"""The gradients of every row that has one are PyTorch's: by its own samples, or by the row's meaning in its words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.attributes import Attributes
from ops.backward import has_gradient
from ops.spec import check_attributes
from ops.table import TABLE, find
from tests.ops.sample import Sample
from tests.ops.test_backward import gradients_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("expecttest", reason="expecttest, which PyTorch's samples need, is not installed")
from tests.judges import gradients, meanings  # noqa: E402 (they need PyTorch)

pytestmark = pytest.mark.full

ROWS = {
    row.name
    for row in TABLE.values()
    if row.namespace == "tensor" and "." not in row.name and has_gradient(row)
}
BY_CHANCE = {"dropout"}
"""What is drawn, by another generator than PyTorch's: `tests/ops/test_backward.py` has its gradients."""
CASES = [
    pytest.param(name, sample, id=f"{name}-{number}")
    for name in meanings.MEANINGS
    for number, sample in enumerate(meanings.samples(name))
]


def test_no_gradient_of_pytorch_s_samples_is_wrong_and_no_row_is_left_out() -> None:
    with gradients.reached() as rows:
        found = list(gradients.tallies(set()))
    wrong = [f"{tally.name}: {line}" for tally in found for line in (*tally.wrong, *tally.refused)]
    assert not wrong, "\n".join(wrong)
    assert sum(tally.passed for tally in found) > 6000
    assert ROWS - rows == meanings.MEANINGS.keys() | BY_CHANCE


@pytest.mark.filterwarnings("ignore:.*affine_grid behavior has changed")
@pytest.mark.parametrize(("name", "sample"), CASES)
def test_a_gradient_is_that_of_the_row_in_pytorch_s_words(name: str, sample: Sample) -> None:
    attributes: Attributes = check_attributes(find(name), sample.attributes)
    leaves = [leaf(array) for array in sample.inputs]
    result = meanings.MEANINGS[name](*leaves, **attributes)
    seed = np.random.default_rng(3).normal(size=tuple(result.shape)).astype(np.float32)
    floats = [each for each in leaves if each.requires_grad]
    expected = iter(torch.autograd.grad(result, floats, torch.from_numpy(seed).double()))
    for found, its in zip(gradients_of(name, sample, sample.inputs, seed), leaves, strict=True):
        if its.requires_grad:
            right = next(expected).numpy()
            mine = np.zeros(right.shape) if found is None else found
            np.testing.assert_allclose(mine, right, 1e-4, 1e-4 * max(np.abs(right).max(initial=0), 0.1))
        else:
            assert found is None


def leaf(array: np.ndarray) -> Any:
    """An input as PyTorch's: floats in f64, whose gradients are recorded."""
    made = torch.from_numpy(np.array(array))
    return made.double().requires_grad_() if made.is_floating_point() else made.long()
