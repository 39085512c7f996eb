"""Windows over the axes of space: what a convolution and its kin take, and how many results there are.

Owns the arithmetic of strides, dilations and padding. Must not know dtypes, layouts or how anything is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ops import shapes
from ops.attributes import Attributes, integer, integers
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import Shape

MAX_AXES = 3


def span(size: int, dilation: int) -> int:
    """From the first to the last of `size` elements that are `dilation` apart."""
    return dilation * (size - 1) + 1


def count(length: int, size: int, step: int, dilation: int) -> int:
    """How many windows fit in `length` elements."""
    return max((length - span(size, dilation)) // step + 1, 0)


def pooled(
    op: str, length: int, size: int, step: int, dilation: int, ends: tuple[int, int], ceil: bool
) -> int:
    """How many windows pooling takes of an axis with padding; with `ceil` the last one may begin within and end beyond.

    Raises `ShapeError` where there is none, and `AttributeValueError` for padding of more than half a window.
    """
    reach, padded = span(size, dilation), length + sum(ends)
    if min(ends) < 0 or 2 * max(ends) > reach:
        raise AttributeValueError(f"{op}: padding is {max(ends)}, but at most half of a window of {reach}")
    fitting = -(-(padded - reach) // step) + 1 if ceil else count(padded, size, step, dilation)
    if ceil and (fitting - 1) * step >= length + ends[0]:
        fitting -= 1
    if fitting < 1 or not length:
        raise ShapeError(f"{op}: a window of {reach} is larger than the {padded} elements with their padding")
    return fitting


def positive(op: str, **lists: Sequence[int]) -> None:
    """Refuse with `AttributeValueError` numbers below 1."""
    for name, values in lists.items():
        if any(value < 1 for value in values):
            raise AttributeValueError(f"{op}: {name} is {shapes.text(values)}, but must be from 1")


def window(attributes: Attributes, shape: Shape) -> tuple[int, int, int, int]:
    """The axis of the op `windows` from the front, and its size, step and dilation."""
    size, step, dilation = (integer(attributes, name) for name in ("size", "step", "dilation"))
    positive("windows", size=[size], step=[step], dilation=[dilation])
    if not shape:
        raise ShapeError("windows takes a tensor of at least one axis")
    return shapes.axis(integer(attributes, "axis"), len(shape)), size, step, dilation


def windows(attributes: Attributes, shape: Shape) -> Shape:
    """The shape of the op `windows`."""
    where, size, step, dilation = window(attributes, shape)
    fitting = count(shape[where], size, step, dilation)
    return (*shape[:where], fitting, *shape[where + 1 :], size)


@dataclass(frozen=True, slots=True)
class Convolution:
    """The sizes of a convolution; of each list one number for each axis of space.

    `channels` and `outputs` are those of a group. `before` and `after` are how many zeros stand around `size`, or,
    below 0, how many elements are cut off; `taps` are the weight's.
    """

    batch: int
    groups: int
    channels: int
    outputs: int
    size: Shape
    taps: Shape
    stride: Shape
    dilation: Shape
    before: Shape
    after: Shape

    @staticmethod
    def of(attributes: Attributes, x: Shape, weight: Shape) -> Convolution:
        """That of a tensor [batch, channels, *space] and a weight [outputs, channels of a group, *taps].

        Raises `ShapeError` where they do not fit, and `AttributeValueError`.
        """
        rank, groups = len(x) - 2, integer(attributes, "groups")
        if len(x) != len(weight) or not 1 <= rank <= MAX_AXES:
            raise ShapeError(
                f"a convolution of shapes {shapes.text(x)} and {shapes.text(weight)}"
                f": both have batch or outputs, channels, and 1 to {MAX_AXES} axes of space"
            )
        stride, dilation, before, after = (
            integers(attributes, name) for name in ("stride", "dilation", "before", "after")
        )
        if any(len(each) != rank for each in (stride, dilation, before, after)):
            raise AttributeValueError(
                f"convolution: each list has a number for each of the {rank} axes of space"
            )
        positive("convolution", stride=stride, dilation=dilation, groups=[groups])
        if x[1] != weight[1] * groups or weight[0] % groups:
            raise ShapeError(
                f"a convolution of {x[1]} channels with a weight of shape {shapes.text(weight)} in {groups} groups",
                hint="The weight has the channels of one group, and its first axis is a multiple of the groups.",
            )
        made = Convolution(
            x[0], groups, weight[1], weight[0] // groups, x[2:], weight[2:], stride, dilation, before, after
        )
        for length, taps, apart in zip(made.padded, made.taps, dilation, strict=True):
            if taps < 1 or span(taps, apart) > length:
                raise ShapeError(
                    f"a weight of {taps} taps, {apart} apart, is larger than the {length} elements with their padding"
                )
        return made

    @property
    def padded(self) -> Shape:
        """The sizes with what is around them."""
        ends = zip(self.size, self.before, self.after, strict=True)
        return tuple(size + low + high for size, low, high in ends)

    @property
    def places(self) -> Shape:
        """The result's sizes along the axes of space."""
        each = zip(self.padded, self.taps, self.stride, self.dilation, strict=True)
        return tuple(count(*sizes) for sizes in each)

    @property
    def result(self) -> Shape:
        """The result's shape: [batch, outputs of all groups, *places]."""
        return (self.batch, self.groups * self.outputs, *self.places)
