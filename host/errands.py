"""What a device is asked, whichever of its processes does it.

Owns what has to be known of a request beside its frame. Must not know processes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from host import frames
from host.meter import Meter


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
