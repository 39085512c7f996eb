"""The messages between the server and a device or compiler process.

Owns the records. Every request has an `id` that its reply repeats. Handles are numbers that the supervisor gives
out; the device refuses one that it does not know or that exists already. Arrays never travel in a frame: a
memory file's descriptor accompanies `Upload` and `Downloaded`.
"""

from __future__ import annotations

import msgspec

from ops.graph import Graph
from shaders.errors import ErrorRecord
from shaders.reflection import Reflection


class Request(msgspec.Struct, frozen=True, tag_field="t"):
    """Base of what the server asks of a device."""

    id: int


class Upload(Request, frozen=True, tag="upload"):
    """Make tensor `handle` from `nbytes` bytes (wire form) at `offset` of the descriptor sent along."""

    handle: int
    owner: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int


class Download(Request, frozen=True, tag="download"):
    """Give the elements of `handle` in wire form; the reply is `Downloaded` with a descriptor."""

    handle: int


class Free(Request, frozen=True, tag="free"):
    """Forget `handles`. Unknown ones are ignored, so that freeing twice is harmless."""

    handles: list[int]


class AddKernel(Request, frozen=True, tag="add_kernel"):
    """Compile the kernel `kernel` (its hash) and keep its pipelines. `warm`: also dispatch it once, timed."""

    kernel: str
    reflection: Reflection
    warm: bool = False


class RunGraph(Request, frozen=True, tag="run_graph"):
    """Compute `graph`; its n-th output becomes tensor `outputs[n]`, owned by `owner`. `job` names it for `Cancel`."""

    job: int
    owner: str
    graph: Graph
    outputs: list[int]


class Bound(msgspec.Struct, frozen=True, tag="bound", tag_field="t"):
    """A binding reads an existing tensor."""

    name: str
    handle: int


class Fresh(msgspec.Struct, frozen=True, tag="fresh", tag_field="t"):
    """A binding writes a new tensor `handle`: zero at the start, or a copy of tensor `initial`."""

    name: str
    handle: int
    dtype: str
    shape: tuple[int, ...]
    initial: int | None = None


class Uniform(msgspec.Struct, frozen=True, tag="uniform", tag_field="t"):
    """A binding reads these bytes, laid out by WGSL's rules."""

    name: str
    data: bytes


Argument = Bound | Fresh | Uniform


class DispatchKernel(Request, frozen=True, tag="dispatch"):
    """Dispatch entry point `entry_point` of an added kernel over `workgroups`."""

    job: int
    owner: str
    kernel: str
    entry_point: str
    workgroups: tuple[int, int, int]
    arguments: list[Argument]


class Cancel(Request, frozen=True, tag="cancel"):
    """Stop `job` at the next boundary between dispatches; a job that is over is not an error."""

    job: int


class Shutdown(Request, frozen=True, tag="shutdown"):
    """Release everything and exit with status 0."""


ServerMessage = Upload | Download | Free | AddKernel | RunGraph | DispatchKernel | Cancel | Shutdown


class DeviceInfo(msgspec.Struct, frozen=True):
    """What an adapter is. `kind` is discrete, integrated, virtual, cpu, numpy or null."""

    name: str
    kind: str
    backend: str
    driver: str
    features: tuple[str, ...]
    limits: dict[str, int]


class Usage(msgspec.Struct, frozen=True):
    """What a request cost: milliseconds on the device, dispatches, the most bytes that were live for it."""

    device_ms: float = 0.0
    dispatches: int = 0
    peak_bytes: int = 0


class MemoryReport(msgspec.Struct, frozen=True):
    """Bytes that tensors hold, bytes that wait in the pool, live tensors, pipelines."""

    live_bytes: int = 0
    pooled_bytes: int = 0
    tensors: int = 0
    pipelines: int = 0


class Reply(msgspec.Struct, frozen=True, tag_field="t"):
    """Base of what a device says."""


class Ready(Reply, frozen=True, tag="ready"):
    """The device is open and has run one dispatch. Sent once, first."""

    info: DeviceInfo


class Started(Reply, frozen=True, tag="started"):
    """The GPU thread took up request `id`: its deadline runs from now."""

    id: int


class Done(Reply, frozen=True, tag="done"):
    """Request `id` succeeded."""

    id: int
    usage: Usage = Usage()
    memory: MemoryReport = MemoryReport()


class Downloaded(Reply, frozen=True, tag="downloaded"):
    """Request `id` succeeded; the descriptor sent along holds `nbytes` bytes."""

    id: int
    nbytes: int


class Failed(Reply, frozen=True, tag="failed"):
    """Request `id` failed; nothing that it would have made exists."""

    id: int
    error: ErrorRecord


DeviceMessage = Ready | Started | Done | Downloaded | Failed
