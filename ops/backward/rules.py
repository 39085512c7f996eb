"""What the gradient of an op's result gives its inputs, for the ops that are not elementwise.

Owns one function an op, over `Parts`: the op's inputs, its result, the result's gradient, its attributes by name. Must
not know how gradients are walked through.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ops.backward import scattering, spatial
from ops.backward.gradients import Gradients, summed_to
from ops.composite import Parts, Value
from ops.shapes import Shape, axes, broadcast, permutation
from ops.shapes import axis as counted

Axes = tuple[int, ...] | None


def _zeros(do: Parts, shape: Shape) -> Value:
    return do("expand", do.full((), 0.0, "f32"), shape=list(shape))


def _spread(do: Parts, grad: Value, x: Value, over: Axes) -> Value:
    """The gradient of a fold in the shape of what was folded."""
    gone = axes(over, x.rank)
    kept = [1 if number in gone else size for number, size in enumerate(x.shape)]
    return do("expand", do.reshape(grad, *kept), shape=list(x.shape))


def _sum(do: Parts, inputs: list[Value], result: Value, grad: Value, axes: Axes, keepdim: bool) -> Gradients:
    return [_spread(do, grad, inputs[0], axes)]


def _nansum(
    do: Parts, inputs: list[Value], result: Value, grad: Value, axes: Axes, keepdim: bool
) -> Gradients:
    return [do("where", do("isnan", inputs[0]), 0.0, _spread(do, grad, inputs[0], axes))]


def _mean(do: Parts, inputs: list[Value], result: Value, grad: Value, axes: Axes, keepdim: bool) -> Gradients:
    (x,) = inputs
    folded = prod(x.shape) / max(prod(result.shape), 1)
    return [_spread(do, grad, x, axes) / float(max(folded, 1))]


def _extreme(
    do: Parts, inputs: list[Value], result: Value, grad: Value, axes: Axes, keepdim: bool
) -> Gradients:
    """Equal ones share it, as in PyTorch's `amax`."""
    (x,) = inputs
    is_it = do.cast(do("eq", x, _spread(do, result, x, axes)), "f32")
    count = do("sum", is_it, axes=axes, keepdim=True)
    return [_spread(do, grad, x, axes) * is_it / count]


def _prod(do: Parts, inputs: list[Value], result: Value, grad: Value, axes: Axes, keepdim: bool) -> Gradients:
    """The product of all others, from both sides, so that zeros do no harm."""
    (x,) = inputs
    gone = _folded(axes, x)
    order = [*(number for number in range(x.rank) if number not in gone), *gone]
    rest = [x.shape[number] for number in order[: x.rank - len(gone)]]
    size = prod(x.shape[number] for number in gone)
    line = do.reshape(do("permute", x, axes=order) if x.rank else x, *rest, size)
    before = _others(do, line)
    after = do("flip", _others(do, do("flip", line, axes=[-1])), axes=[-1])
    others = do.reshape(before * after, *(x.shape[number] for number in order))
    if x.rank:
        others = do("permute", others, axes=[order.index(number) for number in range(x.rank)])
    return [_spread(do, grad, x, axes) * others]


def _folded(over: Axes, x: Value) -> Shape:
    return axes(over, x.rank)


def _others(do: Parts, line: Value) -> Value:
    """The products of what comes before each along the last axis."""
    size = line.shape[-1]
    if not size:
        return line
    ones = do("expand", do.full((), 1.0, "f32"), shape=[*line.shape[:-1], 1])
    running = do("cumprod", line, axis=-1)
    return do("concat", ones, do.slice(running, line.rank - 1, 0, size - 1), axis=-1)


