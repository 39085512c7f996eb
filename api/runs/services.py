"""What a running script reaches outside its worker: output, progress, tensor ops, kernels, gates.

Owns the run's budgets of device time and dispatches, and what becomes of the result's tensors. Everything that
comes here was sent by a worker, which is assumed to be controlled by an attacker: handles are checked by `Work`,
graphs by `ops.validate`, sizes here.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from api.errors import DeviceLimit, DispatchLimit, ReadLimit, ResultTooLarge
from api.http.body import aside, validate
from api.kernels.asked import Asked, DispatchRequest, parse
from api.kernels.store import KernelStore, kernel_name
from api.runs.events import EventLog
from api.runs.gates import RunGates
from api.runs.work import Work
from api.scripts.store import ScriptStore
from api.settings import RunLimits, Settings
from api.tensors import values
from api.tensors.documents import tensor_json
from api.tensors.store import TensorStore
from host.errors import DeviceTimeout
from host.tensors import wire_bytes
from ops.graph import Graph, TensorRef
from ops.table import find, full_name
from ops.validate import LEAVES
from sandbox.frames import DispatchKernel
from sandbox.gates.frames import GateAnswer, GateRequest
from sandbox.values import unpack

T = TypeVar("T")
MAX_RESULT_TENSORS = 1024
MAX_PROGRESS_BYTES = 4096
MAX_PROGRESS_VALUES = 64
INLINE_TOTAL = 1 << 20


class RunServices:
    """`sandbox.pool.Services` for one run. `home` is whose stored scripts it means by a name alone."""

    def __init__(
        self,
        work: Work,
        limits: RunLimits,
        settings: Settings,
        kernels: KernelStore,
        scripts: ScriptStore,
        tensors: TensorStore,
        events: EventLog,
        gates: RunGates,
        most_fuel: Mapping[str, int],
        home: str | None = None,
    ) -> None:
        self._work = work
        self._limits = limits
        self._settings = settings
        self._kernels = kernels
        self._scripts = scripts
        self._tensors = tensors
        self._events = events
        self._gates = gates
        self._most_fuel = most_fuel
        self._home = home
        self._texts: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self.cut = False
        self.cpu_ms = 0.0
        self.peak_bytes = 0

    @property
    def stdout(self) -> str:
        """What the script printed so far."""
        return "".join(self._texts["stdout"])

    @property
    def stderr(self) -> str:
        """What the script wrote to its error stream so far."""
        return "".join(self._texts["stderr"])

    async def output(self, stream: str, text: str, cut: bool) -> None:
        """The script printed `text`; `cut`: there was more, over the limit."""
        self._texts["stderr" if stream == "stderr" else "stdout"].append(text)
        self.cut |= cut
        self._events.add("output", {"stream": stream, "text": text, **({"cut": True} if cut else {})})

    async def progress(self, fraction: float | None, reported: dict[str, Any]) -> None:
        """The script called `progress`."""
        finite = fraction if fraction is not None and math.isfinite(fraction) else None
        many = len(reported) > MAX_PROGRESS_VALUES  # which no script sends
        event: dict[str, Any] = {"fraction": finite, "values": {} if many else values.render(reported, {})}
        if many or len(msgspec.json.encode(event)) > MAX_PROGRESS_BYTES:
            event = {"fraction": finite, "values": {}, "cut": True}
        self._events.add("progress", event)

    async def compute(self, graph: Graph) -> list[TensorRef]:
        """Compute a graph of this run's tensors. Raises `PermissionDenied` for an op that was not granted."""
        self._require_ops(graph)
        with self._budgeted() as budget_s:
            return await self._work.graph(graph, budget_s)

    async def explain(self, graph: Graph, wgsl: bool) -> str:
        """How a graph of this run's tensors would be computed. Raises `PermissionDenied` as `compute` does."""
        self._require_ops(graph)
        with self._budgeted() as budget_s:
            return await self._work.explain(graph, wgsl, budget_s)

    def _require_ops(self, graph: Graph) -> None:
        for op in sorted({node.op for node in graph.nodes} - LEAVES.keys()):
            self._gates.require("ops", full_name(find(op)))

    async def read(self, handle: int) -> bytes:
        """The elements of one of this run's tensors. Raises `ReadLimit` for a large one."""
        type = self._work.type_of(handle)
        nbytes = wire_bytes(type)
        if nbytes > self._settings.read_bytes:
            raise ReadLimit(
                f"a tensor of {nbytes:,} bytes is over the {self._settings.read_bytes:,} that a script may read",
                hint="Reduce it on the device first, or return it: a result's tensors have no such limit.",
            )
        return await self._work.read(handle)

    async def dispatch(self, request: DispatchKernel) -> dict[str, TensorRef]:
        """Dispatch a stored kernel that the run was granted."""
        identity = self._work.identity
        self._gates.require("kernels", kernel_name(identity, request.kernel))
        kernel = await self._kernels.find(identity, request.kernel, "use")
        asked = await aside(len(request.request), lambda: self._asked(request.request))
        kernel = await self._kernels.prepare(identity, kernel, asked.params)

        def report(fraction: float) -> None:
            self._events.add("progress", {"fraction": fraction, "kernel": request.kernel})

        with self._budgeted() as budget_s:
            return await self._work.dispatch(self._kernels, kernel, asked, self._most_fuel, budget_s, report)

    def _asked(self, packed: bytes) -> Asked:
        """The dispatch that a script asks for, in the form of a request over HTTP."""
        form = validate(DispatchRequest, unpack(packed))
        return parse(form, lambda value, where: value, self._settings.upload_bytes)

    async def script(self, name: str) -> str:
        """The text of a stored script that the run's key may call. A name alone means one of the same owner's as the
        run's own script."""
        reference = name if "/" in name or self._home is None else f"{self._home}/{name}"
        return (await self._scripts.find(self._work.identity, reference, "use")).source

    async def free(self, handles: list[int]) -> None:
        """The script dropped tensors."""
        self._work.free(handles)

    def spent(self, cpu_ms: float, peak_bytes: int) -> None:
        """The script is over, and its worker used this."""
        self.cpu_ms, self.peak_bytes = cpu_ms, peak_bytes

    async def gate(self, request: GateRequest) -> GateAnswer:
        """The script asks a gate."""
        return await self._gates.serve(request)

    async def result(self, value: Any) -> bytes:
        """The JSON of the script's result. Its tensors are stored, and stay on the device while there is room.

        Raises `ResultTooLarge`, `UnknownHandle`.
        """
        found = await _aside(value, lambda: list(values.refs_in(value)))
        refs = {ref.handle: ref for ref in found}
        if len(refs) > MAX_RESULT_TENSORS:
            raise ResultTooLarge(
                f"{len(refs)} tensors in a result are over the limit of {MAX_RESULT_TENSORS}"
            )
        documents: dict[int, Any] = {}
        inlined = 0
        for handle in refs:
            record = await self._work.store(handle)
            count = math.prod(record.shape)
            inline = count <= self._settings.inline_elements and inlined + count <= INLINE_TOTAL
            inlined += count if inline else 0
            documents[handle] = await tensor_json(self._tensors, record, inline=inline)
        return await _aside(value, lambda: msgspec.json.encode(values.render(value, documents)))

    @contextmanager
    def _budgeted(self) -> Iterator[float]:
        """Device work within the run's budgets; the seconds that are left. What is done over them is refused too."""
        self._check_budget()
        try:
            yield (self._limits.device_ms - self._work.tally.device_ms) / 1000
        except DeviceTimeout:
            self._check_budget()
            raise
        self._check_used()

    def _check_budget(self) -> None:
        """Refuse device work when its budget is used up."""
        if self._work.tally.device_ms >= self._limits.device_ms:
            raise self._device_limit()
        if self._work.tally.dispatches >= self._limits.dispatches:
            raise self._dispatch_limit()

    def _check_used(self) -> None:
        """Refuse what was just computed if it took the run over a budget."""
        if self._work.tally.device_ms > self._limits.device_ms:
            raise self._device_limit()
        if self._work.tally.dispatches > self._limits.dispatches:
            raise self._dispatch_limit()

    def _device_limit(self) -> DeviceLimit:
        return DeviceLimit(
            f"the run's limit device_ms is {self._limits.device_ms:g}, and {self._work.tally.device_ms:.1f} were used",
            hint="Ask for more with limits.device_ms.",
        )

    def _dispatch_limit(self) -> DispatchLimit:
        return DispatchLimit(
            f"the run's limit dispatches is {self._limits.dispatches}, and {self._work.tally.dispatches} were used",
            hint="Ask for more with limits.dispatches.",
        )


async def _aside(value: Any, work: Callable[[], T]) -> T:
    """What `work` makes of `value`; in a thread when that may be large, so that the loop goes on."""
    return await asyncio.to_thread(work) if isinstance(value, list | dict) else work()
