"""The terms of elementwise and leaf ops: a row's expression, with its attributes, of the terms of its inputs.

Owns what the names of an expression mean. Both kernels and the reference are made of these terms. Must not know layouts
or devices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast as typed

from ops import expression
from ops.attributes import Attributes
from ops.dtypes import register
from ops.expression import Term, bind, parse, scalar_dtype, scalar_term
from ops.spec import OpSpec, check_attributes
from ops.table import find
from shaders.spec import Hole

_LARGEST = expression.constant(3.4028234663852886e38, "f32")
_LARGEST_OF = {
    "f16": expression.constant(65504.0, "f32"),
    "bf16": expression.constant(3.3895313892515355e38, "f32"),
}


def term(
    op: str,
    attributes: Mapping[str, object],
    args: Sequence[Term],
    dtype: str,
    holes: Mapping[str, Hole] | None = None,
) -> Term:
    """The term of an elementwise or leaf op with `args` for its inputs and a result of `dtype` (see `infer`).

    The attributes that `holes` name may be other numbers each time that the kernel runs.

    The arguments may be terms of other ops: that is fusion. A term with `index` in it (that of `arange`) is right
    only where nothing broadcasts it.
    """
    spec = find(op)
    return of_row(spec, check_attributes(spec, attributes), args, dtype, holes or {})


def of_row(
    spec: OpSpec, attributes: Attributes, args: Sequence[Term], dtype: str, holes: Mapping[str, Hole]
) -> Term:
    """The same of a row, with attributes in normal form."""
    if spec.result == "float":
        args = [expression.cast(arg, "f32") for arg in args]
    args = [expression.cast(arg, register(arg.dtype)) for arg in args]
    is_long = "i64" in (dtype, *(arg.dtype for arg in args))
    names: dict[str, Term | str | None] = dict(zip(spec.inputs, args, strict=True))
    names["largest"] = _LARGEST_OF.get(dtype, _LARGEST)
    for attribute in spec.attributes:
        value = attributes[attribute.name]
        if attribute.type == "text":
            names[attribute.name] = str(value)
        elif attribute.type in ("number", "integer", "flag"):
            number = typed("int | float | None", value)
            hole = holes.get(attribute.name)
            names[attribute.name] = None if number is None else _number(number, hole, is_long)
    is_whole = spec.whole and all(arg.dtype != "f32" for arg in args)
    return expression.cast(bind(parse(spec.whole if is_whole else spec.expression), names), dtype)


def _number(value: int | float, hole: Hole | None, is_long: bool) -> Term:
    """An attribute's number. One that is whole and meets i64 is of it too."""
    if not is_long or isinstance(value, bool | float):
        return scalar_term(value, hole)
    if scalar_dtype(value) == "f32":
        return expression.constant(value, "i64")
    return expression.cast(scalar_term(value, hole), "i64")