def _softmax(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    inner = do("sum", result * grad, axes=[axis] if result.rank else None, keepdim=True)
    return [result * (grad - inner)]


def _matmul(do: Parts, inputs: list[Value], result: Value, grad: Value) -> Gradients:
    x, y = inputs
    a = do.reshape(x, 1, *x.shape) if x.rank == 1 else x
    b = do.reshape(y, *y.shape, 1) if y.rank == 1 else y
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    g = do.reshape(grad, *batch, a.shape[-2], b.shape[-1])
    left = do("matmul", g, do("transpose", do.cast(b, "f32")))
    right = do("matmul", do("transpose", do.cast(a, "f32")), g)
    return [do.reshape(summed_to(do, part, whole.shape), *own.shape)
            for part, whole, own in ((left, a, x), (right, b, y))]  # fmt: skip


def _reshape(do: Parts, inputs: list[Value], result: Value, grad: Value, **_: Any) -> Gradients:
    return [do.reshape(grad, *inputs[0].shape)]


def _permute(do: Parts, inputs: list[Value], result: Value, grad: Value, axes: tuple[int, ...]) -> Gradients:
    order = permutation(axes, result.rank)
    return [do("permute", grad, axes=[order.index(number) for number in range(result.rank)])]


def _transpose(do: Parts, inputs: list[Value], result: Value, grad: Value, **attributes: Any) -> Gradients:
    return [do("transpose", grad, **attributes)]


def _expand(do: Parts, inputs: list[Value], result: Value, grad: Value, **_: Any) -> Gradients:
    return [summed_to(do, grad, inputs[0].shape)]


def _slice(do: Parts, inputs: list[Value], result: Value, grad: Value, **attributes: Any) -> Gradients:
    return [do("slice_scatter", _zeros(do, inputs[0].shape), grad, **attributes)]


def _slice_scatter(
    do: Parts, inputs: list[Value], result: Value, grad: Value, **attributes: Any
) -> Gradients:
    value = inputs[1]
    taken = do("slice", grad, **attributes)
    return [do("slice_scatter", grad, 0.0, **attributes), summed_to(do, taken, value.shape)]


def _diagonal(
    do: Parts, inputs: list[Value], result: Value, grad: Value, offset: int, axis0: int, axis1: int
) -> Gradients:
    (x,) = inputs
    first, second = counted(axis0, x.rank), counted(axis1, x.rank)
    order = [*(number for number in range(x.rank) if number not in (first, second)), first, second]
    *batch, rows, columns = (x.shape[number] for number in order)
    start = offset if offset >= 0 else -offset * columns
    size = result.shape[-1]
    stop = start + (size - 1) * (columns + 1) + 1 if size else start
    where = {"starts": [start], "stops": [stop], "steps": [columns + 1], "axes": [len(batch)]}
    flat = (
        do("slice_scatter", _zeros(do, (*batch, rows * columns)), grad, **where)
        if size
        else _zeros(do, (*batch, rows * columns))
    )
    turned = do.reshape(flat, *batch, rows, columns)
    return [do("permute", turned, axes=[order.index(number) for number in range(x.rank)])]


def _concat(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    where, start = axis % result.rank, 0
    parts: Gradients = []
    for value in inputs:
        parts.append(do.slice(grad, where, start, start + value.shape[where]))
        start += value.shape[where]
    return parts


def _gather(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    x, index = inputs
    return [do("scatter", _zeros(do, x.shape), index, grad, axis=axis, reduce="add"), None]


def _take(do: Parts, inputs: list[Value], result: Value, grad: Value) -> Gradients:
    x, places = inputs
    return [do("scatter", _zeros(do, x.shape), places, grad, axis=0, reduce="add"), None]


def _sort(do: Parts, inputs: list[Value], result: Value, grad: Value, **attributes: Any) -> Gradients:
    places = do("argsort", inputs[0], **attributes)
    return [do("scatter", _zeros(do, result.shape), places, grad, axis=attributes["axis"])]


def _cumsum(
    do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int, exclusive: bool
) -> Gradients:
    if not result.rank:
        return [grad * (0.0 if exclusive else 1.0)]
    return [_summed_from(do, grad, axis, exclusive)]


def _summed_from(do: Parts, value: Value, axis: int, exclusive: bool = False) -> Value:
    """The sum of each element and all after it along an axis; `exclusive` leaves the element itself out."""
    turned = do("cumsum", do("flip", value, axes=[axis]), axis=axis, exclusive=exclusive)
    return do("flip", turned, axes=[axis])


def _cumprod(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    """Each product that an element is in, over the element. Those are 0 from the first zero on, which alone has a say
    behind itself: its products are those with 1 in its place."""
    (x,) = inputs
    if not result.rank:
        return [grad]
    is_zero = do("eq", x, 0.0)
    zeros = do("cumsum", do.cast(is_zero, "i32"), axis=axis)
    is_first = do("logical_and", is_zero, do("eq", zeros, 1))
    through = do("cumprod", do("where", is_first, 1.0, x), axis=axis)
    before = _summed_from(do, grad * result, axis) / do("where", is_zero, 1.0, x)
    at = do("where", is_first, _summed_from(do, grad * through, axis), 0.0)
    return [do("where", do("eq", zeros, 0), before, at)]


def _record(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    """To the element that is the extreme so far, the last of equal ones, as in PyTorch."""
    (x,) = inputs
    if not result.rank:
        return [grad]
    where = counted(axis, x.rank)
    line = do.along(do.numbers(x.shape[where]), where, x.rank)
    numbers = do("expand", line, shape=list(x.shape))
    is_record = do("logical_or", do("eq", x, result), do("isnan", x))
    places = do("cummax", do("where", is_record, numbers, 0), axis=axis)
    return [do("scatter", _zeros(do, x.shape), places, grad, axis=axis, reduce="add")]


def _pad(
    do: Parts,
    inputs: list[Value],
    result: Value,
    grad: Value,
    before: tuple[int, ...],
    after: tuple[int, ...],
    mode: str,
    value: float,
) -> Gradients:
    (x,) = inputs
    if mode == "constant":
        return [do("pad", grad, before=[-size for size in before], after=[-size for size in after])]
    count = prod(x.shape)
    numbers = do.reshape(do.numbers(count), *x.shape)
    places = do("pad", numbers, before=list(before), after=list(after), mode=mode)
    flat = (do("reshape", each, shape=[-1]) for each in (places, grad))
    return [do.reshape(do("scatter", _zeros(do, (count,)), *flat, axis=0, reduce="add"), *x.shape)]


def _compact(do: Parts, inputs: list[Value], result: Value, grad: Value) -> Gradients:
    keep = inputs[1]
    places = do.cast(do("cumsum", do.cast(keep, "i32"), axis=0, exclusive=True), "u32")
    return [do("where", keep, do("take", grad, places), 0.0), None]


def _cast(do: Parts, inputs: list[Value], result: Value, grad: Value, **_: Any) -> Gradients:
    return [grad]


RULES: dict[str, Callable[..., Gradients]] = {
    "sum": _sum,
    "nansum": _nansum,
    "mean": _mean,
    "prod": _prod,
    "max": _extreme,
    "min": _extreme,
    "softmax": _softmax,
    "matmul": _matmul,
    "convolution": spatial.convolution,
    "windows": spatial.windows,
    "reshape": _reshape,
    "permute": _permute,
    "transpose": _transpose,
    "expand": _expand,
    "slice": _slice,
    "slice_scatter": _slice_scatter,
    "diagonal": _diagonal,
    "concat": _concat,
    "gather": _gather,
    "scatter": scattering.scatter,
    "take": _take,
    "sort": _sort,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "cummax": _record,
    "cummin": _record,
    "pad": _pad,
    "compact": _compact,
    "cast": _cast,
}
