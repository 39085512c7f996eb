"""Attention as a function and as a layer, head by head in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError, ShapeError

Array = np.ndarray
DRAW = np.random.default_rng(8)
E, HEADS = 8, 2
QUERY, KEY = DRAW.normal(size=(3, 5, E)), DRAW.normal(size=(3, 7, E))
HIDDEN = DRAW.random((5, 7)) < 0.3
PADDING = np.zeros((3, 7), bool)
PADDING[1, 4:] = True


def numbers(tensor: Any) -> Array:
    return np.array(tensor.tolist(), np.float64)


def softmaxed(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def expected(layer: Any, query: Array, key: Array, value: Array, hidden: Array) -> tuple[Array, Array]:
    """The result and the mean of the heads' weights; `hidden` is [b, l, s]."""
    if "q_proj_weight" in vars(layer):
        weights = [numbers(getattr(layer, f"{name}_proj_weight")) for name in "qkv"]
    else:
        weights = list(numbers(layer.in_proj_weight).reshape(3, E, E))
    bias = numbers(layer.in_proj_bias).reshape(3, E)
    q, k, v = (x @ w.T + b for x, w, b in zip((query, key, value), weights, bias, strict=True))
    results, shares, size = [], [], E // HEADS
    for head in range(HEADS):
        cut = slice(head * size, (head + 1) * size)
        scores = q[..., cut] @ np.swapaxes(k[..., cut], 1, 2) / np.sqrt(size)
        shares.append(softmaxed(np.where(hidden, -np.inf, scores)))
        results.append(shares[-1] @ v[..., cut])
    joined = np.concatenate(results, -1)
    made = joined @ numbers(layer.out_proj.weight).T + numbers(layer.out_proj.bias)
    return made, np.mean(shares, 0)


def tensors(torch: Any, *arrays: Array) -> list[Any]:
    return [torch.tensor(array.tolist()) for array in arrays]


@pytest.mark.parametrize("need_weights", [True, False])
def test_heads_attend_each_for_itself(torch: Any, need_weights: bool) -> None:
    layer = torch.nn.MultiheadAttention(E, HEADS, batch_first=True)
    layer.in_proj_bias = torch.tensor(DRAW.normal(size=3 * E).tolist())
    query, key, hidden, padding = tensors(torch, QUERY, KEY, HIDDEN, PADDING)
    made, shares = layer(
        query, key, key, key_padding_mask=padding, attn_mask=hidden, need_weights=need_weights
    )
    result, weights = expected(layer, QUERY, KEY, KEY, HIDDEN | PADDING[:, None])
    np.testing.assert_allclose(numbers(made), result, rtol=1e-4, atol=1e-5)
    if need_weights:
        np.testing.assert_allclose(numbers(shares), weights, rtol=1e-4, atol=1e-5)
    else:
        assert shares is None


def test_batches_may_be_the_second_axis_or_missing(torch: Any) -> None:
    layer = torch.nn.MultiheadAttention(E, HEADS)
    query, key = tensors(torch, QUERY, KEY)
    none = np.zeros((5, 7), bool)
    result, weights = expected(layer, QUERY, KEY, KEY, none)
    made, shares = layer(query.transpose(0, 1), key.transpose(0, 1), key.transpose(0, 1))
    np.testing.assert_allclose(numbers(made), np.swapaxes(result, 0, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(numbers(shares), weights, rtol=1e-4, atol=1e-5)
    made, shares = layer(query[0], key[0], key[0])
    np.testing.assert_allclose(numbers(made), result[0], rtol=1e-4, atol=1e-5)
    assert shares.shape == (5, 7)


def test_keys_and_values_may_have_sizes_of_their_own(torch: Any) -> None:
    layer = torch.nn.MultiheadAttention(E, HEADS, kdim=6, vdim=4, batch_first=True)
    query, key, value = tensors(torch, QUERY, KEY[..., :6], KEY[..., :4])
    result, _ = expected(layer, QUERY, KEY[..., :6], KEY[..., :4], np.zeros((5, 7), bool))
    np.testing.assert_allclose(numbers(layer(query, key, value)[0]), result, rtol=1e-4, atol=1e-5)


def test_causal_attention_sees_nothing_that_comes_later(torch: Any) -> None:
    layer = torch.nn.MultiheadAttention(E, HEADS, batch_first=True).eval()
    (query,) = tensors(torch, QUERY)
    result, _ = expected(layer, QUERY, QUERY, QUERY, ~np.tri(5, dtype=bool))
    for need_weights in (True, False):
        made, _ = layer(query, query, query, need_weights=need_weights, is_causal=True)
        np.testing.assert_allclose(numbers(made), result, rtol=1e-4, atol=1e-5)


def test_dropout_of_attention_drops_shares(torch: Any) -> None:
    attend = torch.nn.functional.scaled_dot_product_attention
    query, key, seen = tensors(torch, QUERY, KEY, ~HIDDEN)
    identity = torch.eye(7).expand(3, 7, 7)
    shares = numbers(attend(query, key, identity, seen))
    dropped = numbers(attend(query, key, identity, seen, dropout_p=0.5))
    assert (dropped == 0).mean() > (shares == 0).mean()
    kept = dropped != 0
    np.testing.assert_allclose(dropped[kept], 2 * shares[kept], rtol=1e-5)


def test_what_does_not_fit_is_refused(torch: Any) -> None:
    attend = torch.nn.functional.scaled_dot_product_attention
    with pytest.raises(AttributeValueError, match="cannot share"):
        torch.nn.MultiheadAttention(7, 2)
    with pytest.raises(ShapeError, match="takes query"):
        attend(torch.ones(2, 3), torch.ones(4, 5), torch.ones(4, 5))
    with pytest.raises(ShapeError, match="do not broadcast"):
        attend(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4, 5), torch.ones(3, 4))
    with pytest.raises(ShapeError, match="a mask of shape"):
        attend(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4, 5), torch.ones(6, 2, 4))
    with pytest.raises(ShapeError, match="evenly"):
        attend(torch.ones(3, 2, 3), torch.ones(2, 4, 3), torch.ones(2, 4, 3), enable_gqa=True)
    with pytest.raises(ShapeError, match="2 or 3 axes"):
        torch.nn.MultiheadAttention(4, 2)(*[torch.ones(4)] * 3)
