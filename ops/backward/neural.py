"""What the gradient of a result gives the inputs, for ops of neural networks that are not elementwise.

Owns one function an op, as `ops/backward/rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod

from ops.backward.gradients import Gradients, summed_to
from ops.backward.rules import Axes
from ops.composite import Parts, Value
from ops.shapes import axes as counted

_MOST_SCORES = 1 << 23
"""Of a block of queries, as on CPU adapters (`ops/lowering/attention.py`): a graph is made for any."""
_MOST_BLOCKS = 64
"""Each is about twenty nodes, of the 10 000 that a graph may have."""


def _log_softmax(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    total = do("sum", grad, axes=[axis] if result.rank else None, keepdim=True)
    return [grad - do("exp", result) * total]


def _standardize(
    do: Parts, inputs: list[Value], result: Value, grad: Value, axes: Axes, eps: float, centred: bool
) -> Gradients:
    """What moves along the result, and along the mean where that is taken away, is lost."""
    (x,) = inputs
    over = list(counted(axes, x.rank))
    distance = x - do("mean", x, axes=over, keepdim=True) if centred else x
    scale = do("rsqrt", do("mean", do("square", distance), axes=over, keepdim=True) + eps)
    left = grad - result * do("mean", grad * result, axes=over, keepdim=True)
    if centred:
        left = left - do("mean", grad, axes=over, keepdim=True)
    return [left * scale]


def _attention(
    do: Parts, inputs: list[Value], result: Value, grad: Value, is_causal: bool, scale: float | None
) -> Gradients:
    """By blocks of queries, whose scores are computed again, so that few exist at a time."""
    query, key, value, *mask = inputs
    *batch, rows, _ = result.shape
    columns, size = key.shape[-2:]
    if not prod(result.shape) or not columns:
        return [each * 0.0 for each in inputs]
    factor = size**-0.5 if scale is None and size else scale or 0.0
    step = max(_MOST_SCORES // (prod(batch) * columns), -(-rows // _MOST_BLOCKS), 1)
    biases = [do("expand", each, shape=[*batch, rows, columns]) for each in mask]
    queries: list[Value] = []
    scores: list[Value] = []
    keys: Value | None = None
    values: Value | None = None
    for begin in range(0, rows, step):
        end = min(begin + step, rows)
        cut = [do.slice(each, each.rank - 2, begin, end) for each in (query, result, grad, *biases)]
        seen = [_seen(do, begin, end, columns)] * is_causal
        mine = _block(do, cut[:3], key, value, factor, [*cut[3:], *seen])
        queries.append(mine[0])
        keys = mine[1] if keys is None else keys + mine[1]
        values = mine[2] if values is None else values + mine[2]
        scores.append(mine[3])
    found = [_joined(do, queries), keys, values, *([_joined(do, scores)] if mask else [])]
    return [each and summed_to(do, each, own.shape) for each, own in zip(found, inputs, strict=True)]


def _seen(do: Parts, begin: int, end: int, columns: int) -> Value:
    """-inf where a key comes after a query, else 0."""
    queries = do.reshape(do.numbers(end - begin), end - begin, 1) + begin
    return do("where", do("gt", do.numbers(columns), queries), -inf, 0.0)


def _block(
    do: Parts, rows: Sequence[Value], key: Value, value: Value, factor: float, biases: Sequence[Value]
) -> tuple[Value, Value, Value, Value]:
    """What some queries give query, key, value and scores; `rows` are they, their results and these' gradients."""
    query, result, grad = rows
    scores = do("matmul", query, do("transpose", key)) * factor
    for bias in biases:
        scores = scores + bias
    shares = do("softmax", scores, axis=-1)
    inner = do("sum", grad * result, axes=[-1], keepdim=True)
    left = shares * (do("matmul", grad, do("transpose", value)) - inner)
    return (
        do("matmul", left, key * factor),
        do("matmul", do("transpose", left), query * factor),
        do("matmul", do("transpose", shares), grad),
        left,
    )


def _joined(do: Parts, blocks: Sequence[Value]) -> Value:
    return do("concat", *blocks, axis=-2) if len(blocks) > 1 else blocks[0]


RULES: dict[str, Callable[..., Gradients]] = {
    "log_softmax": _log_softmax,
    "standardize": _standardize,
    "attention": _attention,
}
