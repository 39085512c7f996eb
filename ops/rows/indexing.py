"""Rows that read and write at positions that a tensor gives."""

from __future__ import annotations

from typing import Any

from ops.spec import ALL, INTEGERS, Attribute, OpSpec

_PLACES = INTEGERS
_AXIS = Attribute("axis", "integer", 0)
_RULE = "A position below 0 counts from the end; one outside reads 0 and is not written."

_Inputs = dict[str, tuple[str, ...]]
_X: _Inputs = {"x": ALL}
_INDEX: _Inputs = {"index": _PLACES}
_VALUE: _Inputs = {"value": ALL}


def _composite(name: str, inputs: _Inputs, doc: str, *attributes: Attribute, **more: Any) -> OpSpec:
    given: dict[str, Any] = {"section": "gather", "result": "first"} | more
    return OpSpec(
        name, "composite", tuple(inputs), doc, attributes=attributes, input_dtypes=tuple(inputs.values()), **given
    )  # fmt: skip


ROWS = (
    OpSpec(
        "gather", "gather", ("x", "index"),
        f"The elements of `x` whose position along an axis is `index`; their other coordinates are their own. {_RULE}",
        aliases=("gather_elements",), attributes=(_AXIS,), result="first", shape="gather",
        input_dtypes=(ALL, _PLACES),
    ),
    OpSpec(
        "scatter", "scatter", ("x", "index", "value"),
        "`x` with `value`, which broadcasts to `index`, at positions along an axis; the other coordinates are its own."
        " Of several for one place the last is put, or all are folded in their order. Positions as of `gather`.",
        aliases=("scatter_elements",),
        attributes=(_AXIS, Attribute("reduce", "text", "none", ("none", "add", "mul", "max", "min"))), result="first",
        shape="scatter", input_dtypes=(ALL, _PLACES, ALL), tolerance=2e-6,
    ),
    _composite("index_select", _X | _INDEX,
               "The parts of `x` at positions along an axis, in whose place comes the shape of `index`.", _AXIS),
    _composite("take_along_dim", _X | _INDEX,
               "As `gather`, where the other axes broadcast; of the flattened tensor for null.",
               Attribute("axis", "axis", None), aliases=("take_along_axis",)),
    _composite("scatter_add", _X | _INDEX | _VALUE, "`scatter` that adds.", _AXIS, tolerance=2e-6),
    _composite("index_add", _X | _INDEX | _VALUE, "`x` with parts of `alpha * value` added at positions along an axis.",
               _AXIS, Attribute("alpha", "number", 1), tolerance=2e-6),
    _composite("index_copy", _X | _INDEX | _VALUE, "`x` with parts of `value` in place of its own.", _AXIS),
    _composite("index_fill", _X | _INDEX, "`x` with one value at positions along an axis.", _AXIS,
               Attribute("value", "number", 0)),
    _composite("masked_scatter", _X | {"mask": ALL} | _VALUE,
               "`x` with the elements of `value`, in order, where `mask` is true; 0 where they are too few."),
    _composite("one_hot", {"x": _PLACES}, "1 (i32) at each number's own place along a new last axis, else 0.",
               Attribute("num_classes", "integer"), result="i32"),
)  # fmt: skip
