"""Encoders and decoders, put together of parts that are tested alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError

X = np.random.default_rng(7).normal(size=(3, 5, 8)).astype(np.float32)
Y = np.random.default_rng(8).normal(size=(3, 4, 8)).astype(np.float32)


def close(actual: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.array(actual.tolist()), np.array(wanted.tolist()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("first", [False, True])
def test_an_encoder_layer_adds_attention_and_then_two_products(torch: Any, first: bool) -> None:
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True, norm_first=first)
    x, mask = torch.tensor(X), torch.nn.Transformer.generate_square_subsequent_mask(5)
    one, two = layer.norm1, layer.norm2

    def seen(x: Any) -> Any:
        return layer.self_attn(x, x, x, attn_mask=mask)[0]

    def fed(x: Any) -> Any:
        return layer.linear2(torch.nn.functional.gelu(layer.linear1(x)))

    if first:
        middle = x + seen(one(x))
        wanted = middle + fed(two(middle))
    else:
        middle = one(x + seen(x))
        wanted = two(middle + fed(middle))
    close(layer(x, mask), wanted)


def test_a_decoder_layer_looks_at_itself_and_then_at_the_encoder(torch: Any) -> None:
    layer = torch.nn.TransformerDecoderLayer(8, 2, 16, 0.0, batch_first=True)
    y, memory = torch.tensor(Y), torch.tensor(X)
    hidden = np.zeros((3, 5), bool)
    hidden[1, 2:] = True
    padding = torch.tensor(hidden)
    one = layer.norm1(y + layer.self_attn(y, y, y)[0])
    two = layer.norm2(one + layer.multihead_attn(one, memory, memory, key_padding_mask=padding)[0])
    wanted = layer.norm3(two + layer.linear2(torch.relu(layer.linear1(two))))
    close(layer(y, memory, memory_key_padding_mask=padding), wanted)


def test_a_stack_has_copies_of_its_layer(torch: Any) -> None:
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0)
    stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8))
    close(stack(torch.tensor(X)), stack.norm(layer(layer(torch.tensor(X)))))
    stack.layers[0].linear1.weight = torch.zeros(16, 8)
    assert layer.linear1.weight.abs().sum().item() > 0
    assert len(list(stack.parameters())) == 2 * len(list(layer.parameters())) + 2


def test_a_whole_transformer_is_encoder_then_decoder(torch: Any) -> None:
    model = torch.nn.Transformer(8, 2, 1, 1, 16, 0.0, batch_first=True)
    x, y = torch.tensor(X), torch.tensor(Y)
    mask = model.generate_square_subsequent_mask(4)
    assert mask.tolist()[0] == [0, *[float("-inf")] * 3]
    close(model(x, y, tgt_mask=mask), model.decoder(y, model.encoder(x), mask))
    changed = torch.tensor(np.concatenate([Y[:, :2], Y[:, 2:] + 1], 1))
    close(model(x, changed, tgt_mask=mask)[:, :2], model(x, y, tgt_mask=mask)[:, :2])


def test_an_unknown_activation_is_refused(torch: Any) -> None:
    assert torch.nn.TransformerEncoderLayer(8, 2, 16, activation=torch.tanh).activation is torch.tanh
    with pytest.raises(AttributeValueError, match="relu, gelu or a function"):
        torch.nn.TransformerEncoderLayer(8, 2, 16, activation="sine")
