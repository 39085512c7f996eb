"""Rows of neural networks that are neither activations nor norms nor losses."""

from __future__ import annotations

from ops.spec import FLOATS, Attribute, OpSpec

_INDEX = ("i32", "u32", "i64")
_MASK = (*FLOATS, "bool")
_SCALE = Attribute("scale", "number", None, doc="Multiplies the scores; null for 1 / sqrt(size of a query).")
_QKV = ("query", "key", "value", "mask")
_CAUSAL = Attribute("is_causal", "flag", False, doc="Whether query n sees only the keys 0 to n.")

ROWS = (
    OpSpec(
        "embedding", "composite", ("index", "weight"), "The rows of `weight` at positions.",
        attributes=(
            Attribute("padding_idx", "integer", None, doc="A row that gets no gradient."),
            Attribute("scale_grad_by_freq", "flag", False, doc="Whether the gradient of a row is divided by how often"
                      " it was looked up."),
        ),
        input_dtypes=(_INDEX, FLOATS), section="neural",
    ),
    OpSpec(
        "attention", "attention", _QKV,
        "`softmax(query @ key.T * scale + mask) @ value` of matrices, in batches. What lies between is not kept whole.",
        attributes=(_CAUSAL, _SCALE), dtypes=FLOATS, shape="attention", tolerance=1e-5,
        relative="maximum(1, abs(result))", section="neural", optional=1,
    ),
    OpSpec(
        "scaled_dot_product_attention", "composite", _QKV,
        "`attention`, whose mask may be of bools, which say what is seen: a query that sees nothing gets 0.",
        attributes=(
            _CAUSAL, _SCALE,
            Attribute("enable_gqa", "flag", False, doc="Whether heads of queries (axis -3) share those of keys."),
        ),
        input_dtypes=(FLOATS, FLOATS, FLOATS, _MASK), tolerance=1e-5, relative="maximum(1, abs(result))",
        section="neural", optional=1,
    ),
    OpSpec("glu", "composite", ("x",), "The first half of an axis times `sigmoid` of the second.",
           attributes=(Attribute("axis", "integer", -1),), dtypes=FLOATS, section="neural", tolerance=1e-6),
    OpSpec("scale_gradient", "elementwise", ("x", "y"), "`x` as it is, whose gradient is multiplied by `y`.", "x",
           dtypes=FLOATS, gradients=("grad * y", "0.0")),
    OpSpec("stop_gradient", "elementwise", ("x",), "`x` as it is, which gets no gradient.", "x", gradients=("0.0",)),
)  # fmt: skip
