"""Rows that bring elements to a common scale."""

from __future__ import annotations

from typing import Any

from ops.spec import FLOATS, Attribute, OpSpec

_EPS = Attribute("eps", "number", 1e-5, doc="Added to the variance, so that none is 0.")
_SHAPE = Attribute("normalized_shape", "sizes", doc="The sizes of the last axes, over which is normalised.")
_AXES = Attribute("axes", "axes", None, doc="One axis, a list of axes, or null for all.")
_AFFINE = ("x", "weight", "bias")
_ROUNDED: dict[str, Any] = {"tolerance": 1e-5, "relative": "maximum(1, abs(result))"}


def _norm(
    name: str,
    doc: str,
    *attributes: Attribute,
    inputs: tuple[str, ...] = _AFFINE,
    optional: int = 2,
    **more: Any,
) -> OpSpec:
    return OpSpec(
        name, "composite", inputs, doc, attributes=attributes, dtypes=FLOATS, section="norm", optional=optional,
        **_ROUNDED, **more,
    )  # fmt: skip


ROWS = (
    OpSpec(
        "pairwise_distance", "composite", ("x", "y"), "The p-norm of `x - y + eps` along the last axis.",
        attributes=(Attribute("p", "number", 2.0), Attribute("eps", "number", 1e-6),
                    Attribute("keepdim", "flag", False)),
        dtypes=FLOATS, section="norm", tolerance=2e-5, relative="maximum(1, abs(result))",
    ),
    OpSpec(
        "standardize", "normalize", ("x",),
        "`(x - mean) / sqrt(variance + eps)` over axes, with the mean rounded to f32; not `centred`, `x / sqrt(mean(x *"
        " x) + eps)`.",
        attributes=(_AXES, _EPS, Attribute("centred", "flag", True)), dtypes=FLOATS, shape="standardize",
        section="norm", **_ROUNDED,
    ),
    _norm("layer_norm", "Standardised over the last axes, then times `weight`, plus `bias`.", _SHAPE, _EPS),
    _norm("rms_norm", "Divided by the root of the mean square over the last axes, then times `weight`.", _SHAPE,
          Attribute("eps", "number", None, doc="Added to the mean square; null for 2^-23."), inputs=("x", "weight"),
          optional=1),
    _norm("group_norm", "Standardised over groups of channels (axis 1) and all axes behind, then times `weight`, plus"
          " `bias`, one number a channel.", Attribute("num_groups", "integer"), _EPS),
    _norm("instance_norm", "Standardised over all axes behind the channels (axis 1), then times `weight`, plus `bias`,"
          " one number a channel.", _EPS),
    _norm("batch_norm", "`(x - mean) / sqrt(var + eps) * weight + bias`, with one number a channel (axis 1).", _EPS,
          inputs=("x", "mean", "var", "weight", "bias")),
    _norm("local_response_norm", "`x / (k + alpha * mean of squares) ** beta`, where the mean is over `size`"
          " neighbouring channels (axis 1), 0 beyond the ends.", Attribute("size", "integer"),
          Attribute("alpha", "number", 1e-4), Attribute("beta", "number", 0.75), Attribute("k", "number", 1.0),
          inputs=("x",), optional=0),
    _norm("normalize", "`x / maximum(norm, eps)`, the p-norm along an axis.", Attribute("p", "number", 2.0),
          Attribute("axis", "integer", 1), Attribute("eps", "number", 1e-12), inputs=("x",), optional=0),
    _norm("cosine_similarity", "The cosine of the angle between vectors along an axis; a length counts as `eps` at"
          " least.", Attribute("axis", "integer", 1), Attribute("eps", "number", 1e-8),
          inputs=("x", "y"), optional=0),
)  # fmt: skip
