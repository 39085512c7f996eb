"""What a device is asked, whichever of its processes does it.

Owns the frames of requests, and what has to be known of each beside its frame. Must not know processes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from host import frames
from host.meter import Meter
from ops.graph import Graph
from shaders.reflection import Reflection


@dataclass(frozen=True, slots=True)
class Errand:
    """A request: `make` gives its frame, with the id that it is told; `what` names it in errors.

    A step of it that is no slice may take `step_s` seconds. Descriptor `fd` goes with the frame. `makes` are the
    tensors that are freed again if whoever asked gives up, `needs` those without which another process cannot do it,
    `kernel` is the hash of the kernel that has to be there. `meter` counts what it costs; when its budget is used up,
    the request's job is cancelled.
    """

    make: Callable[[int], frames.Request]
    what: str
    step_s: float
    fd: int | None = None
    makes: Sequence[int] = ()
    needs: Collection[int] = ()
    kernel: str | None = None
    meter: Meter | None = None


def upload(handle: int, owner: str, dtype: str, shape: Sequence[int], data: bytes, step_s: float) -> Errand:
    """Make a tensor of `data` in wire form, which goes inside the frame."""

    def make(id: int) -> frames.Upload:
        return frames.Upload(id, handle, owner, dtype, tuple(shape), len(data), data=data)

    return Errand(make, f"an upload of {len(data):,} bytes", step_s, makes=[handle])


def upload_file(
    handle: int, owner: str, dtype: str, shape: Sequence[int], file: tuple[int, int, int], step_s: float
) -> Errand:
    """Make a tensor of what a file has in wire form: `file` is its descriptor, where in it to begin, and how many
    bytes to take."""
    fd, offset, nbytes = file

    def make(id: int) -> frames.Upload:
        return frames.Upload(id, handle, owner, dtype, tuple(shape), nbytes, offset, descriptor=True)

    return Errand(make, f"an upload of {nbytes:,} bytes", step_s, fd, makes=[handle])


def download(handle: int, step_s: float) -> Errand:
    """Give the elements of a tensor."""
    return Errand(lambda id: frames.Download(id, handle), "a download", step_s, needs=[handle])


def free(handles: Sequence[int], step_s: float, needs: Collection[int] = ()) -> Errand:
    """Forget tensors."""
    return Errand(lambda id: frames.Free(id, list(handles)), "freeing tensors", step_s, needs=needs)


def add_kernel(
    kernel: str,
    reflection: Reflection,
    step_s: float,
    warm: bool = False,
    constants: Mapping[str, float] | None = None,
) -> Errand:
    """Compile a kernel; `warm`: and dispatch it once, with `constants` for its overrides."""

    def make(id: int) -> frames.AddKernel:
        return frames.AddKernel(id, kernel, reflection, warm, dict(constants or {}))

    return Errand(make, "compiling a kernel", step_s)


def explain(
    job: int,
    owner: str,
    graph: Graph,
    wgsl: bool,
    deadline_s: float,
    step_s: float,
    meter: Meter | None,
) -> Errand:
    """Tell the plan of a graph, whose inputs need not exist."""

    def make(id: int) -> frames.Explain:
        return frames.Explain(id, job, owner, graph, wgsl, deadline_s)

    return Errand(make, "explaining a graph", step_s, meter=meter)


def run_graph(
    job: int,
    owner: str,
    graph: Graph,
    outputs: Sequence[int],
    deadline_s: float,
    step_s: float,
    meter: Meter | None,
) -> Errand:
    """Compute a graph; its n-th output becomes tensor `outputs[n]`."""
    handles = list(outputs)
    needs = [index for index, node in enumerate(graph.nodes) if node.op == "input"]

    def make(id: int) -> frames.RunGraph:
        return frames.RunGraph(id, job, owner, graph, handles, deadline_s)

    return Errand(make, "a graph", step_s, makes=handles, needs=needs, meter=meter)


def dispatch(request: frames.DispatchKernel, step_s: float, meter: Meter | None) -> Errand:
    """Do the steps of a kernel; `request` is the frame but for its id."""
    steps, fresh = request.steps, request.fresh
    made = [tensor.handle for tensor in fresh]
    bound = {each.handle for step in steps for each in step.arguments if isinstance(each, frames.Bound)}
    initial = {tensor.initial for tensor in fresh if tensor.initial is not None}
    return Errand(
        lambda id: replace(request, id=id),
        "a kernel's dispatch",
        step_s,
        makes=made,
        needs=bound.difference(made) | initial,
        kernel=request.kernel,
        meter=meter,
    )
