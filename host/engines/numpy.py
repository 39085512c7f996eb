"""The engine that computes tensor programs by NumPy's reference: right values without a GPU, at NumPy's speed.

It cannot run WGSL: kernels are kept and checked, and a dispatch is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from host.engine import EngineSettings, Stop, Write
from host.engines.plain import LIMITS, PlainEngine
from host.errors import DeviceUnsupported
from host.frames import DeviceInfo, Fresh
from host.graphs import input_handle
from host.shared import Source
from ops import reference
from ops.graph import Graph, TensorType

Array = npt.NDArray[Any]


class NumpyEngine(PlainEngine[Array]):
    """Tensors are NumPy arrays."""

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings, DeviceInfo("NumPy", "numpy", "none", np.__version__, (), dict(LIMITS)))

    def _read(self, type: TensorType, source: Source) -> Array:
        data = bytearray(source.nbytes)
        source.read_into(memoryview(data))
        return reference.from_wire(data, type.dtype, type.shape)

    def _write(self, type: TensorType, storage: Array, write: Write) -> None:
        write(memoryview(reference.to_wire(storage)))

    def _compute(self, graph: Graph, stop: Stop) -> list[Array]:
        handles = [input_handle(node) for node in graph.nodes if node.op == "input"]
        arrays = {handle: self._table.get(handle).storage for handle in handles}
        return [np.ascontiguousarray(array) for array in reference.evaluate(graph, arrays)]

    def _dispatch(self, fresh: Sequence[Fresh]) -> list[Array]:
        raise DeviceUnsupported(
            "the NumPy device cannot run WGSL kernels",
            hint="Set KERNELGATE_ADAPTER to a Vulkan adapter, or to cpu.",
        )
