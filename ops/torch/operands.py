"""What tensors are computed with: other tensors, and numbers.

Owns which dtype a number has beside a tensor, as in PyTorch. Must not know what is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ops import dtypes
from ops.errors import AttributeValueError
from ops.torch.tensor import Tensor, apply, foreign, node_of
from ops.torch.typenames import Number, type_name

Operand = Tensor | float
"""What is computed with: a tensor, or a number, which takes the dtype that it meets."""


def operands(values: Sequence[object]) -> list[Tensor]:
    """`values` as tensors. Raises `GraphError` for what is neither a tensor nor a number."""
    met = [dtypes.dtype(node_of(value).type.dtype) for value in values if isinstance(value, Tensor)]
    like = dtypes.promote(*met) if met else dtypes.dtype("bool")
    result = []
    for value in values:
        if not isinstance(value, Tensor | int | float):
            raise foreign(value)
        result.append(value if isinstance(value, Tensor) else _scalar(value, like))
    return result


def _scalar(value: Number, like: dtypes.DType) -> Tensor:
    """A number beside a tensor of dtype `like`: of that dtype, unless the number is of a higher kind."""
    own = dtypes.dtype("bool" if isinstance(value, bool) else "i32" if isinstance(value, int) else "f32")
    row = own if own.level > like.level else like
    lowest, highest = (-(1 << 63), 1 << 63) if row.name == "i64" else (-(1 << 31), 1 << 32)
    if row.kind == "int" and not lowest <= value < highest:
        raise AttributeValueError(f"the number {str(value)[:24]} does not fit in {type_name(row.name)!r}")
    return apply("full", [], shape=[], value=float(value) if row.kind == "float" else value, dtype=row.name)
