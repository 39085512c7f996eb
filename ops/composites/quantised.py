"""Composites of quantisation: numbers as bytes with a scale, and products with weights that are kept so."""

from __future__ import annotations

from ops.composite import Meaning, Parts, Value
from ops.errors import ShapeError
from ops.shapes import axis as counted
from ops.shapes import text

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


def _scales(do: Parts, x: Value, axes: list[int], keepdim: bool) -> Value:
    sizes = do("max", do("abs", x), axes=axes, keepdim=keepdim) if axes else do("abs", x)
    return do("maximum", do.cast(sizes, "f32"), _LEAST_SIZE) / _MOST


def _along(do: Parts, each: Value, x: Value, axis: int) -> Value:
    """A number for each position of an axis of `x`, so that it broadcasts."""
    where = counted(axis, x.rank)
    if each.shape != (x.shape[where],):
        raise ShapeError(
            f"axis {axis} of {text(x.shape)} has {x.shape[where]} channels, and their numbers are {text(each.shape)}"
        )
    return do.reshape(each, *(size if number == where else 1 for number, size in enumerate(x.shape)))


MEANINGS: dict[str, Meaning] = {
    "quantize_per_tensor": quantize_per_tensor,
    "dequantize_per_tensor": dequantize_per_tensor,
    "quantize_per_channel": quantize_per_channel,
    "dequantize_per_channel": dequantize_per_channel,
    "channel_scales": channel_scales,
    "linear_int8": linear_int8,
}
