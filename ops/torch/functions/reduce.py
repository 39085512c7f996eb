"""Functions of `torch` that fold, sort and sum along axes, with PyTorch's arguments and results.

Owns what PyTorch gives in several parts, and what needs a value to know its shape. Must not know how rows become
functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, overload

from ops.errors import AttributeValueError, ShapeError
from ops.torch.functions.shape import narrow
from ops.torch.operands import Operand, operands
from ops.torch.tensor import Tensor, apply, node_of
from ops.torch.typenames import Dims, DTypeLike


class Extreme(NamedTuple):
    """What `max`, `sort`, `topk` and their kin give along an axis."""

    values: Tensor
    indices: Tensor


def written_by_hand() -> dict[str, Callable[..., Any]]:
    """These functions by their names."""
    return {
        "var": var,
        "std": std,
        "var_mean": var_mean,
        "std_mean": std_mean,
        "norm": norm,
        "aminmax": aminmax,
        "logsumexp": logsumexp,
        "nanmean": nanmean,
        "median": median,
        "quantile": quantile,
        "sort": sort,
        "argsort": argsort,
        "topk": topk,
        "kthvalue": kthvalue,
        "cumsum": cumsum,
        "cumprod": cumprod,
        "cummax": cummax,
        "cummin": cummin,
        "diff": diff,
        "bincount": bincount,
    }


def _axes(dim: Dims, axis: Dims = None) -> int | list[int] | None:
    """PyTorch's `dim` or NumPy's `axis` as the attribute of a row; an empty list means all axes."""
    chosen = axis if dim is None else dim
    return chosen if chosen is None or isinstance(chosen, int) else list(chosen) or None


def _correction(correction: float | None, unbiased: bool | None, ddof: int | None) -> float:
    if unbiased is not None:
        return 1 if unbiased else 0
    return next((value for value in (correction, ddof) if value is not None), 1)


def var(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    axis: Dims = None,
    ddof: int | None = None,
) -> Tensor:
    """Variance; the divisor is the number of elements less `correction`, 1 by default."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    divisor = _correction(correction, unbiased, ddof)
    return apply("var", [input], axes=_axes(dim, axis), correction=divisor, keepdim=keepdim)


def std(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    axis: Dims = None,
    ddof: int | None = None,
) -> Tensor:
    """Standard deviation, with the arguments of `var`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    divisor = _correction(correction, unbiased, ddof)
    return apply("std", [input], axes=_axes(dim, axis), correction=divisor, keepdim=keepdim)


def var_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean."""
    return var(input, dim, unbiased, keepdim, correction=correction), _mean(input, dim, keepdim)


def std_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean."""
    return std(input, dim, unbiased, keepdim, correction=correction), _mean(input, dim, keepdim)


def _mean(input: Tensor, dim: Dims | bool, keepdim: bool) -> Tensor:
    """The mean beside a statistic; a bool in place of axes says what its divisor is."""
    return apply("mean", [input], axes=None if isinstance(dim, bool) else _axes(dim), keepdim=keepdim)


def norm(
    input: Tensor, p: float | str | None = 2, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None
) -> Tensor:
    """The p-norm of the elements; "fro" is that of 2."""
    return apply("norm", [input], p=2 if p in ("fro", None) else p, axes=_axes(dim, axis), keepdim=keepdim)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element."""
    low, high = (apply(name, [input], axes=dim, keepdim=keepdim) for name in ("min", "max"))
    return low, high


def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """`log(sum(exp(input)))` over axes, for any size."""
    return apply("logsumexp", [input.float()], axes=_axes(dim), keepdim=keepdim)


