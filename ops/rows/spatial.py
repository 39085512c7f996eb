"""Rows over axes of space: windows, convolution, pooling, interpolation."""

from __future__ import annotations

from typing import Any

from ops.spec import ALL, FLOATS, NUMBERS, REQUIRED, SUM, Attribute, OpSpec


def _each(name: str, default: Any, doc: str = "", *choices: str) -> Attribute:
    """An attribute with one number for all axes of space, or one for each."""
    return Attribute(name, "extents", default, choices, doc)


def _lists(*names: str) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, "integers") for name in names)


def _spatial(name: str, inputs: tuple[str, ...], doc: str, *attributes: Attribute, **more: Any) -> OpSpec:
    given: dict[str, Any] = {"dtypes": FLOATS, "section": "convolution"} | more
    return OpSpec(name, "composite", inputs, doc, attributes=attributes, **given)


def _by_rank(name: str) -> tuple[str, ...]:
    return tuple(f"{name}{rank}d" for rank in (1, 2, 3))


_WEIGHTED = ("x", "weight", "bias")
_STRIDE = _each("stride", 1)
_DILATION = _each("dilation", 1)
_GROUPS = Attribute("groups", "integer", 1)
_LAST = Attribute("channels_last", "flag", False, doc="`x` and the result are [batch, *space, channels].")
_ENDS = "One number, one for each axis, or those before all axes and then those after them"
WEIGHTS = (*FLOATS, "i8", "u8")
CONVOLUTION = (
    _STRIDE,
    _each("padding", 0, f"{_ENDS}; `same` is as many results as `ceil(size / stride)`.", "same", "valid"),
    _DILATION,
    _GROUPS,
    _LAST,
)
"""What every convolution is told."""

_X = ("x",)
_SIZE = _each("kernel_size", REQUIRED, "One number is for all axes but batch and channels.")
_STRIDE_OF_SIZE = _each("stride", None, "By default the window's size.")
_PADDING = _each("padding", 0, f"{_ENDS}.")
_CEIL = Attribute("ceil_mode", "flag", False, doc="Whether the last window may reach beyond the padding.")
_OUTPUT = _each("output_size", REQUIRED)
_MAX_POOL = (_SIZE, _STRIDE_OF_SIZE, _PADDING, _DILATION, _CEIL, _LAST)
_RESIZES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area")
_SUMS: dict[str, Any] = {"tolerance": 1e-6, "relative": SUM}

