"""Composites of quantisation: numbers as bytes with a scale, and products with weights that are kept so."""

from __future__ import annotations

from typing import Any

from ops.composite import Meaning, Parts, Value
from ops.composites.spatial import Extents, byte_convolution
from ops.errors import ShapeError
from ops.shapes import axis as counted
from ops.shapes import own_axis, text

_MOST = 127.0
_LEAST_SIZE = 1e-30


def quantize_per_tensor(do: Parts, x: Value, scale: Value, zero_point: Value, dtype: str) -> Value:
    """`round(x / scale) + zero_point`; the cast stops at the ends of `dtype`."""
    steps = do("round", do.cast(x, "f32") / do.cast(scale, "f32"))
    return do.cast(steps + do.cast(zero_point, "f32"), dtype)


def dequantize_per_tensor(do: Parts, x: Value, scale: Value, zero_point: Value) -> Value:
    """`(x - zero_point) * scale`."""
    return (do.cast(x, "f32") - do.cast(zero_point, "f32")) * scale


def quantize_per_channel(
    do: Parts, x: Value, scale: Value, zero_point: Value, axis: int, dtype: str
) -> Value:
    """The same with a scale and a zero point for each position of an axis."""
    scale, zero_point = (_along(do, each, x, axis) for each in (scale, zero_point))
    return quantize_per_tensor(do, x, scale, zero_point, dtype)


def dequantize_per_channel(do: Parts, x: Value, scale: Value, zero_point: Value, axis: int) -> Value:
    """The same, back."""
    scale, zero_point = (_along(do, each, x, axis) for each in (scale, zero_point))
    return dequantize_per_tensor(do, x, scale, zero_point)


def channel_scales(do: Parts, x: Value, axis: int) -> Value:
    """For each position of an axis the scale that takes the largest size there to 127."""
    where = counted(axis, x.rank)
    others = [number for number in range(x.rank) if number != where]
    return _scales(do, x, others, keepdim=False)


def linear_int8(do: Parts, x: Value, weight: Value, scale: Value, dynamic: bool) -> Value:
    """`x @ (weight * scale[:, None]).T`; `dynamic`: with each row of `x` made bytes first."""
    if weight.rank != 2 or scale.shape != weight.shape[:1]:
        raise ShapeError(
            f"linear_int8 takes a weight of two axes and a scale for each of its rows, not {text(weight.shape)}"
            f" and {text(scale.shape)}"
        )
    wide, turned = do.cast(x, "f32"), do("transpose", weight)
    if not dynamic:
        return do.cast(do("matmul", wide, turned) * scale, x.dtype)
    own = _scales(do, wide, [x.rank - 1], keepdim=True)
    product = do("int_matmul", do.cast(do("round", wide / own), "i8"), turned)
    return do.cast(do.cast(product, "f32") * own * scale, x.dtype)


def conv_int8(
    do: Parts,
    x: Value,
    weight: Value,
    scale: Value,
    bias: Value | None = None,
    *,
    stride: Extents,
    padding: Extents | str,
    dilation: Extents,
    groups: int,
    channels_last: bool,
    dynamic: bool,
) -> Value:
    """`conv` by `weight * scale`, a scale for each output; `dynamic`: of images that are made bytes first."""
    if scale.shape != weight.shape[:1]:
        raise ShapeError(
            f"conv_int8 takes a scale for each of {weight.shape[0] if weight.rank else 0} outputs, not"
            f" {text(scale.shape)}"
        )
    numbers: dict[str, Any] = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    wide, rank = do.cast(x, "f32"), weight.rank - 2
    if dynamic:
        own = _scales(do, wide, list(range(-rank - 1, 0)), keepdim=True)
        codes = do.cast(do("round", wide / own), "i8")
        sums = byte_convolution(do, codes, weight, channels_last=channels_last, **numbers)
        made = do.cast(sums, "f32") * own
    else:
        made = do("conv", wide, weight, channels_last=channels_last, **numbers)
    return do.cast(_finished(do, made, scale, bias, -1 if channels_last else made.rank - rank - 1), x.dtype)


def _finished(do: Parts, made: Value, scale: Value, bias: Value | None, channels: int) -> Value:
    """Results by channel, times the scale, plus the bias, of each."""
    scaled = made * _along(do, scale, made, channels)
    return scaled if bias is None else scaled + _along(do, bias, made, channels)


def _scales(do: Parts, x: Value, axes: list[int], keepdim: bool) -> Value:
    sizes = do("max", do("abs", x), axes=axes, keepdim=keepdim) if axes else do("abs", x)
    return do("maximum", do.cast(sizes, "f32"), _LEAST_SIZE) / _MOST


def _along(do: Parts, each: Value, x: Value, axis: int) -> Value:
    """A number for each position of an axis of `x`, so that it broadcasts."""
    where = own_axis(axis, x.rank)
    if each.shape != (x.shape[where],):
        raise ShapeError(
            f"axis {axis} of {text(x.shape)} has {x.shape[where]} channels, and their numbers are {text(each.shape)}"
        )
    return do.along(each, where, x.rank)


MEANINGS: dict[str, Meaning] = {
    "quantize_per_tensor": quantize_per_tensor,
    "dequantize_per_tensor": dequantize_per_tensor,
    "quantize_per_channel": quantize_per_channel,
    "dequantize_per_channel": dequantize_per_channel,
    "channel_scales": channel_scales,
    "linear_int8": linear_int8,
    "conv_int8": conv_int8,
}
