"""Functions of `torch` that read and write at positions, with PyTorch's arguments.

Owns their forms: the axis before the tensors, numbers in place of tensors, and what is written where `index` says. Must
not know how rows become functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

from ops import dtypes
from ops.errors import AttributeValueError
from ops.shapes import axis as counted
from ops.torch.advanced import coordinates, positions, put
from ops.torch.functions.shape import broadcast_tensors
from ops.torch.operands import Operand, operands
from ops.torch.tensor import Tensor, apply, node_of
from ops.torch.typenames import Number

_REDUCE = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


def written_by_hand() -> dict[str, Callable[..., Any]]:
    """These functions by their names."""
    return {
        "gather": gather,
        "scatter": scatter,
        "scatter_add": scatter_add,
        "scatter_reduce": scatter_reduce,
        "index_select": index_select,
        "take_along_dim": take_along_dim,
        "index_add": index_add,
        "index_copy": index_copy,
        "index_fill": index_fill,
        "index_put": index_put,
        "masked_select": masked_select,
        "masked_scatter": masked_scatter,
        "take": take,
        "nonzero": nonzero,
        "argwhere": nonzero,
    }


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements whose position along an axis is `index`; a tensor of rank 0 counts as one of one element."""
    if _is_nothing(input, dim, index):
        return apply("full", [], shape=list(index.shape), value=0, dtype=node_of(input).type.dtype)
    wide, places = (each if each.ndim else each.reshape(1) for each in (input, index))
    found = apply("gather", [wide, places], axis=dim)
    return found if found.ndim == index.ndim else found.reshape(index.shape)


def _is_nothing(input: Tensor, dim: int, index: Tensor) -> bool:
    """Whether there are no positions: PyTorch takes those in any shape. Raises `ShapeError` for what is no axis."""
    counted(dim, max(input.ndim, 1))
    return not index.numel()


def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: Number | None = None,
    reduce: str | None = None,
) -> Tensor:
    """`input` with `src`, a tensor or a number, put or folded in at positions along an axis."""
    given = value if src is None else src
    if reduce is not None and reduce not in _REDUCE:
        raise AttributeValueError(f"scatter does not reduce by {str(reduce)[:24]!r}", hint="add or multiply")
    fold = "none" if reduce is None else _REDUCE[reduce]
    if _is_nothing(input, dim, index):
        return input.clone()
    return apply("scatter", [input, index, _source(input, index, given)], axis=dim, reduce=fold)


def _source(input: Tensor, index: Tensor, source: Operand | None) -> Tensor:
    """What is scattered: a number as a tensor, and of a tensor as much as there are positions."""
    if not isinstance(source, Tensor):
        return operands([input, source])[1]
    if source.ndim == index.ndim and source.shape != index.shape:
        return source[tuple(slice(size) for size in index.shape)]
    return source


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with `src` added at positions along an axis."""
    return scatter(input, dim, index, src, reduce="add")


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`input` with `src` folded in by "sum", "prod", "amax", "amin" or "mean"."""
    if reduce == "mean":
        one = apply("full", [], shape=[], value=1, dtype=node_of(input).type.dtype)
        counts = scatter(apply("expand", [one], shape=list(input.shape)), dim, index, 1, reduce="add")
        total = scatter_reduce(input, dim, index, src, "sum", include_self=include_self)
        if not include_self:
            counts = apply("maximum", operands([apply("sub", operands([counts, 1])), 1]))
        kind = "div" if input.is_floating_point() else "floor_divide"
        return apply(kind, [total, counts])
    if reduce not in _REDUCE:
        raise AttributeValueError(f"scatter_reduce does not reduce by {str(reduce)[:24]!r}")
    if include_self:
        return scatter(input, dim, index, src, reduce=reduce)
    first = scatter(input, dim, index, _neutral(reduce, input))
    return scatter(first, dim, index, src, reduce=reduce)


def _neutral(reduce: str, input: Tensor) -> float | int:
    row = dtypes.dtype(node_of(input).type.dtype)
    return {"add": 0, "mul": 1, "max": row.lowest, "min": row.highest}[_REDUCE[reduce]]


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The parts at positions along an axis."""
    taken = apply("index_select", [input, index if index.ndim else index.reshape(1)], axis=dim)
    return taken if input.ndim else taken.reshape([])


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """As `gather`, where the other axes broadcast."""
    return apply("take_along_dim", [input, indices], axis=dim)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """`input` with parts of `source` added at positions along an axis."""
    return apply("index_add", [input, index, source], axis=dim, alpha=alpha)


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with parts of `source` at positions along an axis."""
    return apply("index_copy", [input, index, source], axis=dim)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """`input` with one value at positions along an axis."""
    number = value.item() if isinstance(value, Tensor) else value
    return apply("index_fill", [input, index], axis=dim, value=number)


def index_put(input: Tensor, indices: Sequence[Tensor], values: Operand, accumulate: bool = False) -> Tensor:
    """`input` with values put or added at positions along its first axes."""
    result = input.clone()
    put(result, tuple(indices), values, "add" if accumulate else "none")
    return result


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where `mask` is true, as a flat tensor."""
    wide, flags = (each.reshape(-1) for each in broadcast_tensors(input, mask))
    return wide[flags.bool()]


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source`, in order, where `mask` is true."""
    return apply("masked_scatter", [*broadcast_tensors(input, mask), source])


def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at positions in the flattened tensor."""
    return apply("index_select", [input.reshape(-1), index], axis=0)


@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor: ...


@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """The coordinates of what is not 0: one row an element, or one tensor an axis."""
    if not as_tuple and not input.ndim:
        return apply("full", [], shape=[len(positions(input)), 0], value=0, dtype="i32")
    wide = input.reshape(1) if not input.ndim else input
    parts = tuple(coordinates(wide.bool(), wide.shape))
    return parts if as_tuple else apply("stack", list(parts), axis=1)
