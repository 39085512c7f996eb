"""Composites that find things in images."""

from __future__ import annotations

from math import inf

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import axis as counted
from ops.shapes import text

_MOST = 256


def profile(do: Parts, x: Value, axis: int) -> Value:
    """The largest element and the mean along an axis of space, as channels."""
    where = counted(axis, x.rank)
    if where < 2:
        raise ShapeError(f"profile is along an axis of space of [batch, channels, *space], not axis {axis}")
    return do("concat", *(do(fold, x, axes=[where]) for fold in ("max", "mean")), axis=1)


def soft_argmax(do: Parts, x: Value, axis: int) -> Value:
    """The sum of positions, each times its share by `softmax`."""
    where = counted(axis, x.rank)
    shares = do("softmax", x if x.rank else do.reshape(x, 1), axis=where)
    places = do.along(do.cast(do.numbers(shares.shape[where]), "f32"), where, shares.rank)
    return do.cast(do("sum", shares * places, axes=[where]), x.dtype)


def _corners(do: Parts, boxes: Value, is_centred: bool) -> list[Value]:
    """The low and the high ends of boxes along both axes, each [batch, 1, boxes]."""
    batch, count = boxes.shape[:2]
    parts = [do.reshape(do.slice(boxes, 2, number, number + 1), batch, 1, count) for number in range(4)]
    if is_centred:
        halves = [part * 0.5 for part in parts[2:]]
        return [parts[0] - halves[0], parts[1] - halves[1], parts[0] + halves[0], parts[1] + halves[1]]
    return [do(end, parts[n], parts[n + 2]) for end in ("minimum", "maximum") for n in (0, 1)]


def _area(do: Parts, sides: tuple[Value, Value]) -> Value:
    return do("relu", sides[0]) * do("relu", sides[1])


def non_max_suppression(
    do: Parts,
    boxes: Value,
    scores: Value,
    max_output: int,
    iou_threshold: float,
    score_threshold: float | None,
    center_point_box: bool,
) -> Value:
    """Turn by turn the best of the boxes that are left, and out with those that overlap with it."""
    if boxes.rank != 3 or scores.rank != 3 or boxes.shape != (scores.shape[0], scores.shape[2], 4):
        raise ShapeError(
            "non_max_suppression takes boxes [batch, boxes, 4] and scores [batch, classes, boxes], not"
            f" {text(boxes.shape)} and {text(scores.shape)}"
        )
    if not 0 <= max_output <= _MOST:
        raise AttributeValueError(
            f"non_max_suppression: max_output is {max_output}, but must be from 0 to {_MOST}"
        )
    boxes, left = do.cast(boxes, "f32"), do.cast(scores, "f32")
    ends = [do("expand", end, shape=list(scores.shape)) for end in _corners(do, boxes, center_point_box)]
    area = _area(do, (ends[2] - ends[0], ends[3] - ends[1]))
    if score_threshold is not None:
        left = do("where", do("gt", left, float(score_threshold)), left, -inf)
    found, places = [], do.numbers(scores.shape[2])
    for _ in range(min(max_output, scores.shape[2])):
        best = do("argmax", left, axis=-1, keepdim=True)
        is_left = do("gt", do("max", left, axes=[-1], keepdim=True), -inf)
        found.append(do("where", is_left, best, -1))
        y0, x0, y1, x1, mine = (do("gather", each, best, axis=-1) for each in (*ends, area))
        shared = _area(
            do,
            (do("minimum", ends[2], y1) - do("maximum", ends[0], y0),
             do("minimum", ends[3], x1) - do("maximum", ends[1], x0)),
        )  # fmt: skip
        overlaps = do("gt", shared, (area + mine - shared) * float(iou_threshold))
        left = do("where", do("logical_or", overlaps, do("eq", places, best)), -inf, left)
    missing = do("expand", do.full((), -1, "i32"), shape=[*scores.shape[:2], max_output - len(found)])
    return do("concat", *found, missing, axis=-1)


MEANINGS: dict[str, Meaning] = {
    "profile": profile,
    "soft_argmax": soft_argmax,
    "non_max_suppression": non_max_suppression,
}
