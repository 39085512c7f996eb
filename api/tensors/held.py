"""The tensors that a piece of device work holds, by numbers that mean nothing outside it.

Owns the map to device handles, and the count of what the work's owner holds through it. Must not know how tensors come
to the device, or back to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass

from api.errors import HandleLimit
from api.tensors.records import TensorRecord
from api.tensors.residency import Resident
from api.tensors.values import InlineTensor
from api.usage.holdings import Holdings
from host.errors import UnknownHandle
from host.tensors import wire_bytes
from ops.graph import TensorRef, TensorType


@dataclass(slots=True)
class Held:
    """A tensor of this work: its device handle; `resident` and `record` when it is a tensor of the server's.

    One that went with an earlier device process can come back from a stored `record`, or from a small `value`.
    """

    handle: int
    type: TensorType
    generation: int
    resident: Resident | None = None
    record: TensorRecord | None = None
    value: InlineTensor | None = None

    @property
    def is_stored(self) -> bool:
        """Whether it is a stored tensor of the server's that nobody has deleted meanwhile."""
        return (
            self.record is not None and self.record.stored and not (self.resident and self.resident.dropped)
        )


class HeldTensors:
    """What the work `job` of `owner` holds, at most `limit` tensors at once, if that is limited."""

    def __init__(self, job: int, owner: str, holdings: Holdings, limit: int | None) -> None:
        self._job, self._owner, self._holdings, self._limit = job, owner, holdings, limit
        self._held: dict[int, Held] = {}
        self._local = itertools.count(1)

    def __contains__(self, local: int) -> bool:
        return local in self._held

    def locals(self) -> list[int]:
        """The numbers of all."""
        return list(self._held)

    def get(self, local: int) -> Held:
        """One of them, which may have gone with the device. Raises `UnknownHandle`."""
        held = self._held.get(local)
        if held is None:
            raise UnknownHandle.of(local)
        return held

    def hold(self, held: Held) -> TensorRef:
        """Hold one more; its number."""
        local = next(self._local)
        self._held[local] = held
        self._holdings.take(self._owner, self._name(local, held), wire_bytes(held.type))
        return TensorRef(local, held.type.shape, held.type.dtype)

    def let_go(self, local: int) -> Held:
        """Hold one no more."""
        held = self._held.pop(local)
        self._holdings.leave(self._owner, self._name(local, held))
        return held

    def replace(self, local: int, held: Held) -> None:
        """Hold a tensor in another way under the same number."""
        before, self._held[local] = self._held[local], held
        self._holdings.take(self._owner, self._name(local, held), wire_bytes(held.type))
        self._holdings.leave(self._owner, self._name(local, before))

    def check_room(self, more: int) -> None:
        """Raise `HandleLimit` if `more` are more than may be held."""
        if self._limit is not None and len(self._held) + more > self._limit:
            raise HandleLimit(
                f"the run's limit handles is {self._limit}, and it would hold {len(self._held) + more} tensors",
                hint="Drop tensors that are done with, join small ones, or ask for more with limits.handles.",
            )

    def _name(self, local: int, held: Held) -> Hashable:
        """What a tensor is called among the holdings of its owner: one of the server's is held once for all work."""
        return (self._job, local) if held.record is None else held.record.id
