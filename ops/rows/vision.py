"""Rows that find things in images."""

from __future__ import annotations

from ops.spec import FLOATS, SUM, Attribute, OpSpec

_X = ("x",)

ROWS = (
    OpSpec(
        "profile", "composite", _X,
        "The largest element and the mean along an axis of images [batch, channels, *space], as twice the channels.",
        attributes=(Attribute("axis", "integer", doc="An axis of space."),), dtypes=FLOATS, section="vision",
        tolerance=1e-6, relative=SUM,
    ),
    OpSpec(
        "soft_argmax", "composite", _X,
        "The position along an axis, on average by `softmax`: one between positions, with a gradient.",
        attributes=(Attribute("axis", "integer", -1),), dtypes=FLOATS, section="vision", tolerance=1e-5,
        relative="maximum(1, abs(result))",
    ),
    OpSpec(
        "non_max_suppression", "composite", ("boxes", "scores"),
        "Positions (i32) of the boxes with the largest scores, in order, without those that overlap with one before;"
        " behind the last -1. `boxes` are [batch, boxes, 4], two corners each, `scores` [batch, classes, boxes]; the"
        " result is [batch, classes, `max_output`].",
        attributes=(
            Attribute("max_output", "integer", doc="How many, up to 256."),
            Attribute("iou_threshold", "number", 0.5, doc="Over which part of their union two boxes may share."),
            Attribute("score_threshold", "number", None, doc="What a score must be above."),
            Attribute("center_point_box", "flag", False, doc="Whether boxes are centre and size, x first."),
        ),
        dtypes=FLOATS, result="i32", section="vision",
    ),
)  # fmt: skip
