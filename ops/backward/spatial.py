"""What the gradient of a convolution, and of windows, gives their inputs: convolutions again, and sums of taps.

Owns their rules; `ops/backward/rules.py` has those of all other ops.
"""

from __future__ import annotations

from ops.backward.gradients import Gradients
from ops.composite import Parts, Value
from ops.composites.resizing import overlapped
from ops.composites.spatial import transposed
from ops.shapes import axis as counted

Sizes = tuple[int, ...]


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
