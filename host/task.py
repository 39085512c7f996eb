"""A request on its way through the GPU thread.

Owns what is known of it meanwhile, and when it has to end. Must not know engines.
"""

from __future__ import annotations

from dataclasses import dataclass

from host import frames
from host.engine import Steps
from host.errors import Cancelled, DeviceTimeout
from host.frames import Usage


@dataclass(slots=True)
class Task:
    """A request, the descriptor that came with it, and its `work` if it is done in steps.

    `stopped` is set by whoever cancels it, on any thread. The GPU thread has spent `spent_ms` on it so far. `slice`:
    its next step is a short one. `told` is when the server last heard how far it is.
    """

    request: frames.ServerMessage
    fd: int | None = None
    stopped: bool = False
    spent_ms: float = 0.0
    work: Steps[Usage | str] | None = None
    slice: bool = False
    told: float = 0.0

    def stop(self) -> None:
        """Raise `Cancelled` if the job was cancelled, `DeviceTimeout` if it has had its time."""
        if self.stopped:
            raise Cancelled("the job was cancelled")
        deadline_s = getattr(self.request, "deadline_s", None)
        if deadline_s is not None and self.spent_ms > deadline_s * 1e3:
            raise DeviceTimeout(
                f"the device worked on this for {deadline_s:g} s, which is its limit",
                hint="Do less in one request: how long one may take is for who runs the server to say.",
            )

    def makes(self) -> set[int]:
        """The handles of the tensors that it is to make."""
        request = self.request
        if isinstance(request, frames.RunGraph):
            return set(request.outputs)
        fresh = request.fresh if isinstance(request, frames.DispatchKernel) else []
        return {tensor.handle for tensor in fresh}
