"""What the gradient of a convolution, and of windows, gives their inputs: convolutions again, and sums of taps.

Owns their rules; `ops/backward_rules.py` has those of all other ops.
"""

from __future__ import annotations

from math import prod

from ops.composite import Parts, Value
from ops.composites.spatial import transposed
from ops.shapes import axis as counted
from ops.space import span

Gradients = list[Value | None]
Sizes = tuple[int, ...]
_MOST_TAPS = 64


def convolution(
    do: Parts,
    inputs: list[Value],
    result: Value,
    grad: Value,
    stride: Sizes,
    dilation: Sizes,
    before: Sizes,
    after: Sizes,
    groups: int,
) -> Gradients:
    """`x` gets the transpose, `weight` the convolution of `x` by `grad`, with batch and channels exchanged."""
    x, weight = inputs
    return [
        transposed(do, grad, weight, stride, dilation, before, x.shape[2:], groups),
        _of_weight(do, x, weight, grad, stride, dilation, before, after, groups),
    ]


def _of_weight(
    do: Parts,
    x: Value,
    weight: Value,
    grad: Value,
    stride: Sizes,
    dilation: Sizes,
    before: Sizes,
    after: Sizes,
    groups: int,
) -> Value:
    """Each tap is a place of a convolution whose windows have the places of `grad`, `stride` apart, for taps."""
    batch, channels, space = x.shape[0], weight.shape[1], x.shape[2:]
    images = do.reshape(x, batch, groups, channels, *space)
    turned = do("permute", images, axes=[2, 1, 0, *range(3, images.rank)])
    sums = do(
        "convolution",
        do.reshape(turned, channels, groups * batch, *space),
        do("transpose", grad, axis0=0, axis1=1),
        stride=list(dilation),
        dilation=list(stride),
        before=list(before),
        after=list(after),
        groups=groups,
    )
    for axis, taps in enumerate(weight.shape[2:], 2):
        sums = do.slice(sums, axis, 0, taps)
    return do("transpose", sums, axis0=0, axis1=1)


def windows(
    do: Parts, inputs: list[Value], result: Value, grad: Value, axis: int, size: int, step: int, dilation: int
) -> Gradients:
    """Each element gets the sum of what all windows that have it get."""
    (x,) = inputs
    return [overlapped(do, grad, x.shape, counted(axis, x.rank), step, dilation)]


def overlapped(do: Parts, grad: Value, shape: Sizes, axis: int, step: int, dilation: int) -> Value:
    """The sums, in a tensor of `shape`, of windows along `axis` whose elements are the last axis of `grad`."""
    size, places = grad.shape[-1], grad.shape[axis]
    if size > _MOST_TAPS:
        return _scattered(do, grad, shape, axis, step, dilation)
    zeros = do("expand", do.full((), 0.0, "f32"), shape=list(shape))
    total = None
    for tap in range(size):
        part = do.reshape(do.slice(grad, grad.rank - 1, tap, tap + 1), *grad.shape[:-1])
        start = tap * dilation
        where = {"starts": [start], "stops": [start + span(places, step)], "steps": [step], "axes": [axis]}
        put = do("slice_scatter", zeros, part, **where) if places else zeros
        total = put if total is None else total + put
    assert total is not None, "a window has an element"
    return total


def _scattered(do: Parts, grad: Value, shape: Sizes, axis: int, step: int, dilation: int) -> Value:
    """The same by the positions of all elements, for windows of many."""
    numbers = do.reshape(do.numbers(prod(shape)), *shape)
    places = do("windows", numbers, axis=axis, size=grad.shape[-1], step=step, dilation=dilation)
    flat = (do("reshape", each, shape=[-1]) for each in (places, grad))
    zeros = do("expand", do.full((), 0.0, "f32"), shape=[prod(shape)])
    return do.reshape(do("scatter", zeros, *flat, axis=0, reduce="add"), *shape)
