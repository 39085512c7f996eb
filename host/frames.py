"""The messages between the server and a device or compiler process.

Owns the records. Every request has an `id` that its reply repeats. Handles are numbers that the supervisor gives
out; the device refuses one that it does not know or that exists already. The elements of an array travel inside a
frame up to `INLINE_BYTES`; above that a file's descriptor accompanies the frame, and its field `descriptor` says so.
"""

from __future__ import annotations

import msgspec

from ops.graph import Graph
from shaders.errors import ErrorRecord
from shaders.reflection import Reflection

INLINE_BYTES = 64 * 1024


class Request(msgspec.Struct, frozen=True, tag_field="t"):
    """Base of what the server asks of a device."""

    id: int


class Upload(Request, frozen=True, tag="upload"):
    """Make tensor `handle` from `nbytes` bytes (wire form): `data`, or those at `offset` of the descriptor.

    No `Started` comes before that of `data` is done, unless other work is under way.
    """

    handle: int
    owner: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    offset: int = 0
    data: bytes = b""
    descriptor: bool = False


class Download(Request, frozen=True, tag="download"):
    """Give the elements of `handle` in wire form; the reply is `Downloaded`.

    No `Started` comes before up to `INLINE_BYTES`, unless other work is under way.
    """

    handle: int


class Release(Request, frozen=True, tag="release"):
    """The server has read memory file `carrier`; `keep`: use it for a later download. There is no reply."""

    carrier: int
    keep: bool


class Free(Request, frozen=True, tag="free"):
    """Forget `handles`, which is done in less time than it takes to say that it begins: no `Started` comes before.

    Unknown ones are ignored, so that freeing twice is harmless.
    """

    handles: list[int]


class AddKernel(Request, frozen=True, tag="add_kernel"):
    """Compile the kernel `kernel` (its hash) and keep its pipelines. `warm`: also dispatch it once.

    `constants` are values for its overrides, by name, that the pipelines are made with. The `device_ms` of its `Done`
    is the processor time that this took, which the machine's load does not change.
    """

    kernel: str
    reflection: Reflection
    warm: bool = False
    constants: dict[str, float] = {}


class DropKernel(Request, frozen=True, tag="drop_kernel"):
    """Forget the kernel `kernel`. There is no reply."""

    kernel: str


class RunGraph(Request, frozen=True, tag="run_graph"):
    """Compute `graph`; its n-th output becomes tensor `outputs[n]`, owned by `owner`. `job` names it for `Cancel`.

    After `deadline_s` seconds of the device's time it is stopped at the end of a slice.
    """

    job: int
    owner: str
    graph: Graph
    outputs: list[int]
    deadline_s: float | None = None


class Explain(Request, frozen=True, tag="explain"):
    """Say to `owner` how `graph` would be computed; the reply is `Explained`. `wgsl`: with the source of kernels.

    `job` and `deadline_s` are as in `RunGraph`.
    """

    job: int
    owner: str
    graph: Graph
    wgsl: bool = False
    deadline_s: float | None = None


class Bound(msgspec.Struct, frozen=True, tag="bound", tag_field="t"):
    """A binding has a tensor: one that exists, only to be read, or one that the request makes."""

    name: str
    handle: int


class Uniform(msgspec.Struct, frozen=True, tag="uniform", tag_field="t"):
    """A binding reads these bytes, laid out by WGSL's rules."""

    name: str
    data: bytes


Argument = Bound | Uniform


class Fresh(msgspec.Struct, frozen=True):
    """A tensor that a dispatch makes as `handle`: zero at the start, or a copy of tensor `initial`.

    A `temporary` one is gone when the dispatch is over.
    """

    handle: int
    dtype: str
    shape: tuple[int, ...]
    initial: int | None = None
    temporary: bool = False


class Step(msgspec.Struct, frozen=True):
    """One entry point of a kernel over `workgroups`; `constants` are values for overrides that it reaches, by name."""

    entry_point: str
    workgroups: tuple[int, int, int]
    arguments: list[Argument]
    constants: dict[str, float] = {}


