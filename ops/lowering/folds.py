"""How two values fold into one: by sum, product or extreme.

Owns these folds with their neutral values, and a fold as text. Must not know what is folded.
"""

from __future__ import annotations

from ops import wgsl
from ops.expression import Term, applied, cast, input_term
from ops.spec import Reduction
from ops.wgsl import Function

_INFINITY = float("inf")
_ENDS: dict[str, tuple[float, float]] = {
    "f32": (-_INFINITY, _INFINITY),
    "i32": (-(1 << 31), (1 << 31) - 1),
    "u32": (0, (1 << 32) - 1),
    "i64": (-(1 << 63), (1 << 63) - 1),
    "bool": (0, 1),
}
"""The lowest and the highest value of a dtype."""
SUM = Reduction("a + b", 0)
PRODUCT = Reduction("a * b", 1)


def maximum(dtype: str) -> Reduction:
    """The larger of two values of `dtype`."""
    return Reduction("maximum(a, b)", _ENDS[dtype][0])


def minimum(dtype: str) -> Reduction:
    """The smaller of two values of `dtype`."""
    return Reduction("minimum(a, b)", _ENDS[dtype][1])


def combined(fold: Reduction, dtype: str) -> Term:
    """Inputs 0 and 1, of `dtype`, folded."""
    return cast(applied(fold.combine, a=input_term(0, dtype), b=input_term(1, dtype)), dtype)


def combine_function(fold: Reduction, dtype: str) -> Function:
    """The WGSL function `combine(a, b)` of values of `dtype`."""
    return wgsl.function("combine", combined(fold, dtype), [("a", dtype), ("b", dtype)])
