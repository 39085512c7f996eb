"""The tensors that live on a device, by handle, whatever holds their elements.

Owns the table of handles, the check of types that come in frames, and the memory budget. Must not know buffers: `S` is
whatever an engine stores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from host.errors import DeviceOutOfMemory, UnknownHandle
from ops.dtypes import dtype
from ops.graph import TensorType
from ops.wire import FrameError

S = TypeVar("S")
DEVICE_OWNER = ""
"""Owner of what is the device's own: parameters and the like. No tensor may have it, and it is not counted as live."""
MAX_RANK = 16
MAX_ELEMENTS = 1 << 40
"""What a frame may claim of a tensor: far more than any device holds, so that sizes stay within 64 bits."""


def checked_type(dtype_name: str, shape: Sequence[int]) -> TensorType:
    """The type that a frame names. Raises `DTypeError`, or `FrameError` for an impossible shape."""
    if len(shape) > MAX_RANK or any(size < 0 for size in shape) or math.prod(shape) > MAX_ELEMENTS:
        raise FrameError(f"{list(shape)[:MAX_RANK]} is not the shape of a tensor")
    return TensorType(tuple(shape), dtype(dtype_name).name)


def wire_bytes(type: TensorType) -> int:
    """Bytes of a tensor's elements in files and frames."""
    return math.prod(type.shape) * dtype(type.dtype).wire_bytes


def element_bytes(type: TensorType) -> int:
    """Bytes of a tensor's elements in a device buffer."""
    return math.prod(type.shape) * dtype(type.dtype).device_bytes


def device_bytes(type: TensorType) -> int:
    """Bytes that a tensor has in a device buffer: whole words."""
    return -(-element_bytes(type) // 4) * 4


class Tensor(NamedTuple, Generic[S]):
    """A live tensor: who owns it, its type, and where its elements are."""

    owner: str
    type: TensorType
    storage: S


class Table(Generic[S]):
    """Live tensors by handle."""

    def __init__(self) -> None:
        self._tensors: dict[int, Tensor[S]] = {}

    def __len__(self) -> int:
        return len(self._tensors)

    def __iter__(self) -> Iterator[Tensor[S]]:
        return iter(self._tensors.values())

    def check_new(self, handles: Sequence[int]) -> None:
        """Raise `FrameError` unless all `handles` are different and unused."""
        fresh = set(handles)
        if len(fresh) != len(handles) or not self._tensors.keys().isdisjoint(fresh):
            raise _taken(fresh & self._tensors.keys() or fresh)

    def add(self, handle: int, owner: str, type: TensorType, storage: S) -> None:
        """Make `handle` live."""
        if handle in self._tensors:
            raise _taken([handle])
        self._tensors[handle] = Tensor(owner, type, storage)

    def add_all(
        self, handles: Sequence[int], owner: str, types: Sequence[TensorType], storages: Sequence[S]
    ) -> None:
        """Make `handles`, which are different, live: all, or none of them."""
        if not self._tensors.keys().isdisjoint(handles):
            raise _taken(self._tensors.keys() & handles)
        for handle, type, storage in zip(handles, types, storages, strict=True):
            self._tensors[handle] = Tensor(owner, type, storage)

    def get(self, handle: int) -> Tensor[S]:
        """The tensor `handle`. Raises `UnknownHandle`."""
        tensor = self._tensors.get(handle)
        if tensor is None:
            raise UnknownHandle.of(handle)
        return tensor

    def type(self, handle: int) -> TensorType:
        """The type of tensor `handle`. Raises `UnknownHandle`."""
        return self.get(handle).type

    def pop(self, handles: Sequence[int]) -> list[Tensor[S]]:
        """Forget `handles` and give what they were; unknown ones are ignored."""
        return [self._tensors.pop(handle) for handle in handles if handle in self._tensors]


def _taken(handles: Iterable[int]) -> FrameError:
    return FrameError(f"tensor handles {sorted(handles)[:8]} exist already")


class Budget:
    """A bound on bytes. `limit` None: whatever the driver grants."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.used = 0

    def lacks(self, nbytes: int) -> int:
        """How many bytes too few are left for `nbytes`; 0 when they fit."""
        return 0 if self.limit is None else max(0, self.used + nbytes - self.limit)

    def take(self, nbytes: int) -> None:
        """Count `nbytes`. Raises `DeviceOutOfMemory` if they do not fit; how much is in use is nobody's business."""
        if self.lacks(nbytes):
            raise DeviceOutOfMemory(
                f"{nbytes:,} bytes do not fit into what is free of the device's {self.limit:,}",
                hint="Free tensors that are no longer needed, or work in smaller pieces.",
            )
        self.used += nbytes

    def give(self, nbytes: int) -> None:
        """Count `nbytes` back."""
        self.used -= nbytes
