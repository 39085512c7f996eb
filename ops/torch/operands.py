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


def operands(values: Sequence[object], *, to_float: bool = False) -> list[Tensor]:
    """`values` as tensors; numbers as floats for an op that makes floats of all it takes.

    Raises `GraphError` for what is neither a tensor nor a number.
    """
    like = _met([value for value in values if isinstance(value, Tensor)])
    like = dtypes.floating(like) if to_float else like
    result = []
    for value in values:
        if not isinstance(value, Tensor | int | float):
            raise foreign(value)
        if not isinstance(value, Tensor):
            value = _scalar(value, like)
        elif not value.ndim and _row(value) is not like:
            value = value.type(like.name)
        result.append(value)
    return result


def _met(tensors: list[Tensor]) -> dtypes.DType:
    """The dtype in which tensors meet: one of rank 0 has a say only where it is of a higher kind than all others."""
    numbers, arrays = ([_row(each) for each in tensors if bool(each.ndim) is wide] for wide in (False, True))
    highest = max((row.level for row in arrays), default=-1)
    counted = arrays + [row for row in numbers if row.level > highest]
    return dtypes.promote(*counted) if counted else dtypes.dtype("bool")


def _row(tensor: Tensor) -> dtypes.DType:
    return dtypes.dtype(node_of(tensor).type.dtype)


def _scalar(value: Number, like: dtypes.DType) -> Tensor:
    """A number beside a tensor of dtype `like`: of that dtype, unless the number is of a higher kind."""
    own = dtypes.dtype("bool" if isinstance(value, bool) else "i32" if isinstance(value, int) else "f32")
    row = own if own.level > like.level else like
    lowest, highest = (-(1 << 63), 1 << 63) if row.name == "i64" else (-(1 << 31), 1 << 32)
    if row.kind == "int" and not lowest <= value < highest:
        raise AttributeValueError(f"the number {str(value)[:24]} does not fit in {type_name(row.name)!r}")
    return apply("full", [], shape=[], value=float(value) if row.kind == "float" else value, dtype=row.name)
