"""Rows of quantisation: numbers as bytes with a scale, and products with weights that are kept so."""

from __future__ import annotations

from typing import Any

from ops.rows.spatial import CONVOLUTION
from ops.spec import FLOATS, INTEGERS, NUMBERS, NUMBERS_64, SUM, Attribute, OpSpec

_BYTES = ("i8", "u8")
_AXIS = Attribute("axis", "integer", 0, doc="The axis of the channels.")
_DTYPE = Attribute("dtype", "dtype", "i8", doc="What the result is kept as, an integer.")
_QUANTISED = ("x", "scale", "zero_point")


def _composite(
    name: str, taken: tuple[tuple[str, ...], ...], doc: str, *attributes: Attribute, **more: Any
) -> OpSpec:
    given: dict[str, Any] = {"inputs": _QUANTISED[: len(taken)], "section": "quantised"} | more
    return OpSpec(name, "composite", doc=doc, attributes=attributes, input_dtypes=taken, **given)


ROWS = (
    _composite("quantize_per_tensor", (FLOATS, FLOATS, NUMBERS_64),
               "`round(x / scale) + zero_point`, kept within `dtype`.", _DTYPE, result="attribute"),
    _composite("quantize_per_channel", (FLOATS, FLOATS, NUMBERS_64),
               "The same with a scale and a zero point for each position of an axis.", _AXIS, _DTYPE,
               result="attribute"),
    _composite("dequantize_per_tensor", (INTEGERS, FLOATS, NUMBERS_64), "`(x - zero_point) * scale`.",
               tolerance=2e-7),
    _composite("dequantize_per_channel", (INTEGERS, FLOATS, NUMBERS_64),
               "The same with a scale and a zero point for each position of an axis. Elementwise ops, reductions,"
               " softmax and norms take it in, and products by such a matrix: of up to 8 rows by its transpose, and on"
               " GPUs of 32 rows and more. Then its floats are never written. `linear_int8` and `conv_int8` multiply"
               " the sums by the scale instead.", _AXIS, tolerance=2e-7),
    _composite("channel_scales", (NUMBERS,),
               "For each position of an axis the scale that takes the largest size there to 127.", _AXIS,
               tolerance=2e-7),
    OpSpec(
        "int_matmul", "matmul", ("x", "y"),
        "Matrix product of bytes, summed in i32, as PyTorch's `_int_mm` and ONNX's `MatMulInteger`.",
        dtypes=_BYTES, result="i32", shape="matmul",
    ),
    _composite(
        "linear_int8", (FLOATS, _BYTES, FLOATS),
        "`x @ (weight * scale[:, None]).T`: a product with weights that are kept as bytes, with a scale for each"
        " output. Up to 8 rows of `x` read the bytes as they are. `dynamic` makes bytes of each row of `x` too, by its"
        " largest size, and sums in i32.",
        Attribute("dynamic", "flag", False), inputs=("x", "weight", "scale"), tolerance=1e-6, relative=SUM,
        result="first",
    ),
    _composite(
        "conv_int8", (FLOATS, _BYTES, FLOATS, FLOATS),
        "`conv` by weights that are kept as bytes, with a scale for each output. `dynamic` makes bytes of each image of"
        " `x` too, by its largest size, and sums in i32. Scale, bias and what is done next are one kernel with the"
        " sums.",
        *CONVOLUTION, Attribute("dynamic", "flag", False), inputs=("x", "weight", "scale", "bias"), optional=1,
        tolerance=2e-6, relative=SUM, result="first",
    ),
)  # fmt: skip
