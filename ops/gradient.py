"""Gradients of elementwise rows, as rows: `gelu.dx` takes the inputs of `gelu` and `grad`, and gives what `x` gets.

Owns their names and how a row's own gradient, or else the derivative of its expression, becomes a row. Must not know
graphs.
"""

from __future__ import annotations

from dataclasses import replace

from ops.derivative import ZERO, derivative, scaled, text
from ops.errors import GraphError
from ops.expression import ExpressionError, Name, parse
from ops.spec import OpSpec

GRAD = "grad"
"""The last input of a gradient's row: the gradient of the result."""


def name_of(spec: OpSpec, number: int) -> str:
    """The name of the gradient of `spec` by its input `number`."""
    return f"{spec.name}.d{spec.inputs[number]}"


def is_differentiable(spec: OpSpec) -> bool:
    """Whether the row takes and gives floats, elementwise."""
    gives = spec.result in ("promote", "float", "first", "choice")
    return spec.kind == "elementwise" and gives and "f32" in spec.dtypes


def gradient_row(spec: OpSpec, number: int) -> OpSpec | None:
    """The row of the gradient by input `number`; None where it is 0 everywhere.

    Raises `GraphError` if it is not known.
    """
    if not is_differentiable(spec):
        return None
    expression = spec.gradients[number] if spec.gradients else _derived(spec, spec.inputs[number])
    if expression == "0.0":
        return None
    return replace(
        spec,
        name=name_of(spec, number),
        inputs=(*spec.inputs, GRAD),
        doc=f"What the gradient `grad` of `{spec.name}` gives `{spec.inputs[number]}`.",
        expression=expression,
        aliases=(),
        result="float",
        operator="",
        tolerance=1e-5,
        relative="maximum(abs(grad), abs(result))",
        whole="",
        gradients=(),
        input_dtypes=(),
    )


def _derived(spec: OpSpec, name: str) -> str:
    """The gradient that the row's expression has by the input `name`."""
    try:
        found = derivative(parse(spec.expression), name)
    except ExpressionError as reason:  # of a function whose derivative is none of ours
        raise GraphError(f"the gradient of {spec.name} is not known", hint=str(reason)) from None
    return "0.0" if found == ZERO else text(scaled(found, Name(GRAD)))
