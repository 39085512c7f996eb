"""Rows that move, repeat, cut out and surround elements."""

from __future__ import annotations

from typing import Any

from ops.spec import ALL, Attribute, OpSpec

_AXES = Attribute("axes", "axes", None, doc="One axis, a list of axes, or null for all.")
_DIAGONAL = Attribute("diagonal", "integer", 0, doc="0 is the main one, above 0 those above it.")
_MODES = ("constant", "reflect", "replicate", "circular")


def _composite(
    name: str,
    doc: str,
    *attributes: Attribute,
    inputs: tuple[str, ...] = ("x",),
    section: str = "pad",
    **more: Any,
) -> OpSpec:
    return OpSpec(name, "composite", inputs, doc, attributes=attributes, section=section, **more)


def _int(name: str, default: int | None) -> Attribute:
    return Attribute(name, "integer", default)


def _list(name: str, doc: str) -> Attribute:
    return Attribute(name, "integers", doc=doc)


ROWS = (
    OpSpec(
        "diagonal", "view", ("x",), "The diagonals between two axes, as the last axis.",
        attributes=(_int("offset", 0), _int("axis0", 0), _int("axis1", 1)),
        shape="diagonal",
    ),
    OpSpec(
        "pad", "pad", ("x",),
        "`x` with more around it: `value`, its own elements mirrored at the end (`reflect`), the end's element"
        " (`replicate`) or those of the other end (`circular`). Negative numbers cut off.",
        attributes=(
            _list("before", "How many before each axis."), _list("after", "How many after each axis."),
            Attribute("mode", "text", "constant", _MODES), Attribute("value", "number", 0),
        ),
        result="first", shape="pad",
    ),
    _composite("flip", "Axes backwards.", _AXES, section="view"),
    _composite("squeeze", "Without axes of size 1: all, or those named.", _AXES, section="view"),
    _composite("unsqueeze", "With a new axis of size 1.", Attribute("axis", "integer"), section="view",
               aliases=("expand_dims",)),
    _composite("flatten", "The axes from `start` to `stop` as one.", _int("start", 0),
               _int("stop", -1), section="view"),
    _composite("narrow", "`length` positions of an axis from `start` on.", Attribute("axis", "integer"),
               Attribute("start", "integer"), Attribute("length", "integer"), section="view"),
    _composite("roll", "Elements moved along axes, or in the flattened tensor for null; what leaves comes back at the"
               " other end.", Attribute("shifts", "axes", (0,)), _AXES),
    _composite("tile", "The whole tensor side by side, so many times along each axis.",
               _list("repeats", "The last ones are of the last axes.")),
    _composite("repeat_interleave", "Each element so many times in a row, along an axis or in the flattened tensor.",
               Attribute("repeats", "integer"), Attribute("axis", "axis", None)),
    _composite("tril", "Matrices with 0 above a diagonal.", _DIAGONAL),
    _composite("triu", "Matrices with 0 below a diagonal.", _DIAGONAL),
    _composite("diag", "A matrix with a vector on a diagonal, or that diagonal of a matrix.", _DIAGONAL),
    _composite("diag_embed", "Matrices with the last axis on a diagonal.", _int("offset", 0)),
    _composite("trace", "The sum of a matrix's diagonal.", result="sum", section="reduction", tolerance=1e-6),
    _composite("stack", "Tensors of equal shape joined along a new axis.", _int("axis", 0),
               section="concat", variadic=True),
    _composite("eye", "The matrix with ones on its diagonal.", Attribute("n", "integer"), _int("m", None),
               Attribute("dtype", "dtype", "f32"), inputs=(), section="leaf", dtypes=ALL),
)  # fmt: skip
