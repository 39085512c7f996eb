"""Rows that fold axes away, and softmax, which folds and spreads again."""

from __future__ import annotations

from typing import Any

from ops.spec import ALL, FLOATS, NUMBERS_64, SUM, Attribute, OpSpec, Reduction

_AXES = Attribute(
    "axes", "axes", None, doc="One axis, a list of axes, or null for all; negative ones count from the end."
)
_AXIS = Attribute("axis", "axis", None, doc="One axis, or null for the flattened tensor.")
_LAST = Attribute("axis", "integer", -1)
_KEEP = Attribute("keepdim", "flag", False, doc="Whether a folded axis stays, with size 1.")
_EXACT: dict[str, Any] = {"tolerance": 1e-6, "relative": SUM}


def _fold(name: str, doc: str, reduction: Reduction, *aliases: str, **more: Any) -> OpSpec:
    return OpSpec(
        name, "reduction", ("x",), doc, aliases=aliases, attributes=(_AXES, _KEEP), shape="reduce",
        reduction=reduction, **more,
    )  # fmt: skip


def _search(name: str, which: str) -> OpSpec:
    doc = f"The position (i32) of the first {which}; a NaN counts as the {which}."
    return OpSpec(
        name,
        "search",
        ("x",),
        doc,
        attributes=(_AXIS, _KEEP),
        dtypes=NUMBERS_64,
        result="i32",
        shape="reduce",
    )


def _statistic(
    name: str,
    doc: str,
    attributes: tuple[Attribute, ...],
    *aliases: str,
    dtypes: tuple[str, ...] = FLOATS,
    **more: Any,
) -> OpSpec:
    return OpSpec(
        name, "composite", ("x",), doc, aliases=aliases, attributes=attributes, dtypes=dtypes, section="reduction",
        **more,
    )  # fmt: skip


_INTERPOLATION = Attribute(
    "interpolation", "text", "linear", ("linear", "lower", "higher", "nearest", "midpoint")
)
_LARGEST = Attribute("largest", "flag", True)
_K = Attribute("k", "integer")
_CORRECTION = Attribute("correction", "number", 1, doc="The divisor is the number of elements less it.")

ROWS = (
    _fold("sum", "Sum; of bools and integers below 32 bits an i32. Integers wrap.", Reduction("a + b", 0),
          "reduce_sum", result="sum", **_EXACT),
    _fold("nansum", "Sum of what is not NaN.", Reduction("a + b", 0, load="0 if is_nan(x) else x"), result="sum",
          **_EXACT),
    _fold("mean", "Arithmetic mean; NaN of nothing.", Reduction("a + b", 0, finish="a / n", empty=float("nan")),
          "reduce_mean", dtypes=FLOATS, result="float", **_EXACT),
    _fold("prod", "Product; of bools and integers below 32 bits an i32. Integers wrap.", Reduction("a * b", 1),
          "reduce_prod", result="sum", tolerance=1e-4),
    _fold("max", "Largest element; NaN if there is one.", Reduction("maximum(a, b)", None), "amax", "reduce_max"),
    _fold("min", "Smallest element; NaN if there is one.", Reduction("minimum(a, b)", None), "amin", "reduce_min"),
    _fold("any", "Whether an element is true (not 0).", Reduction("a or b", 0), result="bool"),
    _fold("all", "Whether all elements are true.", Reduction("a and b", 1), result="bool"),
    _fold("count_nonzero", "How many elements are not 0, an i32.", Reduction("a + b", 0, load="1 if x else 0"),
          result="i32"),
    _statistic("nanmean", "Mean of what is not NaN.", (_AXES, _KEEP), **_EXACT),
    _statistic("var", "Variance, in two passes.", (_AXES, _CORRECTION, _KEEP), tolerance=4e-6),
    _statistic("std", "Standard deviation, in two passes.", (_AXES, _CORRECTION, _KEEP), tolerance=4e-6),
    _statistic(
        "norm", "The p-norm: the p-th root of the sum of the p-th powers of sizes; for infinity the largest size, for 0"
        " how many are not 0.",
        (Attribute("p", "number", 2), _AXES, _KEEP), "vector_norm", tolerance=2e-5,
    ),
    _statistic("logsumexp", "`log(sum(exp(x)))`, for any size of `x`.", (_AXES, _KEEP), "reduce_log_sum_exp",
               tolerance=1e-6, relative="maximum(1, abs(result))"),
    _statistic("reduce_l1", "Sum of sizes.", (_AXES, _KEEP), **_EXACT),
    _statistic("reduce_l2", "The root of the sum of squares.", (_AXES, _KEEP), tolerance=2e-6),
    _statistic("reduce_sum_square", "Sum of squares.", (_AXES, _KEEP), **_EXACT),
    _statistic("reduce_log_sum", "`log(sum(x))`.", (_AXES, _KEEP), tolerance=1e-6,
               relative="maximum(1, abs(result))"),
    _search("argmax", "largest"),
    _search("argmin", "smallest"),
    _statistic("median", "The middle element, the lower one of two; NaN if there is one.", (_AXIS, _KEEP),
               dtypes=NUMBERS_64),
    _statistic("quantile", "The value below which the part `q` lies: where it lies between two, what `interpolation`"
               " says, by default in proportion.", (Attribute("q", "number"), _AXIS, _KEEP, _INTERPOLATION),
               tolerance=1e-6, relative="maximum(1, abs(result))"),
    _statistic("topk", "The `k` largest (or smallest) elements along an axis, in order.", (_K, _LAST, _LARGEST),
               dtypes=ALL),
    _statistic("topk_indices", "The positions (i32) of the `k` largest (or smallest) along an axis, in order.",
               (_K, _LAST, _LARGEST), dtypes=ALL, result="i32"),
    OpSpec(
        "softmax", "softmax", ("x",), "`exp(x - max) / sum(exp(x - max))` along an axis.", attributes=(_LAST,),
        dtypes=FLOATS, shape="same", tolerance=6e-6,
    ),
    OpSpec(
        "log_softmax", "softmax", ("x",), "`x - max - log(sum(exp(x - max)))` along an axis.", attributes=(_LAST,),
        dtypes=FLOATS, shape="same", tolerance=3e-6, relative="maximum(1, abs(result))",
    ),
    OpSpec("softmin", "composite", ("x",), "`softmax` of `-x`.", attributes=(_LAST,), dtypes=FLOATS, shape="same",
           tolerance=6e-6, section="softmax"),
)  # fmt: skip
