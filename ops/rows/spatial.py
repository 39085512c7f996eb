"""Rows over axes of space: windows, convolution, pooling, interpolation."""

from __future__ import annotations

from typing import Any

from ops.spec import FLOATS, SUM, Attribute, OpSpec


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
        dtypes=FLOATS, shape="convolution", tolerance=2e-6, relative=SUM,
    ),
    _spatial(
        "conv", _WEIGHTED,
        "Convolution, as neural networks say, of `x` [batch, channels, *space], or without batch, and `weight`"
        " [outputs, channels of a group, *taps], over 1 to 3 axes of space.",
        _STRIDE, _each("padding", 0, f"{_ENDS}; `same` is as many results as `ceil(size / stride)`.", "same", "valid"),
        _DILATION, _GROUPS, _LAST,
        optional=1, aliases=_by_rank("conv"), tolerance=2e-6, relative=SUM,
    ),
    _spatial(
        "conv_transpose", _WEIGHTED,
        "The transpose of `conv`, as a matrix: `x` is spread out by `weight` [channels, outputs of a group, *taps].",
        _STRIDE, _each("padding", 0, f"What is cut off. {_ENDS}."),
        _each("output_padding", 0, "How much longer the end of each axis is."), _GROUPS, _DILATION, _LAST,
        optional=1, aliases=_by_rank("conv_transpose"), tolerance=2e-6, relative=SUM,
    ),
)  # fmt: skip
