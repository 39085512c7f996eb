"""Ops and graphs computed in NumPy.

Owns how the values of graphs and composites are made of those of single ops. Floats are computed in f64 and rounded
once at the end of an op (and where the expression itself converts to f32), so results are as good as f32 can hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ops.composites import expand
from ops.graph import Graph, Node, TensorType
from ops.infer import result_type
from ops.reference.bfloat import opened
from ops.reference.elements import Array, dtype_name, from_wire, narrow
from ops.reference.kinds import KINDS
from ops.spec import check_attributes
from ops.table import find

_BY_ELEMENT = ("elementwise", "leaf")


def evaluate(graph: Graph, inputs: Mapping[int, Array]) -> list[Array]:
    """The values of the outputs of a valid graph; `inputs` gives the array of each handle that it reads."""
    values: list[Array] = []
    last_use = _last_uses(graph)
    for number, node in enumerate(graph.nodes):
        with np.errstate(all="ignore"):
            values.append(_node(graph, node, [values[index] for index in node.inputs], inputs))
        for index in {*node.inputs, number}:
            if last_use[index] <= number:
                values[index] = np.empty(0)
    return [values[index] for index in graph.outputs]


def _last_uses(graph: Graph) -> list[int]:
    """For each node the last one that reads it; outputs are read after all."""
    last = list(range(len(graph.nodes)))
    for number, node in enumerate(graph.nodes):
        for index in node.inputs:
            last[index] = number
    for index in graph.outputs:
        last[index] = len(graph.nodes)
    return last


def _node(graph: Graph, node: Node, args: list[Array], inputs: Mapping[int, Array]) -> Array:
    attributes: dict[str, Any] = node.attributes
    if node.op == "input":
        return inputs[attributes["handle"]]
    if node.op == "constant":
        data = graph.constants[attributes["index"]]
        return from_wire(data, attributes["dtype"], attributes["shape"])
    return apply(node.op, attributes, args)


def apply(op: str, attributes: Mapping[str, object], args: Sequence[Array]) -> Array:
    """The value of one op."""
    spec = find(op)
    types = [TensorType(arg.shape, dtype_name(arg.dtype)) for arg in args]
    if spec.kind == "composite":
        return _composite(op, attributes, types, args)
    normal = check_attributes(spec, attributes)
    result = result_type(spec, normal, types)
    with np.errstate(all="ignore"):
        taken = args if spec.kind in _BY_ELEMENT else map(opened, args)
        value = KINDS[spec.kind](spec, normal, list(taken), result)
        return narrow(value, result.dtype).reshape(result.shape)


def _composite(
    op: str, attributes: Mapping[str, object], types: Sequence[TensorType], args: Sequence[Array]
) -> Array:
    """The value of an op that is made of others."""
    nodes, result = expand(op, attributes, types)
    leaves = [
        Node("input", (), {"handle": number, "shape": list(type.shape), "dtype": type.dtype})
        for number, type in enumerate(types)
    ]
    return evaluate(Graph([*leaves, *nodes], [result]), dict(enumerate(args)))[0]
