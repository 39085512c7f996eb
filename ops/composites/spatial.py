"""Composites over axes of space: convolution and its transpose."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import text
from ops.space import MAX_AXES, positive, span

Extents = int | tuple[int, ...]


def each(op: str, name: str, value: Extents, rank: int) -> tuple[int, ...]:
    """One number for each axis of space. Raises `AttributeValueError` for a list of another length."""
    if isinstance(value, int):
        return (value,) * rank
    if len(value) == 1:
        return value * rank
    if len(value) != rank:
        raise AttributeValueError(f"{op}: {name} is {text(value)}, but there are {rank} axes of space")
    return value


def ends(op: str, value: Extents, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The padding before and after each axis of space, which a list of twice as many numbers says apart."""
    if not isinstance(value, int) and len(value) == 2 * rank and rank > 0:
        return value[:rank], value[rank:]
    both = each(op, "padding", value, rank)
    return both, both


def space_of(op: str, x: Value, rank: int) -> int:
    """`rank`, if it is a number of axes of space that `x` can have, with or without a batch. Raises `ShapeError`."""
    if not 1 <= rank <= MAX_AXES:
        raise ShapeError(f"{op} is over 1 to {MAX_AXES} axes of space, not {rank}")
    if x.rank not in (rank + 1, rank + 2):
        raise ShapeError(
            f"{op} over {rank} axes of space takes [batch, channels, *space] or [channels, *space], not {text(x.shape)}"
        )
    return rank


def channels_first(do: Parts, x: Value, rank: int, channels_last: bool) -> Value:
    """`x` as [batch, channels, *space]."""
    batched = do.reshape(x, 1, *x.shape) if x.rank == rank + 1 else x
    return do("permute", batched, axes=[0, rank + 1, *range(1, rank + 1)]) if channels_last else batched


def as_given(do: Parts, made: Value, x: Value, channels_last: bool) -> Value:
    """A result [batch, channels, *space] in the form that `x` has."""
    turned = do("permute", made, axes=[0, *range(2, made.rank), 1]) if channels_last else made
    return turned if x.rank == made.rank else do.reshape(turned, *turned.shape[1:])


def _biased(do: Parts, made: Value, bias: Value | None) -> Value:
    if bias is None:
        return made
    if bias.shape != made.shape[1:2]:
        raise ShapeError(f"a bias of shape {text(bias.shape)} for {made.shape[1]} outputs")
    return made + do.reshape(bias, made.shape[1], *[1] * (made.rank - 2))


