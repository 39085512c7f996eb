"""What the gradient of `scatter` gives its inputs: what was there, and what was put or folded into its places.

Owns its rules, one for each way to fold; `ops/backward/rules.py` has those of all other ops.
"""

from __future__ import annotations

from math import prod

from ops.backward.gradients import Gradients, summed_to
from ops.composite import Parts, Value


def scatter(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int, reduce: str) -> Gradients:
    """Where several values are put in one place, the last one gets the gradient."""
    _, index, value = inputs
    if reduce in _FOLDED:
        return _FOLDED[reduce](do, inputs, result, grad, axis)
    taken = do("gather", grad, index, axis=axis)
    if reduce == "add":
        return [grad, None, summed_to(do, taken, value.shape)]
    numbers = do.reshape(do.numbers(prod(index.shape)), *index.shape)
    writers = do(
        "scatter", do("expand", do.full((), -1, "i32"), shape=list(grad.shape)), index, numbers, axis=axis
    )
    is_last = do("eq", do("gather", writers, index, axis=axis), numbers)
    kept = do("scatter", grad, index, 0.0, axis=axis)
    return [kept, None, summed_to(do, do("where", is_last, taken, 0.0), value.shape)]


def _extreme(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    """All that are equal to the extreme share it, what was there before too, as in PyTorch's `scatter_reduce`."""
    x, index, value = inputs
    spread = do("expand", value, shape=list(index.shape))
    is_old = do.cast(do("eq", x, result), "f32")
    is_new = do.cast(do("eq", spread, do("gather", result, index, axis=axis)), "f32")
    share = grad / do("scatter", is_old, index, is_new, axis=axis, reduce="add")
    taken = do("gather", share, index, axis=axis) * is_new
    return [share * is_old, None, summed_to(do, taken, value.shape)]


def _product(do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int) -> Gradients:
    """The product of all others in its place: of all but zeros, unless another one is 0."""
    x, index, value = inputs
    spread = do("expand", value, shape=list(index.shape))
    zeros = [do("eq", each, 0.0) for each in (x, spread)]
    rest = [do("where", is_zero, 1.0, each) for is_zero, each in zip(zeros, (x, spread), strict=True)]
    product = grad * do("scatter", rest[0], index, rest[1], axis=axis, reduce="mul")
    marks = [do.cast(is_zero, "i32") for is_zero in zeros]
    count = do("scatter", marks[0], index, marks[1], axis=axis, reduce="add")
    there = [product, do("gather", product, index, axis=axis)]
    counts = [count, do("gather", count, index, axis=axis)]
    of_x, of_value = (do("where", do("eq", counts[n], marks[n]), there[n] / rest[n], 0.0) for n in range(2))
    return [of_x, None, summed_to(do, of_value, value.shape)]


_FOLDED = {"mul": _product, "max": _extreme, "min": _extreme}
