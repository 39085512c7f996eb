"""What tests of the sandbox share: services that compute with the NumPy reference, and a pool to drive."""

from __future__ import annotations

import asyncio
import gc
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ops import reference
from ops.graph import Graph, TensorRef
from sandbox.frames import DispatchKernel
from sandbox.gates.frames import GateAnswer, GateRequest
from sandbox.gates.grants import parse
from sandbox.gates.service import Gates
from sandbox.limits import Limits
from sandbox.pool import Outcome, WorkerPool
from sandbox.values import unpack
from shaders.errors import ErrorRecord, KernelgateError

LIMITS = Limits(wall_s=20, cpu_s=10, memory_mb=256, output_bytes=1 << 20)


class ManualClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Services:
    """Records what a script does, computes its graphs, and serves the gates that `grants` open."""

    def __init__(self, grants: object = None, **network: Any) -> None:
        self.events: list[Any] = []
        self.gates = Gates(parse(grants or {}), on_event=self.events.append, **network)
        self.texts: list[tuple[str, str, bool]] = []
        self.reports: list[tuple[float | None, dict[str, Any]]] = []
        self.arrays: dict[int, Any] = {}
        self.graphs: list[Graph] = []
        self.dispatches: list[DispatchKernel] = []
        self.freed: list[int] = []
        self.scripts: dict[str, str] = {}
        self.cpu_ms = 0.0
        self.peak_bytes = 0

    def printed(self, stream: str = "stdout") -> str:
        return "".join(text for name, text, _ in self.texts if name == stream)

    def keep(self, array: Any) -> TensorRef:
        handle = len(self.arrays) + 1
        self.arrays[handle] = array
        return TensorRef(handle, tuple(array.shape), reference.dtype_name(array.dtype))

    async def output(self, stream: str, text: str, cut: bool) -> None:
        self.texts.append((stream, text, cut))

    async def progress(self, fraction: float | None, values: dict[str, Any]) -> None:
        self.reports.append((fraction, values))

    async def compute(self, graph: Graph) -> list[TensorRef]:
        self.graphs.append(graph)
        return [self.keep(array) for array in reference.evaluate(graph, self.arrays)]

    async def explain(self, graph: Graph, wgsl: bool) -> str:
        return f"{len(graph.nodes)} nodes, {len(graph.outputs)} outputs, {wgsl}"

    async def read(self, handle: int) -> bytes:
        return reference.to_wire(self.arrays[handle])

    async def dispatch(self, request: DispatchKernel) -> dict[str, TensorRef]:
        self.dispatches.append(request)
        made = {}
        for name, value in unpack(request.request)["inputs"].items():
            if isinstance(value, dict) and {"shape", "dtype"} <= value.keys():
                data = bytes(_bytes(value["shape"], value["dtype"]))
                made[name] = self.keep(reference.from_wire(data, value["dtype"], value["shape"]))
        return made

    async def script(self, name: str) -> str:
        if name not in self.scripts:
            raise KernelgateError.from_record(ErrorRecord("script_not_found", f"there is no script {name!r}"))
        return self.scripts[name]

    async def free(self, handles: list[int]) -> None:
        self.freed += handles

    def spent(self, cpu_ms: float, peak_bytes: int) -> None:
        self.cpu_ms, self.peak_bytes = cpu_ms, peak_bytes

    async def gate(self, request: GateRequest) -> GateAnswer:
        return await self.gates.serve(request)


def _bytes(shape: list[int], dtype: str) -> int:
    return math.prod(shape) * (1 if dtype == "bool" else 4)


class Sandbox:
    """The pool, driven from a test without `async`."""

    def __init__(self, runner: asyncio.Runner, pool: WorkerPool) -> None:
        self.runner = runner
        self.pool = pool
        self.services = Services()

    def run(self, source: str, limits: Limits = LIMITS, **inputs: Any) -> Outcome:
        """Run a script to its end, whatever that is."""
        return self.run_with(Services(), source, limits, inputs)

    def run_with(
        self, services: Services, source: str, limits: Limits = LIMITS, inputs: Any = None
    ) -> Outcome:
        """Run a script with services of the test's own."""
        self.services = services

        async def run() -> Outcome:
            environment = services.gates.environment
            try:
                return await self.pool.run_script(source, inputs or {}, limits, services, environment)
            finally:
                await services.gates.close()

        return self.runner.run(run())

    def result(self, source: str, **inputs: Any) -> Any:
        """The result of a script that must succeed."""
        outcome = self.run(source, **inputs)
        assert outcome.error is None, outcome.error
        return outcome.result

    def error(self, source: str, **inputs: Any) -> Any:
        """The error of a script that must fail."""
        outcome = self.run(source, **inputs)
        assert outcome.error is not None, outcome.result
        return outcome.error

    def printed(self, source: str, **inputs: Any) -> str:
        """What a script that must succeed prints on stdout."""
        self.result(source, **inputs)
        return self.services.printed()


async def until(condition: Callable[[], object], patience_s: float = 60) -> None:
    """Wait, bounded, until `condition()` is true."""
    async with asyncio.timeout(patience_s):
        while not condition():
            await asyncio.sleep(0.001)


def children(pid: int | None = None) -> list[int]:
    """The children of this process, or of process `pid`, which may be gone itself; ended ones until they are reaped."""
    pid = pid or os.getpid()
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    """The children of process `pid`, and theirs."""
    found = children(pid)
    return found + [lower for child in found for lower in descendants(child)]


def descriptors() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


@contextmanager
def nothing_left_open() -> Iterator[None]:
    """No socket is left to the garbage collector, which warns, no descriptor stays open, and no process."""
    gc.collect()
    before, processes = descriptors(), set(children())
    yield
    gc.collect()
    assert descriptors() <= before
    assert set(children()) <= processes