ROWS = (
    OpSpec(
        "windows", "view", ("x",),
        "The windows of `size` elements, `dilation` apart, that begin every `step` along an axis; their elements are a"
        " new last axis.",
        attributes=(Attribute("axis", "integer"), Attribute("size", "integer"), Attribute("step", "integer", 1),
                    Attribute("dilation", "integer", 1)),
        shape="windows",
    ),
    OpSpec(
        "convolution", "convolution", ("x", "weight"),
        "Sums of products of `x` [batch, channels, *space] and `weight` [outputs, channels of a group, *taps] at every"
        " place, with zeros `before` and `after` each axis of space; numbers below 0 cut off.",
        attributes=(*_lists("stride", "dilation", "before", "after"), _GROUPS),
        dtypes=FLOATS, input_dtypes=(FLOATS, WEIGHTS), shape="convolution", tolerance=2e-6, relative=SUM,
    ),
    _spatial(
        "conv", _WEIGHTED,
        "Convolution, as neural networks say, of `x` [batch, channels, *space], or without batch, and `weight`"
        " [outputs, channels of a group, *taps], over 1 to 3 axes of space.",
        *CONVOLUTION, optional=1, input_dtypes=(FLOATS, WEIGHTS, FLOATS), aliases=_by_rank("conv"), tolerance=2e-6,
        relative=SUM,
    ),
    _spatial(
        "conv_transpose", _WEIGHTED,
        "The transpose of `conv`, as a matrix: `x` is spread out by `weight` [channels, outputs of a group, *taps].",
        _STRIDE, _each("padding", 0, f"What is cut off. {_ENDS}."),
        _each("output_padding", 0, "How much longer the end of each axis is."), _GROUPS, _DILATION, _LAST,
        optional=1, aliases=_by_rank("conv_transpose"), tolerance=2e-6, relative=SUM,
    ),
    _spatial("max_pool", _X, "The largest element of each window; padding is less than all. Equal ones share the"
             " gradient.", *_MAX_POOL, aliases=_by_rank("max_pool"), dtypes=NUMBERS),
    _spatial("max_pool_indices", _X, "Where in each image, flattened, the first largest element of each window is"
             " (i32).", *_MAX_POOL, dtypes=NUMBERS, result="i32"),
    _spatial("avg_pool", _X, "The mean of each window.", _SIZE, _STRIDE_OF_SIZE, _PADDING, _CEIL,
             Attribute("count_include_pad", "flag", True, doc="Whether padding counts as elements, which are 0."),
             Attribute("divisor_override", "integer", None, doc="By what sums are divided instead."), _LAST,
             aliases=_by_rank("avg_pool"), **_SUMS),
    _spatial("lp_pool", _X, "The p-th root of the sum of the p-th powers of each window. Powers keep their signs, as in"
             " PyTorch: what sums to less than 0 has no root.",
             Attribute("norm_type", "number", 2, doc="p."), _SIZE, _STRIDE_OF_SIZE, _CEIL, _LAST,
             aliases=_by_rank("lp_pool"), tolerance=2e-5, relative="maximum(1, abs(result))"),
    _spatial("max_unpool", ("x", "index"), "Zeros with each element of `x` at the place in its image, flattened, that"
             " `max_pool_indices` gave.", _OUTPUT, input_dtypes=(NUMBERS, ("i32", "u32", "i64")),
             aliases=_by_rank("max_unpool"), result="first"),
    _spatial("adaptive_avg_pool", _X, "The mean of each of `output_size` parts of nearly equal size.", _OUTPUT, _LAST,
             aliases=_by_rank("adaptive_avg_pool"), **_SUMS),
    _spatial("adaptive_max_pool", _X, "The largest element of each of `output_size` parts of nearly equal size.",
             _OUTPUT, _LAST, aliases=_by_rank("adaptive_max_pool"), dtypes=NUMBERS),
    _spatial("adaptive_max_pool_indices", _X, "Where in each image, flattened, these elements are (i32).", _OUTPUT,
             _LAST, dtypes=NUMBERS, result="i32"),
    _spatial("global_avg_pool", _X, "The mean over all axes of space, which stay with size 1.", **_SUMS),
    _spatial("global_max_pool", _X, "The largest element over all axes of space, which stay with size 1.",
             dtypes=NUMBERS),
    _spatial(
        "interpolate", _X,
        "An image [batch, channels, *space] in another size, which `size` says or `scale_factor`. `nearest` takes"
        " the element before, `nearest-exact` the nearest, linear modes go from one to the next, `bicubic` takes four,"
        " `area` is `adaptive_avg_pool`.",
        _each("size", None), Attribute("scale_factor", "factors", None), Attribute("mode", "text", "nearest", _RESIZES),
        Attribute("align_corners", "flag", None, doc="Whether the corners' elements stay at the corners."),
        aliases=("upsample",), tolerance=2e-6, relative="maximum(1, abs(result))",
    ),
    _spatial(
        "grid_sample", ("x", "grid"),
        "Images [batch, channels, *space] at places [batch, *out, axes], whose numbers are from -1 to 1, the first"
        " along the last axis. Outside are zeros, the `border` or the image in a mirror (`reflection`).",
        Attribute("mode", "text", "bilinear", ("bilinear", "nearest", "bicubic")),
        Attribute("padding_mode", "text", "zeros", ("zeros", "border", "reflection")),
        Attribute("align_corners", "flag", False, doc="Whether -1 and 1 are the middles of the last elements."),
        tolerance=1e-5, relative="maximum(1, abs(result))", result="first",
    ),
    _spatial("affine_grid", _X, "The places for `grid_sample` by which matrices [batch, axes, axes + 1] move images of"
             " `size`.", Attribute("size", "sizes", doc="[batch, channels, *space]."),
             Attribute("align_corners", "flag", False), tolerance=2e-6, relative="maximum(1, abs(result))"),
    _spatial("im2col", _X, "Each window of images [batch, channels, rows, columns] as a column: [batch, channels and"
             " elements, windows].", _SIZE, _DILATION, _PADDING, _STRIDE, dtypes=ALL),
    _spatial("col2im", _X, "Images of the sums of what columns, as `im2col` gives them, say of each element.",
             _each("output_size", REQUIRED), _SIZE, _DILATION, _PADDING, _STRIDE, **_SUMS),
    _spatial("pixel_shuffle", _X, "Groups of channels as blocks of pixels.", Attribute("upscale_factor", "integer"),
             dtypes=ALL),
    _spatial("pixel_unshuffle", _X, "Blocks of pixels as groups of channels.", Attribute("downscale_factor", "integer"),
             dtypes=ALL),
    _spatial("channel_shuffle", _X, "The channels of all groups in turn.", Attribute("groups", "integer"), dtypes=ALL),
)  # fmt: skip
