"""Convolutions: as a matrix product, by the host, or by tiles in registers.

Owns the choice of the way, what each wants of its operands, and the cut of batches that reach too far. A convolution of
one tap is a product; large ones are the host's where it can work in the device's memory (`host/convolutions.py`); all
others are products whose right operand is read through windows of `x` (`convolution_tile.py`), so that it is never
spread out in memory. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from ops.expression import constant
from ops.layout import Layout
from ops.lowering import convolution_tile, elementwise, indexing, matmul, windows
from ops.lowering.base import After, Builder, HostConvolution, Source, Target
from ops.space import Convolution


def emit(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None = None
) -> None:
    """Write the convolution of f32 operands to `target`, contiguous from offset 0, or what is done with it."""
    if target.layout.count == 0:
        return
    if after is not None and (not _is_tiled(builder, form) or after.dtype != target.dtype):
        made = builder.temp(target.layout.shape, after.dtype)
        emit(builder, x, weight, form, made)
        elementwise.emit_after(builder, after, made.source(), target)
    elif not form.channels:
        elementwise.emit(builder, constant(0, target.dtype), (), target)
    elif _is_product(form):
        _as_product(builder, x, weight, form, target)
    elif _is_for_host(builder, form):
        _by_host(builder, x, weight, form, target)
    else:
        _by_tiles(builder, x, weight, form, target, after)


def _is_product(form: Convolution) -> bool:
    plain = all(taps == step == 1 for taps, step in zip(form.taps, form.stride, strict=True))
    return plain and form.padded == form.size


def _is_for_host(builder: Builder, form: Convolution) -> bool:
    return 0 < builder.device.host_work <= _work(form)


def _is_tiled(builder: Builder, form: Convolution) -> bool:
    return form.channels > 0 and not _is_product(form) and not _is_for_host(builder, form)


def _work(form: Convolution) -> int:
    """Its multiply-adds."""
    return prod(form.result) * form.channels * prod(form.taps)


def _as_product(builder: Builder, x: Source, weight: Source, form: Convolution, target: Target) -> None:
    """The weights of each group times all places of each image."""
    places = prod(form.size)
    image = reshaped(builder, x, (form.batch, form.groups, form.channels, places))
    left = reshaped(builder, weight, (form.groups, form.outputs, form.channels))
    shape = (form.batch, form.groups, form.outputs, places)
    matmul.emit(builder, left, image, replace(target, layout=Layout.contiguous(shape)))


def _by_host(builder: Builder, x: Source, weight: Source, form: Convolution, target: Target) -> None:
    given = reshaped(builder, x, (form.batch, form.groups, form.channels, *form.size))
    weights = reshaped(builder, weight, (form.groups, form.outputs, form.channels, *form.taps))
    shape = (form.batch, form.groups, form.outputs, *form.places)
    made = replace(target, layout=Layout.contiguous(shape))
    builder.dispatches.append(
        HostConvolution(given, weights, made, form.stride, form.dilation, form.before, _work(form))
    )


def reshaped(builder: Builder, source: Source, shape: tuple[int, ...]) -> Source:
    """`source` in another shape: a view, or a copy where none says that."""
    layout = source.layout.reshape(shape)
    if layout is not None:
        return replace(source, layout=layout)
    made = elementwise.gather(builder, source)
    return replace(made, layout=Layout.contiguous(shape))


def _by_tiles(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None
) -> None:
    if form.padded != form.size or any(form.before):
        surrounded = builder.temp((form.batch, form.groups * form.channels, *form.padded), x.dtype)
        indexing.pad(builder, x, (0, 0, *form.before), "constant", 0, surrounded)
        nothing = (0,) * len(form.size)
        x, form = surrounded.source(), replace(form, size=form.padded, before=nothing, after=nothing)
    extras = () if after is None else after.sources
    layouts = [x.layout, target.layout, *(source.layout for source in extras)]
    if form.batch == 1 or not any(windows.is_wide(builder.device, layout) for layout in layouts):
        convolution_tile.emit(builder, x, weight, form, target, after)
    elif after is not None:
        made = builder.temp(target.layout.shape, after.dtype)
        _by_tiles(builder, x, weight, form, made, None)
        elementwise.emit_after(builder, after, made.source(), target)
    else:
        elementwise.by_halves(builder, target, 0, _of_images(builder, x, weight, form))


def _of_images(
    builder: Builder, x: Source, weight: Source, form: Convolution
) -> Callable[[range, Target], None]:
    """Writes the part of the result that is of some images."""

    def write(part: range, there: Target) -> None:
        images = windows.halved(x, 0, part)
        _by_tiles(builder, images, weight, replace(form, batch=len(part)), there, None)

    return write
