"""Operands too large for a binding: they are cut in two until each part fits into a window of its buffer.

Owns the choice of the axis and the windows. Must not know what is computed: callers say what becomes of
halves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec import structs

from ops.dtypes import BY_NAME
from ops.layout import Layout
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.shapes import Shape
from shaders.spec import Operand

ALIGNMENT = 256
"""Bytes at whose multiples a binding may begin on every adapter (WebGPU's largest
`minStorageBufferOffsetAlignment`, and that of uniforms)."""
WORDS = ALIGNMENT // 4
"""The same in words."""
_UNIT = 16
"""Bytes of a vector of four words: windows are whole vectors."""
_EVEN = 64
_LONG = 1024
"""Positions of an axis from which on its first half is a multiple of `_EVEN`."""
_Value = TypeVar("_Value", Source, Target)


def window(layout: Layout, width: int = 4) -> tuple[int, int, Layout]:
    """Where a window on `layout` begins, its bytes (a multiple of what vectors of four need), and the layout in it.

    `width` is the bytes of an element.
    """
    low, high = _ends(layout)
    begin = low * width // ALIGNMENT * ALIGNMENT
    nbytes = -(-((high + 1) * width - begin) // _UNIT) * _UNIT
    return begin, nbytes, structs.replace(layout, offset=layout.offset - begin // width)


def cut_axis(device: DeviceClass, shape: Shape, layouts: Sequence[Layout], width: int = 4) -> int | None:
    """The axis along which operands of `shape` are to be cut, as one reaches too far; None where none does.

    `width` is the bytes that elements count as (`width_of`).
    """
    for layout in layouts:
        if is_wide(device, layout, width):
            return max(range(len(shape)), key=lambda axis: abs(layout.strides[axis]) * (shape[axis] - 1))
    return None


def longest(device: DeviceClass, operands: Sequence[Source | Target]) -> int | None:
    """The axis along which the first of `operands` that reaches too far is longest; None where none does."""
    for operand in operands:
        layout, width = operand.layout, width_of([operand.dtype])
        if is_wide(device, layout, width):
            return cut_axis(device, layout.shape, [layout], width)
    return None


def width_of(dtypes: Iterable[str]) -> int:
    """The bytes that elements of operands count as: those of the widest, at least four.

    So packed ones may reach less far than they could.
    """
    return max(4, *(BY_NAME[dtype].device_bytes for dtype in dtypes))


def must_cut(device: DeviceClass, operands: Sequence[Source | Target]) -> bool:
    """Whether one of several operands of equal shape reaches too far."""
    width = width_of(operand.dtype for operand in operands)
    return any(is_wide(device, operand.layout, width) for operand in operands)


def is_wide(device: DeviceClass, layout: Layout, width: int = 4) -> bool:
    """Whether an operand that lies so reaches too far."""
    low, high = _ends(layout)
    if width * (high - low + 1) + ALIGNMENT + _UNIT <= device.binding:  # most are far from it
        return False
    return layout.count > 0 and window(layout, width)[1] > device.binding


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


def narrow(layout: Layout, axis: int, part: range) -> Layout:
    """The positions `part` along an axis; all along one of size 1, which is the same for all."""
    if layout.shape[axis] == 1:
        return layout
    ranges = [range(size) for size in layout.shape]
    ranges[axis] = part
    return layout.slice(ranges)


def narrowed(value: _Value, axis: int, part: range) -> _Value:
    """A value at the positions `part` along an axis, through a window."""
    operand, layout = through(value.operand, narrow(value.layout, axis, part), value.dtype)
    return structs.replace(value, operand=operand, layout=layout)


def through(operand: Operand, layout: Layout, dtype: str) -> tuple[Operand, Layout]:
    """The window of `operand` in which `layout` lies, and how it lies there."""
    begin, nbytes, seen = window(layout, BY_NAME[dtype].device_bytes)
    return structs.replace(operand, begin=operand.begin + begin, nbytes=nbytes), seen


def room(device: DeviceClass) -> int:
    """The most words that a window may have."""
    return device.binding // _UNIT * _UNIT // 4


def spans(device: DeviceClass, count: int, after: int = 0, width: int = 4) -> list[range]:
    """The positions in a contiguous array in parts that can be bound, each with up to `after` elements behind it.

    All begin where a window may. `width` is the bytes of an element.
    """
    most = 4 * room(device) // width
    if count <= most:
        return [range(count)]
    step = max((most - after) // WORDS * WORDS, WORDS)
    return [range(first, min(first + step, count)) for first in range(0, count, step)]


def piece(value: Source | Target, part: range) -> Operand:
    """The window on the elements `part` of a contiguous array of words, which begins where one may."""
    if len(part) == value.layout.count:
        return value.operand
    return through(value.operand, Layout.contiguous((len(part),), value.layout.offset + part.start), "u32")[0]


def boxes(
    device: DeviceClass, sources: Sequence[Source], target: Target
) -> Iterator[tuple[list[Source], Target, int]]:
    """Operands of the target's shape in parts that can be bound, each with the target's offset before."""
    if not must_cut(device, [*sources, target]):
        yield list(sources), target, 0
        return
    layouts = [*(source.layout for source in sources), target.layout]
    width = width_of([*(source.dtype for source in sources), target.dtype])
    for *given, written in _parts(device, layouts, width):
        seen = [
            Source(*through(source.operand, layout, source.dtype), source.dtype)
            for source, layout in zip(sources, given, strict=True)
        ]
        begin = written.offset - target.layout.offset
        yield seen, Target(*through(target.operand, written, target.dtype), target.dtype), begin


def _parts(device: DeviceClass, layouts: Sequence[Layout], width: int) -> Iterator[Sequence[Layout]]:
    axis = cut_axis(device, layouts[0].shape, layouts, width)
    if axis is None:
        yield layouts
        return
    for part in halves(layouts[0].shape[axis]):
        yield from _parts(device, [narrow(layout, axis, part) for layout in layouts], width)


def seen(device: DeviceClass, value: _Value, layout: Layout) -> _Value:
    """What of a value lies as `layout`, through a window where not all of the value can be bound."""
    if not is_wide(device, value.layout, width_of([value.dtype])):
        return structs.replace(value, layout=layout)
    operand, layout = through(value.operand, layout, value.dtype)
    return structs.replace(value, operand=operand, layout=layout)
