"""Layers and functions of `torch.nn`, against their definitions in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError, ShapeError

Array = np.ndarray
DRAW = np.random.default_rng(4)
X = DRAW.normal(1, 2, (4, 6, 5)).astype(np.float32)


def close(actual: Any, expected: Any, tolerance: float = 2e-5) -> None:
    np.testing.assert_allclose(np.array(actual.tolist()), expected, rtol=tolerance, atol=tolerance)


def standardized(x: Array, axes: tuple[int, ...], eps: float = 1e-5) -> Array:
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def test_norms_take_any_of_weight_and_bias(torch: Any) -> None:
    nn, x = torch.nn.functional, torch.tensor(X)
    weight, bias = torch.tensor(X[0, 0]), torch.tensor(X[0, 1])
    plain = standardized(X, (2,))
    close(nn.layer_norm(x, 5), plain)
    close(nn.layer_norm(x, [5], weight), plain * X[0, 0])
    close(nn.layer_norm(x, [5], None, bias), plain + X[0, 1])
    close(nn.layer_norm(x, (5,), weight, bias, 0.5), standardized(X, (2,), 0.5) * X[0, 0] + X[0, 1])
    close(torch.layer_norm(x, [6, 5]), standardized(X, (1, 2)))
    close(nn.group_norm(x, 6, bias=torch.ones(6)), standardized(X, (2,)) + 1)
    close(nn.rms_norm(x, [5]), X / np.sqrt((X.astype(np.float64) ** 2).mean(2, keepdims=True)))
    close(nn.normalize(x, dim=2), X / np.sqrt((X.astype(np.float64) ** 2).sum(2, keepdims=True)))
    with pytest.raises(ShapeError, match="the last sizes"):
        nn.layer_norm(x, [6])
    with pytest.raises(AttributeValueError, match="are not even"):
        nn.group_norm(x, 4)


def test_norms_are_layers(torch: Any) -> None:
    nn, x = torch.nn, torch.tensor(X)
    close(nn.LayerNorm(5)(x), standardized(X, (2,)))
    close(nn.LayerNorm([6, 5], elementwise_affine=False)(x), standardized(X, (1, 2)))
    close(nn.GroupNorm(3, 6)(x), standardized(X.reshape(4, 3, 10), (2,)).reshape(X.shape))
    close(nn.InstanceNorm1d(6)(x), standardized(X, (2,)))
    close(nn.RMSNorm(5, eps=1.0)(x), X / np.sqrt((X.astype(np.float64) ** 2).mean(2, keepdims=True) + 1))
    square = X.astype(np.float64) ** 2
    total = np.stack([square[:, max(c - 1, 0) : c + 1].sum(1) for c in range(6)], 1)
    close(nn.LocalResponseNorm(2, alpha=0.1)(x), X / (1 + 0.1 * total / 2) ** 0.75)
    assert [name for name, _ in nn.LayerNorm(5).named_parameters()] == ["weight", "bias"]


def test_batch_norm_follows_the_batches_and_is_steady_in_eval(torch: Any) -> None:
    layer, other = torch.nn.BatchNorm1d(6), X[::-1] * 2 + 3
    mean, var = np.zeros(6), np.ones(6)
    for batch in (X, other):
        close(layer(torch.tensor(batch.tolist())), standardized(batch, (0, 2)))
        wide = batch.astype(np.float64)
        mean = 0.9 * mean + 0.1 * wide.mean((0, 2))
        var = 0.9 * var + 0.1 * wide.var((0, 2), ddof=1)
    close(layer.running_mean, mean)
    close(layer.running_var, var)
    layer.eval()
    close(layer(torch.tensor(X)), (X - mean[:, None]) / np.sqrt(var[:, None] + 1e-5))
    close(layer.running_mean, mean)
    assert {name for name, _ in layer.named_parameters()} == {"weight", "bias"}
    assert set(layer.state_dict()) == {"weight", "bias", "running_mean", "running_var"}
    assert len(list(layer.buffers())) == 2


def test_batch_norm_without_momentum_keeps_the_mean_of_all_batches(torch: Any) -> None:
    layer = torch.nn.BatchNorm2d(6, momentum=None)
    for scale in (1, 3):
        layer(torch.tensor((X * scale).tolist()))
    close(layer.running_mean, 2 * X.astype(np.float64).mean((0, 2)))


def test_batch_norm_refuses_what_has_no_statistics(torch: Any) -> None:
    with pytest.raises(ShapeError, match="more than one value"):
        torch.nn.BatchNorm1d(6)(torch.ones(1, 6))
    with pytest.raises(AttributeValueError, match="running statistics"):
        torch.nn.functional.batch_norm(torch.ones(2, 6), None, None)


def test_batch_norm_of_nothing_is_nothing_and_moves_nothing(torch: Any) -> None:
    layer = torch.nn.BatchNorm1d(6)
    assert layer(torch.zeros(0, 6)).shape == (0, 6)
    assert layer.running_mean.tolist() == [0] * 6


def test_instance_norm_may_track_statistics(torch: Any) -> None:
    layer = torch.nn.InstanceNorm1d(6, track_running_stats=True)
    layer(torch.tensor(X))
    wide = X.astype(np.float64)
    close(layer.running_mean, 0.1 * wide.mean((0, 2)))
    close(layer.running_var, 0.9 + 0.1 * wide.var(2, ddof=1).mean(0))
    layer.eval()
    shown = (X - 0.1 * wide.mean((0, 2))[:, None]) / np.sqrt(
        0.9 + 0.1 * wide.var(2, ddof=1).mean(0)[:, None] + 1e-5
    )
    close(layer(torch.tensor(X)), shown)


def test_losses_take_weights_and_are_layers(torch: Any) -> None:
    nn, f = torch.nn, torch.nn.functional
    x, y = torch.tensor(X), torch.tensor(X[::-1].tolist())
    wide, other = X.astype(np.float64), X[::-1].astype(np.float64)
    close(nn.MSELoss()(x, y), ((wide - other) ** 2).mean())
    size, distance = np.abs(wide), np.abs(wide - other)
    close(f.mse_loss(x, y, weight=torch.abs(x)), (distance**2 * size).sum() / size.sum())
    close(f.l1_loss(x, y, weight=torch.abs(x), reduction="none"), distance * size)
    close(nn.L1Loss(reduction="sum")(x, y), distance.sum())
    close(nn.HuberLoss(delta=2.0)(x, y), np.where(distance < 2, distance**2 / 2, 2 * distance - 2).mean())
    close(nn.SmoothL1Loss(beta=2.0)(x, y), np.where(distance < 2, distance**2 / 4, distance - 1).mean())
    classes = torch.tensor([0, 5, 2, 2])
    logs = wide[:, :, 0] - np.log(np.exp(wide[:, :, 0]).sum(1, keepdims=True))
    picked = logs[range(4), [0, 5, 2, 2]]
    close(nn.CrossEntropyLoss()(x[:, :, 0], classes), -picked.mean())
    weight = [1.0, 2, 3, 4, 5, 6]
    share = np.array(weight)[[0, 5, 2, 2]]
    close(
        nn.CrossEntropyLoss(torch.tensor(weight))(x[:, :, 0], classes), -(picked * share).sum() / share.sum()
    )
    close(nn.NLLLoss(ignore_index=2)(torch.tensor(logs.tolist()), classes), -picked[:2].mean())
    scores, half = wide[0], (other[0] > 0).astype(np.float64)
    losses = np.log1p(np.exp(-scores)) * half + np.log1p(np.exp(scores)) * (1 - half)
    close(nn.BCEWithLogitsLoss()(x[0], torch.tensor(half.tolist())), losses.mean())
    close(
        f.binary_cross_entropy_with_logits(x[0], torch.tensor(half.tolist()), torch.abs(x[0])),
        (losses * np.abs(scores)).mean(),
    )
    close(nn.BCELoss(reduction="sum")(torch.sigmoid(x[0]), torch.tensor(half.tolist())), losses.sum(), 1e-4)
    with pytest.raises(TypeError, match="MSELoss takes reduction"):
        nn.MSELoss(beta=1)


def test_a_loss_without_a_say_for_anything_is_not_a_number(torch: Any) -> None:
    loss = torch.nn.CrossEntropyLoss(ignore_index=1)
    assert np.isnan(loss(torch.ones(2, 3), torch.tensor([1, 1])).item())


def test_classes_and_weights_that_do_not_fit_are_refused(torch: Any) -> None:
    f = torch.nn.functional
    with pytest.raises(ShapeError, match="with weights of"):
        f.l1_loss(torch.ones(2, 3), torch.ones(2, 3), weight=torch.ones(3))
    with pytest.raises(ShapeError, match="do not fit to predictions"):
        f.cross_entropy(torch.ones(2, 3), torch.tensor([1]))
    with pytest.raises(ShapeError, match="probabilities of shape"):
        f.cross_entropy(torch.ones(2, 3), torch.ones(2))
    with pytest.raises(AttributeValueError, match="label_smoothing"):
        f.cross_entropy(torch.ones(2, 3), torch.tensor([1, 1]), label_smoothing=2.0)


def test_embeddings_look_rows_up(torch: Any) -> None:
    layer = torch.nn.Embedding(6, 5, padding_idx=3)
    rows = np.array(layer.weight.tolist())
    assert not rows[3].any()
    assert rows[2].all()
    close(layer(torch.tensor([[0, 3], [5, 5]])), rows[[[0, 3], [5, 5]]], 0)
    assert torch.nn.Embedding.from_pretrained(torch.tensor(X[0]))(torch.tensor([4])).tolist() == [
        X[0, 4].tolist()
    ]
    with pytest.raises(ShapeError, match="a matrix of weights"):
        torch.nn.functional.embedding(torch.tensor([0]), torch.ones(3))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_embeddings_are_folded(torch: Any, mode: str) -> None:
    table, bags = X[0], [[0, 1], [], [5, 5, 2], [4]]
    fold = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    expected = [fold(table[bag], axis=0) if bag else np.zeros(5) for bag in bags]
    flat, offsets = torch.tensor([0, 1, 5, 5, 2, 4]), torch.tensor([0, 2, 2, 5])
    bag = torch.nn.functional.embedding_bag
    close(bag(flat, torch.tensor(table), offsets, mode=mode), expected)
    close(
        bag(torch.tensor([[0, 1], [5, 2]]), torch.tensor(table), mode=mode),
        [fold(table[[0, 1]], axis=0), fold(table[[5, 2]], axis=0)],
    )
    assert torch.nn.EmbeddingBag(6, 5, mode=mode)(flat, offsets).shape == (4, 5)


def test_bags_may_be_weighted_when_summed(torch: Any) -> None:
    bag, table = torch.nn.functional.embedding_bag, torch.tensor(X[0])
    weights = torch.tensor([[2.0, -1.0]])
    close(bag(torch.tensor([[0, 1]]), table, mode="sum", per_sample_weights=weights), [2 * X[0, 0] - X[0, 1]])
    with pytest.raises(AttributeValueError, match="go with the mode sum"):
        bag(torch.tensor([[0, 1]]), table, per_sample_weights=weights)
    with pytest.raises(ShapeError, match="flat offsets"):
        bag(torch.tensor([0, 1]), table)


def test_dropout_leaves_eval_alone_and_drops_channels_whole(torch: Any) -> None:
    x, layer = torch.ones(50, 40), torch.nn.Dropout(0.25)
    kept = np.array(layer(x).tolist())
    assert set(np.unique(kept)) == {0.0, np.float32(1 / 0.75)}
    assert (kept == 0).mean() == pytest.approx(0.25, abs=0.06)
    assert layer.eval()(x) is x
    channels = np.array(torch.nn.Dropout2d(0.5)(torch.ones(10, 20, 3, 3)).tolist())
    assert (channels == channels[:, :, :1, :1]).all()
    assert set(np.unique(channels)) == {0.0, 2.0}
    assert torch.nn.functional.dropout(x, 0.5, training=False) is x
    y = torch.ones(100)
    assert torch.nn.functional.dropout(y, 0.5, inplace=True) is y
    assert 0 in y.tolist()
    with pytest.raises(AttributeValueError, match="from 0 to 1"):
        torch.nn.functional.dropout(x, 2)


def test_other_layers_call_their_functions(torch: Any) -> None:
    nn, f, x, y = torch.nn, torch.nn.functional, torch.tensor(X), torch.tensor(X[::-1])
    far = X[::-1].astype(np.float64)
    close(nn.GLU(1)(x), X[:, :3] / (1 + np.exp(-X[:, 3:].astype(np.float64))))
    close(nn.PReLU(6, 0.5)(x), np.where(X > 0, X, X / 2))
    assert [name for name, _ in nn.PReLU().named_parameters()] == ["weight"]
    close(nn.Softmax2d()(x), nn.functional.softmax(x, 0).tolist())
    close(nn.PairwiseDistance(1.0)(x, y), np.abs(X - far + 1e-6).sum(-1))
    layer = nn.Bilinear(5, 5, 3)
    weight, bias = (np.array(each.tolist()) for each in (layer.weight, layer.bias))
    close(layer(x, y), np.einsum("abi,oij,abj->abo", X, weight, far) + bias)
    assert nn.Bilinear(2, 2, 1, bias=False).bias is None

    def nearer(a: Any, b: Any) -> Any:
        return (a - b).abs().sum(-1)

    loss = nn.TripletMarginWithDistanceLoss(distance_function=nearer, swap=True, margin=0.5, reduction="sum")
    near, away, other = (np.abs(a - b).sum(-1) for a, b in ((X, far), (X, X + 2), (far, X + 2)))
    close(loss(x, y, x + 2), np.maximum(near - np.minimum(away, other) + 0.5, 0).sum())
    close(nn.TripletMarginLoss()(x, y, y), 1.0)
    close(nn.GaussianNLLLoss(reduction="none")(x, y, 1.0), (X - far) ** 2 / 2)
    assert f.relu_(x) is x
    assert x.min().item() == 0


def test_upsampling_unpooling_and_shuffling_are_layers(torch: Any) -> None:
    nn, x = torch.nn, torch.arange(16, dtype=torch.float32).reshape(1, 1, 4, 4)
    assert nn.UpsamplingNearest2d(scale_factor=2)(x)[0, 0, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert nn.UpsamplingBilinear2d(size=(4, 7))(x)[0, 0, 0].tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3]
    values, places = nn.functional.max_pool2d(x, 2, return_indices=True)
    back = nn.MaxUnpool2d(2)(values, places)
    assert back[0, 0].tolist() == [[0] * 4, [0, 5, 0, 7], [0] * 4, [0, 13, 0, 15]]
    assert nn.MaxUnpool2d(2)(values, places, output_size=(1, 1, 5, 5)).shape == (1, 1, 5, 5)
    close(nn.LPPool2d(2, 2, stride=2)(x), [[[[42**0.5, 98**0.5], [458**0.5, 642**0.5]]]])
    assert nn.ChannelShuffle(2)(x.reshape(1, 4, 2, 2))[0, :, 0, 0].tolist() == [0, 8, 4, 12]


def test_what_chance_has_a_say_in_is_as_it_should_be_distributed(torch: Any) -> None:
    nn, f = torch.nn, torch.nn.functional
    torch.manual_seed(3)
    x = torch.randn(100, 200)
    assert nn.AlphaDropout(0.3).eval()(x) is x
    for drop in (nn.AlphaDropout(0.3), nn.FeatureAlphaDropout(0.3)):
        made = np.array(drop(x).tolist())
        assert abs(made.mean()) < 0.03
        assert abs(made.var() - 1) < 0.04
    images = np.array(nn.FeatureAlphaDropout(0.5)(torch.ones(30, 20, 2, 2)).tolist())
    assert (images == images[:, :, :1, :1]).all()
    assert len(np.unique(images)) == 2

    slopes = np.array((nn.RReLU(0.1, 0.3)(-torch.ones(4000)) * -1).tolist())
    assert 0.1 <= slopes.min() < 0.11
    assert 0.29 < slopes.max() <= 0.3
    assert f.rrelu(torch.tensor([-6.0, 2.0]), 0.0, 0.5).tolist() == [-1.5, 2.0]

    scores = torch.tensor([0.5, 0.3, 0.2]).log().expand(20000, 3)
    hard = np.array(f.gumbel_softmax(scores, tau=0.7, hard=True).tolist())
    assert (hard.sum(1) == 1).all()
    np.testing.assert_allclose(hard.mean(0), [0.5, 0.3, 0.2], atol=0.015)
    soft = np.array(f.gumbel_softmax(scores, 0.1).tolist())
    np.testing.assert_allclose(soft.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose((soft == soft.max(1, keepdims=True)).mean(0), [0.5, 0.3, 0.2], atol=0.015)
    with pytest.raises(AttributeValueError, match="from 0 to 1"):
        f.alpha_dropout(x, 2.0, True)
