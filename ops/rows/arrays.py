"""Rows that make, join, view and multiply arrays."""

from __future__ import annotations

from ops.spec import REQUIRED, Attribute, AttributeType, OpSpec, ShapeRule


def _view(name: ShapeRule, doc: str, *attributes: Attribute, aliases: tuple[str, ...] = ()) -> OpSpec:
    """A view, whose rule of shapes has its name."""
    return OpSpec(name, "view", ("x",), doc, aliases=aliases, attributes=attributes, shape=name)


def _list(name: str, doc: str, default: tuple[int, ...] | str | None = REQUIRED) -> Attribute:
    kind: AttributeType = "sizes" if name == "shape" else "integers"
    return Attribute(name, kind, default, doc=doc)


_SLICE = (
    _list("starts", "First positions."),
    _list("stops", "Positions to stop before."),
    _list("steps", "Steps, 1 by default.", None),
    _list("axes", "The axes meant, the first ones by default.", None),
)
_DTYPE = Attribute("dtype", "dtype", "f32")

ROWS = (
    OpSpec(
        "full",
        "leaf",
        (),
        "A tensor of one value.",
        "value",
        attributes=(_list("shape", "The sizes."), Attribute("value", "number"), _DTYPE),
        result="attribute",
        shape="shape",
    ),
    OpSpec(
        "arange",
        "leaf",
        (),
        "`count` numbers from `start` in steps of `step`.",
        "start + step * index",
        attributes=(
            Attribute("count", "integer"),
            Attribute("start", "number", 0),
            Attribute("step", "number", 1),
            _DTYPE,
        ),
        result="attribute",
        shape="count",
        tolerance=3e-7,
    ),
    OpSpec(
        "linspace",
        "leaf",
        (),
        "`count` numbers evenly from `start` to `end`, both included.",
        "start + (end - start) / maximum(count - 1, 1) * index if 2 * index < count else"
        " end - (end - start) / maximum(count - 1, 1) * (count - 1 - index)",
        attributes=(
            Attribute("count", "integer"),
            Attribute("start", "number"),
            Attribute("end", "number"),
            _DTYPE,
        ),
        result="attribute",
        shape="count",
        tolerance=3e-7,
        relative="maximum(abs(start), abs(end))",
    ),
    _view("reshape", "The same elements in another shape; one size may be -1.", _list("shape", "The sizes.")),
    _view("permute", "Axes in another order.", _list("axes", "The old axis of each new one.")),
    _view(
        "transpose",
        "Two axes exchanged.",
        Attribute("axis0", "integer", -2),
        Attribute("axis1", "integer", -1),
        aliases=("swapaxes",),
    ),
    _view(
        "slice",
        "Every `step`-th element from `start` to before `stop` along each axis, by Python's rules. A stop below"
        " -size means past the beginning, for negative steps.",
        *_SLICE,
    ),
    OpSpec(
        "slice_scatter",
        "write",
        ("x", "value"),
        "`x` with `value`, which broadcasts, in place of what `slice` takes of it.",
        attributes=_SLICE,
        result="first",
        shape="write",
    ),
    _view(
        "expand",
        "Axes of size 1, and new ones in front, repeated without a copy; -1 keeps a size.",
        _list("shape", "The sizes."),
        aliases=("broadcast_to",),
    ),
    OpSpec(
        "concat",
        "concat",
        ("x",),
        "Tensors joined along an axis.",
        aliases=("cat", "concatenate"),
        attributes=(Attribute("axis", "integer", 0),),
        shape="concat",
        variadic=True,
    ),
)
