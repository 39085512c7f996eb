"""The full check of an untrusted graph.

Owns the rules of a legal graph and its limits. Takes time linear in the graph, without recursion, and allocates
nothing that grows with the sizes that the graph claims. Must not know handles: whoever receives the graph checks
whose they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from ops import dtypes
from ops.errors import AttributeValueError, GraphError
from ops.graph import Graph, Node, TensorType
from ops.infer import check_shape, result_type
from ops.spec import OpSpec, check_attributes, show
from ops.table import find

LEAVES = {
    "input": frozenset({"handle", "shape", "dtype"}),
    "constant": frozenset({"index", "shape", "dtype"}),
}
_IN_PARTS = "Compute it in parts: item() or tolist() of a value computes what it needs."


@dataclass(frozen=True, slots=True)
class GraphLimits:
    """How large a graph may be.

    `edges` counts the inputs of all nodes, `elements` those of one value (2^28, and the end that `nonzero` and
    `run_starts` add to positions in them), `total_elements` those of all values that are no views, `constant_bytes` the
    wire form of all constants.
    """

    nodes: int = 10_000
    edges: int = 40_000
    outputs: int = 10_000
    elements: int = (1 << 28) + 1
    total_elements: int = 1 << 34
    constant_bytes: int = 1 << 28


DEFAULT = GraphLimits()


def validate(graph: Graph, limits: GraphLimits = DEFAULT) -> list[TensorType]:
    """The type of each node of `graph`.

    Raises `GraphError` or one of its kinds, or `DTypeError`, naming the node, for anything that is not a legal graph
    within `limits`.
    """
    return list(validated(graph, limits))


def validated(graph: Graph, limits: GraphLimits = DEFAULT) -> Iterator[TensorType]:
    """The same, node by node: the graph is legal if this comes to its end."""
    _check_sizes(graph, limits)
    types: list[TensorType] = []
    total = 0
    for number, node in enumerate(graph.nodes):
        try:
            spec = None if node.op in LEAVES else find(node.op)
            type = _node_type(graph, node, spec, types)
            count = prod(type.shape)
            if count > limits.elements:
                raise GraphError(
                    f"a value of {count} elements is over the limit of {limits.elements}", hint=_IN_PARTS
                )
        except (GraphError, dtypes.DTypeError) as error:
            error.message = f"node {number} ({show(node.op)}): {error.message}"
            error.args = (error.message,)
            raise
        total += count if spec is None or spec.kind != "view" else 0
        types.append(type)
        yield type
    if total > limits.total_elements:
        raise GraphError(
            f"all values have {total} elements, over the limit of {limits.total_elements}", hint=_IN_PARTS
        )
    _check_outputs(graph)


def _check_sizes(graph: Graph, limits: GraphLimits) -> None:
    for name, count, limit in (
        ("nodes", len(graph.nodes), limits.nodes),
        ("outputs", len(graph.outputs), limits.outputs),
        ("edges", sum(len(node.inputs) for node in graph.nodes), limits.edges),
        ("bytes of constants", sum(map(len, graph.constants)), limits.constant_bytes),
    ):
        if count > limit:
            raise GraphError(f"a graph of {count} {name} is over the limit of {limit}", hint=_IN_PARTS)


def _check_outputs(graph: Graph) -> None:
    for output in graph.outputs:
        if not _index(output, len(graph.nodes)):
            raise GraphError(f"output {show(output)} is no node: there are {len(graph.nodes)}")


def _node_type(graph: Graph, node: Node, spec: OpSpec | None, types: list[TensorType]) -> TensorType:
    """The type of the node after those of `types`, whose op is `spec`, or a leaf."""
    number = len(types)
    for index in node.inputs:
        if not _index(index, number):
            raise GraphError(f"it reads node {show(index)}, which is not before it")
    if spec is None:
        return _leaf_type(graph, node)
    attributes = check_attributes(spec, node.attributes)
    return result_type(spec, attributes, [types[index] for index in node.inputs])


def _index(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def _leaf_type(graph: Graph, node: Node) -> TensorType:
    """The type that an `input` or a `constant` claims; a constant must have as many bytes as that says."""
    if node.inputs or node.attributes.keys() != LEAVES[node.op]:
        raise GraphError(f"it must have no inputs, and the attributes {', '.join(sorted(LEAVES[node.op]))}")
    attributes: dict[str, Any] = node.attributes
    type = leaf_type(attributes["shape"], attributes["dtype"])
    if node.op == "input" and not _index(attributes["handle"], 1 << 63):
        raise AttributeValueError(f"the handle {show(attributes['handle'])} is no number from 0")
    if node.op == "constant":
        if not _index(attributes["index"], len(graph.constants)):
            raise AttributeValueError(f"there is no constant {show(attributes['index'])}")
        wanted = prod(type.shape) * dtypes.dtype(type.dtype).wire_bytes
        actual = len(graph.constants[attributes["index"]])
        if wanted != actual:
            raise GraphError(f"a constant has {actual} bytes, but its type takes {wanted}")
    return type


def leaf_type(shape: object, dtype: object) -> TensorType:
    """The type of a leaf from untrusted attributes, the dtype by its own name."""
    if not isinstance(dtype, str) or dtypes.dtype(dtype).name != dtype:
        raise AttributeValueError(f"the dtype {show(dtype)} is not one of {', '.join(dtypes.BY_NAME)}")
    if not isinstance(shape, list | tuple) or not all(_index(size, 1 << 63) for size in shape):
        raise AttributeValueError(f"the shape {show(shape)} is no list of sizes")
    check_shape(tuple(shape))
    return TensorType(tuple(shape), dtype)