class DispatchKernel(Request, frozen=True, tag="dispatch"):
    """Do `steps` of an added kernel in order, over what exists and the tensors `fresh`, which last from step to step.

    `fuel` is the budget of each invocation, None the device's own; `most_fuel` are bounds on it, by whose they are.
    `deadline_s` is as in `RunGraph`.
    """

    job: int
    owner: str
    kernel: str
    steps: list[Step]
    fresh: list[Fresh] = []
    fuel: int | None = None
    most_fuel: dict[str, int] = {}
    deadline_s: float | None = None


Job = RunGraph | Explain | DispatchKernel
"""What is done in steps, in its owner's turn."""


class Cancel(Request, frozen=True, tag="cancel"):
    """Stop `job` at the next boundary between dispatches; a job that is over is not an error. There is no reply."""

    job: int


class Shutdown(Request, frozen=True, tag="shutdown"):
    """Release everything and exit with status 0. There is no reply."""


ServerMessage = (
    Upload
    | Download
    | Release
    | Free
    | AddKernel
    | DropKernel
    | RunGraph
    | Explain
    | DispatchKernel
    | Cancel
    | Shutdown
)


class DeviceInfo(msgspec.Struct, frozen=True):
    """What an adapter is. `kind` is discrete, integrated, virtual, cpu, numpy or null."""

    name: str
    kind: str
    backend: str
    driver: str
    features: tuple[str, ...]
    limits: dict[str, int]


class Usage(msgspec.Struct, frozen=True):
    """What a request cost: milliseconds on the device, dispatches, the most bytes that were live for it.

    `threads` are the invocations of all dispatches, `bytes` those of the tensors bound to them.
    """

    device_ms: float = 0.0
    dispatches: int = 0
    peak_bytes: int = 0
    threads: int = 0
    bytes: int = 0


class MemoryReport(msgspec.Struct, frozen=True):
    """Bytes that tensors hold, bytes that wait in the pool, live tensors, pipelines."""

    live_bytes: int = 0
    pooled_bytes: int = 0
    tensors: int = 0
    pipelines: int = 0


class Reply(msgspec.Struct, frozen=True, tag_field="t"):
    """Base of what a device says."""


class Seal(msgspec.Struct, frozen=True):
    """The walls that stand around a device process, and why not all do (empty: all do)."""

    walls: tuple[str, ...] = ()
    missing: str = ""


class Ready(Reply, frozen=True, tag="ready"):
    """The device is open, has run one dispatch, and is sealed. Sent once, first."""

    info: DeviceInfo
    seal: Seal = Seal()


class Started(Reply, frozen=True, tag="started"):
    """The GPU thread turns to request `id`, for the first time or again: a step of it begins now.

    `slice`: a short one, of work that is cut; any other may have to compile, or to copy much.
    """

    id: int
    slice: bool = False


class Progressed(Reply, frozen=True, tag="progressed"):
    """`fraction` of request `id` is done, from 0 to 1. Sent at most every tenth of a second."""

    id: int
    fraction: float


class Done(Reply, frozen=True, tag="done"):
    """Request `id` succeeded."""

    id: int
    usage: Usage = Usage()
    memory: MemoryReport = MemoryReport()


class Downloaded(Reply, frozen=True, tag="downloaded"):
    """Request `id` succeeded: `data`, or the first `nbytes` bytes of memory file `carrier`.

    The descriptor of a carrier comes along when it is new; later downloads may use it again after `Release`.
    """

    id: int
    nbytes: int
    data: bytes = b""
    carrier: int = 0
    descriptor: bool = False


class Explained(Reply, frozen=True, tag="explained"):
    """Request `id` succeeded: the plan in words."""

    id: int
    text: str


class Failed(Reply, frozen=True, tag="failed"):
    """Request `id` failed; nothing that it would have made exists, as `memory` says. With id 0 the device could not be
    opened."""

    id: int
    error: ErrorRecord
    memory: MemoryReport = MemoryReport()


DeviceMessage = Ready | Started | Progressed | Done | Downloaded | Explained | Failed
