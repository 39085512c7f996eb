"""Operands that reach over more bytes than a binding may have: cut in two until each part is seen through a window.

Owns which axis is cut, and the windows. Must not know what is computed: whoever cuts says what becomes of the halves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ops.dtypes import BY_NAME
from ops.layout import Layout
from ops.lowering.base import DeviceClass, Source, Target
from ops.shapes import Shape
from shaders.spec import Operand

ALIGNMENT = 256
"""Bytes at whose multiples a binding may begin on every adapter (WebGPU's `minStorageBufferOffsetAlignment`)."""
_UNIT = 16
_EVEN = 64
_LONG = 1024


def window(layout: Layout, width: int = 4) -> tuple[int, int, Layout]:
    """Where a window on `layout` begins, its bytes (a multiple of what vectors of four need), and the layout in it.

    `width` is the bytes of an element.
    """
    low, high = _ends(layout)
    begin = low * width // ALIGNMENT * ALIGNMENT
    nbytes = -(-((high + 1) * width - begin) // _UNIT) * _UNIT
    return begin, nbytes, replace(layout, offset=layout.offset - begin // width)


def cut_axis(device: DeviceClass, shape: Shape, layouts: Sequence[Layout]) -> int | None:
    """The axis along which operands of `shape` are to be cut, as one reaches too far; None where none does.

    Elements count as four bytes: those of f16 may reach half as far as they could.
    """
    for layout in layouts:
        if is_wide(device, layout):
            return max(range(len(shape)), key=lambda axis: abs(layout.strides[axis]) * (shape[axis] - 1))
    return None


def is_wide(device: DeviceClass, layout: Layout) -> bool:
    """Whether an operand that lies so reaches too far."""
    low, high = _ends(layout)
    if 4 * (high - low + 1) + ALIGNMENT + _UNIT <= device.binding:  # most are far from it
        return False
    return layout.count > 0 and window(layout)[1] > device.binding


def _ends(layout: Layout) -> tuple[int, int]:
    """Where the first and the last element in memory lie."""
    low = high = layout.offset
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high


def halves(size: int) -> tuple[range, range]:
    """The positions along an axis in two parts, the first one even for vectors where the axis is long."""
    middle = size // 2
    if size >= _LONG:
        middle -= middle % _EVEN
    return range(middle), range(middle, size)


def half(layout: Layout, axis: int, part: range) -> Layout:
    """The positions `part` along an axis; all along one of size 1, which is the same for all."""
    if layout.shape[axis] == 1:
        return layout
    ranges = [range(size) for size in layout.shape]
    ranges[axis] = part
    return layout.slice(ranges)


def halved(source: Source, axis: int, part: range) -> Source:
    """A source at the positions `part` along an axis, through a window."""
    return Source(*through(source.operand, half(source.layout, axis, part), source.dtype), source.dtype)


def through(operand: Operand, layout: Layout, dtype: str) -> tuple[Operand, Layout]:
    """The window of `operand` in which `layout` lies, and how it lies there."""
    begin, nbytes, seen = window(layout, BY_NAME[dtype].device_bytes)
    return replace(operand, begin=operand.begin + begin, nbytes=nbytes), seen


def boxes(
    device: DeviceClass, sources: Sequence[Source], target: Target
) -> Iterator[tuple[list[Source], Target, int]]:
    """Operands of the target's shape in parts that can be bound, each with the target's offset before."""
    layouts = [*(source.layout for source in sources), target.layout]
    if cut_axis(device, target.layout.shape, layouts) is None:
        yield list(sources), target, 0
        return
    for *given, written in _parts(device, layouts):
        seen = [
            Source(*through(source.operand, layout, source.dtype), source.dtype)
            for source, layout in zip(sources, given, strict=True)
        ]
        begin = written.offset - target.layout.offset
        yield seen, Target(*through(target.operand, written, target.dtype), target.dtype), begin


def _parts(device: DeviceClass, layouts: Sequence[Layout]) -> Iterator[Sequence[Layout]]:
    axis = cut_axis(device, layouts[0].shape, layouts)
    if axis is None:
        yield layouts
        return
    for part in halves(layouts[0].shape[axis]):
        yield from _parts(device, [half(layout, axis, part) for layout in layouts])


def part_of(target: Target, axis: int, part: range) -> Target:
    """A target at the positions `part` along an axis, through a window."""
    return Target(*through(target.operand, half(target.layout, axis, part), target.dtype), target.dtype)
