"""Products that the host's BLAS computes in the device's memory.

Owns which products those are, and how their operands must lie. Must not know NumPy: `host/products.py` computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ops.layout import Layout, collapse
from ops.lowering import elementwise
from ops.lowering.builder import Builder
from ops.lowering.device import DeviceClass
from ops.lowering.host_tasks import HostProduct
from ops.lowering.operands import Source, Target
from ops.lowering.packing import BYTES

_LEAST_MATRIX = 1 << 12
"""Multiply-adds of one matrix, for which a call of BLAS is worth it."""


def is_for_host(device: DeviceClass, y: Source, domain: Sequence[int]) -> bool:
    """Whether a product of f32 by `y` pays for stopping the device; all rows are one matrix's where `y` is one matrix.

    `domain` is as in `matmul.py`.
    """
    work = prod(domain if len(y.layout.shape) == 2 else domain[-3:])
    return 0 < device.host_work <= prod(domain) and work >= _LEAST_MATRIX


def reads_bytes(device: DeviceClass, left: Source, right: Source) -> bool:
    """Whether the host multiplies `left` by a matrix of bytes as it lies."""
    if right.dtype not in BYTES or len(right.layout.shape) != 2:
        return False
    return is_for_host(
        device, right, (*left.layout.shape[:-1], right.layout.shape[-1], left.layout.shape[-1])
    )


def emit(builder: Builder, x: Source, y: Source, domain: Sequence[int], target: Target) -> None:
    """Write the product of `x` and `y`, both with two axes or more, to `target`; `domain` is as in `matmul.py`.

    `x` is of f32, `y` too or of bytes.
    """
    *batch, rows, columns, inner = domain
    if len(y.layout.shape) == 2:
        x, batch, rows = _flat(builder, x), [], prod((*batch, rows))
    left, right = _for_blas(builder, x), y if y.dtype in BYTES else _for_blas(builder, y)
    a, b = left.layout.expand((*batch, rows, inner)), right.layout.expand((*batch, inner, columns))
    c = Layout.contiguous((*batch, rows, columns))
    shape, steps = collapse(tuple(batch), *(layout.strides[:-2] for layout in (a, b, c)))
    a, b, c = (
        Layout((*shape, *layout.shape[-2:]), (*step, *layout.strides[-2:]), layout.offset)
        for layout, step in zip((a, b, c), steps, strict=True)
    )
    builder.dispatches.append(
        HostProduct(
            Source(left.operand, a, "f32"),
            Source(right.operand, b, right.dtype),
            Target(target.operand, c, "f32"),
            prod(domain),
        )
    )


def _flat(builder: Builder, source: Source) -> Source:
    """`source` with all axes but the last as one of rows: itself, or a copy."""
    layout = source.layout
    outer, (steps,) = collapse(layout.shape[:-1], layout.strides[:-1])
    if len(outer) > 1:
        return _flat(builder, elementwise.gather(builder, source))
    shape, strides = (*(outer or (1,)), layout.shape[-1]), (*(steps or (0,)), layout.strides[-1])
    return Source(source.operand, Layout(shape, strides, layout.offset), source.dtype)


def _for_blas(builder: Builder, source: Source) -> Source:
    """`source` with matrices as BLAS takes them, one axis of stride 1 and the other beyond it: itself, or a copy."""
    layout = source.layout
    (rows, columns), (down, right) = layout.shape[-2:], layout.strides[-2:]
    if rows == 1:
        down = columns if right == 1 else 1
    if columns == 1:
        right = rows if down == 1 else 1
    if not ((right == 1 and down >= columns) or (down == 1 and right >= rows)):
        return elementwise.gather(builder, source)
    return Source(
        source.operand, Layout(layout.shape, (*layout.strides[:-2], down, right), layout.offset), "f32"
    )
