"""A tensor program that came in a frame, checked against what lives on the device.

Owns the checks that are the same on all engines. Must not know buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from host.tensors import Tensor
from ops.errors import GraphError
from ops.graph import Graph, Node, TensorType
from ops.validate import validate
from ops.wire import FrameError

S = TypeVar("S")
Input = tuple[int, TensorType]
"""A node that reads a tensor, and the type that it says."""


def check_graph(graph: Graph, handles: Sequence[int], get: Callable[[int], Tensor[S]]) -> list[TensorType]:
    """The type of each node. Raises `GraphError`, `UnknownHandle` or `FrameError`; `handles` name the outputs."""
    types = validate(graph)
    check_inputs(graph, inputs_of(graph, types), handles, get)
    return types


def handles_of(graph: Graph) -> set[int]:
    """The tensors that a graph reads, valid or not. Raises `GraphError` for an input that names none."""
    return {input_handle(node) for node in graph.nodes if node.op == "input"}


def inputs_of(graph: Graph, types: Sequence[TensorType]) -> list[Input]:
    """The inputs of a graph whose nodes have these types."""
    return [(index, types[index]) for index, node in enumerate(graph.nodes) if node.op == "input"]


def check_inputs(
    graph: Graph, inputs: Sequence[Input], handles: Sequence[int], get: Callable[[int], Tensor[S]]
) -> list[Tensor[S]]:
    """The tensors that a valid graph reads by `inputs`, in order; raises unless they are of the types that it says."""
    if len(handles) != len(graph.outputs):
        raise FrameError(f"{len(handles)} handles came for {len(graph.outputs)} outputs")
    nodes = graph.nodes
    tensors = []
    for index, type in inputs:
        handle = input_handle(nodes[index])
        tensor = get(handle)
        if tensor.type != type:
            actual = tensor.type
            raise GraphError(
                f"the graph takes tensor {handle} as {type.dtype} {list(type.shape)}, "
                f"but it is {actual.dtype} {list(actual.shape)}"
            )
        tensors.append(tensor)
    return tensors


def input_handle(node: Node) -> int:
    """The handle that an `input` node reads."""
    handle = node.attributes.get("handle")
    if not isinstance(handle, int):
        raise GraphError("an input names no tensor")
    return handle
