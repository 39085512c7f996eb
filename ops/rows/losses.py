"""Rows of losses: how far predictions are from what they should be."""

from __future__ import annotations

from typing import Any

from ops.spec import FLOATS, Attribute, OpSpec

_REDUCTION = Attribute(
    "reduction", "text", "mean", ("none", "mean", "sum"), "What becomes of the losses of all elements."
)
_BATCHMEAN = Attribute(
    "reduction", "text", "mean", ("none", "mean", "sum", "batchmean"), "`batchmean`: the sum by the first axis' size."
)  # fmt: skip
_IGNORED = Attribute("ignore_index", "integer", -100, doc="A class that has no say.")
_PAIR = ("x", "target")
_WHOLE = ("i32", "u32", "i64")
_CLASSES = (FLOATS, (*FLOATS, *_WHOLE), FLOATS)


def _loss(
    name: str, doc: str, *attributes: Attribute, inputs: tuple[str, ...] = _PAIR, **more: Any
) -> OpSpec:
    given: dict[str, Any] = {
        "attributes": (*attributes, _REDUCTION), "dtypes": FLOATS, "tolerance": 4e-6,
        "relative": "maximum(1, abs(result))", "section": "loss",
    } | more  # fmt: skip
    return OpSpec(name, "composite", inputs, doc, **given)


ROWS = (
    _loss("mse_loss", "`(x - target) ** 2`."),
    _loss("l1_loss", "`abs(x - target)`."),
    _loss("smooth_l1_loss", "`abs(x - target) - beta / 2`, and below `beta` a parabola, `(x - target) ** 2 / (2 *"
          " beta)`.", Attribute("beta", "number", 1.0)),
    _loss("huber_loss", "`delta * (abs(x - target) - delta / 2)`, and below `delta` a parabola,"
          " `(x - target) ** 2 / 2`.", Attribute("delta", "number", 1.0)),
    _loss("nll_loss", "`-weight[target] * x[target]` of log-probabilities `x` with classes at axis 1 (axis 0 of a"
          " vector); the mean is by the sum of weights.", _IGNORED, inputs=("x", "target", "weight"), optional=1,
          input_dtypes=(FLOATS, _WHOLE, FLOATS)),
    _loss("cross_entropy", "`nll_loss` of `log_softmax(x)`; or, where `target` is of floats, `-sum(target *"
          " log_softmax(x))` over the classes. `label_smoothing` is the part of each target that goes to all classes"
          " evenly.", _IGNORED, Attribute("label_smoothing", "number", 0.0), inputs=("x", "target", "weight"),
          optional=1, input_dtypes=_CLASSES),
    _loss("binary_cross_entropy", "`-weight * (target * log(x) + (1 - target) * log(1 - x))`; a logarithm counts as"
          " -100 at least.", inputs=("x", "target", "weight"), optional=1),
    _loss("binary_cross_entropy_with_logits", "`binary_cross_entropy` of `sigmoid(x)`, for any size of `x`;"
          " `pos_weight` multiplies the part of `target`.", inputs=("x", "target", "pos_weight"), optional=1),
    _loss("kl_div", "`target * (log(target) - x)` of log-probabilities `x`, 0 where `target` is; with `log_target`,"
          " `exp(target) * (target - x)`.",
          attributes=(Attribute("log_target", "flag", False), _BATCHMEAN)),
    _loss("poisson_nll_loss", "`exp(x) - target * x`, or, where not `log_input`, `x - target * log(x + eps)`; `full`"
          " adds Stirling's approximation of `log(target!)` where `target` is above 1.",
          Attribute("log_input", "flag", True), Attribute("full", "flag", False), Attribute("eps", "number", 1e-8)),
    _loss("gaussian_nll_loss", "`(log(var) + (x - target) ** 2 / var) / 2`, with `var` at least `eps`; `full` adds"
          " `log(2 * pi) / 2`.", Attribute("full", "flag", False), Attribute("eps", "number", 1e-6),
          inputs=("x", "target", "var")),
    _loss("triplet_margin_loss", "`maximum(0, distance(x, positive) - distance(x, negative) + margin)`, by"
          " `pairwise_distance`; `swap` takes the distance of `positive` from `negative` if that is less.",
          Attribute("margin", "number", 1.0), Attribute("p", "number", 2.0), Attribute("eps", "number", 1e-6),
          Attribute("swap", "flag", False), inputs=("x", "positive", "negative")),
    _loss("multi_margin_loss", "The sum over other classes of `maximum(0, margin - x[target] + x) ** p`, by the number"
          " of classes (last axis).", Attribute("p", "number", 1), Attribute("margin", "number", 1.0),
          inputs=("x", "target", "weight"), optional=1, input_dtypes=(FLOATS, _WHOLE, FLOATS)),
    _loss("multilabel_margin_loss", "The sum over targets and other classes of `maximum(0, 1 - x[target] + x)`, by the"
          " number of classes (last axis); the targets of a row end with -1.", input_dtypes=(FLOATS, _WHOLE)),
    _loss("multilabel_soft_margin_loss", "The mean over classes (last axis) of `binary_cross_entropy_with_logits`,"
          " times `weight`.", inputs=("x", "target", "weight"), optional=1),
    _loss("soft_margin_loss", "`log(1 + exp(-target * x))`."),
    _loss("hinge_embedding_loss", "`x` where `target` is 1, `maximum(0, margin - x)` where it is -1.",
          Attribute("margin", "number", 1.0), result="first"),
    _loss("margin_ranking_loss", "`maximum(0, -target * (x - y) + margin)`.", Attribute("margin", "number", 0.0),
          inputs=("x", "y", "target")),
    _loss("cosine_embedding_loss", "`1 - cosine` of the vectors along the last axis where `target` is 1,"
          " `maximum(0, cosine - margin)` where it is -1.", Attribute("margin", "number", 0.0),
          inputs=("x", "y", "target")),
)  # fmt: skip
