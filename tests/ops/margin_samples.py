"""Calls of losses of margins and their kin, and what they must give: class by class, in NumPy's f64."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.neural_samples import floats, logits, reductions, wide
from tests.ops.sample import Sample

Array = np.ndarray
X, Y, Z = floats(4, 5), floats(4, 5), floats(4, 5)
TARGETS = np.int32([4, 0, 2, 2])
LISTED = np.int32([[3, 0, -1, 1, 2], [-1, 0, 0, 0, 0], [4, 3, 2, 1, 0], [2, -1, 2, -1, 2]])
WEIGHTS, LABELS = np.abs(floats(5)) + np.float32(0.1), (floats(4, 5) > 0).astype(np.float32)
SPREAD = np.abs(floats(4, 5)) + np.float32(0.1)
LEFT, RIGHT, BETWEEN, BIAS = floats(2, 3, 4), floats(2, 3, 5), floats(6, 4, 5), floats(6)


def distance(x: Array, y: Array, p: float = 2.0, eps: float = 1e-6) -> Array:
    return np.asarray((np.abs(wide(x) - y + eps) ** p).sum(-1) ** (1 / p))


def triplet(margin: float = 1.0, p: float = 2.0, swap: bool = False) -> Array:
    far = distance(X, Z, p)
    return np.maximum(distance(X, Y, p) - (np.minimum(far, distance(Y, Z, p)) if swap else far) + margin, 0)


def gaussian(var: Array, full: bool = False) -> Array:
    safe = np.maximum(wide(var), 1e-6)
    return (np.log(safe) + (wide(X) - Y) ** 2 / safe + full * np.log(2 * np.pi)) / 2


def margins(p: float = 1, margin: float = 1.0, weights: Array | None = None) -> Array:
    losses = np.zeros(4)
    for row, target in enumerate(TARGETS):
        others = [number for number in range(5) if number != target]
        over = np.maximum(margin - wide(X)[row, target] + wide(X)[row, others], 0) ** p
        losses[row] = over.sum() / 5 * (1 if weights is None else weights[target])
    return losses


def listed() -> Array:
    losses = np.zeros(4)
    for row, line in enumerate(LISTED.tolist()):
        targets = line[: line.index(-1)] if -1 in line else line
        others = [number for number in range(5) if number not in targets]
        losses[row] = (
            sum(max(0.0, 1 - float(X[row, t]) + float(X[row, o])) for t in targets for o in others) / 5
        )
    return losses


def triplets(**attributes: Any) -> list[Sample]:
    return reductions(triplet(**attributes), X, Y, Z, **attributes)


MARGINS: dict[str, list[Sample]] = {
    "pairwise_distance": [
        *(Sample({"p": p, "eps": eps}, [X, Y], distance(X, Y, p, eps)) for p in (1.0, 2.0, 3.0) for eps in (1e-6, 0.1)),
        Sample({"keepdim": True}, [X, Y[0]], distance(X, Y[0])[:, None]),
    ],
    "bilinear": [
        Sample({}, [LEFT, RIGHT, BETWEEN], np.einsum("abi,oij,abj->abo", wide(LEFT), BETWEEN, RIGHT)),
        Sample({}, [LEFT[0, 0], RIGHT[0, 0], BETWEEN, BIAS],
               np.einsum("i,oij,j->o", wide(LEFT[0, 0]), BETWEEN, RIGHT[0, 0]) + BIAS),
    ],
    "glu": [Sample({"axis": axis}, [x], np.split(wide(x), 2, axis)[0] / (1 + np.exp(-np.split(wide(x), 2, axis)[1])))
            for x, axis in ((X, 0), (LEFT, -1), (LEFT, 0))],
    "triplet_margin_loss": [*triplets(), *triplets(margin=0.3, p=1.0), *triplets(swap=True)],
    "gaussian_nll_loss": [
        *reductions(gaussian(SPREAD), X, Y, SPREAD),
        *reductions(gaussian(SPREAD[:, :1], True), X, Y, SPREAD[:, 0], full=True),
    ],
    "multi_margin_loss": [
        *reductions(margins(), X, TARGETS),
        *reductions(margins(2, 0.5, WEIGHTS), X, TARGETS, WEIGHTS, p=2, margin=0.5),
        Sample({}, [X[0], TARGETS[:1]], margins()[0]),
    ],
    "multilabel_margin_loss": [*reductions(listed(), X, LISTED), Sample({}, [X[3], LISTED[3]], listed()[3])],
    "multilabel_soft_margin_loss": [
        *reductions(logits(wide(X), LABELS).mean(1), X, LABELS),
        *reductions((logits(wide(X), LABELS) * WEIGHTS).mean(1), X, LABELS, WEIGHTS),
    ],
}  # fmt: skip
