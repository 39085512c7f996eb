"""Calls of rows of sequences, experts and detection, and what they must give by their definitions, in NumPy's f64."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.neural_samples import softmaxed, wide
from tests.ops.sample import Sample

Array = np.ndarray
DRAW = np.random.default_rng(12)


def floats(*shape: int) -> Array:
    return DRAW.normal(size=shape).astype(np.float32)


def rotated(
    x: Array, positions: Array, size: int, theta: float = 10_000.0, interleaved: bool = False
) -> Array:
    """Each pair as a complex number, times one of size 1."""
    line = wide(x)[..., :size]
    pairs = (0, 1) if interleaved else (0, size // 2)
    step, count = (2, size) if interleaved else (1, size // 2)
    first, second = (line[..., begin : begin + count : step] for begin in pairs)
    angles = positions[..., None] * theta ** (-2 * np.arange(size // 2) / size)
    turned = (first + 1j * second) * np.exp(1j * angles)
    result = wide(x)
    for begin, part in zip(pairs, (turned.real, turned.imag), strict=True):
        result[..., begin : min(begin + count, size) : step] = part
    return result


def recurrent(x: Array, y: Array, axis: int) -> Array:
    x, y = (np.moveaxis(each, axis, 0) for each in np.broadcast_arrays(wide(x), wide(y)))
    state, states = np.zeros(x.shape[1:]), []
    for factor, more in zip(x, y, strict=True):
        state = factor * state + more
        states.append(state)
    return np.moveaxis(np.array(states).reshape(x.shape), 0, axis)


def scanned(
    x: Array, delta: Array, decay: Array, enter: Array, leave: Array, soft: bool = True, **more: Array
) -> Array:
    """Time by time, as Gu and Dao (2023) define it."""
    x, delta = wide(x), wide(delta)
    step = np.log1p(np.exp(delta)) if soft else delta
    enter, leave = (np.broadcast_to(wide(each), (*x.shape[:-1], each.shape[-1])) for each in (enter, leave))
    result = np.zeros(x.shape)
    for batch in np.ndindex(x.shape[:-2]):
        state = np.zeros(decay.shape)
        for time in range(x.shape[-2]):
            at = (*batch, time)
            state = np.exp(step[at][:, None] * decay) * state + np.outer(step[at] * x[at], enter[at])
            result[at] = state @ leave[at]
    result = result + more.get("skip", 0.0) * x
    return result * (more["gate"] / (1 + np.exp(-wide(more["gate"])))) if "gate" in more else result


def chosen(x: Array, k: int, temperature: float = 1.0) -> Array:
    least = np.sort(x, axis=-1)[..., -k, None]
    return softmaxed(np.where(x >= least, wide(x) / temperature, -np.inf))


def mixed(x: Array, share: Array, weight: Array, bias: Array | None = None) -> Array:
    result = np.zeros((*x.shape[:-1], weight.shape[1]))
    for expert, matrix in enumerate(wide(weight)):
        made = wide(x) @ matrix.T + (0 if bias is None else bias[expert])
        result += share[..., expert, None] * made
    return result


def overlap(a: Array, b: Array) -> float:
    """The part of their union that two boxes share."""
    low = np.maximum(np.minimum(a[:2], a[2:]), np.minimum(b[:2], b[2:]))
    high = np.minimum(np.maximum(a[:2], a[2:]), np.maximum(b[:2], b[2:]))
    shared = float(np.prod(np.maximum(high - low, 0)))
    sizes = [float(np.prod(np.abs(box[2:] - box[:2]))) for box in (a, b)]
    return shared / (sum(sizes) - shared)


def suppressed(
    boxes: Array, scores: Array, most: int, threshold: float = 0.5, least: float | None = None
) -> Array:
    """Greedily, from the best score on."""
    result = np.full((*scores.shape[:2], most), -1)
    for batch, kind in np.ndindex(scores.shape[:2]):
        kept: list[int] = []
        for number in np.argsort(-scores[batch, kind], kind="stable"):
            is_good = least is None or scores[batch, kind, number] > least
            if (
                is_good
                and len(kept) < most
                and all(overlap(boxes[batch, number], boxes[batch, each]) <= threshold for each in kept)
            ):
                kept.append(int(number))
        result[batch, kind, : len(kept)] = kept
    return result


def soft_place(x: Array, axis: int) -> Array:
    places = np.arange(x.shape[axis]).reshape(
        [-1 if number == axis % x.ndim else 1 for number in range(x.ndim)]
    )
    return np.asarray((softmaxed(wide(x), axis) * places).sum(axis=axis))


X, HEADS = floats(2, 5, 8), floats(2, 3, 5, 6)
PLACES = np.int32([[0, 3, 1, 7, 2], [9, 9, 8, 0, 4]])
FACTORS = DRAW.uniform(-1, 1, (2, 7, 3)).astype(np.float32)
TIMES, DELTA, GATE = floats(2, 7, 4), floats(2, 7, 4), floats(2, 7, 4)
DECAY = -np.abs(floats(4, 3))
ENTER, LEAVE, SKIP = floats(2, 7, 3), floats(2, 7, 3), floats(4)
SCORES, SHARES = floats(2, 5, 4), np.abs(floats(2, 5, 4))
EXPERTS, BIASES = floats(4, 3, 8), floats(4, 3)
IMAGES = floats(2, 3, 6, 5)
BOXES = (
    DRAW.uniform(0, 6, (2, 20, 2)).repeat(2, 1).reshape(2, 20, 4) + DRAW.uniform(0, 4, (2, 20, 4))
).astype(np.float32)
RANKED = DRAW.permuted(np.tile(np.linspace(-1, 1, 20, dtype=np.float32), (2, 3, 1)), axis=2)
CENTRED = np.concatenate([(BOXES[..., :2] + BOXES[..., 2:]) / 2, np.abs(BOXES[..., 2:] - BOXES[..., :2])], -1)


def scan(*more: str, soft: bool = True, enter: Array = ENTER) -> Sample:
    known: dict[str, Any] = {"skip": SKIP, "gate": GATE}
    given = {name: known[name] for name in more}
    inputs = [TIMES, DELTA, DECAY, enter, LEAVE, *given.values()]
    expected = scanned(TIMES, DELTA, DECAY, enter, LEAVE, soft, **given)
    return Sample({} if soft else {"delta_softplus": False}, inputs, expected)


SEQUENCES: dict[str, list[Sample]] = {
    "rotary_embedding": [
        Sample({}, [X], rotated(X, np.arange(5), 8)),
        Sample({}, [X, PLACES], rotated(X, PLACES, 8)),
        Sample({"interleaved": True, "theta": 100}, [X], rotated(X, np.arange(5), 8, 100.0, True)),
        Sample({"rotary_dim": 4, "offset": 3}, [HEADS], rotated(HEADS, np.arange(3, 8), 4)),
        Sample({"rotary_dim": 2, "interleaved": True}, [HEADS, PLACES[0]],
               rotated(HEADS, PLACES[0], 2, interleaved=True)),
        Sample({"rotary_dim": 0}, [X], X),
    ],
    "linear_recurrence": [
        *(Sample({"axis": axis}, [FACTORS, FACTORS[::-1]], recurrent(FACTORS, FACTORS[::-1], axis))
          for axis in (0, 1, -1)),
        Sample({"axis": 1}, [FACTORS, FACTORS[0, 0]], recurrent(FACTORS, FACTORS[0, 0], 1)),
        Sample({}, [FACTORS[..., :0], FACTORS[..., :0]], FACTORS[..., :0]),
    ],
    "selective_scan": [scan(), scan("skip"), scan("skip", "gate"), scan(soft=False), scan(enter=ENTER[0, 0]),
                       Sample({}, [TIMES[0], DELTA[0], DECAY, ENTER[0], LEAVE[0]],
                              scanned(TIMES[0], DELTA[0], DECAY, ENTER[0], LEAVE[0]))],
    "expert_weights": [Sample({"k": k, "temperature": t}, [SCORES], chosen(SCORES, k, t))
                       for k in (1, 2, 4) for t in (1.0, 0.5)],
    "expert_linear": [Sample({}, [X, SHARES, EXPERTS], mixed(X, SHARES, EXPERTS)),
                      Sample({}, [X[0], SHARES[0], EXPERTS, BIASES], mixed(X[0], SHARES[0], EXPERTS, BIASES))],
    "profile": [Sample({"axis": axis}, [IMAGES], np.concatenate([wide(IMAGES).max(axis), wide(IMAGES).mean(axis)], 1))
                for axis in (2, 3, -1)],
    "soft_argmax": [Sample({"axis": axis}, [IMAGES * 5], soft_place(IMAGES * 5, axis)) for axis in (0, 2, -1)],
    "non_max_suppression": [
        Sample({"max_output": most, "iou_threshold": part}, [BOXES, RANKED], suppressed(BOXES, RANKED, most, part))
        for most, part in ((7, 0.5), (3, 0.1), (4, 0.0), (0, 0.5))
    ] + [
        Sample({"max_output": 5, "score_threshold": 0.2}, [BOXES, RANKED], suppressed(BOXES, RANKED, 5, least=0.2)),
        Sample({"max_output": 5, "center_point_box": True, "iou_threshold": 0.3}, [CENTRED, RANKED],
               suppressed(BOXES, RANKED, 5, 0.3)),
        Sample({"max_output": 6}, [BOXES[:, :4], RANKED[..., :4]], suppressed(BOXES[:, :4], RANKED[..., :4], 6)),
        Sample({"max_output": 2}, [BOXES[:, :0], RANKED[..., :0]], np.full((2, 3, 2), -1)),
    ],
}  # fmt: skip
