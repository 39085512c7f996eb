"""Composites of models of sequences, and of mixtures of experts."""

from __future__ import annotations

from math import inf, log, prod

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import own_axis, text


def rotary_embedding(
    do: Parts,
    x: Value,
    positions: Value | None = None,
    *,
    theta: float,
    rotary_dim: int | None,
    interleaved: bool,
    offset: int,
) -> Value:
    """Pairs of the last axis turned by angles that grow with the position."""
    if x.rank < 2:
        raise ShapeError(f"rotary_embedding takes [*, positions, size], not {text(x.shape)}")
    size = x.shape[-1]
    turned = size if rotary_dim is None else rotary_dim
    if turned % 2 or not 0 <= turned <= size or not theta > 0:
        raise AttributeValueError(
            f"rotary_embedding cannot turn {turned} of {size} elements by theta {theta:g}"
        )
    if not turned:
        return x
    if positions is None:
        positions = do.numbers(x.shape[-2]) + offset
    pairs, last = turned // 2, x.rank - 1
    rates = do("exp", do.cast(do.numbers(pairs), "f32") * (-2 * log(theta) / turned))
    angles = do.cast(do.reshape(positions, *positions.shape, 1), "f32") * rates
    cos, sin = do("cos", angles), do("sin", angles)
    step = 2 if interleaved else 1
    ends = ((0, turned - 1), (1, turned)) if interleaved else ((0, pairs), (pairs, turned))
    first, second = (do.slice(x, last, start, stop, step) for start, stop in ends)
    parts = [first * cos - second * sin, second * cos + first * sin]
    if interleaved:
        made = do("stack", *parts, axis=-1)
        parts = [do.reshape(made, *made.shape[:-2], turned)]
    rest = [do.slice(x, last, turned, size)] if turned < size else []
    return do.cast(do("concat", *parts, *rest, axis=-1), x.dtype)


def linear_recurrence(do: Parts, x: Value, y: Value, axis: int) -> Value:
    """`h[t] = x[t] * h[t - 1] + y[t]`: in each turn every element takes in as many more before it as it has."""
    where = own_axis(axis, max(x.rank, y.rank))
    total = x * y
    x, y = (do("expand", each, shape=list(total.shape)) for each in (x, y))
    far = 1
    while far < total.shape[where]:
        before, after = ([sign * far * (number == where) for number in range(total.rank)] for sign in (1, -1))
        y = y + x * do("pad", y, before=before, after=after)
        x = x * do("pad", x, before=before, after=after, value=1)
        far *= 2
    return do.cast(y, total.dtype)


def selective_scan(
    do: Parts,
    x: Value,
    delta: Value,
    decay: Value,
    enter: Value,
    leave: Value,
    skip: Value | None = None,
    gate: Value | None = None,
    *,
    delta_softplus: bool,
) -> Value:
    """The recurrence of state space models."""
    if x.rank < 2 or delta.shape != x.shape or decay.rank != 2 or decay.shape[0] != x.shape[-1]:
        raise ShapeError(
            f"selective_scan takes x and delta [*, time, channels] and decay [channels, states], not {text(x.shape)},"
            f" {text(delta.shape)} and {text(decay.shape)}"
        )
    step = do("softplus", delta) if delta_softplus else delta
    each_step, enter, leave = (
        do("unsqueeze", each, axis=place) for each, place in ((step, -1), (enter, -2), (leave, -2))
    )
    into = do("unsqueeze", step * x, axis=-1) * enter
    states = do("linear_recurrence", do("exp", each_step * decay), into, axis=-3)
    made = do("sum", states * leave, axes=[-1])
    made = made if skip is None else made + x * skip
    return do.cast(made if gate is None else made * do("silu", gate), x.dtype)


def expert_weights(do: Parts, x: Value, k: int, temperature: float) -> Value:
    """`softmax` of the `k` largest scores, 0 for others."""
    if not temperature > 0:
        raise AttributeValueError(f"expert_weights: temperature is {temperature:g}, but must be above 0")
    best = do("topk_indices", x, k=k, axis=-1)
    hidden = do("expand", do.full((), -inf, x.dtype), shape=list(x.shape))
    chosen = do("scatter", hidden, best, do("gather", x, best, axis=-1), axis=-1)
    return do("softmax", chosen / float(temperature), axis=-1)


def expert_linear(do: Parts, x: Value, share: Value, weight: Value, bias: Value | None = None) -> Value:
    """The sum over experts of `share * (x @ weight.T + bias)`, as one product over experts and inputs."""
    if weight.rank != 3 or (x.shape[:-1], x.shape[-1:]) != (share.shape[:-1], weight.shape[2:]):
        raise ShapeError(
            f"expert_linear takes x [*, inputs], share [*, experts] and weight [experts, outputs, inputs], not"
            f" {text(x.shape)}, {text(share.shape)} and {text(weight.shape)}"
        )
    experts, outputs, inputs = weight.shape
    scaled = do("unsqueeze", share, axis=-1) * do("unsqueeze", x, axis=-2)
    rows = do.reshape(scaled, prod(x.shape[:-1]), experts * inputs)
    columns = do.reshape(do("permute", weight, axes=[0, 2, 1]), experts * inputs, outputs)
    made = do.reshape(do("matmul", rows, columns), *x.shape[:-1], outputs)
    return do.cast(made if bias is None else made + do("matmul", share, bias), x.dtype)


MEANINGS: dict[str, Meaning] = {
    "rotary_embedding": rotary_embedding,
    "linear_recurrence": linear_recurrence,
    "selective_scan": selective_scan,
    "expert_weights": expert_weights,
    "expert_linear": expert_linear,
}
