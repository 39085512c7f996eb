"""Convolutions: as a matrix product, by the host, by tiles, or in parts.

Owns the choice of the way, and what each wants of its operands. A convolution of one tap is a product; large ones are
the host's where it can work in the device's memory (`host/convolutions.py`); all others are products whose right
operand is read through windows of `x`, so that it is never spread out in memory: by tiles in registers
(`convolution_tile.py`), or on GPUs, if a tile is full, in workgroup memory (`convolution_windows.py`). Where an operand
is larger than a binding, it is made in parts (`convolution_parts.py`). Must not know op names.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import prod

from msgspec import structs

from ops.expression import constant
from ops.layout import Layout
from ops.lowering import (
    convolution_parts,
    convolution_places,
    convolution_tile,
    convolution_windows,
    elementwise,
    indexing,
    matmul,
    windows,
)
from ops.lowering.after import After
from ops.lowering.builder import Builder
from ops.lowering.convolution_weights import reshaped
from ops.lowering.host_tasks import HostConvolution
from ops.lowering.operands import Source, Target
from ops.space import Convolution


def emit(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None = None
) -> None:
    """Write the convolution of f32 by weights of any dtype to `target`, contiguous from offset 0, or what is done with
    it."""
    if target.layout.count == 0:
        return
    if after is not None and (not _is_tiled(builder, form) or after.dtype != target.dtype):
        made = builder.temp(target.layout.shape, after.dtype)
        emit(builder, x, weight, form, made)
        elementwise.emit_after(builder, after, made.source(), target)
    elif not form.channels:
        elementwise.emit(builder, constant(0, target.dtype), (), target)
    elif _is_product(form):
        _as_product(builder, x, elementwise.converted(builder, weight, "f32"), form, target)
    elif _is_for_host(builder, form):
        _by_host(builder, x, elementwise.converted(builder, weight, "f32"), form, target)
    else:
        _by_tiles(builder, x, weight, form, target, after)


def _is_product(form: Convolution) -> bool:
    plain = all(taps == step == 1 for taps, step in zip(form.taps, form.stride, strict=True))
    return plain and not any((*form.before, *form.after))


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
    matmul.emit(builder, left, image, structs.replace(target, layout=Layout.contiguous(shape)))


def _by_host(builder: Builder, x: Source, weight: Source, form: Convolution, target: Target) -> None:
    """Of a line as of an image of one row."""
    one = (1,) if len(form.size) == 1 else ()
    given = reshaped(builder, x, (form.batch, form.groups, form.channels, *one, *form.size))
    weights = reshaped(builder, weight, (form.groups, form.outputs, form.channels, *one, *form.taps))
    shape = (form.batch, form.groups, form.outputs, *one, *form.places)
    made = structs.replace(target, layout=Layout.contiguous(shape))
    steps = ((*one, *form.stride), (*one, *form.dilation), (*[0] * len(one), *form.before))
    builder.dispatches.append(HostConvolution(given, weights, made, *steps, _work(form)))


def _by_tiles(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None = None
) -> None:
    axis = convolution_parts.cut_axis(builder.device, form)
    extras = () if after is None else after.sources
    if after is not None and (axis or any(windows.is_wide(builder.device, each.layout) for each in extras)):
        made = builder.temp(target.layout.shape, after.dtype)
        _by_tiles(builder, x, weight, form, made)
        elementwise.emit_after(builder, after, made.source(), target)
    elif axis is not None:
        convolution_parts.emit(builder, x, weight, form, target, axis, partial(_by_tiles, builder))
    elif convolution_windows.suits(builder.device, form):
        x, form = convolution_parts.near(builder, x, form)
        convolution_windows.emit(builder, x, weight, form, target, after)
    else:
        convolution_tile.emit(builder, *_padded(builder, x, weight, form), target, after)


def _padded(
    builder: Builder, x: Source, weight: Source, form: Convolution
) -> tuple[Source, Source, Convolution]:
    """The operands with zeros around `x`, which can be bound then."""
    nothing = (0,) * len(form.size)
    if form.before == form.after == nothing and not convolution_places.takes_quads(form):
        x, form = convolution_parts.near(builder, x, form)
        return x, weight, form
    sizes = convolution_places.seen(form)
    made = builder.temp((form.batch, form.groups * form.channels, *sizes), x.dtype)
    indexing.pad(builder, x, (0, 0, *form.before), "constant", 0, made)
    return made.source(), weight, replace(form, size=form.padded, before=nothing, after=nothing)