def _same(
    size: Sequence[int], taps: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> list[int]:
    """How many zeros each axis needs for `ceil(size / stride)` results."""
    each_axis = zip(size, taps, stride, dilation, strict=True)
    return [max((-(-n // step) - 1) * step + span(k, apart) - n, 0) for n, k, step, apart in each_axis]


def _numbers(
    x: Value, weight: Value, stride: Extents, padding: Extents | str, dilation: Extents
) -> dict[str, tuple[int, ...]]:
    """Stride, dilation, and the padding before and after, one number of each for each axis of space."""
    rank = weight.rank - 2
    steps, apart = each("conv", "stride", stride, rank), each("conv", "dilation", dilation, rank)
    positive("conv", stride=steps, dilation=apart)
    if padding == "same":
        missing = _same(x.shape[2:], weight.shape[2:], steps, apart)
        before, after = tuple(n // 2 for n in missing), tuple(n - n // 2 for n in missing)
    else:
        before, after = ends("conv", 0 if isinstance(padding, str) else padding, rank)
    return {"stride": steps, "dilation": apart, "before": before, "after": after}


def conv(
    do: Parts,
    x: Value,
    weight: Value,
    bias: Value | None = None,
    *,
    stride: Extents,
    padding: Extents | str,
    dilation: Extents,
    groups: int,
    channels_last: bool,
) -> Value:
    """Convolution, as neural networks say."""
    image = channels_first(do, x, space_of("conv", x, weight.rank - 2), channels_last)
    made = do(
        "convolution", image, weight, groups=groups, **_numbers(image, weight, stride, padding, dilation)
    )
    return as_given(do, _biased(do, made, bias), x, channels_last)


def byte_convolution(
    do: Parts,
    x: Value,
    weight: Value,
    *,
    stride: Extents,
    padding: Extents | str,
    dilation: Extents,
    groups: int,
    channels_last: bool,
) -> Value:
    """A convolution of bytes by bytes, summed in i32: a product of windows, as rows, with the weights."""
    rank = space_of("conv", x, weight.rank - 2)
    image = channels_first(do, x, rank, channels_last)
    numbers = _numbers(image, weight, stride, padding, dilation)
    positive("conv", groups=[groups])
    outputs, inner, taps = weight.shape[0], weight.shape[1], weight.shape[2:]
    if image.shape[1] != inner * groups or outputs % groups:
        raise ShapeError(
            f"a convolution of {image.shape[1]} channels with a weight of shape {text(weight.shape)} in {groups} groups"
        )
    seen = do("pad", image, before=[0, 0, *numbers["before"]], after=[0, 0, *numbers["after"]])
    each_axis = zip(taps, numbers["stride"], numbers["dilation"], strict=True)
    for number, (size, step, far) in enumerate(each_axis, 2):
        seen = do("windows", seen, axis=number, size=size, step=step, dilation=far)
    batch, _, *places = seen.shape[: rank + 2]
    order = [0, *range(2, rank + 2), 1, *range(rank + 2, seen.rank)]
    rows = do.reshape(do("permute", seen, axes=order), batch * prod(places), groups, inner * prod(taps))
    columns = do.reshape(weight, groups, outputs // groups, inner * prod(taps))
    if groups == 1:
        rows, columns = (
            do.reshape(rows, rows.shape[0], rows.shape[2]),
            do.reshape(columns, *columns.shape[1:]),
        )
        sums = do("int_matmul", rows, do("transpose", columns))
    else:
        sums = do("int_matmul", do("permute", rows, axes=[1, 0, 2]), do("transpose", columns))
        sums = do("permute", sums, axes=[1, 0, 2])
    made = do.reshape(sums, batch, *places, outputs)
    return as_given(do, do("permute", made, axes=[0, rank + 1, *range(1, rank + 1)]), x, channels_last)


def spread(do: Parts, x: Value, stride: Sequence[int], sizes: Sequence[int]) -> Value:
    """`x` with its elements `stride` apart along the last axes, zeros between, cut or filled to `sizes`."""
    rank = len(stride)
    if all(step == 1 for step in stride) and tuple(sizes) == x.shape[-rank:]:
        return x
    axes = list(range(x.rank - rank, x.rank))
    zeros = do("expand", do.full((), 0.0, x.dtype), shape=[*x.shape[:-rank], *sizes])
    return do("slice_scatter", zeros, x, starts=[0] * rank, stops=list(sizes), steps=list(stride), axes=axes)


def turned(do: Parts, weight: Value, groups: int) -> Value:
    """A weight with inputs and outputs exchanged in each group, and its taps backwards."""
    outputs, channels, *taps = weight.shape
    parts = do.reshape(weight, groups, outputs // groups, channels, *taps)
    swapped = do("transpose", parts, axis0=1, axis1=2)
    flat = do.reshape(swapped, groups * channels, outputs // groups, *taps)
    return do("flip", flat, axes=list(range(2, flat.rank)))


def transposed(
    do: Parts,
    grad: Value,
    weight: Value,
    stride: Sequence[int],
    dilation: Sequence[int],
    before: Sequence[int],
    sizes: Sequence[int],
    groups: int,
) -> Value:
    """What a convolution by `weight` [outputs, channels, *taps] gives each element of an input of `sizes`.

    It is a convolution of `grad`, whose elements are `stride` apart, by the weight that is turned.
    """
    taps = weight.shape[2:]
    lengths = [(n - 1) * step + 1 for n, step in zip(grad.shape[2:], stride, strict=True)]
    low = [span(k, apart) - 1 - cut for k, apart, cut in zip(taps, dilation, before, strict=True)]
    high = [
        size + span(k, apart) - 1 - length - first
        for size, k, apart, length, first in zip(sizes, taps, dilation, lengths, low, strict=True)
    ]
    return do(
        "convolution",
        spread(do, grad, stride, lengths),
        turned(do, weight, groups),
        stride=[1] * len(taps),
        dilation=list(dilation),
        before=low,
        after=high,
        groups=groups,
    )


def conv_transpose(
    do: Parts,
    x: Value,
    weight: Value,
    bias: Value | None = None,
    *,
    stride: Extents,
    padding: Extents,
    output_padding: Extents,
    groups: int,
    dilation: Extents,
    channels_last: bool,
) -> Value:
    """The transpose of `conv`."""
    rank = space_of("conv_transpose", x, weight.rank - 2)
    image = channels_first(do, x, rank, channels_last)
    steps, apart, more = (
        each("conv_transpose", name, value, rank)
        for name, value in (("stride", stride), ("dilation", dilation), ("output_padding", output_padding))
    )
    positive("conv_transpose", stride=steps, dilation=apart, groups=[groups])
    before, after = ends("conv_transpose", padding, rank)
    if image.shape[1] != weight.shape[0] or weight.shape[0] % groups:
        raise ShapeError(
            f"conv_transpose of {image.shape[1]} channels with a weight of shape {text(weight.shape)}"
            f" in {groups} groups"
        )
    sizes = [
        (n - 1) * step - low - high + span(k, far) + longer
        for n, step, low, high, k, far, longer in zip(
            image.shape[2:], steps, before, after, weight.shape[2:], apart, more, strict=True
        )
    ]
    if any(size < 1 for size in sizes):
        raise ShapeError(f"conv_transpose of shape {text(x.shape)} would give axes of sizes {text(sizes)}")
    made = transposed(do, image, weight, steps, apart, before, sizes, groups)
    return as_given(do, _biased(do, made, bias), x, channels_last)


MEANINGS: dict[str, Meaning] = {"conv": conv, "conv_transpose": conv_transpose}
