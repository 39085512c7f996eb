"""`Engine`: what computes inside a device process.

Owns the protocol that the wgpu, NumPy and Null engines fill in, and the choice among them. All behave alike towards
frames: same handles, same checks, same errors. An engine lives on one thread; each call, and
each step of a `Work`, ends when what it began is done.
"""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Callable, Generator, Mapping
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from host.elapsed import since_ms
from host.frames import DeviceInfo, DispatchKernel, MemoryReport, RunGraph, Usage
from host.pauses import Pausing, at_once
from host.shared import Source
from ops.graph import Graph, TensorType
from shaders.reflection import Reflection

T = TypeVar("T")
Stop = Callable[[], None]
"""Called between dispatches; raises `Cancelled` when the job shall end."""


class Ahead(NamedTuple):
    """What work says between two steps: which fraction of it is done, where it knows, and whether it is `cold`.

    Then the next step may be long: it plans, or it compiles, which some drivers do at a pipeline's first dispatch only.
    """

    fraction: float | None = None
    cold: bool = False


Steps = Generator[Ahead, None, T]
"""A request that is done in steps: until the first yield it only takes hold of what it needs, then each step is a short
slice, unless the work is cold. Whoever has it may do other requests between steps, or close it."""

Work = Steps[Usage]
"""Steps that give what they cost."""

Write = Callable[[memoryview], None]
"""Takes the next bytes of a download; they are valid only during the call."""


class EngineSettings(msgspec.Struct, frozen=True):
    """What a device process is told when it starts.

    `adapter` is `numpy`, `null`, a class of adapters (discrete, integrated, virtual, cpu) or part of a name; None is
    the best there is. `memory_bytes` bounds all buffers (None: half of the machine's memory on a CPU adapter, what
    the driver grants on a GPU), `pool_bytes` those that wait for reuse. `slice_ms` is how long the device works
    between two looks at whether the job was cancelled. `host_steps`: on a CPU adapter the host may compute in the
    device's memory. `fuel` is the budget of a kernel's invocation when a dispatch names none; None: it is
    measured (`host/guarded.py`).
    """

    adapter: str | None = None
    memory_bytes: int | None = None
    pool_bytes: int = 1 << 30
    slice_ms: float = 20.0
    host_steps: bool = True
    fuel: int | None = None


NO_CONSTANTS: Mapping[str, float] = {}

_ENGINES = {"null": "host.engines.null:NullEngine", "numpy": "host.engines.numpy:NumpyEngine"}


class Engine(Protocol):
    """A device's memory and arithmetic. Methods raise `KernelgateError`; what failed has made nothing."""

    info: DeviceInfo

    def type(self, handle: int) -> TensorType:
        """The type of a live tensor."""

    def upload(self, handle: int, owner: str, type: TensorType, source: Source) -> None:
        """Make tensor `handle` from the wire form of its elements."""

    def download(self, handle: int, write: Write) -> None:
        """Give the elements of `handle` in wire form, piece by piece and in order."""

    def free(self, handles: list[int]) -> None:
        """Forget tensors; unknown ones are ignored."""

    def add_kernel(
        self, kernel: str, reflection: Reflection, warm: bool, constants: Mapping[str, float] = NO_CONSTANTS
    ) -> None:
        """Compile every entry point, with `constants` for its overrides; `warm`: and dispatch each once over one
        workgroup.
        """

    def drop_kernel(self, kernel: str) -> None:
        """Forget a kernel; an unknown one is ignored."""

    def run_graph(self, request: RunGraph, stop: Stop) -> Work:
        """Compute a graph and make its outputs live."""

    def explain(self, graph: Graph, wgsl: bool, stop: Stop) -> Steps[str]:
        """How a graph would be computed, in words; `wgsl`: with the source of kernels."""

    def dispatch(self, request: DispatchKernel, stop: Stop) -> Work:
        """Dispatch a kernel and make its fresh tensors live."""

    def memory(self) -> MemoryReport:
        """What is live and what is pooled."""

    def close(self) -> None:
        """Release everything."""


def finish(work: Steps[T]) -> T:
    """Do all steps of `work` at once; what it gives."""
    return at_once(work)


def in_slices(work: Pausing[T], slice_ms: float, stop: Stop) -> Steps[tuple[T, float]]:
    """Do `work` in steps, each of which ends with the first pause after `slice_ms`; what it gives, and milliseconds."""
    began, spent = time.perf_counter(), 0.0
    while True:
        try:
            next(work)
        except StopIteration as over:
            return over.value, spent + since_ms(began)
        elapsed = since_ms(began)
        if elapsed > slice_ms:
            yield Ahead(cold=True)
            stop()
            began, spent = time.perf_counter(), spent + elapsed


def open_engine(settings: EngineSettings) -> Engine:
    """The engine that `settings` ask for, open and proven by one dispatch. Raises `AdapterNotFound`.

    Engines are found by name, so that a process loads only what its own needs.
    """
    name = _ENGINES.get(settings.adapter or "", "host.engines.wgpu:WgpuEngine")
    engine: Engine = pkgutil.resolve_name(name)(settings)
    return engine
