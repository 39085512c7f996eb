"""The form of elementwise rows: their result at a position depends only on the inputs at that position.

Adding such an op is one row in a module beside this one: its kernel, reference, gradient, function, method, in-place
form, route, documentation and tests follow from it.
"""

from __future__ import annotations

from typing import Any

from ops.spec import ALL, FLOATS, NUMBERS_64, Attribute, OpSpec

Dtypes = tuple[str, ...]


def unary(
    name: str, expression: str, doc: str, *aliases: str, dtypes: Dtypes = NUMBERS_64, **more: Any
) -> OpSpec:
    """An op of one input whose result has its dtype."""
    return OpSpec(name, "elementwise", ("x",), doc, expression, aliases, dtypes=dtypes, **more)


def smooth(name: str, expression: str, doc: str, *aliases: str, tolerance: float, **more: Any) -> OpSpec:
    """An op of one input of any dtype, computed in f32."""
    return unary(name, expression, doc, *aliases, dtypes=ALL, result="float", tolerance=tolerance, **more)


def activation(
    name: str, expression: str, doc: str, *attributes: Attribute, aliases: Dtypes = (), **more: Any
) -> OpSpec:
    """An op of one f32 input."""
    given: dict[str, Any] = {"dtypes": FLOATS, "tolerance": 0.0} | more
    return OpSpec(name, "elementwise", ("x",), doc, expression, aliases, attributes, **given)


def binary(
    name: str, expression: str, doc: str, *aliases: str, dtypes: Dtypes = NUMBERS_64, **more: Any
) -> OpSpec:
    """An op of two inputs whose result has their common dtype."""
    return OpSpec(name, "elementwise", ("x", "y"), doc, expression, aliases, dtypes=dtypes, **more)


def test(name: str, inputs: tuple[str, ...], expression: str, doc: str, *aliases: str, **more: Any) -> OpSpec:
    """An op of any inputs that gives bools."""
    return OpSpec(name, "elementwise", inputs, doc, expression, aliases, result="bool", **more)


def number(name: str, default: float | None, doc: str = "") -> Attribute:
    """An attribute that is a number."""
    return Attribute(name, "number", default, doc=doc)
