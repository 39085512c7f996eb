"""What a running script reaches through its worker's session, and how each request of it is answered.

Owns the interface that the server implements. Must not know how a request travels.
"""

from __future__ import annotations

from typing import Protocol

from ops.graph import Graph, TensorRef
from sandbox import frames, values
from sandbox.gates.errors import PermissionDenied
from sandbox.gates.frames import GateAnswer, GateRequest, encode_answer
from shaders.errors import KernelgateError


class Services(Protocol):
    """What a running script reaches. Errors that are `KernelgateError`s reach the script as refusals."""

    async def output(self, stream: str, text: str, cut: bool) -> None:
        """The script printed."""
        ...

    async def progress(
        self, fraction: float | None, values: dict[str, int | float | str | bool | None]
    ) -> None:
        """The script reported progress."""
        ...

    async def compute(self, graph: Graph) -> list[TensorRef]:
        """The outputs of a graph, under handles of this run."""
        ...

    async def explain(self, graph: Graph, wgsl: bool) -> str:
        """How a graph would be computed, in words."""
        ...

    async def read(self, handle: int) -> bytes:
        """The elements of a tensor in wire form."""
        ...

    async def dispatch(self, request: frames.DispatchKernel) -> dict[str, TensorRef]:
        """The tensors that a kernel wrote, by binding."""
        ...

    async def script(self, name: str) -> str:
        """The text of the owner's stored script `name`."""
        ...

    async def free(self, handles: list[int]) -> None:
        """The script dropped these tensors."""
        ...

    def spent(self, cpu_ms: float, peak_bytes: int) -> None:
        """The script is over, and this is what its worker used: processor time, the most memory resident at once."""
        ...

    async def gate(self, request: GateRequest) -> GateAnswer:
        """What a gate answers, as the request's record says."""
        ...


async def answer(services: Services, request: frames.Request) -> bytes:
    """What `services` say to a request of a worker, as it travels. Raises what they raise."""
    match request:
        case frames.Compute(graph=graph):
            return values.pack(await services.compute(graph))
        case frames.Explain(graph=graph, wgsl=wgsl):
            return (await services.explain(graph, wgsl)).encode()
        case frames.Read(handle=handle):
            return await services.read(handle)
        case frames.DispatchKernel():
            return values.pack(dict(await services.dispatch(request)))
        case frames.LoadScript(name=name):
            return (await services.script(name)).encode("utf-8", "surrogatepass")
        case _:
            return encode_answer(await services.gate(request))


def denial(error: KernelgateError) -> frames.Denial | None:
    """What a worker is told of a refusal for want of a grant; None for any other."""
    if isinstance(error, PermissionDenied):
        return frames.Denial(error.gate, error.asked, error.grant)
    return None
