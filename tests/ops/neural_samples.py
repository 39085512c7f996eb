"""Calls of the rows of neural networks, and what they must give by their definitions, written out in NumPy's f64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.sample import Sample

Array = np.ndarray
DRAW = np.random.default_rng(11)


def floats(*shape: int) -> Array:
    return DRAW.normal(size=shape).astype(np.float32)


X, ROW, WIDE = floats(4, 6, 5), floats(5), floats(3, 8, 12)
IMAGES, PER_CHANNEL, SPREAD = floats(2, 6, 3, 4), floats(6), floats(6)
POSITIVE = (np.abs(floats(6)) + 0.5).astype(np.float32)
PROBABLE = DRAW.uniform(0.1, 0.9, (4, 6)).astype(np.float32)
SCORES, MAPS = floats(4, 6), floats(2, 3, 4, 5)
CLASSES, PIXELS = np.int32([5, 0, 2, 2]), DRAW.integers(0, 3, (2, 4, 5)).astype(np.int32)
WEIGHTS = DRAW.uniform(0.5, 2, 6).astype(np.float32)
SIGNS = np.float32([1, -1, -1, 1])


def wide(x: Array) -> Array:
    return x.astype(np.float64)


def standardized(x: Array, axes: tuple[int, ...] | None, eps: float = 1e-5, about_mean: bool = True) -> Array:
    x = wide(x)
    centre = x.mean(axis=axes, keepdims=True) if about_mean else 0
    return (x - centre) / np.sqrt(((x - centre) ** 2).mean(axis=axes, keepdims=True) + eps)


def softmaxed(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


def beside(given: Array) -> Array:
    return wide(given)[:, None, None]


def grouped(x: Array, groups: int, eps: float = 1e-5) -> Array:
    split = x.reshape(x.shape[0], groups, -1)
    return standardized(split, (2,), eps).reshape(x.shape)


def responses(x: Array, size: int, alpha: float, beta: float, k: float) -> Array:
    square, total = wide(x) ** 2, np.zeros(x.shape)
    for channel in range(x.shape[1]):
        low, high = max(channel - size // 2, 0), channel + (size - 1) // 2 + 1
        total[:, channel] = square[:, low:high].sum(axis=1)
    return wide(x) / (k + alpha * total / size) ** beta


def reductions(losses: Array, *inputs: Array, count: float | None = None, **attributes: Any) -> list[Sample]:
    """The three reductions of `losses`; the mean divides by `count`, by default by how many there are."""
    mean = losses.sum() / (losses.size if count is None else count)
    ends = {"none": losses, "sum": losses.sum(), "mean": mean}
    return [
        Sample({**attributes, "reduction": name}, list(inputs), np.asarray(end)) for name, end in ends.items()
    ]


def pairwise(function: Callable[[Array, Array], Array], *inputs: Array, **attributes: Any) -> list[Sample]:
    return reductions(function(*map(wide, inputs)), *inputs, **attributes)


def huber(x: Array, y: Array, delta: float) -> Array:
    d = np.abs(x - y)
    return np.where(d < delta, d * d / 2, delta * (d - delta / 2))


def by_class(
    logs: Array, classes: Array, weights: Array, ignored: int = -100, smoothing: float = 0
) -> tuple[Array, float]:
    """The losses of log-probabilities, classes at axis 1, one by one; and the sum of the weights that have a say."""
    losses, total = np.zeros(classes.shape), 0.0
    for place in np.ndindex(classes.shape):
        if classes[place] == ignored:
            continue
        line = logs[(place[0], slice(None), *place[1:])]
        chosen = weights[classes[place]]
        total += chosen
        losses[place] = -(1 - smoothing) * chosen * line[classes[place]]
        losses[place] -= smoothing / len(line) * (weights * line).sum()
    return losses, total


def of_classes(x: Array, classes: Array, weights: Array | None, **attributes: Any) -> list[Sample]:
    """Of `nll_loss` and, of raw scores, of `cross_entropy`, whose attribute `label_smoothing` tells the two apart."""
    logs = np.log(softmaxed(wide(x), 1)) if "label_smoothing" in attributes else wide(x)
    each = np.ones(x.shape[1]) if weights is None else wide(weights)
    losses, total = by_class(
        logs, classes, each, attributes.get("ignore_index", -100), attributes.get("label_smoothing", 0)
    )
    return reductions(losses, x, classes, *([] if weights is None else [weights]), count=total, **attributes)


def of_shares(x: Array, shares: Array, weights: Array | None, smoothing: float) -> list[Sample]:
    each = np.ones(x.shape[1]) if weights is None else wide(weights)
    smooth = wide(shares) * (1 - smoothing) + smoothing / x.shape[1]
    each = each.reshape(-1, *[1] * (x.ndim - 2))
    losses = -(smooth * each * np.log(softmaxed(wide(x), 1))).sum(axis=1)
    return reductions(losses, x, shares, *([] if weights is None else [weights]), label_smoothing=smoothing)


def cross(x: Array, y: Array) -> Array:
    return -(y * np.maximum(np.log(x), -100) + (1 - y) * np.maximum(np.log1p(-x), -100))


def logits(x: Array, y: Array, pos: Array | float = 1.0) -> Array:
    return -(pos * y * -np.log1p(np.exp(-x)) + (1 - y) * -np.log1p(np.exp(x)))


def cosines(x: Array, y: Array, axis: int) -> Array:
    x, y = np.broadcast_arrays(wide(x), wide(y))
    lengths = [np.maximum(np.sqrt((each * each).sum(axis=axis)), 1e-8) for each in (x, y)]
    return np.asarray((x * y).sum(axis=axis) / (lengths[0] * lengths[1]))


def attended(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Array:
    """Query by query."""
    q, k, v = (wide(each) for each in (q, k, v))
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (np.broadcast_to(each, (*batch, *each.shape[-2:])) for each in (q, k, v))
    bias = np.zeros((*batch, q.shape[-2], k.shape[-2]))
    if mask is not None:
        bias = bias + (np.where(mask, 0, -np.inf) if mask.dtype == bool else wide(mask))
    result = np.zeros((*batch, q.shape[-2], v.shape[-1]))
    for place in np.ndindex(*batch, q.shape[-2]):
        scores = k[place[:-1]] @ q[place] * (q.shape[-1] ** -0.5 if scale is None else scale) + bias[place]
        if is_causal:
            scores[place[-1] + 1 :] = -np.inf
        if np.isfinite(scores.max(initial=-np.inf)):
            result[place] = softmaxed(scores) @ v[place[:-1]]
    return result


Q, K, VALUES = floats(2, 3, 5, 8), floats(2, 3, 7, 8), floats(2, 3, 7, 4)
MASK = floats(5, 7)
SEEN = DRAW.random((2, 1, 5, 7)) < 0.6
SEEN[0, 0, 2] = False
FEW_K, FEW_V, MANY_Q = floats(2, 2, 7, 8), floats(2, 2, 7, 4), floats(2, 6, 5, 8)
HEADS_MASK = floats(2, 6, 5, 7)


def shared(mask: Array | None = None, **more: Any) -> Sample:
    """Of six heads of queries three at a time share one of keys."""
    keys, values = (np.repeat(each, 3, axis=1) for each in (FEW_K, FEW_V))
    inputs = [MANY_Q, FEW_K, FEW_V, *([] if mask is None else [mask])]
    return Sample({"enable_gqa": True, **more}, inputs, attended(MANY_Q, keys, values, mask, **more))


IGNORING = np.where(PIXELS == 1, -7, PIXELS).astype(np.int32)
SHARES = softmaxed(wide(floats(2, 3, 4, 5)), 1).astype(np.float32)
COUNTS = (DRAW.integers(0, 6, (4, 6)) + 0.3).astype(np.float32)

NEURAL_SAMPLES: dict[str, list[Sample]] = {
    "log_softmax": [
        *(
            Sample({"axis": axis}, [x], np.log(softmaxed(wide(x), axis)))
            for axis in (0, 1, -1)
            for x in (X, X * 30, WIDE.T, floats(2, 70, 3), floats(80, 9))
        ),
        Sample({}, [np.float32([1000, 0, -1000])], np.array([0, -1000, -2000])),
        Sample({}, [np.float32(3)], np.array(0)),
        Sample({"axis": 0}, [floats(0, 3)], np.zeros((0, 3))),
    ],
    "softmin": [Sample({"axis": axis}, [X], softmaxed(-wide(X), axis)) for axis in (0, -1)],
    "standardize": [
        *(
            Sample(
                {"axes": axes, "eps": eps, "centred": centred},
                [x],
                standardized(x, tuple(axes) if axes else None, eps, centred),
            )
            for axes in (None, [0], [1], [2], [1, 2], [0, 2])
            for eps, centred in ((1e-5, True), (0.1, False))
            for x in (X, WIDE + 10, WIDE.transpose(2, 0, 1))
        ),
        *(Sample({"axes": 1}, [x], standardized(x, (1,))) for x in (floats(70, 12)[:, ::-1], floats(70, 33))),
        Sample({}, [np.float32(7)], np.array(0.0)),
        Sample({"axes": 1}, [floats(0, 4)], np.zeros((0, 4))),
    ],
    "layer_norm": [
        Sample({"normalized_shape": [5]}, [X], standardized(X, (2,))),
        Sample({"normalized_shape": [5]}, [X, ROW], standardized(X, (2,)) * ROW),
        Sample(
            {"normalized_shape": [5], "eps": 0.5},
            [X, ROW, ROW[::-1]],
            standardized(X, (2,), 0.5) * ROW + ROW[::-1],
        ),
        Sample({"normalized_shape": [6, 5]}, [X, X[0], X[1]], standardized(X, (1, 2)) * X[0] + X[1]),
        Sample(
            {"normalized_shape": [12]},
            [WIDE, WIDE[0, 0], WIDE[0, 1]],
            standardized(WIDE, (2,)) * WIDE[0, 0] + WIDE[0, 1],
        ),
    ],
    "rms_norm": [
        Sample({"normalized_shape": [5]}, [X], standardized(X, (2,), 2.0**-23, False)),
        Sample(
            {"normalized_shape": [8, 12], "eps": 0.1},
            [WIDE, WIDE[0]],
            standardized(WIDE, (1, 2), 0.1, False) * WIDE[0],
        ),
    ],
    "group_norm": [
        Sample(
            {"num_groups": g},
            [IMAGES, PER_CHANNEL, SPREAD],
            grouped(IMAGES, g) * beside(PER_CHANNEL) + beside(SPREAD),
        )
        for g in (1, 2, 6)
    ]
    + [Sample({"num_groups": 3, "eps": 0.1}, [X], grouped(X, 3, 0.1))],
    "instance_norm": [
        Sample(
            {},
            [IMAGES, PER_CHANNEL, SPREAD],
            standardized(IMAGES, (2, 3)) * beside(PER_CHANNEL) + beside(SPREAD),
        ),
        Sample({"eps": 1.0}, [X], standardized(X, (2,), 1.0)),
    ],
    "batch_norm": [
        Sample(
            {},
            [IMAGES, PER_CHANNEL, POSITIVE, SPREAD, PER_CHANNEL],
            (IMAGES - beside(PER_CHANNEL)) / np.sqrt(beside(POSITIVE) + 1e-5) * beside(SPREAD)
            + beside(PER_CHANNEL),
        ),
        Sample(
            {"eps": 0.5},
            [X[..., 0], PER_CHANNEL, POSITIVE],
            (X[..., 0] - wide(PER_CHANNEL)) / np.sqrt(wide(POSITIVE) + 0.5),
        ),
    ],
    "local_response_norm": [
        Sample({"size": size, "alpha": 0.5, "beta": 0.7, "k": 2.0}, [x], responses(x, size, 0.5, 0.7, 2.0))
        for size in (1, 2, 5, 20)
        for x in (X, IMAGES)
    ],
    "normalize": [
        Sample(
            {"p": p, "axis": axis},
            [X],
            wide(X) / (np.abs(wide(X)) ** p).sum(axis=axis, keepdims=True) ** (1 / p),
        )
        for p in (1.0, 2.0, 3.0)
        for axis in (0, 1, -1)
    ]
    + [Sample({"axis": 0}, [np.zeros(3, np.float32)], np.zeros(3), smooth=False)],
    "cosine_similarity": [
        Sample({"axis": axis}, [X, X[::-1] + 1], cosines(X, X[::-1] + 1, axis)) for axis in (0, 1, -1)
    ]
    + [
        Sample({"axis": -1}, [X, ROW], cosines(X, ROW, -1)),
        Sample({}, [X, np.zeros((), np.float32)], np.zeros((4, 5)), smooth=False),
    ],
    "mse_loss": pairwise(lambda x, y: (x - y) ** 2, X, X[::-1]),
    "l1_loss": pairwise(lambda x, y: np.abs(x - y), X, X[::-1]),
    "smooth_l1_loss": [
        *(
            sample
            for beta in (0.5, 1.0)
            for sample in pairwise(lambda x, y, b=beta: huber(x, y, b) / b, X, X[::-1], beta=beta)
        ),
        *pairwise(lambda x, y: np.abs(x - y), X, X[::-1], beta=0.0),
    ],
    "huber_loss": [
        s for d in (0.5, 2.0) for s in pairwise(lambda x, y, d=d: huber(x, y, d), X, X[::-1], delta=d)
    ],
    "nll_loss": [
        *of_classes(SCORES, CLASSES, None),
        *of_classes(SCORES, CLASSES, WEIGHTS),
        *of_classes(MAPS, IGNORING, WEIGHTS[:3], ignore_index=-7),
        *of_classes(SCORES, CLASSES.astype(np.uint32), None),
        Sample({}, [SCORES[0], np.int32(2)], -wide(SCORES)[0, 2]),
    ],
    "cross_entropy": [
        *of_classes(SCORES * 20, CLASSES, None, label_smoothing=0.0),
        *of_classes(SCORES, CLASSES, WEIGHTS, label_smoothing=0.2),
        *of_classes(MAPS, IGNORING, WEIGHTS[:3], label_smoothing=0.1, ignore_index=-7),
        *of_shares(MAPS, SHARES, None, 0.0),
        *of_shares(MAPS, SHARES, WEIGHTS[:3], 0.3),
        Sample({}, [SCORES[0], np.int32(2)], -np.log(softmaxed(wide(SCORES[0]))[2])),
    ],
    "binary_cross_entropy": [
        *pairwise(cross, PROBABLE, PROBABLE[::-1]),
        *reductions(cross(wide(PROBABLE), wide(PROBABLE[::-1])) * WEIGHTS, PROBABLE, PROBABLE[::-1], WEIGHTS),
        Sample(
            {"reduction": "none"},
            [np.float32([0, 1, 0, 1]), np.float32([0, 1, 1, 0])],
            np.array([0, 0, 100, 100]),
            smooth=False,
        ),
    ],
    "binary_cross_entropy_with_logits": [
        *pairwise(logits, SCORES, PROBABLE),
        *reductions(logits(wide(SCORES), wide(PROBABLE), wide(WEIGHTS)), SCORES, PROBABLE, WEIGHTS),
        Sample(
            {"reduction": "none"}, [np.float32([1000, -1000]), np.float32([0, 1])], np.array([1000, 1000])
        ),
    ],
    "kl_div": [
        *pairwise(lambda x, y: y * (np.log(y) - x), SCORES, PROBABLE),
        *pairwise(lambda x, y: np.exp(y) * (y - x), SCORES, SCORES[::-1], log_target=True),
        Sample(
            {"reduction": "batchmean"},
            [SCORES, PROBABLE],
            np.asarray((wide(PROBABLE) * (np.log(wide(PROBABLE)) - SCORES)).sum() / 4),
        ),
        Sample(
            {"reduction": "none"}, [np.float32([-1, -2]), np.float32([0, 1])], np.array([0, 2]), smooth=False
        ),
    ],
    "poisson_nll_loss": [
        *pairwise(lambda x, y: np.exp(x) - y * x, SCORES, COUNTS),
        *pairwise(lambda x, y: x - y * np.log(x + 1e-8), PROBABLE, COUNTS, log_input=False),
        *pairwise(
            lambda x, y: (
                np.exp(x)
                - y * x
                + np.where(
                    y > 1, y * np.log(np.maximum(y, 1)) - y + np.log(2 * np.pi * np.maximum(y, 1)) / 2, 0
                )
            ),
            SCORES,
            COUNTS,
            full=True,
        ),
    ],
    "soft_margin_loss": pairwise(lambda x, y: np.log1p(np.exp(-y * x)), SCORES[:, :4], SIGNS),
    "hinge_embedding_loss": pairwise(
        lambda x, y: np.where(y == 1, x, np.maximum(0, 0.7 - x)), SCORES[:, :4], SIGNS, margin=0.7
    ),
    "margin_ranking_loss": reductions(
        np.maximum(0, -SIGNS * (wide(SCORES[0, :4]) - SCORES[1, :4]) + 0.3),
        SCORES[0, :4],
        SCORES[1, :4],
        SIGNS,
        margin=0.3,
    ),
    "cosine_embedding_loss": reductions(
        np.where(
            SIGNS == 1,
            1 - cosines(SCORES, SCORES[::-1] + 1, 1),
            np.maximum(0, cosines(SCORES, SCORES[::-1] + 1, 1) - 0.1),
        ),
        SCORES,
        SCORES[::-1] + 1,
        SIGNS,
        margin=0.1,
    ),
    "embedding": [
        Sample({}, [i, SCORES], SCORES[i]) for i in (CLASSES % 4, np.int32([[0, 3], [-1, 1]]), np.uint32(2))
    ],
    "attention": [
        Sample({}, [Q, K, VALUES], attended(Q, K, VALUES)),
        Sample({"is_causal": True}, [Q, K, VALUES], attended(Q, K, VALUES, is_causal=True)),
        Sample({"is_causal": True, "scale": 0.1}, [K, Q, Q], attended(K, Q, Q, is_causal=True, scale=0.1)),
        Sample({"scale": 2.0}, [Q, K, VALUES, MASK], attended(Q, K, VALUES, MASK, scale=2.0)),
        Sample({}, [Q, K[:1, :1], VALUES[0, 0]], attended(Q, K[:1, :1], VALUES[0, 0])),
        Sample(
            {}, [Q[0, 0], K[0, 0], VALUES[0, 0], MASK[:1]], attended(Q[0, 0], K[0, 0], VALUES[0, 0], MASK[:1])
        ),
        Sample({}, [Q, K[:, :, :0], VALUES[:, :, :0]], np.zeros((2, 3, 5, 4))),
        Sample({}, [Q[:, :, :0], K, VALUES], np.zeros((2, 3, 0, 4))),
    ],
    "scaled_dot_product_attention": [
        Sample({}, [Q, K, VALUES], attended(Q, K, VALUES)),
        Sample({}, [Q, K, VALUES, SEEN], attended(Q, K, VALUES, SEEN)),
        Sample({"is_causal": True}, [Q, K, VALUES, MASK], attended(Q, K, VALUES, MASK, is_causal=True)),
        shared(),
        shared(is_causal=True),
        shared(HEADS_MASK),
        shared(SEEN),
        shared(MASK),
    ],
}
