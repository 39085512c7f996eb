"""Rows that fold axes away, and softmax, which folds and spreads again."""

from __future__ import annotations

from ops.spec import FLOATS, NUMBERS, Attribute, OpSpec, Reduction

_AXES = Attribute(
    "axes", "axes", None, doc="One axis, a list of axes, or null for all; negative ones count from the end."
)
_AXIS = Attribute("axis", "axis", None, doc="One axis, or null for the flattened tensor.")
_KEEP = Attribute("keepdim", "flag", False, doc="Whether a folded axis stays, with size 1.")


def _search(name: str, which: str) -> OpSpec:
    doc = f"The position (i32) of the first {which}; a NaN counts as the {which}."
    return OpSpec(
        name, "search", ("x",), doc, attributes=(_AXIS, _KEEP), dtypes=NUMBERS, result="i32", shape="reduce"
    )


ROWS = (
    OpSpec(
        "sum",
        "reduction",
        ("x",),
        "Sum; of bools an i32, as there is no i64 yet. Integers wrap.",
        attributes=(_AXES, _KEEP),
        result="sum",
        shape="reduce",
        tolerance=1e-6,
        reduction=Reduction("a + b", 0),
    ),
    OpSpec(
        "mean",
        "reduction",
        ("x",),
        "Arithmetic mean; NaN of nothing.",
        attributes=(_AXES, _KEEP),
        dtypes=FLOATS,
        result="f32",
        shape="reduce",
        tolerance=1e-6,
        reduction=Reduction("a + b", 0, finish="a / n", empty=float("nan")),
    ),
    OpSpec(
        "max",
        "reduction",
        ("x",),
        "Largest element; NaN if there is one.",
        aliases=("amax",),
        attributes=(_AXES, _KEEP),
        shape="reduce",
        reduction=Reduction("maximum(a, b)", None),
    ),
    OpSpec(
        "min",
        "reduction",
        ("x",),
        "Smallest element; NaN if there is one.",
        aliases=("amin",),
        attributes=(_AXES, _KEEP),
        shape="reduce",
        reduction=Reduction("minimum(a, b)", None),
    ),
    _search("argmax", "largest"),
    _search("argmin", "smallest"),
    OpSpec(
        "softmax",
        "softmax",
        ("x",),
        "`exp(x - max) / sum(exp(x - max))` along an axis.",
        attributes=(Attribute("axis", "integer", -1),),
        dtypes=FLOATS,
        shape="same",
        tolerance=6e-6,
    ),
)
