"""The errors of tensor programs.

Owns one class for each way in which a graph can be wrong. Must not know who built the graph.
"""

from __future__ import annotations

from shaders.errors import KernelgateError


class GraphError(KernelgateError):
    """A graph that breaks a rule of the wire form, or one of its limits."""

    code = "graph_invalid"
    title = "A graph of tensor ops is malformed or over a limit"
    remedy = "GET /api/ops/{name} says what an op takes."


class ShapeError(GraphError):
    """Shapes that an op cannot take together."""

    code = "shape_mismatch"
    title = "The shapes of tensors do not fit"
    remedy = "GET /api/ops/{name} says what an op takes; x.shape is what a tensor has."


class UnknownOpError(GraphError):
    """A name that no row of the op table has."""

    code = "unknown_op"
    title = "There is no such op"


class AttributeValueError(GraphError):
    """An attribute that an op does not have, lacks, or cannot take the value of."""

    code = "bad_attribute"
    title = "An op's attribute has a wrong value"
    remedy = "GET /api/ops/{name} says what the attributes of an op mean and take."
