"""Matrix products: by the host's BLAS, as reductions, or by tiles.

Owns the choice of the way: large products are the host's where it can work in the device's memory
(`host_product.py`), products with a vector are reductions, all others are tiled, on GPUs in workgroup memory
(`matmul_tiles.py`), else in registers (`register_tile.py`). Tiles in workgroup memory read packed operands as they
lie. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from ops.dtypes import is_packed
from ops.expression import bind, constant, input_term, parse
from ops.layout import Layout
from ops.lowering import elementwise, host_product, matmul_tiles, reduce, register_tile, windows
from ops.lowering.addressing import QUAD
from ops.lowering.after import After
from ops.lowering.before import Before
from ops.lowering.builder import Builder
from ops.lowering.folds import SUM
from ops.lowering.operands import Source, Target
from ops.lowering.reduce import Fold
from ops.shapes import broadcast

Domain = tuple[int, ...]
"""The batch axes of a product, its rows and columns, and the axis that is folded."""


def emit(builder: Builder, left: Source, right: Source, target: Target, after: After | None = None) -> None:
    """Write the product of `left` and `right`, of equal dtype, to `target`, contiguous from offset 0.

    With `after` the target gets what is done with the product.
    """
    if target.layout.count == 0:
        return
    x, y, domain = _operands(left, right)
    way = _way(builder, x, y, domain)
    axis = None if way in (_zero, host_product.emit) else _cut_axis(builder, x, y, domain)
    if axis is not None and after is None:
        _by_halves(builder, x, y, domain, target, axis)
    elif after is None:
        way(builder, x, y, domain, target)
    elif (
        axis is None
        and way in (register_tile.emit, matmul_tiles.emit)
        and after.dtype == target.dtype
        and target.layout.shape == domain[:-1]
    ):
        way(builder, x, y, domain, target, after)
    else:
        made = builder.temp(target.layout.shape, after.dtype)
        emit(builder, left, right, made)
        elementwise.emit_after(builder, after, made.source(), target)


def emit_packed(
    builder: Builder,
    left: Source,
    right: Source,
    target: Target,
    after: After | None = None,
    before: Before | None = None,
) -> bool:
    """Write a product in f32, of operands of f32 or packed ones, by tiles that read them as they lie, if that goes.

    Says whether it did. With `before` it is one by what is made of the right operand; else as `emit` does.
    """
    x, y, domain = _operands(left, right)
    if not (
        all(each.dtype == "f32" or is_packed(each.dtype) for each in (x, y))
        and matmul_tiles.suits(builder, "f32", domain)
        and (before is None or matmul_tiles.reads(builder.device, y, domain))
        and (after is None or after.dtype == target.dtype)
        and target.layout.shape == domain[:-1]
        and _cut_axis(builder, x, y, domain) is None
    ):
        return False
    matmul_tiles.emit(builder, x, y, domain, target, after, before)
    return True


def _operands(left: Source, right: Source) -> tuple[Source, Source, Domain]:
    """The operands with two axes or more, and the domain of their product."""
    x, y = _matrix(left, vector_axis=-2), _matrix(right, vector_axis=-1)
    (rows, inner), columns = x.layout.shape[-2:], y.layout.shape[-1]
    return x, y, (*broadcast(x.layout.shape[:-2], y.layout.shape[:-2]), rows, columns, inner)


def arranged(builder: Builder, right: Source, domain: Domain) -> Source:
    """The right operand as products of `domain` read it: what several of them would copy is copied once."""
    if matmul_tiles.suits(builder, right.dtype, domain):
        return matmul_tiles.arranged(builder, right, domain)
    return register_tile.packed(builder, right)


def _way(builder: Builder, x: Source, y: Source, domain: Domain) -> Callable[..., None]:
    """Which function below computes a product best."""
    *_, rows, columns, inner = domain
    if inner == 0:
        return _zero
    if x.dtype == "f32" and host_product.is_for_host(builder.device, y, domain):
        return host_product.emit
    # so many products may be made and folded: more than operands' elements only where batches are spread
    most = max(builder.device.work, x.layout.count, y.layout.count)
    if (rows == 1 or columns == 1) and prod(domain) <= most:
        return _by_vector
    return matmul_tiles.emit if matmul_tiles.suits(builder, x.dtype, domain) else register_tile.emit


def _cut_axis(builder: Builder, x: Source, y: Source, domain: Domain) -> int | None:
    """The axis of the domain along which to cut a product, if an operand or a copy of one is larger than a binding."""
    device = builder.device
    most = 4 * max(QUAD * x.layout.count, QUAD * y.layout.count, prod(domain[:-1]))
    if most <= device.binding and not any(windows.is_wide(device, source.layout) for source in (x, y)):
        return None
    copies = _over_domain(_filled(x), _filled(y), domain)
    return windows.cut_axis(device, domain, [*_over_domain(x, y, domain), *copies])


def _filled(source: Source) -> Source:
    """A copy whose rows are filled up to fours, as tiles may read it."""
    shape = source.layout.shape
    wide = Layout.contiguous((*shape[:-1], -(-shape[-1] // QUAD) * QUAD))
    return Source(source.operand, Layout(shape, wide.strides), source.dtype)


def _over_domain(x: Source, y: Source, domain: Domain) -> list[Layout]:
    """The operands and the result as if they had all axes of the domain."""
    *batch, rows, columns, inner = domain
    a, b = x.layout.expand((*batch, rows, inner)), y.layout.expand((*batch, inner, columns))
    c = Layout.contiguous((*batch, rows, columns))
    return [
        Layout(domain, (*a.strides[:-1], 0, a.strides[-1]), a.offset),
        Layout(domain, (*b.strides[:-2], 0, b.strides[-1], b.strides[-2]), b.offset),
        Layout(domain, (*c.strides, 0), c.offset),
    ]


def _by_halves(builder: Builder, x: Source, y: Source, domain: Domain, target: Target, axis: int) -> None:
    """The product in two parts along an axis of the domain: those of the inner one are added."""
    rank = len(domain)
    columns, inner = rank - 2, rank - 1
    whole = Target(target.operand, Layout.contiguous(domain[:-1]), target.dtype)

    def write(part: range, there: Target) -> None:
        left, right = (
            _cut(source, where, part)
            for source, where in (
                (x, {columns: None, inner: -1}.get(axis, axis - columns - 1)),
                (y, {columns - 1: None, columns: -1, inner: -2}.get(axis, axis - columns - 1)),
            )
        )
        emit(builder, left, right, there)

    if axis == inner:
        elementwise.summed(builder, whole, domain[inner], write)
    else:
        elementwise.by_halves(builder, whole, axis, write)


def _cut(source: Source, axis: int | None, part: range) -> Source:
    """A source at positions along an axis counted from its end; itself where it has none such."""
    if axis is None or -axis > len(source.layout.shape):
        return source
    return windows.narrowed(source, len(source.layout.shape) + axis, part)


def _zero(builder: Builder, x: Source, y: Source, domain: Domain, target: Target) -> None:
    elementwise.emit(builder, constant(0, target.dtype), (), target)


def _matrix(source: Source, vector_axis: int) -> Source:
    """`source` with at least two axes: a vector gets one of size 1 at `vector_axis`."""
    layout = source.layout
    if len(layout.shape) == 1:
        one, stride = layout.shape, layout.strides
        shape = (1, *one) if vector_axis == -2 else (*one, 1)
        strides = (0, *stride) if vector_axis == -2 else (*stride, 0)
        layout = Layout(shape, strides, layout.offset)
    return Source(source.operand, layout, source.dtype)


def _by_vector(builder: Builder, x: Source, y: Source, domain: Domain, target: Target) -> None:
    """Fold `x * y` over the inner axis of the domain (batch, rows, columns, inner)."""
    batch, inner = domain[:-3], domain[-1]
    a = x.layout.expand((*batch, *x.layout.shape[-2:]))
    b = y.layout.expand((*batch, *y.layout.shape[-2:])).transposed()
    rows, columns = domain[-3], domain[-2]
    spread = [
        Source(
            x.operand,
            Layout((*batch, rows, 1, inner), (*a.strides[:-1], 0, a.strides[-1]), a.offset),
            x.dtype,
        ),
        Source(
            y.operand,
            Layout((*batch, 1, columns, inner), (*b.strides[:-2], 0, *b.strides[-2:]), b.offset),
            y.dtype,
        ),
    ]
    product = bind(parse("x * y"), {"x": input_term(0, x.dtype), "y": input_term(1, y.dtype)})
    fold = Fold(SUM, product, target.dtype)
    reduce.emit(builder, fold, spread, domain, [len(domain) - 1], target)
