"""Convolutions: as a matrix product, by the host, or by tiles.

Owns the choice of the way, what each wants of its operands, and the cut of batches that reach too far. A convolution of
one tap is a product; large ones are the host's where it can work in the device's memory (`host/convolutions.py`); all
others are products whose right operand is read through windows of `x`, so that it is never spread out in memory: by
tiles in registers (`convolution_tile.py`), or on GPUs, if a tile is full, in workgroup memory
(`convolution_windows.py`). Must not know op names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from msgspec import structs

from ops.expression import constant
from ops.layout import Layout
from ops.lowering import convolution_tile, convolution_windows, elementwise, indexing, matmul, windows
from ops.lowering.base import After, Builder, HostConvolution, Source, Target
from ops.space import Convolution, span


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


def reshaped(builder: Builder, source: Source, shape: tuple[int, ...]) -> Source:
    """`source` in another shape: a view, or a copy where none says that."""
    layout = source.layout.reshape(shape)
    if layout is not None:
        return structs.replace(source, layout=layout)
    made = elementwise.gather(builder, source)
    return structs.replace(made, layout=Layout.contiguous(shape))


def _by_tiles(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None
) -> None:
    axis = _cut_axis(builder, x, form, target, after)
    if axis is None and convolution_windows.suits(builder.device, form):
        convolution_windows.emit(builder, x, weight, form, target, after)
    elif axis is None:
        convolution_tile.emit(builder, *_padded(builder, x, weight, form), target, after)
    elif after is not None:
        made = builder.temp(target.layout.shape, after.dtype)
        _by_tiles(builder, x, weight, form, made, None)
        elementwise.emit_after(builder, after, made.source(), target)
    else:
        elementwise.by_halves(builder, target, axis, _of_part(builder, x, weight, form, axis))


def _cut_axis(
    builder: Builder, x: Source, form: Convolution, target: Target, after: After | None
) -> int | None:
    """The axis of the result along which to cut, if an operand reaches too far: images, or else places."""
    surrounded = Layout.contiguous((form.batch, form.groups * form.channels, *form.padded))
    extras = () if after is None else after.sources
    layouts = [x.layout, surrounded, target.layout, *(source.layout for source in extras)]
    if not any(windows.is_wide(builder.device, layout) for layout in layouts):
        return None
    return 0 if form.batch > 1 else 2 if form.places[0] > 1 else None


def _padded(
    builder: Builder, x: Source, weight: Source, form: Convolution
) -> tuple[Source, Source, Convolution]:
    """The operands with zeros around `x`."""
    nothing, sizes = (0,) * len(form.size), form.padded
    if convolution_tile.takes_quads(form):
        sizes = (*sizes[:-1], convolution_tile.pitch(form))
    elif form.before == form.after == nothing:
        return x, weight, form
    made = builder.temp((form.batch, form.groups * form.channels, *sizes), x.dtype)
    indexing.pad(builder, x, (0, 0, *form.before), "constant", 0, made)
    return made.source(), weight, replace(form, size=form.padded, before=nothing, after=nothing)


def _of_part(
    builder: Builder, x: Source, weight: Source, form: Convolution, axis: int
) -> Callable[[range, Target], None]:
    """Writes the part of the result that is of some images, or at some places of the first axis of space."""

    def write(part: range, there: Target) -> None:
        if axis == 0:
            images = windows.halved(x, 0, part)
            _by_tiles(builder, images, weight, replace(form, batch=len(part)), there, None)
            return
        begin = part.start * form.stride[0] - form.before[0]
        end = (part.stop - 1) * form.stride[0] - form.before[0] + span(form.taps[0], form.dilation[0])
        low = min(max(begin, 0), form.size[0])
        seen = range(low, max(min(end, form.size[0]), low))
        cut = replace(
            form,
            size=(len(seen), *form.size[1:]),
            before=(seen.start - begin, *form.before[1:]),
            after=(end - seen.stop, *form.after[1:]),
        )
        rows = elementwise.gather(builder, structs.replace(x, layout=windows.half(x.layout, 2, seen)))
        _by_tiles(builder, rows, weight, cut, there, None)

    return write
