"""An engine for scripts' tensors that computes with NumPy."""

from __future__ import annotations

import numpy as np

from ops import reference
from ops.graph import Graph, TensorRef
from ops.reference import dtype_name
from ops.validate import validate


class NumpyEngine:
    """An engine for scripts' tensors that checks every graph and computes it with NumPy."""

    def __init__(self) -> None:
        self.live: dict[int, np.ndarray] = {}
        self.graphs: list[Graph] = []
        self._next = 0

    def put(self, array: np.ndarray) -> TensorRef:
        """A tensor that holds `array`."""
        self._next += 1
        self.live[self._next] = array
        return TensorRef(self._next, array.shape, dtype_name(array.dtype))

    def compute(self, graph: Graph) -> list[TensorRef]:
        """The outputs of `graph`."""
        self.graphs.append(graph)
        types = validate(graph)
        values = reference.evaluate(graph, self.live)
        for value, index in zip(values, graph.outputs, strict=True):
            assert (value.shape, dtype_name(value.dtype)) == (types[index].shape, types[index].dtype)
        return [self.put(value) for value in values]

    def explain(self, graph: Graph, wgsl: bool) -> str:
        """What there is to compute."""
        return f"{[node.op for node in graph.nodes]} {graph.outputs} {wgsl}"

    def read(self, handle: int) -> bytes:
        """The elements of a tensor in wire form."""
        return reference.to_wire(self.live[handle])

    def free(self, handles: list[int]) -> None:
        """Forget tensors, each exactly once."""
        for handle in handles:
            del self.live[handle]
