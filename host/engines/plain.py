"""What the NumPy and the Null engine share: tensors in ordinary memory, or none, and kernels that are only checked.

Owns the bookkeeping of an engine without a GPU. A subclass says how elements are made and computed.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from host.engine import NO_CONSTANTS, EngineSettings, Steps, Stop, Work, Write
from host.frames import DeviceInfo, DispatchKernel, Fresh, MemoryReport, RunGraph, Usage
from host.graphs import check_graph
from host.kernels import Kernels, check_reflection
from host.shared import Source
from host.steps import check_steps
from host.tensors import Budget, Table, checked_type, device_bytes
from ops.graph import Graph, TensorType
from ops.validate import validate
from shaders.reflection import Reflection

S = TypeVar("S")

LIMITS = {
    "max_buffer_size": 2**31 - 1,
    "max_compute_invocations_per_workgroup": 256,
    "max_compute_workgroup_storage_size": 16384,
    "max_compute_workgroups_per_dimension": 65535,
    "max_storage_buffer_binding_size": 2**31 - 4,
    "max_storage_buffers_per_shader_stage": 8,
    "max_uniform_buffer_binding_size": 65536,
}


class PlainEngine(ABC, Generic[S]):
    """An engine whose tensors are values of `S` in this process."""

    def __init__(self, settings: EngineSettings, info: DeviceInfo) -> None:
        self.info = info
        self._table: Table[S] = Table()
        self._kernels = Kernels()
        self._budget = Budget(settings.memory_bytes)

    @abstractmethod
    def _read(self, type: TensorType, source: Source) -> S:
        """The elements that `source` has in wire form."""

    @abstractmethod
    def _write(self, type: TensorType, storage: S, write: Write) -> None:
        """The wire form of the elements."""

    @abstractmethod
    def _compute(self, graph: Graph, stop: Stop) -> list[S]:
        """The outputs of a checked graph."""

    @abstractmethod
    def _dispatch(self, fresh: Sequence[Fresh]) -> list[S]:
        """The elements of the tensors `fresh` after a dispatch, in order."""

    def type(self, handle: int) -> TensorType:
        """The type of a live tensor."""
        return self._table.type(handle)

    def upload(self, handle: int, owner: str, type: TensorType, source: Source) -> None:
        """Make tensor `handle`."""
        self._table.check_new([handle])
        nbytes = device_bytes(type)
        self._budget.take(nbytes)
        try:
            storage = self._read(type, source)
        except BaseException:
            self._budget.give(nbytes)
            raise
        self._table.add(handle, owner, type, storage)

    def download(self, handle: int, write: Write) -> None:
        """Give the elements of `handle`."""
        tensor = self._table.get(handle)
        self._write(tensor.type, tensor.storage, write)

    def free(self, handles: list[int]) -> None:
        """Forget tensors."""
        for tensor in self._table.pop(handles):
            self._budget.give(device_bytes(tensor.type))

    def add_kernel(
        self, kernel: str, reflection: Reflection, warm: bool, constants: Mapping[str, float] = NO_CONSTANTS
    ) -> None:
        """Keep a kernel; there is no compiler here that could refuse it."""
        check_reflection(reflection)
        self._kernels.add(kernel, reflection)

    def drop_kernel(self, kernel: str) -> None:
        """Forget a kernel."""
        self._kernels.drop(kernel)

    def run_graph(self, request: RunGraph, stop: Stop) -> Work:
        """Compute a graph, in one step."""
        yield from ()
        stop()
        types = check_graph(request.graph, request.outputs, self._table.get)
        outputs = [types[index] for index in request.graph.outputs]
        return self._add(request.owner, request.outputs, outputs, lambda: self._compute(request.graph, stop))

    def explain(self, graph: Graph, wgsl: bool, stop: Stop) -> Steps[str]:
        """How a graph would be computed, in one step."""
        yield from ()
        stop()
        validate(graph)
        return f"{self.info.name} computes {len(graph.nodes):,} nodes one after the other, without kernels"

    def dispatch(self, request: DispatchKernel, stop: Stop) -> Work:
        """Check a dispatch as every engine does, then do what this one can, in one step."""
        yield from ()
        stop()
        reflection = self._kernels.get(request.kernel)
        steps = check_steps(request, reflection, self._table.type, self.info.limits)
        kept = [tensor for tensor in request.fresh if not tensor.temporary]
        types = [checked_type(tensor.dtype, tensor.shape) for tensor in kept]
        handles = [tensor.handle for tensor in kept]
        usage = self._add(request.owner, handles, types, lambda: self._dispatch(kept))
        return msgspec.structs.replace(
            usage,
            dispatches=len(steps),
            threads=sum(step.threads for step in steps),
            bytes=sum(step.nbytes for step in steps),
        )

    def memory(self) -> MemoryReport:
        """What is live."""
        return MemoryReport(
            live_bytes=self._budget.used, tensors=len(self._table), pipelines=len(self._kernels)
        )

    def close(self) -> None:
        """Release everything."""
        self._table = Table()

    def _add(
        self, owner: str, handles: list[int], types: list[TensorType], make: Callable[[], list[S]]
    ) -> Usage:
        self._table.check_new(handles)
        nbytes = sum(device_bytes(type) for type in types)
        self._budget.take(nbytes)
        began = time.perf_counter()
        try:
            values = make()
        except BaseException:
            self._budget.give(nbytes)
            raise
        self._table.add_all(handles, owner, types, values)
        elapsed = (time.perf_counter() - began) * 1e3
        return Usage(device_ms=elapsed, dispatches=1, peak_bytes=nbytes)