def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The mean of what is not NaN."""
    return apply("nanmean", [input], axes=_axes(dim), keepdim=keepdim)


@overload
def median(input: Tensor) -> Tensor: ...


@overload
def median(input: Tensor, dim: int, keepdim: bool = False) -> Extreme: ...


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Extreme:
    """The middle element, the lower one of two; along an axis with its position."""
    if dim is None:
        return apply("median", [input])
    if not input.ndim:
        return _of_one(median, input)
    count = input.shape[dim]
    order = sort(input, dim)
    middle, last = ([narrow(part, dim, at, 1) for part in order] for at in ((count - 1) // 2, count - 1))
    values, indices = middle
    if input.is_floating_point():
        is_nan = apply("isnan", [last[0]])
        first = apply("argmax", [input], axis=dim, keepdim=True)
        ends = (last[0], first)
        values, indices = (apply("where", [is_nan, end, mid]) for end, mid in zip(ends, middle, strict=True))
    return Extreme(*(part if keepdim else part.squeeze(dim) for part in (values, indices)))


def _of_one(function: Callable[..., Extreme], input: Tensor, *args: Any) -> Extreme:
    """What a function that looks along an axis gives of a tensor of rank 0."""
    return Extreme(*(part.reshape([]) for part in function(input.reshape(1), *args, 0)))


def quantile(
    input: Tensor,
    q: Operand,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The value below which the part `q` lies; of a flat tensor of parts, one along a new first axis for each."""
    if isinstance(q, Tensor) and q.ndim:
        found = [quantile(input, part, dim, keepdim, interpolation=interpolation) for part in q.tolist()]
        return apply("stack", found, axis=0)
    return apply("quantile", [input], q=float(q), axis=dim, keepdim=keepdim, interpolation=interpolation)


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Extreme:
    """The elements along an axis in order, and their positions; equal ones keep their order."""
    indices = argsort(input, dim, descending)
    return Extreme(apply("gather", [input, indices], axis=dim), indices)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The positions along an axis of the elements in order."""
    return apply("argsort", [input], axis=dim, descending=descending).type("i32")


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Extreme:
    """The k largest or smallest elements along an axis, in order, and their positions."""
    if not input.ndim and k == 1:
        return _of_one(lambda flat, axis: topk(flat, 1, axis), input)
    indices = apply("topk_indices", [input], k=k, axis=dim, largest=largest)
    return Extreme(apply("gather", [input, indices], axis=dim), indices)


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Extreme:
    """The k-th smallest element along an axis, counted from 1, and its position."""
    if not input.ndim:
        return _of_one(kthvalue, input, k)
    parts = topk(input, k, dim, largest=False)
    cut = [narrow(part, dim, k - 1, 1) for part in parts]
    return Extreme(*(part if keepdim else part.squeeze(dim) for part in cut))


def _running(op: str, input: Tensor, dim: int, dtype: DTypeLike | None) -> Tensor:
    """A running fold of the numbers that `input` has in `dtype`, and in it; without one, bools are integers."""
    if dtype is not None:
        return apply(op, [input.type(dtype)], axis=dim).type(dtype)
    return apply(op, [input.int() if node_of(input).type.dtype == "bool" else input], axis=dim)


def cumsum(input: Tensor, dim: int, *, dtype: DTypeLike | None = None) -> Tensor:
    """Running sums along an axis."""
    return _running("cumsum", input, dim, dtype)


def cumprod(input: Tensor, dim: int, *, dtype: DTypeLike | None = None) -> Tensor:
    """Running products along an axis."""
    return _running("cumprod", input, dim, dtype)


def cummax(input: Tensor, dim: int) -> Extreme:
    """Running maxima along an axis, and the position of each."""
    return _record("cummax", input, dim)


def cummin(input: Tensor, dim: int) -> Extreme:
    """Running minima along an axis, and the position of each."""
    return _record("cummin", input, dim)


def _record(name: str, input: Tensor, dim: int) -> Extreme:
    if node_of(input).type.dtype == "bool":
        whole = _record(name, input.int(), dim)
        return Extreme(whole.values.bool(), whole.indices)
    values = apply(name, [input], axis=dim)
    size = input.shape[dim] if input.ndim else 1
    places = apply("arange", [], count=size, dtype="i32")
    if input.ndim:
        places = places.reshape([size if number == dim % input.ndim else 1 for number in range(input.ndim)])
    is_record = apply("logical_or", [apply("eq", [input, values]), apply("isnan", [input])])
    found = apply(
        "where", [is_record, *operands([places.expand(input.shape) if input.ndim else places[0], 0])]
    )
    return Extreme(values, apply("cummax", [found], axis=dim))


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along an axis, `n` times; of what stands before and after it too."""
    if not input.ndim:
        raise ShapeError("diff takes at least 1 axis")
    parts = [part for part in (prepend, input, append) if part is not None]
    input = apply("concat", parts, axis=dim) if n and len(parts) > 1 else input
    for _ in range(n):
        size = input.shape[dim]
        high, low = (narrow(input, dim, start, max(size - 1, 0)) for start in (min(1, size), 0))
        input = apply("ne" if node_of(input).type.dtype == "bool" else "sub", [high, low])
    return input


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 is there, or the sums of its weights."""
    if input.ndim != 1 or input.is_floating_point():
        raise AttributeValueError("bincount takes a flat tensor of integers")
    largest = int(apply("max", [input])) if input.numel() else -1
    zeros = apply("full", [], shape=[max(largest + 1, minlength)], value=0, dtype="i32")
    if weights is None:
        return apply("histogram", [input.type("u32")], bins=zeros.numel()).int()
    return apply("scatter", [zeros.float(), input, weights.float()], axis=0, reduce="add")
