"""Recurrent layers against their papers' formulas, time by time in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops.errors import AttributeValueError, ShapeError

Array = np.ndarray
X = np.random.default_rng(5).normal(size=(4, 2, 3))
BEGIN = np.random.default_rng(6).normal(size=(4, 2, 5))


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def following(kind: str, x: Array, h: Array, state: list[Array]) -> list[Array]:
    if kind == "RNN":
        return [np.tanh(x + h)]
    if kind == "LSTM":
        i, f, g, o = np.split(x + h, 4, -1)
        memory = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
        return [sigmoid(o) * np.tanh(memory), memory]
    (xr, xz, xn), (hr, hz, hn) = np.split(x, 3, -1), np.split(h, 3, -1)
    z = sigmoid(xz + hz)
    return [(1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * state[0]]


def over_time(
    kind: str, weights: dict[str, Array], suffix: str, x: Array, state: list[Array], back: bool
) -> tuple[Array, list[Array]]:
    results = np.zeros((*x.shape[:2], 5))
    for time in range(len(x))[:: -1 if back else 1]:
        from_x = x[time] @ weights[f"weight_ih{suffix}"].T + weights.get(f"bias_ih{suffix}", 0)
        from_h = state[0] @ weights[f"weight_hh{suffix}"].T + weights.get(f"bias_hh{suffix}", 0)
        state = following(kind, from_x, from_h, state)
        results[time] = state[0]
    return results, state


def expected(kind: str, layer: Any, x: Array, begins: list[list[Array]]) -> tuple[Array, list[Array]]:
    weights = {name: np.array(value.tolist(), np.float64) for name, value in layer.named_parameters()}
    ends: list[list[Array]] = []
    ways = 2 if layer.bidirectional else 1
    for number in range(layer.num_layers):
        made = [
            over_time(kind, weights, f"_l{number}{'_reverse' * way}", x, begins[len(ends) + way], bool(way))
            for way in range(ways)
        ]
        x = np.concatenate([results for results, _ in made], -1)
        ends += [end for _, end in made]
    return x, [np.stack(each) for each in zip(*ends, strict=True)]


def close(actual: Any, wanted: Array) -> None:
    np.testing.assert_allclose(np.array(actual.tolist()), wanted, rtol=2e-5, atol=2e-5)


def as_list(state: Any) -> list[Any]:
    return list(state) if isinstance(state, tuple) else [state]


@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True}, {"bias": False}])
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_a_layer_goes_through_time_by_its_formula(torch: Any, kind: str, options: dict[str, Any]) -> None:
    layer = getattr(torch.nn, kind)(3, 5, **options)
    states, count = 2 if kind == "LSTM" else 1, layer.num_layers * (1 + layer.bidirectional)
    nothing = [[np.zeros((2, 5))] * states] * count
    result, last = layer(torch.tensor(X))
    wanted, ends = expected(kind, layer, X, nothing)
    close(result, wanted)
    for actual, end in zip(as_list(last), ends, strict=True):
        close(actual, end)
    begin = torch.tensor(BEGIN[:count])
    result, _ = layer(torch.tensor(X), (begin, begin) if kind == "LSTM" else begin)
    close(result, expected(kind, layer, X, [[each] * states for each in BEGIN[:count]])[0])


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_batches_may_be_the_first_axis_or_missing_and_cells_take_a_step(torch: Any, kind: str) -> None:
    torch.manual_seed(1)
    first = getattr(torch.nn, kind)(3, 5, batch_first=True)
    torch.manual_seed(1)
    layer = getattr(torch.nn, kind)(3, 5)
    torch.manual_seed(1)
    cell = getattr(torch.nn, f"{kind}Cell")(3, 5)
    result, last = layer(torch.tensor(X))
    turned, same = first(torch.tensor(X.transpose(1, 0, 2).tolist()))
    close(turned, np.array(result.tolist()).transpose(1, 0, 2))
    close(as_list(same)[0], np.array(as_list(last)[0].tolist()))
    alone, end = layer(torch.tensor(X[:, 0].tolist()))
    close(alone, np.array(result.tolist())[:, 0])
    assert as_list(end)[0].shape == (1, 5)
    state = None
    for time in X:
        state = cell(torch.tensor(time.tolist()), state)
    close(as_list(state)[0], np.array(result.tolist())[-1])
    close(as_list(cell(torch.tensor(X[0, 0].tolist())))[0], np.array(result.tolist())[0, 0])


def test_what_does_not_fit_is_refused(torch: Any) -> None:
    nn = torch.nn
    assert nn.RNN(3, 5, nonlinearity="relu")(torch.tensor(X))[0].min().item() >= 0
    with pytest.raises(AttributeValueError, match="tanh or relu"):
        nn.RNN(3, 5, nonlinearity="sin")
    with pytest.raises(TypeError, match="nonlinearity"):
        nn.GRU(3, 5, nonlinearity="relu")
    with pytest.raises(ShapeError, match="2 states of 1 layers"):
        nn.LSTM(3, 5)(torch.tensor(X), (torch.zeros(1, 2, 4), torch.zeros(1, 2, 5)))
    with pytest.raises(ShapeError, match="at least one time"):
        nn.GRU(3, 5)(torch.zeros(0, 2, 3))
