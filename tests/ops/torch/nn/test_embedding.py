"""Embeddings and bags of them, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError

W = np.random.default_rng(3).normal(size=(6, 4)).astype(np.float32)
INDEX = np.array([5, 2, 2, 0, 4, 1, 3], np.int32)
SHARES = np.random.default_rng(4).normal(size=7).astype(np.float32)


def close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.array(actual.tolist()), expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_rows_of_a_large_norm_are_cut_where_they_are(torch: Any, p: float) -> None:
    weight, index = torch.tensor(W), np.array([[5, 2], [0, 2]])
    norms = (np.abs(W.astype(np.float64)) ** p).sum(1, keepdims=True) ** (1 / p)
    cut = np.where(norms > 1, W / (norms + 1e-7), W)
    cut[[1, 3, 4]] = W[[1, 3, 4]]
    made = torch.nn.functional.embedding(torch.tensor(index.tolist()), weight, max_norm=1.0, norm_type=p)
    close(made, cut[index])
    close(weight, cut)


def test_sparse_gradients_are_refused_by_name(torch: Any) -> None:
    for make in (
        lambda: torch.nn.Embedding(3, 2, sparse=True),
        lambda: torch.nn.functional.embedding(torch.tensor([0]), torch.tensor(W), sparse=True),
    ):
        with pytest.raises(AttributeValueError, match="no sparse gradients") as caught:
            make()
        assert "sparse=False" in str(caught.value.hint)


def folded(bags: list[list[int]], mode: str, padding: int | None = None) -> np.ndarray:
    """Each bag's rows together, by the places in INDEX."""
    made = []
    for bag in bags:
        rows = [
            W[INDEX[place]] * (SHARES[place] if mode == "weighted" else 1)
            for place in bag
            if INDEX[place] != padding
        ]
        fold = {"sum": np.sum, "weighted": np.sum, "mean": np.mean, "max": np.max}[mode]
        made.append(fold(np.array(rows, np.float64), axis=0) if rows else np.zeros(4))
    return np.array(made)


@pytest.mark.parametrize("mode", ["sum", "mean", "max", "weighted"])
@pytest.mark.parametrize("padding", [None, 2, -4])
def test_bags_begin_at_offsets_and_leave_padding_out(torch: Any, mode: str, padding: int | None) -> None:
    def bag(offsets: list[int], **more: Any) -> Any:
        own = (
            {"mode": "sum", "per_sample_weights": torch.tensor(SHARES)}
            if mode == "weighted"
            else {"mode": mode}
        )
        index, weight = torch.tensor(INDEX), torch.tensor(W)
        return torch.nn.functional.embedding_bag(
            index, weight, torch.tensor(offsets), padding_idx=padding, **own, **more
        )

    left = None if padding is None else padding % 6
    bags = [[0], [1, 2], [], [3, 4, 5, 6]]
    close(bag([0, 1, 3, 3]), folded(bags, mode, left))
    close(bag([0, 1, 3, 3, 7], include_last_offset=True), folded(bags, mode, left))


def test_bags_are_layers(torch: Any) -> None:
    layer = torch.nn.EmbeddingBag(6, 4, mode="sum", padding_idx=2, include_last_offset=True)
    assert layer.weight[2].tolist() == [0] * 4
    layer.weight = torch.tensor(W)
    close(layer(torch.tensor(INDEX), torch.tensor([0, 3, 7])), folded([[0, 1, 2], [3, 4, 5, 6]], "sum", 2))
    assert torch.nn.Embedding.from_pretrained(torch.tensor(W), max_norm=2.0).max_norm == 2.0
