"""Rows of models of sequences, and of mixtures of experts."""

from __future__ import annotations

from typing import Any

from ops.spec import FLOATS, INTEGERS, SUM, Attribute, OpSpec

_ROUNDED: dict[str, Any] = {"tolerance": 1e-5, "relative": "maximum(1, abs(result))"}
_SCANNED = ("x", "delta", "decay", "enter", "leave", "skip", "gate")


def _composite(name: str, inputs: tuple[str, ...], doc: str, *attributes: Attribute, **more: Any) -> OpSpec:
    given: dict[str, Any] = {"dtypes": FLOATS, "section": "sequence"} | more
    return OpSpec(name, "composite", inputs, doc, attributes=attributes, **given)


ROWS = (
    _composite(
        "rotary_embedding", ("x", "positions"),
        "`x` [*, positions, size] with pairs of its last axis turned by `position * theta ** (-2 * pair / size)`."
        " `positions` broadcast to `x` without its last axis; without them they are counted from `offset` on.",
        Attribute("theta", "number", 10_000.0),
        Attribute("rotary_dim", "integer", None, doc="How many elements are turned, an even number; null for all."),
        Attribute("interleaved", "flag", False, doc="Whether neighbours are a pair, or those half the size apart."),
        Attribute("offset", "integer", 0),
        optional=1, input_dtypes=(FLOATS, INTEGERS), aliases=("rope",), **_ROUNDED,
    ),
    _composite(
        "linear_recurrence", ("x", "y"), "`h[t] = x[t] * h[t - 1] + y[t]` along an axis, from 0 on, by doubling.",
        Attribute("axis", "integer", -1), tolerance=1e-5, relative=SUM,
    ),
    _composite(
        "selective_scan", _SCANNED,
        "The recurrence of state space models: with `step = softplus(delta)`, `h[t] = exp(step * decay) * h[t - 1] +"
        " step * enter * x[t]`, and `sum(h * leave) + skip * x`, times `silu(gate)`. `x`, `delta` and `gate` are"
        " [*, time, channels], `decay` [channels, states], `enter` and `leave` [*, time, states] or [states], `skip`"
        " [channels]. All states are kept until it is done.",
        Attribute("delta_softplus", "flag", True, doc="Whether `delta` goes through softplus first."),
        optional=2, result="first", **_ROUNDED,
    ),
    _composite(
        "expert_weights", ("x",),
        "How much each expert has to say by its score (last axis): `softmax` of the `k` largest scores, 0 for others.",
        Attribute("k", "integer"), Attribute("temperature", "number", 1.0, doc="Divides the scores."),
        tolerance=6e-6, aliases=("moe_router",),
    ),
    _composite(
        "expert_linear", ("x", "share", "weight", "bias"),
        "The sum over experts of `share * (x @ weight.T + bias)`: `share` [*, experts] as `expert_weights` gives it,"
        " `weight` [experts, outputs, inputs], `bias` [experts, outputs].",
        optional=1, tolerance=2e-6, relative=SUM, aliases=("moe_linear",), result="first",
    ),
)  # fmt: skip
