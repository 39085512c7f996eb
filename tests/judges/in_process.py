"""The engine of a device process, in this process, for judges that run thousands of small graphs."""

from __future__ import annotations

import itertools

from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.frames import RunGraph
from ops.graph import Graph, TensorRef
from ops.validate import validate


class InProcess:
    """Computes graphs on the best adapter of this machine."""

    def __init__(self) -> None:
        self._engine = WgpuEngine(EngineSettings())
        self._handles = itertools.count(1)

    def compute(self, graph: Graph) -> list[TensorRef]:
        """The outputs of `graph`."""
        types = validate(graph)
        handles = [next(self._handles) for _ in graph.outputs]
        finish(self._engine.run_graph(RunGraph(1, 1, "judge", graph, handles), lambda: None))
        outputs = zip(handles, graph.outputs, strict=True)
        return [TensorRef(handle, types[index].shape, types[index].dtype) for handle, index in outputs]

    def explain(self, graph: Graph, wgsl: bool) -> str:
        """How `graph` would be computed."""
        return finish(self._engine.explain(graph, wgsl, lambda: None))

    def read(self, handle: int) -> bytes:
        """The elements of a tensor in wire form."""
        found = bytearray()
        self._engine.download(handle, found.extend)
        return bytes(found)

    def free(self, handles: list[int]) -> None:
        """Forget tensors."""
        self._engine.free(handles)

    def close(self) -> None:
        """Release the device."""
        self._engine.close()
