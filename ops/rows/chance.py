"""Rows of random numbers as tensors: each follows from a key and a counter, as the stream `philox` does."""

from __future__ import annotations

from ops.spec import FLOATS, Attribute, OpSpec, ResultRule

_SHAPE = Attribute("shape", "sizes", doc="The sizes.")
_KEY = Attribute("key", "words", (0, 0), doc="Two words.")
_COUNTER = Attribute(
    "counter", "words", (0, 0, 0, 0), doc="Four words, the lowest first: where `philox` begins."
)


def _drawn(name: str, doc: str, *attributes: Attribute, result: ResultRule, tolerance: float = 0.0) -> OpSpec:
    return OpSpec(
        name, "composite", (), doc, attributes=(_SHAPE, *attributes, _KEY, _COUNTER), section="random",
        result=result, tolerance=tolerance, relative="maximum(1, abs(result))",
    )  # fmt: skip


ROWS = (
    _drawn("random_uniform", "Numbers from `low` to below `high`, of 24 random bits each.",
           Attribute("low", "number", 0.0), Attribute("high", "number", 1.0), result="f32", tolerance=2e-7),
    _drawn("random_normal", "Numbers of the normal distribution, each by Box and Muller's method from two words.",
           Attribute("mean", "number", 0.0), Attribute("std", "number", 1.0), result="f32", tolerance=2e-6),
    _drawn("random_integers", "Whole numbers from `low` to below `high`: words modulo the difference.",
           Attribute("low", "integer", 0), Attribute("high", "integer"), result="i32"),
    OpSpec(
        "dropout", "composite", ("x",), "`x / (1 - p)`, and 0 in place of each element with the probability `p`.",
        attributes=(Attribute("p", "number", 0.5), _KEY, _COUNTER), dtypes=FLOATS, section="random", tolerance=3e-7,
    ),
)  # fmt: skip
