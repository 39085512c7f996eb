"""The kernels that a device knows, by hash, and the order of their bindings.

Owns the table of reflections and the check of what a reflection says, since it comes from a process that may be an
attacker's. Must not know pipelines: an engine makes those from what stands here.
"""

from __future__ import annotations

from host.errors import UnknownKernel
from ops.wire import FrameError
from shaders.guard.names import GROUP
from shaders.reflection import BindingInfo, EntryPoint, Guard, Reflection

MAX_GROUP = GROUP - 1
"""The group after it is the host's own."""
MAX_BINDING = 999
"""WebGPU has numbers below 1000 (`maxBindingsPerBindGroup`)."""


class Kernels:
    """Reflections by kernel hash."""

    def __init__(self) -> None:
        self._all: dict[str, Reflection] = {}

    def __len__(self) -> int:
        return len(self._all)

    def add(self, kernel: str, reflection: Reflection) -> None:
        """Keep a kernel; adding it again is harmless."""
        self._all[kernel] = reflection

    def drop(self, kernel: str) -> None:
        """Forget a kernel; an unknown one is ignored."""
        self._all.pop(kernel, None)

    def get(self, kernel: str) -> Reflection:
        """The kernel's reflection. Raises `UnknownKernel`."""
        reflection = self._all.get(kernel)
        if reflection is None:
            raise UnknownKernel(
                f"the device has no kernel {kernel[:80]!r}", hint="Add it before dispatching it."
            )
        return reflection


def check_reflection(reflection: Reflection) -> None:
    """Raise `FrameError` unless names and numbers are unique and in bounds, entry points reach what exists, and each
    entry point is guarded.
    """
    bindings = reflection.bindings
    names = {info.name for info in bindings}
    places = {(info.group, info.binding) for info in bindings}
    entries = {entry.name for entry in reflection.entry_points}
    unique = len(names) == len(bindings) == len(places) and len(entries) == len(reflection.entry_points)
    in_bounds = all(
        0 <= info.group <= MAX_GROUP and 0 <= info.binding <= MAX_BINDING and 0 <= info.min_size < 1 << 31
        for info in bindings
    )
    reached = all(names.issuperset(entry.bindings) for entry in reflection.entry_points)
    sized = all(min(entry.workgroup_size) > 0 for entry in reflection.entry_points)
    guarded = reflection.guard is not None and entries <= reflection.guard.entries.keys()
    if not (unique and in_bounds and reached and sized and guarded):
        raise FrameError("the reflection of a kernel contradicts itself or is out of bounds")


def guard_of(reflection: Reflection) -> Guard:
    """The guard of a kernel. Raises `FrameError` on a kernel without one: nothing unguarded is compiled."""
    if reflection.guard is None:
        raise FrameError("a kernel came without its guard")
    return reflection.guard


def groups_of(reflection: Reflection, entry: EntryPoint) -> list[list[BindingInfo]]:
    """The bindings that `entry` reaches, by group from 0 and in order of their numbers; groups between may be empty."""
    reached = [info for info in reflection.bindings if info.name in set(entry.bindings)]
    count = max((info.group for info in reached), default=-1) + 1
    return [
        sorted((info for info in reached if info.group == group), key=lambda info: info.binding)
        for group in range(count)
    ]
