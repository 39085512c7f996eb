"""A tensor program that came in a frame, checked against what lives on the device.

Owns the checks that are the same on all engines. Must not know buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ops.dtypes import dtype
from ops.errors import GraphError
from ops.graph import Graph, Node, TensorType
from ops.validate import validate
from ops.wire import FrameError


def check_graph(
    graph: Graph, handles: Sequence[int], type_of: Callable[[int], TensorType]
) -> list[TensorType]:
    """The type of each node. Raises `GraphError`, `UnknownHandle` or `FrameError`; `handles` name the outputs."""
    types = validate(graph)
    check_inputs(graph, handles, type_of)
    return types


def check_inputs(graph: Graph, handles: Sequence[int], type_of: Callable[[int], TensorType]) -> None:
    """Raise unless the tensors that a valid graph reads exist with the types that it says."""
    if len(handles) != len(graph.outputs):
        raise FrameError(f"{len(handles)} handles came for {len(graph.outputs)} outputs")
    for node in graph.nodes:
        if node.op == "input":
            actual = type_of(input_handle(node))
            if list(actual.shape) != node.attributes["shape"] or actual.dtype != dtype_of(node):
                raise GraphError(
                    f"the graph takes tensor {input_handle(node)} as {node.attributes['dtype']} "
                    f"{node.attributes['shape']}, but it is {actual.dtype} {list(actual.shape)}"
                )


def dtype_of(node: Node) -> str:
    """The dtype that a leaf names."""
    name = node.attributes["dtype"]
    return dtype(name).name if isinstance(name, str) else ""


def input_handle(node: Node) -> int:
    """The handle that an `input` node reads."""
    handle = node.attributes.get("handle")
    if not isinstance(handle, int):
        raise GraphError("an input names no tensor")
    return handle
